#include "brio/ops/network/residuals.h"

#include <gtest/gtest.h>

#include <bit>

#include "brio/ir/recording.h"
#include "brio/runtime/interpret.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

Case linear_sum_case(Rng& rng, DType dtype, int i) {
  const int64_t m = rng.range(0, 9), n = rng.range(1, 9), k = rng.range(1, 9);
  const bool ta = i & 1, tb = i & 2;
  Case made{{{{ta ? Shape{k, m} : Shape{m, k}, dtype}, -1, 1},
             {{tb ? Shape{n, k} : Shape{k, n}, dtype}, -1, 1},
             {{Shape{m, n}, dtype}, -1, 1}},
            {ta, tb}};
  if (i % 3 != 0) made.inputs.push_back({{Shape{n}, dtype}, -1, 1});
  return made;
}
// Rows of 64 are whole vectors, which kernels like.
Case row_norm_grad_sum_case(Rng& rng, DType dtype, int i) {
  Shape x = random_shape(rng, std::max(1, i % 9));
  if (i % 5 == 4) x = Shape{rng.range(60, 140), rng.range(1, 40)};
  if (i % 5 == 3) x = Shape{rng.range(1, 4), rng.range(60, 140), 64};
  const DType weight = size_of(dtype) == 2 && i % 4 < 3 ? f32 : dtype;
  return Case{
      {{{x, dtype}, -3, 3}, {{Shape{x[x.rank() - 1]}, weight}, -2, 2}, {{x, dtype}, -1, 1}, {{x, dtype}, -1, 1}},
      {i % 2, std::bit_cast<int64_t>(i % 3 ? 1e-3 : 0.5)}};
}

std::vector<OpTest> tests() {
  return {
      {.op = &op::linear_sum,
       .dtypes = kFloats,
       .make = linear_sum_case,
       .large =
           [](DType dtype) {
             return Case{{{{Shape{256, 512}, dtype}}, {{Shape{512, 512}, dtype}}, {{Shape{256, 512}, dtype}}},
                         {0, 0}};
           }},
      {.op = &op::row_norm_grad_sum, .dtypes = kFloats, .make = row_norm_grad_sum_case, .large = [](DType dtype) {
         const Shape x{4096, 768}, row{768};
         return Case{{{{x, dtype}}, {{row, dtype}}, {{x, dtype}}, {{x, dtype}}}, {1, std::bit_cast<int64_t>(1e-3)}};
       }}};
}

std::vector<Invalid> invalid() {
  const Tensor a = tensor({2, 3}), b = tensor({3, 4}), sum = tensor({2, 4});
  const int64_t epsilon = std::bit_cast<int64_t>(1e-3);
  return {
      {&op::linear_sum,
       "inner sizes that differ",
       [=] {
         call(op::linear_sum, {a, b, sum}, {1, 0});
       },
       {"inner sizes", "(2, 3)", "(3, 4)"}},
      {&op::linear_sum,
       "no matrix",
       [=] {
         call(op::linear_sum, {tensor({2}), b, sum}, {0, 0});
       },
       {"two matrices", "(2,)"}},
      {&op::linear_sum,
       "dtypes that differ",
       [=] {
         call(op::linear_sum, {a, tensor({3, 4}, f64), sum}, {0, 0});
       },
       {"float32", "float64"}},
      {&op::linear_sum,
       "something of another shape",
       [=] {
         call(op::linear_sum, {a, b, tensor({4, 2})}, {0, 0});
       },
       {"what is added", "(4, 2)", "(2, 4)"}},
      {&op::linear_sum,
       "a bias of another size",
       [=] {
         call(op::linear_sum, {a, b, sum, tensor({3})}, {0, 0});
       },
       {"bias", "(3,)", "(4,)"}},
      {&op::row_norm_grad_sum,
       "something of another dtype",
       [=] {
         call(op::row_norm_grad_sum, {a, tensor({3}), a, tensor({2, 3}, f64)}, {1, epsilon});
       },
       {"what is added", "float64", "float32"}},
      {&op::row_norm_grad_sum,
       "a cotangent of another shape",
       [=] {
         call(op::row_norm_grad_sum, {a, tensor({3}), b, a}, {1, epsilon});
       },
       {"cotangent", "(3, 4)", "(2, 3)"}},
  };
}

const AddOpTests added(tests, invalid);

// As large as devices want them, for which small ones take another way.
TEST(Residuals, LargeSumsMatchTheReference) {
  struct Called {
    const OpDef* op;
    std::vector<Input> inputs;
    std::vector<int64_t> attrs;
  };
  for (const DType dtype : {f32, f16, bf16}) {
    const Input a{{Shape{256, 512}, dtype}, -1, 1}, b{{Shape{512, 520}, dtype}, -1, 1},
        more{{Shape{256, 520}, dtype}, -1, 1}, bias{{Shape{520}, dtype}, -1, 1},
        rows{{Shape{700, 512}, dtype}, -2, 2}, scale{{Shape{512}, f32}, -2, 2};
    const std::vector<int64_t> norm = {1, std::bit_cast<int64_t>(1e-3)};
    const std::vector<Called> calls = {{&op::linear_sum, {a, b, more}, {0, 0}},
                                       {&op::linear_sum, {a, b, more, bias}, {0, 0}},
                                       {&op::row_norm_grad_sum, {rows, scale, rows, rows}, norm}};
    for (const Called& called : calls) {
      Rng rng(7);
      Graph graph;
      std::vector<ValueId> in;
      std::vector<Array> arrays;
      std::vector<Tensor> tensors;
      std::vector<TensorImpl*> impls;
      for (const Input& input : called.inputs) {
        in.push_back(graph.add_input(input.aval));
        arrays.push_back(make_array(rng, input));
        tensors.push_back(Tensor::from_bytes(arrays.back().data(), input.aval));
      }
      for (const Tensor& t : tensors) impls.push_back(t.impl());
      graph.outputs = graph.add(*called.op, in, called.attrs).out;
      const std::vector<Array> expected = interpret(graph, arrays);
      const std::vector<Tensor> actual = record_many(*called.op, impls, called.attrs);
      for (size_t i = 0; i < actual.size(); ++i)
        EXPECT_EQ(difference(actual[i].array(), expected[i]), "")
            << called.op->name << ", output " << i << ", " << dtype;
    }
  }
}

}  // namespace
}  // namespace brio::testing
