#include "brio/ops/linear_algebra/products.h"

#include <gtest/gtest.h>

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
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

// Kernels are chosen by sizes: whole tiles and one more, sums in one piece and in several. Whole numbers are exact.
TEST(Products, OnBothSidesOfTheSizesWhereKernelsChange) {
  const auto numbers = [](int64_t n, int64_t seed) {
    std::vector<float> values;
    for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>((i * 7 + i / 5 + seed) % 7 - 3));
    return values;
  };
  const int64_t sizes[][3] = {{1, 1, 1},     {16, 16, 128}, {17, 15, 129}, {32, 64, 100},   {64, 33, 512},
                              {65, 31, 513}, {3, 200, 300}, {200, 3, 31},  {128, 128, 128}, {129, 128, 128}};
  for (const auto& [m, n, k] : sizes)
    for (const bool ta : {false, true})
      for (const bool tb : {false, true}) {
        const std::vector<float> a = numbers(m * k, 1), b = numbers(k * n, 4), bias = numbers(n, 2);
        const Tensor x = Tensor::from(a, ta ? Shape{k, m} : Shape{m, k}),
                     w = Tensor::from(b, tb ? Shape{n, k} : Shape{k, n});
        std::vector<float> expected, activated;
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            float sum = 0;
            for (int64_t e = 0; e < k; ++e)
              sum += a[static_cast<size_t>(ta ? e * m + i : i * k + e)] *
                     b[static_cast<size_t>(tb ? j * k + e : e * n + j)];
            expected.push_back(sum);
            activated.push_back(std::max(0.f, sum + bias[static_cast<size_t>(j)]));
          }
        const auto what = cat(m, " x ", n, " x ", k, ta ? ", a transposed" : "", tb ? ", b transposed" : "");
        EXPECT_EQ(matmul(x, w, {.transpose_a = ta, .transpose_b = tb}).to_vector<float>(), expected) << what;
        EXPECT_EQ(relu(matmul(x, w, {.transpose_a = ta, .transpose_b = tb}) + Tensor::from(bias, Shape{n}))
                      .to_vector<float>(),
                  activated)
            << what;
      }
}

}  // namespace
}  // namespace brio::testing
