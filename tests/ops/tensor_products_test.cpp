#include "brio/ops/linear_algebra/tensor_products.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "brio/ir/trace.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/einsum.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "tests/ops/harness.h"
#include "tests/ops/refusals.h"

namespace brio::testing {
namespace {

using Floats = std::vector<float>;

// What einsum records for operands of these shapes.
struct Recorded {
  int products = 0, transposes = 0, sums = 0;
  Recorded(const char* equation, const std::vector<Shape>& shapes) {
    std::vector<Aval> parameters;
    for (const Shape& shape : shapes) parameters.push_back({shape, f32});
    const TracedBody body = trace_body(
        parameters, [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{einsum(equation, in)}; });
    for (const Node& node : body.graph->nodes) {
      products += node.op == &op::matmul;
      transposes += node.op == &op::transpose;
      sums += node.op == &op::reduce_sum;
    }
  }
};

TEST(Einsum, WhatIsAProductMovesNothing) {
  for (const char* equation : {"bij,bjk->bik", "bji,bjk->bik", "bij,bkj->bik", "bij,bjk->bki", "bji,bkj->bik"}) {
    const Recorded all(equation, {{2, 3, 3}, {2, 3, 3}});
    EXPECT_EQ(all.products, 1) << equation;
    EXPECT_EQ(all.transposes, 0) << equation;
    EXPECT_EQ(all.sums, 0) << equation;
  }
  for (const char* equation : {"abc,cd->abd", "abc,dc->abd", "cab,cd->abd", "abc,bcd->ad", "abc,bcd->da"}) {
    const Recorded all(equation,
                       {{3, 3, 3}, std::string_view(equation).starts_with("abc,bcd") ? Shape{3, 3, 3} : Shape{3, 3}});
    EXPECT_EQ(all.products, 1) << equation;
    EXPECT_EQ(all.transposes, 0) << equation;
  }
}

TEST(Einsum, MovesWhatIsSmall) {
  const Recorded attention("bqhd,bkhd->bhqk", {{2, 5, 4, 3}, {2, 6, 4, 3}});  // heads have to come first in both
  EXPECT_EQ(attention.products, 1);
  EXPECT_EQ(attention.transposes, 2);
  const Recorded chain("ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}});
  EXPECT_EQ(chain.products, 2);
  EXPECT_EQ(chain.transposes, 0);
  const Recorded rows("bij,bij->b", {{2, 3, 4}, {2, 3, 4}});  // a fused product and sum, no matmul of vectors
  EXPECT_EQ(rows.products, 0);
  EXPECT_EQ(rows.sums, 1);
}

TEST(Einsum, TakesTheCheapestPairFirst) {
  // The matrix and the vector: the product of the matrices would be larger than either.
  const TracedBody body =
      trace_body(std::vector<Aval>{{Shape{100, 90}, f32}, {Shape{90, 80}, f32}, {Shape{80}, f32}},
                 [](const std::vector<Tensor>& in) { return std::vector<Tensor>{einsum("ij,jk,k->i", in)}; });
  for (const Node& node : body.graph->nodes)
    EXPECT_LE(body.graph->values[node.out[0]].shape.elements(), 100) << body.graph->str();
}

TEST(Einsum, WithoutAnArrow) {
  const Tensor a({{1, 2}, {3, 4}}), b({{5, 6}, {7, 8}});
  EXPECT_EQ(einsum("ba", {a}).to_vector<float>(), (Floats{1, 3, 2, 4}));
  EXPECT_EQ(einsum("bA", {a}).to_vector<float>(), (Floats{1, 3, 2, 4}));  // capitals come first
  EXPECT_EQ(einsum("ij,jk", {a, b}).to_vector<float>(), matmul(a, b).to_vector<float>());
  EXPECT_EQ(einsum("ii", {a}).item<float>(), 5);
  // An ellipsis comes first, as in NumPy.
  EXPECT_EQ(einsum("...ij,...jk", {expand_dims(a, 0), expand_dims(b, 0)}).shape(), Shape({1, 2, 2}));
  EXPECT_EQ(einsum("i...", {zeros({2, 3, 4})}).shape(), Shape({3, 4, 2}));
}

TEST(Einsum, OtherNumbersAndNoElements) {
  const Tensor a({{1, 2}, {3, 4}}, i32);
  EXPECT_EQ(einsum("ij,kj->ik", {a, a}).to_vector<int32_t>(), (std::vector<int32_t>{5, 11, 11, 25}));
  EXPECT_EQ(einsum("ij,jk->ik", {zeros({2, 0}), zeros({0, 3})}).to_vector<float>(), Floats(6, 0));
  EXPECT_EQ(einsum("bij,bjk->bik", {zeros({0, 2, 3}), zeros({0, 3, 4})}).shape(), Shape({0, 2, 4}));
  EXPECT_EQ(einsum("...i->...", {zeros({3, 0})}).to_vector<float>(), Floats(3, 0));
  EXPECT_EQ(einsum("ii->i", {zeros({0, 0})}).shape(), Shape({0}));
  EXPECT_EQ(einsum("...ij,...jk->...ik", {zeros({1, 2, 2}), zeros({1, 2, 2})}).shape(), Shape({1, 2, 2}));
  EXPECT_EQ(einsum("...ij,...jk->...ik", {zeros({0, 2, 2}), zeros({1, 2, 2})}).shape(), Shape({0, 2, 2}));
}

TEST(Einsum, Refusals) {
  const Tensor a = tensor({2, 3});
  const auto refused = [](std::initializer_list<std::string_view> fragments, std::string_view equation,
                          std::initializer_list<Tensor> operands) {
    refuses("einsum", fragments, [&] { einsum(equation, operands); });
  };
  refused({"'ij,jk->ik'", "2 operands", "got 1"}, "ij,jk->ik", {a});
  refused({"1 operands", "got 0"}, "->", {});
  refused({"'ij,jk->ik'", "'j'", "size 3", "operand 1", "(2, 3)"}, "ij,jk->ik", {a, a});
  refused({"'i'", "size 2", "axis 1", "3"}, "ii->i", {a});
  refused({"'bij,bjk->bik'", "'b'", "size 1", "3"}, "bij,bjk->bik", {tensor({1, 2, 2}), tensor({3, 2, 2})});
  refused({"'ijk'", "3 labels", "(2, 3)"}, "ijk->i", {a});
  refused({"'i'", "1 labels", "(2, 3)", "'...'"}, "i->i", {a});
  refused({"'z'", "no operand"}, "ij->iz", {a});
  refused({"'i'", "more than once"}, "ij->ii", {a});
  refused({"'1'", "no label"}, "1j->j", {a});
  refused({"'-'", "no label"}, "ij-", {a});
  refused({"'.'", "no label"}, "..ij->ij", {a});
  refused({"','", "no label"}, "ij->i,j", {a});
  refused({"two ellipses"}, "...i...->i", {a});
  refused({"'...' with 1 axes", "write it there too"}, "...j->j", {a});
  refused({"do not broadcast", "operand 1", "3", "2"}, "...i,...i->...i", {tensor({2, 4}), tensor({3, 4})});
  refused({"bool", "cast"}, "ij->i", {tensor({2, 3}, boolean)});
  refused({"operand 0 is float32", "operand 1 is float64", "cast"}, "ij,jk->ik", {a, tensor({3, 4}, f64)});
  refused({"none"}, "ij,jk->ik", {a, Tensor()});
  refused({"10 dimensions"}, "abcde,fghij->abcdefghij", {tensor({1, 1, 1, 1, 1}), tensor({1, 1, 1, 1, 1})});
}

TEST(TensorProducts, ProductsOfManyMatrices) {
  const Tensor a({{1, 2}, {3, 4}}), b({{0, 1}, {1, 0}}), v({1, 2});
  EXPECT_EQ(multi_dot({a, b, a}).to_vector<float>(), matmul(matmul(a, b), a).to_vector<float>());
  EXPECT_EQ(multi_dot({v, a, b, v}).item<float>(), 24);
  // The order: (10 × 100 · 100 × 5) · 5 × 50.
  const TracedBody body =
      trace_body(std::vector<Aval>{{Shape{10, 100}, f32}, {Shape{100, 5}, f32}, {Shape{5, 50}, f32}},
                 [](const std::vector<Tensor>& in) { return std::vector<Tensor>{multi_dot(in)}; });
  EXPECT_EQ(body.graph->values[body.graph->nodes[0].out[0]].shape, Shape({10, 5}));
}

TEST(TensorProducts, TensordotMovesNothingThatIsAMatrix) {
  const auto transposes = [](const Shape& a, const Shape& b, const std::vector<int>& of_a,
                             const std::vector<int>& of_b) {
    const TracedBody body = trace_body(std::vector<Aval>{{a, f32}, {b, f32}}, [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{tensordot(in[0], in[1], of_a, of_b)};
    });
    return std::ranges::count_if(body.graph->nodes, [](const Node& node) { return node.op == &op::transpose; });
  };
  EXPECT_EQ(transposes({2, 3, 4}, {3, 4, 5}, {1, 2}, {0, 1}), 0);
  EXPECT_EQ(transposes({3, 4, 2}, {5, 3, 4}, {0, 1}, {1, 2}), 0);
  EXPECT_EQ(transposes({2, 3, 4}, {4, 3, 5}, {1, 2}, {1, 0}), 1);
}

TEST(TensorProducts, Refusals) {
  const Tensor a = tensor({2, 3}), b = tensor({3, 4}), c = tensor({3}, i32);
  refuses("tensordot", {"axes is 3", "(2, 3)", "(3, 4)"}, [&] { tensordot(a, b, 3); });
  refuses("tensordot", {"axes is -1"}, [&] { tensordot(a, b, -1); });
  refuses("tensordot", {"axis 1", "axis 1", "different sizes"}, [&] { tensordot(a, b, {1}, {1}); });
  refuses("tensordot", {"1 axes", "2 of the second"}, [&] { tensordot(a, b, {1}, {0, 1}); });
  refuses("tensordot", {"axis 2", "rank 2"}, [&] { tensordot(a, b, {2}, {0}); });
  refuses("tensordot", {"axis -1", "twice"}, [&] { tensordot(a, a, {1, -1}, {1, 0}); });
  refuses("tensordot", {"10 dimensions"}, [] { tensordot(tensor({1, 1, 1, 1, 1}), tensor({1, 1, 1, 1, 1}), 0); });
  refuses("tensordot", {"none"}, [&] { tensordot(Tensor(), b); });
  refuses("tensordot", {"none"}, [&] { tensordot(a, Tensor()); });
  refuses("vecdot", {"float32", "int32", "cast"}, [&] { vecdot(tensor({3}), c); });
  refuses("vecdot", {"axis -1", "(2, 3)", "(3, 4)"}, [&] { vecdot(a, b); });
  refuses("vecdot", {"(2, 3)", "(4, 3)", "broadcast"}, [&] { vecdot(a, tensor({4, 3})); });
  refuses("vecdot", {"rank 0"}, [&] { vecdot(tensor({}), tensor({})); });
  refuses("vecdot", {"bool"}, [&] { vecdot(tensor({2}, boolean), tensor({2}, boolean)); });
  refuses("vdot", {"(2, 3)", "(3, 4)"}, [&] { vdot(a, b); });
  refuses("inner", {"(2, 3)", "(3, 4)"}, [&] { inner(a, b); });
  refuses("outer", {"none"}, [&] { outer(a, Tensor()); });
  refuses("cross", {"(3, 4)"}, [&] { cross(b, b); });
  refuses("cross", {"()"}, [&] { cross(tensor({}), tensor({3})); });
  refuses("cross", {"(2, 3)", "(4, 3)", "broadcast"}, [&] { cross(a, tensor({4, 3})); });
  refuses("kron", {"(1, 1, 1, 1, 1)", "4"}, [&] { kron(a, tensor({1, 1, 1, 1, 1})); });
  refuses("kron", {"4611686018427387904"}, [&] {
    kron(tensor({0, int64_t{1} << 31}), tensor({0, int64_t{1} << 31}));
  });
  refuses("multi_dot", {"got 1"}, [&] { multi_dot({a}); });
  refuses("multi_dot", {"matrix 1", "(2, 3, 4)"}, [&] { multi_dot({a, tensor({2, 3, 4})}); });
  refuses("multi_dot", {"matrix 1", "(3,)"}, [&] { multi_dot({a, tensor({3}), b}); });
  refuses("multi_dot", {"none"}, [&] { multi_dot({a, Tensor()}); });
}

}  // namespace
}  // namespace brio::testing
