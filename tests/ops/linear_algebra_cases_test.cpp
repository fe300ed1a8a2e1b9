// The ops of linear algebra through the harness, on matrices that float32 can solve.
#include <gtest/gtest.h>

#include "brio/ops/linear_algebra/factorizations.h"
#include "brio/ops/linear_algebra/linear_solve.h"
#include "brio/ops/linear_algebra/matrices.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

// ---- inputs that have a solution which float32 can give

template <typename F>
void for_each_matrix(Array& array, F&& f) {
  const Matrices m(array.aval.shape);
  visit(array.aval.dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (std::is_floating_point_v<T>)
      for (int64_t i = 0; i < m.batch; ++i) f(array.as<T>() + i * m.elements(), m);
  });
}
// The identity times four, and a little of the numbers; some rows swapped, so that pivots have to be found.
void well_conditioned(Array& array) {
  for_each_matrix(array, [](auto* x, const Matrices& m) {
    for (int64_t i = 0; i < m.rows; ++i)
      for (int64_t j = 0; j < m.columns; ++j) {
        auto& value = x[i * m.columns + j];
        value = value / static_cast<float>(m.rows) + (j == (i + 1) % m.rows ? 4 : 0);
      }
  });
}
void triangular(Array& array) {  // both triangles: the other one must not be read
  for_each_matrix(array, [](auto* x, const Matrices& m) {
    for (int64_t i = 0; i < m.rows; ++i)
      for (int64_t j = 0; j < m.columns; ++j) {
        auto& value = x[i * m.columns + j];
        value = value / static_cast<float>(m.rows) + (i == j ? 2 : 0);
      }
  });
}
// Symmetric, and positive definite by its diagonal; what lies above it is not read.
void positive(Array& array) {
  for_each_matrix(array, [](auto* x, const Matrices& m) {
    for (int64_t i = 0; i < m.rows; ++i)
      for (int64_t j = 0; j < m.columns; ++j) {
        auto& value = x[i * m.columns + j];
        value = value / static_cast<float>(m.rows) + (i == j ? 3 : i < j ? 99 : 0);
      }
  });
}
// Diagonals that keep the values apart, so that vectors are well defined.
void spread(Array& array) {
  for_each_matrix(array, [](auto* x, const Matrices& m) {
    for (int64_t i = 0; i < m.rows; ++i)
      for (int64_t j = 0; j < m.columns; ++j) {
        auto& value = x[i * m.columns + j];
        value =
            value / static_cast<float>(2 * std::max(m.rows, m.columns)) + (i == j ? static_cast<float>(i + 1) : 0);
      }
  });
}

Shape batch_and(Rng& rng, int i, int64_t rows, int64_t columns) {
  Shape shape;
  for (int k = 0; k < i % 7; ++k) shape.push_back(i == 13 && k == 0 ? 0 : rng.range(1, k < 2 ? 3 : 1));
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}
// Up to 6 for gradients, so that differences are few; past what small loops do otherwise.
int64_t side(Rng& rng, int i) { return i % 9 == 8 ? 0 : rng.range(1, i < 9 ? 6 : 24); }
// In float32 the error of vectors, some epsilon · norm / gap, is within the tolerance for few rows only; larger ones
// are multiplied together in linear_algebra_test.cpp.
int64_t spectral_side(Rng& rng, int i, DType dtype) {
  const int64_t n = side(rng, i);
  return dtype == f32 ? std::min<int64_t>(n, 4) : n;
}

Case square_case(Rng& rng, DType dtype, int i, void (*adjust)(Array&)) {
  const int64_t n = side(rng, i);
  return {{{{batch_and(rng, i, n, n), dtype}, -1, 1, Fill::uniform, adjust}}};
}
Case solve_case(Rng& rng, DType dtype, int i, void (*adjust)(Array&)) {
  const int64_t n = side(rng, i), k = i % 5 == 0 ? 1 : side(rng, i + 1);
  const Shape a = batch_and(rng, i, n, n);
  return {{{{a, dtype}, -1, 1, Fill::uniform, adjust}, {{with_last(a, {n, k}), dtype}}}, {i % 2}};
}

Case large_square(DType dtype, int64_t n, void (*adjust)(Array&)) {
  return {{{{Shape{n, n}, dtype}, -1, 1, Fill::uniform, adjust}}};
}

const std::vector<DType> kWide = {f32, f64};
const char* const kElsewhere =
    "it reads one triangle, and its gradient is that of a symmetric matrix: linear_algebra_test.cpp";

std::vector<OpTest> tests() {
  return {
      {.op = &op::solve,
       .dtypes = kWide,
       .make = [](Rng& rng, DType dtype, int i) { return solve_case(rng, dtype, i, well_conditioned); },
       .large =
           [](DType dtype) {
             Case c = large_square(dtype, 256, well_conditioned);
             c.inputs.push_back({{Shape{256, 256}, dtype}});
             c.attrs = {0};
             return c;
           },
       .numbers = {{0, -1}, {0, -2}}},
      {.op = &op::triangular_solve,
       .dtypes = kWide,
       .make =
           [](Rng& rng, DType dtype, int i) {
             Case c = solve_case(rng, dtype, i, triangular);
             c.attrs.push_back(i / 2 % 2);
             return c;
           },
       .large =
           [](DType dtype) {
             Case c = large_square(dtype, 256, triangular);
             c.inputs.push_back({{Shape{256, 256}, dtype}});
             c.attrs = {0, 1};
             return c;
           }},
      {.op = &op::inv,
       .dtypes = kWide,
       .make = [](Rng& rng, DType dtype, int i) { return square_case(rng, dtype, i, well_conditioned); },
       .large = [](DType dtype) { return large_square(dtype, 256, well_conditioned); }},
      {.op = &op::slogdet,
       .dtypes = kWide,
       .make = [](Rng& rng, DType dtype, int i) { return square_case(rng, dtype, i, well_conditioned); },
       .large = [](DType dtype) { return large_square(dtype, 256, well_conditioned); }},
      {.op = &op::cholesky,
       .dtypes = kWide,
       .make = [](Rng& rng, DType dtype, int i) { return square_case(rng, dtype, i, positive); },
       .large = [](DType dtype) { return large_square(dtype, 256, positive); },
       .no_differences = kElsewhere},
      {.op = &op::qr,
       .dtypes = kWide,
       .make =
           [](Rng& rng, DType dtype, int i) {
             int64_t m = side(rng, i), n = side(rng, i + 1);
             const bool full = i % 3 == 2;
             if (full && i < kGradientCases) m = std::min(m, n);  // a tall full one has no gradient
             return Case{{{{batch_and(rng, i, m, n), dtype}, -1, 1, Fill::uniform, spread}}, {full}};
           },
       .large =
           [](DType dtype) {
             Case c = large_square(dtype, 256, spread);
             c.attrs = {0};
             return c;
           },
       .numbers = {{0, -1}, {0, -2}}},
      {.op = &op::svd,
       .dtypes = kWide,
       .make =
           [](Rng& rng, DType dtype, int i) {
             int64_t m = spectral_side(rng, i, dtype), n = spectral_side(rng, i + 1, dtype);
             const bool vectors = i % 4 != 1, full = i % 3 == 2;
             if (full && i < kGradientCases) n = m + i % 2;  // others have no gradient
             return Case{{{{batch_and(rng, i, m, n), dtype}, -1, 1, Fill::uniform, spread}}, {vectors, full}};
           },
       .large =
           [](DType dtype) {
             Case c = large_square(dtype, 256, spread);
             c.attrs = {1, 0};
             return c;
           },
       .numbers = {{0, -1}, {0, -2}}},
      {.op = &op::eigh,
       .dtypes = kWide,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const int64_t n = spectral_side(rng, i, dtype);
             return Case{{{{batch_and(rng, i, n, n), dtype}, -1, 1, Fill::uniform, spread}}, {i % 4 != 1}};
           },
       .large =
           [](DType dtype) {
             Case c = large_square(dtype, 256, spread);
             c.attrs = {1};
             return c;
           },
       .numbers = {{0, -1}, {0, -2}}},
  };
}

std::vector<Invalid> invalid() {
  using namespace linalg;
  std::vector<Invalid> all;
  const auto add = [&](const OpDef& op, std::string what, std::function<void()> call,
                       std::vector<std::string> fragments) {
    all.push_back({&op, std::move(what), std::move(call), std::move(fragments)});
  };
  const auto refuses_common = [&](const OpDef& op, std::function<void(const Tensor&)> f, bool only_square) {
    add(op, "none", [f] { f(Tensor()); }, {"none"});
    add(op, "integers", [f] { f(tensor({2, 2}, i32)); }, {"int32", "cast"});
    add(op, "halves", [f] { f(tensor({2, 2}, f16)); }, {"float16", "cast"});
    add(op, "a vector", [f] { f(tensor({2})); }, {"(2,)", "matrices"});
    add(op, "large sides", [f] { f(tensor({0, int64_t{1} << 32})); }, {"4294967296", "32-bit"});
    if (only_square) add(op, "a rectangle", [f] { f(tensor({2, 3})); }, {"(2, 3)", "square"});
  };
  refuses_common(
      op::cholesky, [](const Tensor& x) { cholesky(x); }, true);
  refuses_common(
      op::eigh, [](const Tensor& x) { eigh(x); }, true);
  refuses_common(
      op::inv, [](const Tensor& x) { inv(x); }, true);
  refuses_common(
      op::slogdet, [](const Tensor& x) { slogdet(x); }, true);
  refuses_common(
      op::qr, [](const Tensor& x) { qr(x); }, false);
  refuses_common(
      op::svd, [](const Tensor& x) { svd(x); }, false);
  refuses_common(
      op::solve, [](const Tensor& x) { solve(x, x); }, true);
  refuses_common(
      op::triangular_solve, [](const Tensor& x) { triangular_solve(x, x); }, true);
  add(op::solve, "dtypes", [] { solve(tensor({2, 2}), tensor({2, 2}, f64)); }, {"float32", "float64", "cast"});
  add(op::solve, "rows", [] { solve(tensor({2, 2}), tensor({3, 2})); }, {"(2, 2)", "2 rows", "(3, 2)"});
  add(op::solve, "batches", [] { solve(tensor({3, 2, 2}), tensor({2, 2, 2})); }, {"(3, 2, 2)", "do not broadcast"});
  add(op::solve, "batches of the row",
      [] {
        call(op::solve, {tensor({3, 2, 2}), tensor({1, 2, 2})}, {0});
      },
      {"(3, 2, 2)", "differ"});
  add(op::qr, "large q", [] { qr(tensor({int64_t{1} << 31, 0}), true); }, {"2147483648"});
  return all;
}

const AddOpTests add_tests(tests, invalid);

}  // namespace
}  // namespace brio::testing
