#include "brio/ops/network/composites.h"

#include <gtest/gtest.h>

#include <cmath>

#include "brio/base/error.h"
#include "brio/ops/network/activations.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/runtime/interpret.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

Case linear_case(Rng& rng, DType dtype, int i) {
  const int64_t m = rng.range(0, 9), n = rng.range(0, 9), k = rng.range(0, 9);
  const bool ta = rng.chance(0.3), tb = rng.chance(0.5);
  Shape a = random_shape(rng, i % 7, false);
  while (a.elements() > 20) a = random_shape(rng, i % 7, false);
  a.push_back(ta ? k : m);
  a.push_back(ta ? m : k);
  return {{{{a, dtype}, -1, 1}, {{tb ? Shape{n, k} : Shape{k, n}, dtype}, -1, 1}, {{Shape{n}, dtype}, -1, 1}},
          {i % 4, ta, tb}};
}

Case rows(Rng& rng, DType dtype, int i) { return {{{{random_shape(rng, std::max(1, i % 9)), dtype}, -6, 6}}}; }

// Logits, labels and, where `cotangent`, the cotangent of the losses.
std::function<Case(Rng&, DType, int)> xent(bool cotangent) {
  return [cotangent](Rng& rng, DType dtype, int i) {
    Shape logits = random_shape(rng, std::max(1, i % 9));
    const int last = logits.rank() - 1;
    if (logits[last] == 0) logits.set(last, 3);
    const Shape losses(logits.dims().first(static_cast<size_t>(last)));
    const bool sparse = i % 2 == 0;
    Case made{{{{logits, dtype}, -6, 6}}, {sparse}};
    if (sparse)
      made.inputs.push_back({{losses, kIntegers[static_cast<size_t>(i / 2) % kIntegers.size()]},
                             0,
                             static_cast<double>(logits[last] - 1)});
    else made.inputs.push_back({{logits, dtype}, 0, 1});
    const bool wide = sparse && size_of(dtype) == 2 && i % 3 != 0;
    if (cotangent) made.inputs.push_back({{losses, wide ? f32 : dtype}, -1, 1});
    return made;
  };
}
std::function<Case(DType)> large_xent(bool cotangent) {
  return [cotangent](DType dtype) {
    Case made{{{{Shape{512, 8192}, dtype}}, {{Shape{512}, i32}, 0, 99}}, {1}};
    if (cotangent) made.inputs.push_back({{Shape{512}, dtype}});
    return made;
  };
}

std::vector<OpTest> tests() {
  auto large_rows = [](DType dtype) { return Case{{{{Shape{512, 8192}, dtype}}}}; };
  return {
      {.op = &op::linear,
       .dtypes = kFloats,
       .make = linear_case,
       .large =
           [](DType dtype) {
             return Case{{{{Shape{256, 512}, dtype}}, {{Shape{512, 512}, dtype}}, {{Shape{512}, dtype}}}, {1, 0, 0}};
           }},
      {.op = &op::softmax, .dtypes = kFloats, .make = rows, .large = large_rows},
      {.op = &op::log_softmax, .dtypes = kFloats, .make = rows, .large = large_rows},
      {.op = &op::softmax_xent, .dtypes = kFloats, .make = xent(false), .large = large_xent(false)},
      {.op = &op::softmax_xent_grad,
       .dtypes = kFloats,
       .make = xent(true),
       .large = large_xent(true),
       .numbers = {{0, -1}}},
      {.op = &op::softmax_xent_value_and_grad,
       .dtypes = kFloats,
       .make = xent(true),
       .large = large_xent(true),
       .numbers = {{0, -1}}},
      {.op = &op::sigmoid_xent,
       .dtypes = kFloats,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Shape shape = random_shape(rng, i % 9);
             return Case{{{{shape, dtype}, -9, 9}, {{shape, dtype}, 0, 1}}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{1 << 22}, dtype}}, {{Shape{1 << 22}, dtype}}}};
           }},
      {.op = &op::softsign,
       .dtypes = kFloats,
       .make =
           [](Rng& rng, DType dtype, int i) {
             return Case{{{{random_shape(rng, i % 9), dtype}, -9, 9, dtype == f64 ? Fill::uniform : Fill::special}}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{1 << 22}, dtype}}}};
           }},
  };
}

std::vector<Invalid> invalid() {
  auto ids = [](std::vector<int32_t> values) { return Tensor::from(values, {static_cast<int64_t>(values.size())}); };
  const Tensor none;
  std::vector<Invalid> list = {
      {&op::linear,
       "integers",
       [] {
         linear(tensor({2, 3}, i32), tensor({3, 2}, i32), tensor({2}, i32));
       },
       {"floating-point", "int32"}},
      {&op::linear,
       "dtypes",
       [] {
         linear(tensor({2, 3}), tensor({3, 2}), tensor({2}, f64));
       },
       {"float32", "float64", "cast"}},
      {&op::linear,
       "no activation",
       [] {
         call(op::linear, {tensor({2, 3}), tensor({3, 2}), tensor({2})}, {9, 0, 0});
       },
       {"9"}},
      {&op::linear,
       "a vector",
       [] {
         linear(tensor({3}), tensor({3, 2}), tensor({2}));
       },
       {"(3,)", "(3, 2)", "expand_dims"}},
      {&op::linear,
       "a batched matrix",
       [] {
         linear(tensor({2, 3}), tensor({1, 3, 2}), tensor({2}));
       },
       {"(1, 3, 2)"}},
      {&op::linear,
       "inner sizes",
       [] {
         linear(tensor({2, 3}), tensor({2, 3}), tensor({3}));
       },
       {"3 columns", "2 rows"}},
      {&op::linear,
       "inner sizes when transposed",
       [] {
         linear(tensor({2, 3}), tensor({2, 4}), tensor({2}), {.transpose_a = true, .transpose_b = true});
       },
       {"(2, 3) transposed", "(2, 4) transposed", "4 rows"}},
      {&op::linear,
       "a bias of another size",
       [] {
         linear(tensor({2, 3}), tensor({3, 2}), tensor({3}));
       },
       {"(3,)", "(2,)"}},
      {&op::linear,
       "a bias of rank 2",
       [] {
         linear(tensor({2, 3}), tensor({3, 2}), tensor({1, 2}));
       },
       {"(1, 2)", "(2,)"}},
      {&op::linear,
       "a huge result",
       [] {
         linear(tensor({int64_t{1} << 40, 0}), tensor({0, int64_t{1} << 20}), tensor({int64_t{1} << 20}));
       },
       {"elements"}},
      {&op::softmax, "an integer", [] { softmax(tensor({2}, i32)); }, {"floating-point", "int32", "cast"}},
      {&op::softmax, "a scalar", [] { softmax(tensor({})); }, {"rank 1", "scalar"}},
      {&op::softmax,
       "an axis",
       [] {
         softmax(tensor({2, 3}), 2);
       },
       {"axis 2", "rank 2"}},
      {&op::log_softmax, "none", [=] { log_softmax(none); }, {"none"}},
      {&op::softmax_xent,
       "none",
       [=] {
         softmax_xent(tensor({2, 3}), none);
       },
       {"input 1", "none"}},
      {&op::softmax_xent,
       "a class past the end",
       [=] {
         softmax_xent(tensor({2, 3}), ids({0, 3})).array();
       },
       {"3", "out of range"}},
      {&op::softmax_xent,
       "a negative class",
       [=] {
         softmax_xent(tensor({2, 3}), ids({-1, 0})).array();
       },
       {"-1", "out of range"}},
      {&op::softmax_xent_grad,
       "a cotangent of another shape",
       [] {
         softmax_xent_grad(tensor({2, 3}), tensor({2}, i32), tensor({2, 3}));
       },
       {"cotangent", "(2, 3)", "(2,)"}},
      {&op::softmax_xent_grad,
       "a class past the end",
       [=] {
         softmax_xent_grad(tensor({2, 3}), ids({0, 3}), tensor({2})).array();
       },
       {"3", "out of range"}},
      {&op::softmax_xent_grad,
       "none",
       [=] {
         softmax_xent_grad(tensor({2, 3}), none, tensor({2}));
       },
       {"none"}},
      {&op::softmax_xent_value_and_grad,
       "a cotangent of another dtype",
       [] {
         softmax_xent_value_and_grad(tensor({2, 3}), tensor({2}, i32), tensor({2}, f64));
       },
       {"cotangent", "float64"}},
      {&op::softmax_xent_value_and_grad,
       "none",
       [=] {
         softmax_xent_value_and_grad(tensor({2, 3}), none, tensor({2}));
       },
       {"none"}},
      {&op::softmax_xent_value_and_grad,
       "a class past the end",
       [=] {
         softmax_xent_value_and_grad(tensor({2, 3}), ids({0, 3}), tensor({2})).value.array();
       },
       {"3", "out of range"}},
      {&op::softsign, "an integer", [] { softsign(tensor({2}, i32)); }, {"floating-point", "int32", "cast"}},
      {&op::sigmoid_xent,
       "integer logits",
       [] { sigmoid_xent(tensor({2}, i32), tensor({2}, i32)); },
       {"floating-point", "int32"}},
      {&op::sigmoid_xent,
       "labels of another shape",
       [] {
         sigmoid_xent(tensor({2}), tensor({2, 1}));
       },
       {"(2, 1)", "(2,)"}},
  };
  for (const OpDef* op : {&op::softmax_xent, &op::softmax_xent_grad, &op::softmax_xent_value_and_grad}) {
    auto refused = [&](std::string what, const Tensor& logits, const Tensor& labels, bool sparse,
                       std::vector<std::string> parts) {
      auto with = [=] {
        if (op == &op::softmax_xent) call(*op, {logits, labels}, {sparse});
        else call(*op, {logits, labels, tensor({2})}, {sparse});
      };
      list.push_back({op, std::move(what), with, std::move(parts)});
    };
    refused("integer logits", tensor({2, 3}, i32), tensor({2}, i32), true, {"floating-point", "int32"});
    refused("no classes", tensor({2, 0}), tensor({2}, i32), true, {"(2, 0)", "classes"});
    refused("a scalar", tensor({}), tensor({}, i32), true, {"()", "classes"});
    refused("labels of another shape", tensor({2, 3}), tensor({3}, i32), true, {"(3,)", "(2, 3)", "(2,)"});
    refused("probabilities of another shape", tensor({2, 3}), tensor({2}), false, {"(2,)", "(2, 3)"});
    refused("probabilities of another dtype", tensor({2, 3}), tensor({2, 3}, f64), false, {"float64", "float32"});
    refused("float class numbers", tensor({2, 3}), tensor({2}), true, {"integers", "float32"});
  }
  return list;
}

const AddOpTests add_tests(tests, invalid);

TEST(Composites, KnownValues) {
  const Tensor logits({{1, 2, 3}, {1000, 0, -1000}});
  EXPECT_NEAR(softmax(logits).to_vector<float>()[2], 0.66524096, 1e-6);
  EXPECT_EQ(softmax(logits).to_vector<float>()[3], 1);
  const auto losses = softmax_xent(logits, Tensor::from(std::vector<int32_t>{0, 1}, {2})).to_vector<float>();
  EXPECT_NEAR(losses[0], 2.4076059, 1e-6);
  EXPECT_NEAR(losses[1], 1000, 1e-3);
  const auto dense = softmax_xent(logits, Tensor({{0.5, 0, 0.5}, {0, 1, 0}})).to_vector<float>();
  EXPECT_NEAR(dense[0], 1.4076059, 1e-6);
  EXPECT_NEAR(sigmoid_xent(Tensor({-100}), Tensor({1})).to_vector<float>()[0], 100, 1e-4);
}

TEST(Composites, SoftmaxOverAnyAxis) {
  const Tensor x({{{1, 2}, {3, 4}}, {{5, 1}, {0, 2}}});
  for (int axis = -3; axis < 3; ++axis) {
    EXPECT_EQ(softmax(x, axis).shape(), x.shape());
    for (float total : sum(softmax(x, axis), axis).to_vector<float>()) EXPECT_NEAR(total, 1, 1e-6);
  }
}

TEST(Composites, AClassThatIsImpossibleDoesNotHurtTheOthers) {
  const Tensor logits = Tensor({{0, -INFINITY, 0}});
  EXPECT_NEAR(softmax_xent(logits, Tensor::from(std::vector<int64_t>{0}, {1})).item<float>(), std::log(2), 1e-6);
}

TEST(Composites, PlainFormsRefuseClassesOutOfRange) {
  const int64_t sparse[] = {1};
  const std::vector<Tensor> in = {tensor({2, 3}), Tensor::from(std::vector<int32_t>{0, 3}, {2}), tensor({2})};
  for (const OpDef* op : {&op::softmax_xent, &op::softmax_xent_grad, &op::softmax_xent_value_and_grad})
    EXPECT_THROW(op->plain(in, Attrs(sparse))[0].array(), InvalidArgument) << op->name;
}

}  // namespace
}  // namespace brio::testing
