// Reductions of TileKernel: every mask of many shapes, accuracy, the same bits for any number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "brio/base/thread_pool.h"
#include "tests/backends/cpu/every_isa.h"
#include "tests/backends/cpu/tile_testing.h"

namespace brio::cpu::testing {
namespace {

TEST(TileReduction, EmptyReductionsGiveTheIdentity) {
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

TEST(TileReduction, ReductionsOverEveryMask) {
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

TEST(TileReduction, SameBitsForAnyThreadsFusedOrNot) {
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

TEST(TileReduction, LargeSumsAreAccurate) {
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

TEST(TileReduction, NanReachesMaxAndMin) {
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

TEST(TileReduction, IntegerSumsWrap) {
  std::vector<uint8_t> x(1000, 200);
  TileProgram program;
  program.space = Shape{1000};
  program.inputs = {dense(program.space, u8)};
  program.reductions = {{0, ReduceKind::sum}};
  program.reduced_mask = 1;
  EXPECT_EQ(run(program, {x.data()}).outputs[0][0], static_cast<uint8_t>(1000 * 200));
}

TEST(TileReduction, HalfSumsAccumulateInSingle) {
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

}  // namespace
}  // namespace brio::cpu::testing
