// Variables that branches and loops assign: in eager code and in functions, nested, under tapes.
#include "brio/ops/control/body_variables.h"

#include <gtest/gtest.h>

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "brio/nn/optimizers/optimizer.h"
#include "brio/ops/control/control.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/runtime/function.h"

namespace brio {
namespace {

using Tensors = std::vector<Tensor>;

// Runs it as eager code and as a function, twice each.
void both_ways(const std::function<Tensor(const Tensor&)>& f, const std::function<void()>& before,
               const std::vector<std::pair<float, std::function<void(const Tensor&)>>>& calls) {
  for (const bool traced : {false, true}) {
    SCOPED_TRACE(traced ? "function" : "eager");
    before();
    const auto kept = function(f);
    for (const auto& [argument, check] : calls) {
      const Tensor x({argument});
      check(traced ? kept(x) : f(x));
    }
  }
}
float value_of(const Variable& v) { return v.value().item<float>(); }

TEST(BodyVariables, OneBranchAssigns) {
  Variable v(zeros({})), untouched(ones({}));
  both_ways(
      [&](const Tensor& x) {
        const Tensor inside = cond(
            sum(x) > 0.f,
            [&] {
              v.assign_add(constant(2, f32));
              v.assign(v.value() * 3.f);
              return v.value() + untouched.value();
            },
            [&] { return v.value(); });
        return inside + v.value() * 100.f;
      },
      [&] { v.assign(ones({})); },
      {{1.f,
        [&](const Tensor& out) {
          EXPECT_EQ(out.item<float>(), 910);
          EXPECT_EQ(value_of(v), 9);
        }},
       {-1.f, [&](const Tensor& out) {
          EXPECT_EQ(out.item<float>(), 909);
          EXPECT_EQ(value_of(v), 9);
        }}});
  EXPECT_EQ(value_of(untouched), 1);
}

TEST(BodyVariables, BranchesAssignDifferentOnes) {
  Variable a(zeros({})), b(zeros({}));
  both_ways(
      [&](const Tensor& x) {
        cond(
            sum(x) > 0.f,
            [&] {
              a.assign_add(constant(1, f32));
              return constant(0, f32);
            },
            [&] {
              b.assign_add(constant(1, f32));
              return constant(0, f32);
            });
        return a.value() * 10.f + b.value();
      },
      [&] { a.assign(zeros({})), b.assign(zeros({})); },
      {{1.f, [](const Tensor& out) { EXPECT_EQ(out.item<float>(), 10); }},
       {-1.f, [](const Tensor& out) { EXPECT_EQ(out.item<float>(), 11); }},
       {1.f, [](const Tensor& out) { EXPECT_EQ(out.item<float>(), 21); }}});
}

TEST(BodyVariables, LoopsCarryThem) {
  Variable v(zeros({})), limit(zeros({}));
  both_ways(
      [&](const Tensor& x) {
        // Nothing is carried but the variable; the condition reads it.
        while_loop([&](const Tensors&) { return v.value() < limit.value(); },
                   [&](const Tensors&) {
                     v.assign_add(sum(x));
                     return Tensors{};
                   },
                   {});
        return v.value();
      },
      [&] { v.assign(zeros({})), limit.assign(constant(10, f32)); },
      {{4.f, [&](const Tensor& out) { EXPECT_EQ(out.item<float>(), 12); }},
       {1.f, [&](const Tensor& out) { EXPECT_EQ(out.item<float>(), 12); }}});
}

TEST(BodyVariables, BranchInsideALoop) {
  Variable even(zeros({}, i32)), all(zeros({}, i32));
  const auto count = [&](const Tensor& x) {
    return while_loop([&](const Tensors& s) { return s[0] < cast(sum(x), i32); },
                      [&](const Tensors& s) {
                        cond(
                            equal(floormod(s[0], constant(2, i32)), constant(0, i32)),
                            [&] {
                              even.assign_add(constant(1, i32));
                              return s[0];
                            },
                            [&] { return s[0]; });
                        all.assign_add(constant(1, i32));
                        return Tensors{s[0] + constant(1, i32)};
                      },
                      {constant(0, i32)})[0];
  };
  both_ways(count, [&] { even.assign(zeros({}, i32)), all.assign(zeros({}, i32)); },
            {{7.f, [&](const Tensor& out) {
                EXPECT_EQ(out.item<int32_t>(), 7);
                EXPECT_EQ(even.value().item<int32_t>(), 4);
                EXPECT_EQ(all.value().item<int32_t>(), 7);
              }}});
}

TEST(BodyVariables, ConditionThatAssignsIsCounted) {
  Variable asked(zeros({}, i32));
  both_ways(
      [&](const Tensor& x) {
        return while_loop(
            [&](const Tensors& s) {
              asked.assign_add(constant(1, i32));
              return s[0] < sum(x);
            },
            [](const Tensors& s) { return Tensors{s[0] + 1.f}; }, {constant(0, f32)})[0];
      },
      [&] { asked.assign(zeros({}, i32)); }, {{3.f, [&](const Tensor& out) {
                                                 EXPECT_EQ(out.item<float>(), 3);
                                                 EXPECT_EQ(asked.value().item<int32_t>(), 4);
                                               }}});
}

TEST(BodyVariables, ScansCarryThem) {
  Variable total(zeros({}));
  both_ways(
      [&](const Tensor& x) {
        return sum(scan(
                       [&](const Tensors&, const Tensors& e) -> ScanStep {
                         total.assign_add(e[0]);
                         return {{}, {total.value()}};
                       },
                       {}, {concat({x, x * 2.f, x * 3.f}, 0)})
                       .results[0]);
      },
      [&] { total.assign(zeros({})); }, {{1.f, [&](const Tensor& out) {
                                            EXPECT_EQ(out.item<float>(), 1 + 3 + 6);
                                            EXPECT_EQ(value_of(total), 6);
                                          }}});
}

// A training loop inside of one function: tape, gradient and optimizer in the body.
TEST(BodyVariables, TrainsInsideALoop) {
  Variable w(constant(5, f32));
  nn::SGD sgd(0.25, {.momentum = 0.5});
  const auto train = [&](const Tensor& x) {
    while_loop([&](const Tensors& s) { return s[0] < 20.f; },
               [&](const Tensors& s) {
                 GradientTape tape;
                 const Tensor loss = square(w.value() - sum(x));
                 sgd.apply_gradients(tape.gradient(loss, {w}), {w});
                 return Tensors{s[0] + 1.f};
               },
               {constant(0, f32)});
    return w.value();
  };
  const auto kept = function(train);
  const float looped = kept(Tensor({2.f})).item<float>();
  EXPECT_EQ(sgd.iterations().item<int64_t>(), 20);

  Variable plain(constant(5, f32));
  nn::SGD other(0.25, {.momentum = 0.5});
  for (int i = 0; i < 20; ++i) {
    GradientTape tape;
    const Tensor loss = square(plain.value() - constant(2, f32));
    other.apply_gradients(tape.gradient(loss, {plain}), {plain});
  }
  EXPECT_FLOAT_EQ(looped, value_of(plain));
}

TEST(BodyVariables, TapesOutsideFollowThem) {
  Variable v(constant(3, f32));
  GradientTape tape;
  const Tensor y = cond(
      constant(true, boolean), [&] { return v.value() * v.value(); }, [&] { return v.value(); });
  EXPECT_EQ(tape.gradient(y, {v})[0].item<float>(), 6);
}

TEST(BodyVariables, WrongValuesAreRefusedInside) {
  Variable v(zeros({2}));
  try {
    cond(
        constant(true, boolean),
        [&] {
          v.assign(zeros({3}));
          return constant(0, f32);
        },
        [&] { return constant(0, f32); });
    FAIL() << "it took a value of another shape";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("[assign] variable"), std::string::npos) << error.what();
  }
  EXPECT_EQ(v.shape(), Shape({2}));
  try {
    while_loop([](const Tensors&) { return constant(false, boolean); }, [](const Tensors&) { return Tensors{}; }, {});
    FAIL() << "it took a loop that carries nothing";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("at least one tensor to carry"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace brio
