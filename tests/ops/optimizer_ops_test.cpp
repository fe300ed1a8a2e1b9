#include "brio/ops/network/optimizer_ops.h"

#include <gtest/gtest.h>

#include <cmath>

#include "brio/ops/elementwise/elementwise.h"

#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

Input scalar(double low, double high) { return {{Shape(), f64}, low, high}; }

const Input kDecay{{Shape(), f64}, 0.01, 0.1}, kGate{{Shape(), boolean}, 0, 2};

// Scalars, then 1 to 4 parameters with gradients and slots; squares are not negative. The last flags say whether
// there are weight decay and a gate, and how many gradients are rows.
std::function<Case(Rng&, DType, int)> update(const OpDef& op, std::vector<Input> scalars,
                                             std::vector<double> slot_low, int flags) {
  return [=, &op](Rng& rng, DType dtype, int i) {
    Case made{scalars, {}};
    for (int flag = 0; flag < flags; ++flag) made.attrs.push_back(i >> flag & 1);
    made.attrs.insert(made.attrs.end(), {i >> 1 & 1, i >> 2 & 1, 0});
    if (made.attrs.end()[-3]) made.inputs.push_back(kDecay);
    if (made.attrs.end()[-2]) made.inputs.push_back(kGate);
    if (&op == &op::sgd_update && i % 4 == 1) made.attrs[0] = 0;  // Nesterov's form needs momentum
    std::vector<Shape> shapes;
    for (int64_t n = rng.range(1, 4); n > 0; --n)
      shapes.push_back(random_shape(rng, static_cast<int>(rng.range(0, 8))));
    const auto first_spread = static_cast<size_t>(i % 3 == 2 ? rng.range(0, static_cast<int64_t>(shapes.size())) : 4);
    for (size_t k = first_spread; k < shapes.size(); ++k) {
      if (shapes[k].rank() == 0) shapes[k] = {3};
      ++made.attrs.back();
    }
    const size_t slots = UpdateLayout::of(op, Attrs(made.attrs), made.inputs.size()).slots;
    for (size_t kind = 0; kind < 2 + slots; ++kind)
      for (size_t k = 0; k < shapes.size(); ++k) {
        Shape shape = shapes[k];
        if (kind == 1 && k >= first_spread) shape.set(0, 4);
        // Gradients of fewer bits, for some: of f32.
        const bool narrow = kind == 1 && dtype == f32 && (i + static_cast<int>(k)) % 4 == 3;
        made.inputs.push_back({{shape, !narrow ? dtype : k % 2 ? f16 : bf16}, kind < 2 ? -1 : slot_low[kind - 2], 1});
      }
    for (size_t k = first_spread; k < shapes.size(); ++k) made.inputs.push_back({{Shape{shapes[k][0]}, i32}, -1, 5});
    return made;
  };
}
std::function<Case(DType)> large(const OpDef& op, std::vector<Input> scalars, std::vector<double> slot_low,
                                 std::vector<int64_t> attrs) {
  return [=, &op](DType dtype) {
    Case made{scalars, attrs};
    const size_t slots = UpdateLayout::of(op, Attrs(attrs), scalars.size()).slots;
    for (size_t kind = 0; kind < 2 + slots; ++kind)
      for (int64_t n : {1 << 21, 1 << 20, 64})
        made.inputs.push_back({{Shape{n}, dtype}, kind < 2 ? -1 : slot_low[kind - 2], 1});
    return made;
  };
}

std::vector<OpTest> tests() {
  const std::vector<Input> sgd = {scalar(0.01, 0.2), scalar(0.5, 0.9)};
  const std::vector<Input> rmsprop = {scalar(0.01, 0.2), scalar(0.8, 0.95), scalar(0.5, 0.9), scalar(0.01, 0.1)};
  const std::vector<Input> adam = {
      scalar(0.01, 0.2), {{Shape(), i64}, 0, 20}, scalar(0.8, 0.95), scalar(0.8, 0.99), scalar(0.01, 0.1)};
  // A velocity well above the square of the average keeps the centered form's root real.
  const std::vector<double> squares = {0.5, -0.2, -0.2}, moments = {-1, 0.1, 0.1};
  return {
      {.op = &op::sgd_update,
       .dtypes = kFloats,
       .make = update(op::sgd_update, sgd, {-1}, 2),
       .large = large(op::sgd_update, sgd, {-1}, {0, 0, 0, 0, 0})},
      {.op = &op::rmsprop_update,
       .dtypes = kFloats,
       .make =
           [=](Rng& rng, DType dtype, int i) {
             Case made = update(op::rmsprop_update, rmsprop, squares, 2)(rng, dtype, i);
             const UpdateLayout layout = UpdateLayout::of(op::rmsprop_update, Attrs(made.attrs), made.inputs.size());
             for (size_t kind = 3; kind < 2 + layout.slots; ++kind)
               for (size_t k = 0; k < layout.n; ++k) made.inputs[layout.in(kind, k)].high = 0.2;
             return made;
           },
       .large = large(op::rmsprop_update, rmsprop, squares, {0, 0, 0, 0, 0})},
      {.op = &op::adam_update,
       .dtypes = kFloats,
       .make = update(op::adam_update, adam, moments, 1),
       .large = large(op::adam_update, adam, moments, {0, 0, 0, 0})},
  };
}

std::vector<Invalid> invalid() {
  const Tensor s = tensor({}, f64), p = tensor({2}), none;
  const std::vector<Tensor> one = {p}, two = {p, p}, wide = {tensor({2}, f64)}, longer = {tensor({3})};
  const std::vector<Tensor> mixed = {p, tensor({2}, f64)}, ints = {tensor({2}, i32)};
  return {
      {&op::sgd_update,
       "a rate of rank 1",
       [=] {
         sgd_update({tensor({1}, f64), s}, one, one);
       },
       {"learning_rate", "float64 scalar", "(1,)"}},
      {&op::sgd_update,
       "an integer momentum",
       [=] {
         sgd_update({s, tensor({}, i32)}, one, one);
       },
       {"momentum", "int32"}},
      {&op::sgd_update,
       "no rate",
       [=] {
         sgd_update({none, s}, one, one);
       },
       {"input 0", "none"}},
      {&op::sgd_update,
       "nothing to update",
       [=] {
         sgd_update({s, s}, {}, {});
       },
       {"4 or more", "got 2"}},
      {&op::sgd_update,
       "an odd number of tensors",
       [=] {
         call(op::sgd_update, {s, s, p, p, p}, {0, 0, 0, 0, 0});
       },
       {"3 tensors", "groups of 2"}},
      {&op::sgd_update,
       "no tensors after the scalars",
       [=] {
         call(op::sgd_update, {s, s, s, tensor({}, boolean)}, {0, 0, 1, 1, 0});
       },
       {"4 scalars", "4 inputs"}},
      {&op::sgd_update,
       "a weight decay of rank 1",
       [=] {
         sgd_update({s, s, tensor({1}, f64)}, one, one);
       },
       {"weight_decay", "float64 scalar", "(1,)"}},
      {&op::sgd_update,
       "a gate that is a number",
       [=] {
         sgd_update({s, s, {}, s}, one, one);
       },
       {"gate", "bool scalar", "float64"}},
      {&op::sgd_update,
       "too few gradients",
       [=] {
         sgd_update({s, s}, two, one);
       },
       {"1 gradients", "2 parameters"}},
      {&op::sgd_update,
       "too few momenta",
       [=] {
         sgd_update({s, s}, two, two, one);
       },
       {"1 momenta", "2 parameters"}},
      {&op::sgd_update,
       "Nesterov without momenta",
       [=] {
         sgd_update({s, s}, one, one, {}, true);
       },
       {"Nesterov", "momenta"}},
      {&op::sgd_update,
       "a gradient of another shape",
       [=] {
         sgd_update({s, s}, one, longer);
       },
       {"gradient of parameter 0", "(3,)", "(2,)"}},
      {&op::sgd_update,
       "a slot of another dtype",
       [=] {
         sgd_update({s, s}, one, one, wide);
       },
       {"slot of parameter 0", "float64"}},
      {&op::sgd_update,
       "parameters of two dtypes",
       [=] {
         sgd_update({s, s}, mixed, mixed);
       },
       {"parameter 1", "float64", "float32"}},
      {&op::sgd_update,
       "integer parameters",
       [=] {
         sgd_update({s, s}, ints, ints);
       },
       {"parameter 0", "int32"}},
      {&op::sgd_update,
       "more rows than parameters",
       [=] {
         call(op::sgd_update, {s, s, p, p, p, p}, {0, 0, 0, 0, 2});
       },
       {"2 parameters", "there are 1"}},
      {&op::sgd_update,
       "rows of another width",
       [=] {
         call(op::sgd_update, {s, s, tensor({2, 3}), tensor({5, 4}), tensor({2}, i32)}, {0, 0, 0, 0, 1});
       },
       {"gradient of parameter 0", "(2, 4)", "(2, 3)"}},
      {&op::sgd_update,
       "float places",
       [=] {
         call(op::sgd_update, {s, s, tensor({2, 3}), tensor({5, 3}), tensor({2})}, {0, 0, 0, 0, 1});
       },
       {"places", "float32"}},
      {&op::rmsprop_update,
       "too few velocities",
       [=] {
         rmsprop_update({s, s, s, s}, two, two, one);
       },
       {"1 velocities"}},
      {&op::rmsprop_update,
       "too few averages",
       [=] {
         rmsprop_update({s, s, s, s}, two, two, two, {}, one);
       },
       {"1 averages"}},
      {&op::rmsprop_update,
       "an integer rho",
       [=] {
         rmsprop_update({s, tensor({}, i32), s, s}, one, one, one);
       },
       {"rho", "int32"}},
      {&op::adam_update,
       "a float step",
       [=] {
         adam_update({s, s, s, s, s}, one, one, one, one);
       },
       {"step", "int64 scalar", "float64"}},
      {&op::adam_update,
       "too many largest",
       [=] {
         adam_update({s, tensor({}, i64), s, s, s}, one, one, one, one, two);
       },
       {"2 largest"}},
      {&op::adam_update,
       "a step that is none",
       [=] {
         adam_update({s, none, s, s, s}, one, one, one, one);
       },
       {"input 1", "none"}},
  };
}

const AddOpTests add_tests(tests, invalid);

Tensor number(double x) { return Tensor::from(std::vector<double>{x}, {}); }

// Keras 3: p = 1, g = 0.5 (by hand).
TEST(OptimizerOps, KnownValues) {
  const std::vector<Tensor> p = {Tensor({1})}, g = {Tensor({0.5})}, zero = {Tensor({0})};
  const SgdUpdate sgd = sgd_update({number(0.1), number(0.9)}, p, g, zero, true);
  EXPECT_FLOAT_EQ(sgd.momenta[0].to_vector<float>()[0], -0.05f);
  EXPECT_FLOAT_EQ(sgd.params[0].to_vector<float>()[0], 1 + (-0.05f * 0.9f - 0.05f));
  const Tensor step = Tensor::from(std::vector<int64_t>{0}, {});
  const AdamUpdate adam =
      adam_update({number(0.001), step, number(0.9), number(0.999), number(1e-7)}, p, g, zero, zero);
  EXPECT_FLOAT_EQ(adam.momenta[0].to_vector<float>()[0], 0.05f);
  EXPECT_FLOAT_EQ(adam.velocities[0].to_vector<float>()[0], 0.00025f);
  EXPECT_NEAR(adam.params[0].to_vector<float>()[0], 0.999, 1e-6);
  const RmspropUpdate rms = rmsprop_update({number(0.001), number(0.9), number(0), number(1e-7)}, p, g, zero);
  EXPECT_FLOAT_EQ(rms.velocities[0].to_vector<float>()[0], 0.025f);
  EXPECT_FLOAT_EQ(rms.params[0].to_vector<float>()[0], 1 - 0.0005f / std::sqrt(0.025f + 1e-7f));
}

TEST(OptimizerOps, DecayComesFirst) {
  const std::vector<Tensor> p = {Tensor({2})}, g = {Tensor({0.5})};
  const SgdUpdate sgd = sgd_update({number(0.25), number(0), number(0.5)}, p, g);
  EXPECT_FLOAT_EQ(sgd.params[0].to_vector<float>()[0], 2 - 2 * 0.5f * 0.25f - 0.25f * 0.5f);
}

TEST(OptimizerOps, AShutGateKeepsEverything) {
  const std::vector<Tensor> p = {Tensor({1, 2})}, g = {Tensor({0.5, NAN})}, m = {Tensor({3, 4})},
                            v = {Tensor({5, 6})};
  const Tensor step = Tensor::from(std::vector<int64_t>{0}, {}), x = number(0.5);
  for (const bool open : {false, true}) {
    const Tensor gate = number(open) > number(0.5);
    const AdamUpdate adam = adam_update({x, step, x, x, x, x, gate}, p, g, m, v);
    EXPECT_EQ(adam.params[0].to_vector<float>()[0] == 1, !open);
    EXPECT_EQ(std::isnan(adam.params[0].to_vector<float>()[1]), open);
    EXPECT_EQ(adam.momenta[0].to_vector<float>()[0] == 3, !open);
    EXPECT_EQ(adam.velocities[0].to_vector<float>()[0] == 5, !open);
  }
}

TEST(OptimizerOps, ScalarsOfOtherDtypesAreCast) {
  const std::vector<Tensor> p = {Tensor({1})}, g = {Tensor({0.5})};
  const Tensor rate = Tensor::from(std::vector<float>{0.5f}, {});
  EXPECT_FLOAT_EQ(sgd_update({rate, number(0)}, p, g).params[0].to_vector<float>()[0], 0.75f);
}

}  // namespace
}  // namespace brio::testing
