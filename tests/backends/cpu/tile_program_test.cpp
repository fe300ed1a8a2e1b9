// TileKernel against a plain interpreter that runs one element at a time, on many shapes, broadcasts and
// programs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "brio/backends/cpu/tile_program.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "tests/backends/cpu/every_isa.h"

namespace brio::cpu {
namespace {

using Bytes = std::vector<unsigned char>;

TileFn fn(const char* op, DType dtype = f32) { return find_tile_fn(op, dtype, dtype); }

// A buffer with guard bytes on both sides and a chosen misalignment.
class Guarded {
 public:
  Guarded(size_t bytes, size_t misalignment = 0) : bytes_(bytes), data_(bytes + 256 + 64, 0xab) {
    const size_t address = reinterpret_cast<size_t>(data_.data());
    offset_ = 128 + (64 - address % 64) % 64 + misalignment;
    std::memset(get(), 0, bytes);
  }
  void* get() { return data_.data() + offset_; }
  template <typename T>
  T* as() {
    return static_cast<T*>(get());
  }
  Bytes content() {
    return Bytes(data_.begin() + static_cast<long>(offset_), data_.begin() + static_cast<long>(offset_ + bytes_));
  }
  bool intact() const {
    for (size_t i = 0; i < offset_; ++i)
      if (data_[i] != 0xab) return false;
    for (size_t i = offset_ + bytes_; i < data_.size(); ++i)
      if (data_[i] != 0xab) return false;
    return true;
  }

 private:
  size_t bytes_, offset_;
  Bytes data_;
};

struct Outcome {
  std::vector<Bytes> outputs;  // then the reductions
};

int64_t kept_elements(const TileProgram& program) {
  int64_t n = 1;
  for (int i = 0; i < program.space.rank(); ++i)
    if (!(program.reduced_mask >> i & 1)) n *= program.space[i];
  return n;
}

DType dtype_of_register(const TileProgram& program, int32_t reg) {
  size_t r = static_cast<size_t>(reg);
  if (r < program.inputs.size()) return program.inputs[r].dtype;
  r -= program.inputs.size();
  if (r < program.constants.size()) return program.constants[r].dtype;
  return program.steps[r - program.constants.size()].dtype;
}

Outcome run(const TileProgram& program, const std::vector<const void*>& inputs, size_t misalignment = 0) {
  TileKernel kernel(program);
  std::vector<Guarded> buffers;
  std::vector<void*> pointers;
  for (const auto& output : program.outputs)
    buffers.emplace_back(
        static_cast<size_t>(program.space.elements()) * size_of(dtype_of_register(program, output.reg)),
        misalignment);
  for (const auto& reduction : program.reductions)
    buffers.emplace_back(
        static_cast<size_t>(kept_elements(program)) * size_of(dtype_of_register(program, reduction.reg)),
        misalignment);
  for (Guarded& buffer : buffers) pointers.push_back(buffer.get());
  Guarded scratch(kernel.scratch_bytes());
  kernel.run(inputs.data(), pointers.data(), scratch.get());
  EXPECT_TRUE(scratch.intact());
  Outcome outcome;
  for (Guarded& buffer : buffers) {
    EXPECT_TRUE(buffer.intact());
    outcome.outputs.push_back(buffer.content());
  }
  return outcome;
}

double to_double(const void* element, DType dtype) {
  return visit(dtype, [&](auto t) {
    std::memcpy(&t, element, sizeof t);
    if constexpr (std::is_arithmetic_v<decltype(t)>) return static_cast<double>(t);
    else return static_cast<double>(static_cast<float>(t));
  });
}

// Outputs exactly; reductions as double values.
struct Reference {
  std::vector<Bytes> outputs;
  std::vector<std::vector<double>> reductions, magnitudes;
};

Reference interpret(const TileProgram& program, const std::vector<const void*>& inputs) {
  Reference reference;
  const int64_t n = program.space.elements(), kept = kept_elements(program);
  for (const auto& output : program.outputs)
    reference.outputs.emplace_back(static_cast<size_t>(n) * size_of(dtype_of_register(program, output.reg)));
  for (const auto& reduction : program.reductions) {
    const double inf = std::numeric_limits<double>::infinity();
    double identity = 0;
    switch (reduction.kind) {
      case ReduceKind::sum:
      case ReduceKind::any: identity = 0; break;
      case ReduceKind::prod:
      case ReduceKind::all: identity = 1; break;
      case ReduceKind::max: identity = -inf; break;
      case ReduceKind::min: identity = inf; break;
    }
    reference.reductions.emplace_back(static_cast<size_t>(kept), identity);
    reference.magnitudes.emplace_back(static_cast<size_t>(kept), 0.0);
  }
  const size_t leaves = program.inputs.size() + program.constants.size();
  std::vector<std::array<unsigned char, 8>> registers(leaves + program.steps.size());
  for (int64_t i = 0; i < n; ++i) {
    int64_t at[kMaxRank], rest = i, kept_index = 0, kept_stride = 1;
    for (int d = program.space.rank() - 1; d >= 0; --d) {
      at[d] = rest % program.space[d];
      rest /= program.space[d];
      if (!(program.reduced_mask >> d & 1)) {
        kept_index += at[d] * kept_stride;
        kept_stride *= program.space[d];
      }
    }
    for (size_t k = 0; k < program.inputs.size(); ++k) {
      int64_t offset = 0;
      for (int d = 0; d < program.space.rank(); ++d) offset += at[d] * program.inputs[k].strides[d];
      const size_t size = size_of(program.inputs[k].dtype);
      std::memcpy(registers[k].data(), static_cast<const char*>(inputs[k]) + offset * static_cast<int64_t>(size),
                  size);
    }
    for (size_t k = 0; k < program.constants.size(); ++k)
      std::memcpy(registers[program.inputs.size() + k].data(), &program.constants[k].bits, 8);
    for (size_t k = 0; k < program.steps.size(); ++k) {
      const auto& step = program.steps[k];
      const auto source = [&](int s) {
        return step.src[s] < 0 ? nullptr : registers[static_cast<size_t>(step.src[s])].data();
      };
      step.fn(registers[leaves + k].data(), source(0), source(1), source(2), 1);
    }
    for (size_t o = 0; o < program.outputs.size(); ++o) {
      const size_t size = size_of(dtype_of_register(program, program.outputs[o].reg));
      std::memcpy(reference.outputs[o].data() + static_cast<size_t>(i) * size,
                  registers[static_cast<size_t>(program.outputs[o].reg)].data(), size);
    }
    for (size_t r = 0; r < program.reductions.size(); ++r) {
      const auto& reduction = program.reductions[r];
      const double x =
          to_double(registers[static_cast<size_t>(reduction.reg)].data(), dtype_of_register(program, reduction.reg));
      double& acc = reference.reductions[r][static_cast<size_t>(kept_index)];
      reference.magnitudes[r][static_cast<size_t>(kept_index)] += std::fabs(x);
      switch (reduction.kind) {
        case ReduceKind::sum: acc += x; break;
        case ReduceKind::prod: acc *= x; break;
        case ReduceKind::max:
        case ReduceKind::any: acc = std::isnan(x) || x > acc ? x : acc; break;
        case ReduceKind::min:
        case ReduceKind::all: acc = std::isnan(x) || x < acc ? x : acc; break;
      }
    }
  }
  return reference;
}

void expect_matches(const TileProgram& program, const std::vector<const void*>& inputs, const Outcome& got) {
  const Reference reference = interpret(program, inputs);
  for (size_t o = 0; o < program.outputs.size(); ++o)
    EXPECT_EQ(got.outputs[o], reference.outputs[o]) << "output " << o << " over " << program.space;
  for (size_t r = 0; r < program.reductions.size(); ++r) {
    const DType dtype = dtype_of_register(program, program.reductions[r].reg);
    const Bytes& bytes = got.outputs[program.outputs.size() + r];
    const bool exact =
        program.reductions[r].kind != ReduceKind::sum && program.reductions[r].kind != ReduceKind::prod;
    for (size_t k = 0; k < reference.reductions[r].size(); ++k) {
      const double expected = reference.reductions[r][k];
      const double value = to_double(bytes.data() + k * size_of(dtype), dtype);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(value)) << k;
        continue;
      }
      const double unit = dtype == f64 ? 1e-14 : dtype == f32 ? 1e-6 : dtype == f16 ? 1e-3 : 8e-3;
      const double tolerance = exact ? 0 : unit * (reference.magnitudes[r][k] + std::fabs(expected));
      ASSERT_NEAR(value, expected, tolerance)
          << "reduction " << r << " at " << k << " over " << program.space << " mask " << int{program.reduced_mask};
    }
  }
}

std::vector<float> random_floats(size_t n, uint32_t seed, float low = -2, float high = 2) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> x(n);
  for (float& v : x) v = uniform(generator);
  return x;
}

TileProgram::Input dense(const Shape& space, DType dtype = f32) {
  TileProgram::Input input{dtype, {}};
  const Strides strides = row_major(space);
  for (int i = 0; i < space.rank(); ++i) input.strides[i] = strides[i];
  return input;
}
TileProgram::Input scalar_input(DType dtype = f32) { return TileProgram::Input{dtype, {}}; }

uint64_t bits(float x) { return std::bit_cast<uint32_t>(x); }

// y = relu(a * b + 0.5) - a
TileProgram chain(const Shape& space) {
  TileProgram program;
  program.space = space;
  program.inputs = {dense(space), dense(space)};
  program.constants = {{f32, bits(0.5f)}};
  program.steps = {{fn("mul"), f32, {0, 1, -1}},
                   {fn("add"), f32, {3, 2, -1}},
                   {fn("relu"), f32, {4, -1, -1}},
                   {fn("sub"), f32, {5, 0, -1}}};
  program.outputs = {{6}};
  return program;
}

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

TEST(TileProgram, EmptyReductionsGiveTheIdentity) {
  const Shape space{3, 0, 2};
  for (DType dtype : {f64, f32, f16, bf16, i32, u8, i64}) {
    TileProgram program;
    program.space = space;
    program.inputs = {dense(space, dtype)};
    program.reductions = {{0, ReduceKind::sum}, {0, ReduceKind::prod}, {0, ReduceKind::max}, {0, ReduceKind::min}};
    program.reduced_mask = 0b010;
    const Outcome got = run(program, {nullptr});
    for (size_t k = 0; k < 6; ++k) {
      const auto value = [&](size_t r) { return to_double(got.outputs[r].data() + k * size_of(dtype), dtype); };
      EXPECT_EQ(value(0), 0);
      EXPECT_EQ(value(1), 1);
      if (is_floating(dtype)) {
        EXPECT_EQ(value(2), -std::numeric_limits<double>::infinity());
        EXPECT_EQ(value(3), std::numeric_limits<double>::infinity());
      } else if (dtype == i32) {
        EXPECT_EQ(value(2), std::numeric_limits<int32_t>::lowest());
        EXPECT_EQ(value(3), std::numeric_limits<int32_t>::max());
      } else if (dtype == u8) {
        EXPECT_EQ(value(2), 0);
        EXPECT_EQ(value(3), 255);
      }
    }
  }
  TileProgram logical;
  logical.space = Shape{0};
  logical.inputs = {dense(logical.space, boolean)};
  logical.reductions = {{0, ReduceKind::any}, {0, ReduceKind::all}};
  logical.reduced_mask = 1;
  const Outcome got = run(logical, {nullptr});
  EXPECT_EQ(got.outputs[0][0], 0);
  EXPECT_EQ(got.outputs[1][0], 1);
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
    }
  });
}

const std::vector<Shape>& reduction_shapes() {
  static const std::vector<Shape> shapes = {Shape{1},
                                            Shape{5},
                                            Shape{16},
                                            Shape{17},
                                            Shape{64},
                                            Shape{65},
                                            Shape{1000},
                                            Shape{4096},
                                            Shape{4097},
                                            Shape{50000},
                                            Shape{300000},
                                            Shape{3, 5},
                                            Shape{1000, 3},
                                            Shape{3, 1000},
                                            Shape{100, 100},
                                            Shape{2, 100000},
                                            Shape{70000, 2},
                                            Shape{2000, 64},
                                            Shape{64, 2000},
                                            Shape{5000, 10},
                                            Shape{20, 5000},
                                            Shape{3000, 130},
                                            Shape{9, 7, 11},
                                            Shape{50, 40, 30},
                                            Shape{8, 512, 49},
                                            Shape{4, 3, 5, 6},
                                            Shape{16, 5, 16, 5},
                                            Shape{7, 2, 3, 2, 5},
                                            Shape{2, 3, 2, 3, 2, 3}};
  return shapes;
}

TEST(TileProgram, ReductionsOverEveryMask) {
  on_every_isa([] {
    for (const Shape& space : reduction_shapes()) {
      TileProgram program;
      program.space = space;
      program.inputs = {dense(space)};
      program.steps = {{fn("square"), f32, {0, -1, -1}}};
      program.reductions = {{0, ReduceKind::sum}, {1, ReduceKind::sum}, {0, ReduceKind::max}, {0, ReduceKind::min}};
      const auto x = random_floats(static_cast<size_t>(space.elements()), 5);
      for (int mask = 0; mask < 1 << space.rank(); ++mask) {
        program.reduced_mask = static_cast<uint8_t>(mask);
        expect_matches(program, {x.data()}, run(program, {x.data()}));
      }
    }
  });
}

TEST(TileProgram, SameBitsForAnyThreadsFusedOrNot) {
  const int before = thread_count();
  std::vector<Shape> shapes = reduction_shapes();
  shapes.push_back(Shape{600, 2000});
  shapes.push_back(Shape{1200, 900});
  shapes.push_back(Shape{1'000'000});
  shapes.push_back(Shape{250'000, 5});
  shapes.push_back(Shape{3, 9000, 40});
  shapes.push_back(Shape{20, 30, 40, 50});
  shapes.push_back(Shape{10, 9000});
  for (const Shape& space : shapes) {
    const size_t n = static_cast<size_t>(space.elements());
    const auto x = random_floats(n, 7);
    const auto y = random_floats(n, 8);
    TileProgram::Input last = scalar_input();
    last.strides[space.rank() - 1] = 1;
    TileProgram fused;  // sum and max of exp(x * y + broadcast)
    fused.space = space;
    fused.inputs = {dense(space), dense(space), last};
    fused.steps = {{fn("mul"), f32, {0, 1, -1}}, {fn("add"), f32, {3, 2, -1}}, {fn("tanh"), f32, {4, -1, -1}}};
    fused.outputs = {{5}};
    fused.reductions = {{5, ReduceKind::sum}, {5, ReduceKind::max}, {5, ReduceKind::prod}};
    TileProgram alone;
    alone.space = space;
    alone.inputs = {dense(space)};
    alone.reductions = {{0, ReduceKind::sum}, {0, ReduceKind::max}, {0, ReduceKind::prod}};
    for (int mask = 1; mask < 1 << space.rank(); ++mask) {
      fused.reduced_mask = alone.reduced_mask = static_cast<uint8_t>(mask);
      set_thread_count(1);
      const Outcome one = run(fused, {x.data(), y.data(), y.data()});
      const Outcome separate = run(alone, {one.outputs[0].data()});
      for (size_t r = 0; r < 3; ++r)
        EXPECT_EQ(separate.outputs[r], one.outputs[1 + r]) << space << " mask " << mask << " reduction " << r;
      for (int threads : {2, 7}) {
        set_thread_count(threads);
        EXPECT_EQ(run(fused, {x.data(), y.data(), y.data()}).outputs, one.outputs) << space << " mask " << mask;
      }
    }
  }
  set_thread_count(before);
}

TEST(TileProgram, LargeSumsAreAccurate) {
  const size_t n = 16 << 20;
  for (int pattern = 0; pattern < 2; ++pattern) {
    std::vector<float> x = pattern == 0 ? random_floats(n, 3, 0, 1) : std::vector<float>(n, 0.1f);
    double exact = 0;
    for (float v : x) exact += v;
    for (const Shape& space : {Shape{16 << 20}, Shape{1 << 18, 64}, Shape{1 << 23, 2}}) {
      TileProgram program;
      program.space = space;
      program.inputs = {dense(space)};
      program.reductions = {{0, ReduceKind::sum}};
      program.reduced_mask = 1;
      const Outcome got = run(program, {x.data()});
      double sum = 0;
      for (size_t i = 0; i < got.outputs[0].size(); i += 4) sum += to_double(got.outputs[0].data() + i, f32);
      EXPECT_NEAR(sum / exact, 1, 1e-6) << space;
    }
  }
}

TEST(TileProgram, NanReachesMaxAndMin) {
  on_every_isa([] {
    for (int64_t n : {1, 3, 16, 17, 64, 100, 1000, 5000, 100000})
      for (int64_t where : {int64_t{0}, n / 2, n - 1}) {
        std::vector<float> x(static_cast<size_t>(n), 1.0f);
        x[static_cast<size_t>(where)] = std::numeric_limits<float>::quiet_NaN();
        TileProgram program;
        program.space = Shape{n};
        program.inputs = {dense(program.space)};
        program.reductions = {{0, ReduceKind::max}, {0, ReduceKind::min}};
        program.reduced_mask = 1;
        const Outcome got = run(program, {x.data()});
        EXPECT_TRUE(std::isnan(to_double(got.outputs[0].data(), f32))) << n << " " << where;
        EXPECT_TRUE(std::isnan(to_double(got.outputs[1].data(), f32))) << n << " " << where;
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

TEST(TileProgram, IntegerSumsWrap) {
  std::vector<uint8_t> x(1000, 200);
  TileProgram program;
  program.space = Shape{1000};
  program.inputs = {dense(program.space, u8)};
  program.reductions = {{0, ReduceKind::sum}};
  program.reduced_mask = 1;
  EXPECT_EQ(run(program, {x.data()}).outputs[0][0], static_cast<uint8_t>(1000 * 200));
}

TEST(TileProgram, HalfSumsAccumulateInSingle) {
  const size_t n = 100'000;
  std::vector<uint16_t> x(n, BFloat16(1.0f).bits);
  TileProgram program;
  program.space = Shape{static_cast<int64_t>(n)};
  program.inputs = {dense(program.space, bf16)};
  program.reductions = {{0, ReduceKind::sum}};
  program.reduced_mask = 1;
  const Outcome got = run(program, {x.data()});
  EXPECT_EQ(to_double(got.outputs[0].data(), bf16), static_cast<double>(static_cast<float>(BFloat16(1e5f))));
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
}  // namespace brio::cpu
