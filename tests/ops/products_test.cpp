#include "brio/ops/products.h"

#include <gtest/gtest.h>

#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

Case product(Rng& rng, DType dtype, int i) {
  const int64_t m = rng.range(0, 20), n = rng.range(0, 20), k = rng.range(0, 24);
  const bool matvec = i == 7;  // the usual one has a gradient of its own
  const bool ta = !matvec && rng.chance(0.5), tb = rng.chance(0.5);
  const Shape batch = random_shape(rng, i % 7, false);  // with the matrix: up to rank 8
  auto operand = [&](int64_t rows, int64_t columns, bool transposed, bool vector) {
    Shape shape = vector ? Shape() : broadcastable(rng, batch);
    while (shape.elements() > 12) shape = broadcastable(rng, shape);
    if (vector) return Shape{k};
    shape.push_back(transposed ? columns : rows);
    shape.push_back(transposed ? rows : columns);
    return shape;
  };
  return {
      {{{operand(m, k, ta, i % 5 == 3), dtype}}, {{operand(k, n, tb, i % 5 == 4 || i % 10 == 3 || matvec), dtype}}},
      {ta, tb}};
}

std::vector<OpTest> tests() {
  return {{.op = &op::matmul, .dtypes = kNumbers, .make = product, .large = [](DType dtype) {
             const int64_t n = is_floating(dtype) ? 512 : 64;
             return Case{{{{Shape{n, n}, dtype}}, {{Shape{n, n}, dtype}}}, {0, 0}};
           }}};
}

std::vector<Invalid> invalid() {
  return {
      {&op::matmul,
       "dtypes",
       [] {
         matmul(tensor({2, 3}), tensor({3, 2}, f64));
       },
       {"float32", "float64", "cast"}},
      {&op::matmul,
       "bools",
       [] {
         matmul(tensor({2, 3}, boolean), tensor({3, 2}, boolean));
       },
       {"bool", "cast"}},
      {&op::matmul,
       "a scalar",
       [] {
         matmul(tensor({}), tensor({3, 2}));
       },
       {"()", "(3, 2)", "*"}},
      {&op::matmul,
       "a scalar on the right",
       [] {
         matmul(tensor({3, 2}), tensor({}));
       },
       {"()", "(3, 2)", "*"}},
      {&op::matmul,
       "inner sizes",
       [] {
         matmul(tensor({2, 3}), tensor({2, 3}));
       },
       {"(2, 3)", "3 columns", "2 rows"}},
      {&op::matmul,
       "inner sizes when transposed",
       [] {
         matmul(tensor({2, 3}), tensor({2, 4}), {.transpose_a = true, .transpose_b = true});
       },
       {"(2, 3) transposed", "2 columns", "(2, 4) transposed", "4 rows"}},
      {&op::matmul,
       "batches",
       [] {
         matmul(tensor({2, 2, 3}), tensor({3, 3, 2}));
       },
       {"(2, 2, 3)", "(3, 3, 2)", "leading"}},
      {&op::matmul,
       "a huge result",
       [] {
         matmul(tensor({int64_t{1} << 40, 0}), tensor({0, int64_t{1} << 40}));
       },
       {"elements"}},
      {&op::matmul,
       "matvec of two matrices",
       [] {
         matvec(tensor({2, 3}), tensor({3, 2}));
       },
       {"matvec", "(2, 3)", "(3, 2)"}},
      {&op::matmul, "matvec of vectors", [] { matvec(tensor({3}), tensor({3})); }, {"matvec", "(3,)"}},
      {&op::matmul,
       "dot of a matrix",
       [] {
         dot(tensor({2, 3}), tensor({3}));
       },
       {"dot", "(2, 3)", "(3,)"}},
      {&op::matmul, "none", [] { matvec(Tensor(), tensor({3})); }, {"none"}},
  };
}

const AddOpTests add_tests(tests, invalid);

TEST(Products, KnownValues) {
  const Tensor a({{1, 2}, {3, 4}}), x({5, 6});
  EXPECT_EQ(matmul(a, a).to_vector<float>(), (std::vector<float>{7, 10, 15, 22}));
  EXPECT_EQ(matmul(a, a, {.transpose_a = true}).to_vector<float>(), (std::vector<float>{10, 14, 14, 20}));
  EXPECT_EQ(matvec(a, x).to_vector<float>(), (std::vector<float>{17, 39}));
  EXPECT_EQ(dot(x, x).item<float>(), 61);
}

}  // namespace
}  // namespace brio::testing
