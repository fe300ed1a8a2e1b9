// TileKernel against a plain interpreter, on many shapes, broadcasts and programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "brio/base/error.h"
#include "tests/backends/cpu/every_isa.h"
#include "tests/backends/cpu/tile_testing.h"

namespace brio::cpu::testing {
namespace {

TEST(TileProgram, ChainsOverEveryLength) {
  on_every_isa([] {
    for (int64_t n : {0, 1, 2, 3, 15, 16, 17, 255, 256, 257, 1000, 1023, 1024, 1025, 5000, 100000}) {
      const auto a = random_floats(static_cast<size_t>(n) + 3, 1), b = random_floats(static_cast<size_t>(n) + 3, 2);
      const TileProgram program = chain(Shape{n});
      for (size_t shift : {0, 1, 3}) {
        const std::vector<const void*> inputs = {a.data() + shift, b.data()};
        expect_matches(program, inputs, run(program, inputs, shift * 4));
      }
    }
  });
}

TEST(TileProgram, OutputMayBeAnInput) {
  for (int64_t n : {3, 1000, 100000}) {
    TileProgram program = chain(Shape{n});  // its last step reads `a` after the product was formed
    program.outputs = {{4}, {6}};           // the first output is written while `a` is still needed
    auto a = random_floats(static_cast<size_t>(n), 1);
    const auto b = random_floats(static_cast<size_t>(n), 2);
    const Reference reference = interpret(program, {a.data(), b.data()});
    TileKernel kernel(program);
    std::vector<float> other(static_cast<size_t>(n));
    const void* inputs[] = {a.data(), b.data()};
    void* outputs[] = {a.data(), other.data()};
    kernel.run(inputs, outputs, nullptr);
    EXPECT_EQ(0, std::memcmp(a.data(), reference.outputs[0].data(), reference.outputs[0].size()));
    EXPECT_EQ(0, std::memcmp(other.data(), reference.outputs[1].data(), reference.outputs[1].size()));
  }
}

TEST(TileProgram, TwoInputsMayBeSwapped) {
  for (int64_t n : {3, 5000}) {
    TileProgram program;
    program.space = Shape{n};
    program.inputs = {dense(program.space), dense(program.space)};
    program.outputs = {{1}, {0}};
    auto a = random_floats(static_cast<size_t>(n), 1), b = random_floats(static_cast<size_t>(n), 2);
    const auto a_before = a, b_before = b;
    const void* inputs[] = {a.data(), b.data()};
    void* outputs[] = {a.data(), b.data()};
    TileKernel(program).run(inputs, outputs, nullptr);
    EXPECT_EQ(a, b_before);
    EXPECT_EQ(b, a_before);
  }
}

TEST(TileProgram, RankZero) {
  TileProgram program = chain(Shape{});
  program.reductions = {{6, ReduceKind::sum}};
  const float a = 3, b = 2;
  expect_matches(program, {&a, &b}, run(program, {&a, &b}));
}

// Rows that are found by their places, against the table that they stand for: the same bits, reductions too.
TEST(TileProgram, RowsByTheirPlaces) {
  on_every_isa([] {
    for (const Shape& space : {Shape{0, 4}, Shape{5, 0}, Shape{4000, 1}, Shape{900, 3}, Shape{300, 16},
                               Shape{77, 100}, Shape{90, 10, 7}, Shape{9, 1500}, Shape{3, 70'000}})
      for (const int chance : {1, 10, 400})  // one in so many rows is another than the last
        for (const uint8_t mask : {0, 1, 2, 3}) {
          const int64_t width = space[0] == 0 ? Size(4) : space.elements() / space[0], rows = 6;
          const auto few = random_floats(static_cast<size_t>(rows * width), 1);
          const auto other = random_floats(static_cast<size_t>(space.elements()), 2);
          std::vector<int32_t> places;
          std::vector<float> table;
          std::mt19937 generator(static_cast<uint32_t>(chance));
          for (int64_t r = 0; r < space[0]; ++r) {
            places.push_back(generator() % static_cast<uint32_t>(chance) ? 5
                                                                         : static_cast<int32_t>(generator() % 8) - 1);
            const int64_t place = places.back() < 0 ? 5 : std::min(places.back(), 5);
            table.insert(table.end(), few.begin() + place * width, few.begin() + (place + 1) * width);
          }
          TileProgram whole;
          whole.space = space;
          whole.inputs = {dense(space), dense(space), scalar_input(i32)};
          whole.steps = {{fn("mul"), f32, {0, 1, -1}}, {fn("sub"), f32, {3, 0, -1}}};
          whole.outputs = {{4}};
          if (mask) whole.reductions = {{4, ReduceKind::sum}};
          whole.reduced_mask = mask;
          TileProgram part = whole;
          part.inputs[0] = {f32, {}, 2, rows, false};
          part.inputs[2] = {i32, {}, -1, 0, true};
          const int32_t nothing = 0;
          const auto wanted = run(whole, {table.data(), other.data(), &nothing});
          EXPECT_EQ(run(part, {few.data(), other.data(), places.data()}).outputs, wanted.outputs)
              << space << " " << chance << " mask " << int{mask};
        }
  });
}

TEST(TileProgram, BroadcastInputs) {
  on_every_isa([] {
    for (const Shape& space : {Shape{1000, 3}, Shape{7, 2000}, Shape{40, 100}, Shape{5, 513}, Shape{3, 1030},
                               Shape{2, 3, 4, 5}, Shape{64, 1, 300}, Shape{10, 600, 2}}) {
      const int64_t n = space.elements();
      TileProgram program;
      program.space = space;
      const Strides strides = row_major(space);
      TileProgram::Input row = scalar_input(), column = scalar_input(), reversed = scalar_input();
      const int last = space.rank() - 1;
      row.strides[last] = 1;
      column.strides[0] = 1;
      int64_t step = 1;
      for (int i = 0; i < space.rank(); ++i) {  // column-major
        reversed.strides[i] = step;
        step *= space[i];
      }
      (void)strides;
      program.inputs = {dense(space), row, column, reversed, scalar_input()};
      program.steps = {{fn("add"), f32, {0, 1, -1}},
                       {fn("mul"), f32, {5, 2, -1}},
                       {fn("sub"), f32, {6, 3, -1}},
                       {fn("max"), f32, {7, 4, -1}}};
      program.outputs = {{8}, {3}, {1}, {4}};
      const auto x = random_floats(static_cast<size_t>(n), 1), y = random_floats(static_cast<size_t>(n), 2);
      const auto z = random_floats(static_cast<size_t>(n), 3);
      const float s = 0.25f;
      const std::vector<const void*> inputs = {x.data(), y.data(), z.data(), y.data(), &s};
      expect_matches(program, inputs, run(program, inputs));
      program.reductions = {{8, ReduceKind::sum}, {7, ReduceKind::max}};
      for (int mask = 0; mask < 1 << space.rank(); ++mask) {
        program.reduced_mask = static_cast<uint8_t>(mask);
        expect_matches(program, inputs, run(program, inputs));
      }
      // A step by itself, with one number a row.
      program.inputs = {dense(space), column};
      program.steps = {{fn("mul"), f32, {0, 1, -1}}};
      program.outputs = {{2}};
      program.reductions = {{2, ReduceKind::sum}};
      for (int mask = 0; mask < 1 << space.rank(); ++mask) {
        program.reduced_mask = static_cast<uint8_t>(mask);
        expect_matches(program, {x.data(), z.data()}, run(program, {x.data(), z.data()}));
      }
      // Nothing but a pass over rows that are in place.
      program.inputs = {dense(space), column, row};
      program.steps = {{fn("mul"), f32, {0, 1, -1}}, {fn("exp"), f32, {3, -1, -1}}, {fn("add"), f32, {4, 2, -1}}};
      program.outputs = {{5}, {3}};
      program.reductions.clear();
      program.reduced_mask = 0;
      expect_matches(program, {x.data(), z.data(), y.data()}, run(program, {x.data(), z.data(), y.data()}));
    }
  });
}

// Inputs whose pattern repeats along a dim within others: one for all, one that changes, and too short to repeat.
TEST(TileProgram, PatternsThatRepeat) {
  struct Case {
    Shape space;
    std::vector<int64_t> strides;
  };
  on_every_isa([] {
    for (const Case& c : {Case{{4, 9000, 3}, {3, 0, 1}},         // a pattern of 3 for each of 4
                          Case{{3, 2, 7001, 5}, {10, 5, 0, 1}},  // … of 6
                          Case{{40, 224, 3}, {0, 1, 0}},         // 224 numbers, each three times
                          Case{{2, 700, 56, 3}, {56, 0, 1, 0}},  // the same, changing
                          Case{{3, 9000, 4}, {-4, 0, -1}},       // backwards
                          Case{{50, 100, 3}, {3, 0, 1}},         // changes too often
                          Case{{4, 9, 5000}, {5000, 0, 1}},      // too long a run
                          Case{{2, 3, 90, 60}, {60, 0, 0, 1}}}) {
      TileProgram program;
      program.space = c.space;
      TileProgram::Input pattern = scalar_input();
      int64_t extent = 0, origin = 0;
      for (size_t i = 0; i < c.strides.size(); ++i) {
        pattern.strides[i] = c.strides[i];
        const int64_t reach = (c.space[static_cast<int>(i)] - 1) * c.strides[i];
        (reach < 0 ? origin : extent) += std::abs(reach);
      }
      program.inputs = {dense(c.space), pattern};
      program.steps = {{fn("mul"), f32, {0, 1, -1}}, {fn("add"), f32, {2, 1, -1}}};
      program.outputs = {{3}, {1}};
      const auto x = random_floats(static_cast<size_t>(c.space.elements()), 1);
      const auto y = random_floats(static_cast<size_t>(extent + origin + 1), 2);
      const std::vector<const void*> inputs = {x.data(), y.data() + origin};
      expect_matches(program, inputs, run(program, inputs));
      program.reductions = {{3, ReduceKind::sum}};
      for (int mask = 0; mask < 1 << c.space.rank(); ++mask) {
        program.reduced_mask = static_cast<uint8_t>(mask);
        expect_matches(program, inputs, run(program, inputs));
      }
    }
  });
}

TEST(TileProgram, OtherDtypes) {
  on_every_isa([] {
    for (DType dtype : {f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64})
      for (const Shape& space : {Shape{3}, Shape{1000}, Shape{40, 50}, Shape{300, 7}, Shape{10000}}) {
        const size_t n = static_cast<size_t>(space.elements());
        std::vector<int32_t> small(n);
        for (size_t i = 0; i < n; ++i) small[i] = static_cast<int32_t>(i * 7 % 11);
        Bytes x(n * size_of(dtype));
        find_tile_fn("cast", i32, dtype)(x.data(), small.data(), nullptr, nullptr, n);
        TileProgram program;
        program.space = space;
        program.inputs = {dense(space, dtype)};
        program.steps = {{fn("add", dtype), dtype, {0, 0, -1}},
                         {find_tile_fn("greater", dtype, boolean), boolean, {1, 0, -1}},
                         {fn("select", dtype), dtype, {2, 0, 1}}};
        program.outputs = {{1}, {2}, {3}};
        for (int mask = 0; mask < 1 << space.rank(); ++mask) {
          program.reduced_mask = static_cast<uint8_t>(mask);
          program.reductions = {{1, ReduceKind::max}, {2, ReduceKind::any}, {2, ReduceKind::all}};
          if (is_floating(dtype) || size_of(dtype) >= 4) program.reductions.push_back({3, ReduceKind::sum});
          expect_matches(program, {x.data()}, run(program, {x.data()}));
        }
      }
  });
}

// Large enough for streaming stores and fetching ahead, with starts that are not those of lines.
TEST(TileProgram, OutputsThatGoPastTheCache) {
  const int64_t n = 5'000'003;
  const size_t count = static_cast<size_t>(n);
  const auto a = random_floats(count + 3, 1), b = random_floats(count + 3, 2);
  std::vector<float> step(count), wanted(count), middle(count);
  for (size_t shift : {0, 3}) {
    const float *x = a.data() + shift, *y = b.data() + shift;
    const std::vector<float> half(count, 0.5f);
    fn("mul")(step.data(), x, y, nullptr, count);
    fn("add")(middle.data(), step.data(), half.data(), nullptr, count);
    fn("relu")(step.data(), middle.data(), nullptr, nullptr, count);
    fn("sub")(wanted.data(), step.data(), x, nullptr, count);
    TileProgram program = chain(Shape{n});
    program.outputs = {{6}, {4}};
    program.reductions = {{6, ReduceKind::max}};
    program.reduced_mask = 1;
    const Outcome got = run(program, {x, y}, 4 * shift);
    EXPECT_EQ(std::memcmp(got.outputs[0].data(), wanted.data(), count * 4), 0);
    EXPECT_EQ(std::memcmp(got.outputs[1].data(), middle.data(), count * 4), 0);
    EXPECT_EQ(to_double(got.outputs[2].data(), f32), *std::max_element(wanted.begin(), wanted.end()));

    program.reductions.clear();
    std::vector<float> in_place(x, x + count), other(count);
    const void* inputs[] = {in_place.data(), y};
    void* outputs[] = {in_place.data(), other.data()};
    TileKernel(program).run(inputs, outputs, nullptr);
    EXPECT_EQ(std::memcmp(in_place.data(), wanted.data(), count * 4), 0);
    EXPECT_EQ(std::memcmp(other.data(), middle.data(), count * 4), 0);
  }
}

TEST(TileProgram, MalformedProgramsAreRefused) {
  TileProgram program = chain(Shape{3});
  program.steps[0].src[0] = 6;  // its own future
  EXPECT_THROW(TileKernel{program}, InternalError);
  program = chain(Shape{3});
  program.steps[1].fn = nullptr;
  EXPECT_THROW(TileKernel{program}, InternalError);
}

// Random programs over random shapes with random broadcasts, masks, outputs and reductions.
TEST(TileProgram, RandomPrograms) {
  std::mt19937 generator(20261115);
  const auto pick = [&](int n) { return static_cast<int>(generator() % static_cast<uint32_t>(n)); };
  const char* binary[] = {"add", "sub", "mul", "max", "min", "squared_difference"};
  const char* unary[] = {"neg", "abs", "relu", "tanh", "square", "sigmoid"};
  const auto data = random_floats(1 << 20, 11);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    TileProgram program;
    const int rank = pick(5);
    const int64_t sizes[] = {1, 2, 3, 5, 8, 17, 33};
    for (int i = 0; i < rank; ++i)
      program.space.push_back(sizes[pick(i == rank - 1 && rank < 3 ? 7 : 6)] * (rank < 3 ? 13 : 1));
    std::vector<const void*> inputs;
    for (int i = 0, count = 1 + pick(3); i < count; ++i) {
      TileProgram::Input input = scalar_input();
      int64_t step = 1;
      const int broadcast = pick(1 << rank);
      std::vector<int> order(static_cast<size_t>(rank));
      for (int d = 0; d < rank; ++d) order[static_cast<size_t>(d)] = rank - 1 - d;
      if (pick(4) == 0) std::shuffle(order.begin(), order.end(), generator);
      for (int d : order)
        if (pick(2) == 0 || !(broadcast >> d & 1)) {
          input.strides[d] = step;
          step *= program.space[d];
        }
      program.inputs.push_back(input);
      inputs.push_back(data.data() + pick(100));
    }
    program.constants = {{f32, bits(0.75f)}};
    const int32_t leaves = static_cast<int32_t>(program.inputs.size()) + 1;
    for (int k = 0, count = pick(8); k < count; ++k) {
      const int32_t a = pick(leaves + k), b = pick(leaves + k);
      if (pick(2)) program.steps.push_back({fn(binary[pick(6)]), f32, {a, b, -1}});
      else program.steps.push_back({fn(unary[pick(6)]), f32, {a, -1, -1}});
    }
    const int32_t registers = leaves + static_cast<int32_t>(program.steps.size());
    for (int o = 0, count = pick(3); o < count; ++o) program.outputs.push_back({pick(registers)});
    program.reduced_mask = static_cast<uint8_t>(pick(1 << rank));
    for (int r = 0, count = pick(3); r < count; ++r)
      program.reductions.push_back({pick(registers), pick(2) ? ReduceKind::sum : ReduceKind::max});
    expect_matches(program, inputs, run(program, inputs));
  }
}

}  // namespace
}  // namespace brio::cpu::testing
