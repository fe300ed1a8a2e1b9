#include "brio/ops/linear_algebra/linear_algebra.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "brio/autodiff/tape.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/control/variable.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/matrix_parts.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/random/random.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/runtime/function.h"
#include "tests/ops/harness.h"
#include "tests/ops/refusals.h"

namespace brio::testing {
namespace {

using namespace linalg;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

Tensor random_matrices(const Shape& shape, uint64_t seed, DType dtype = f64) {
  return cast(random::uniform(shape, {.low = -1, .high = 1, .seed = seed}), dtype);
}
Tensor positive_matrices(int64_t n, uint64_t seed, DType dtype = f64) {
  const Tensor x = random_matrices({n, n}, seed, dtype);
  return matmul(x, x, {.transpose_b = true}) + eye(n, -1, dtype);
}
void expect_close(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.shape(), expected.shape());
  const auto a = cast(actual, f64).to_vector<double>(), e = cast(expected, f64).to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], e[i], tolerance) << "element " << i;
}
bool all_nan(const Tensor& x) { return all(is_nan(x)).item<bool>(); }

TEST(LinearAlgebra, FactorsMultiplyToTheMatrix) {
  for (const DType dtype : {f32, f64})
    for (const int64_t n : {1, 3, 40, 150})
      for (const int64_t columns : {n, n + 7, std::max<int64_t>(1, n - 5)}) {
        const double tolerance = dtype == f64 ? 1e-12 : 2e-4;
        const Tensor a = random_matrices({2, n, columns}, 1, dtype);
        for (const bool full : {false, true}) {
          const auto [q, r] = qr(a, full);
          expect_close(matmul(q, r), a, tolerance);
          expect_close(matmul(q, q, {.transpose_a = true}),
                       broadcast_to(eye(q.shape()[2], -1, dtype), {2, q.shape()[2], q.shape()[2]}), tolerance);
          const auto [s, u, v] = svd(a, full);
          const int64_t k = std::min(n, columns);
          const auto first = [&](const Tensor& x) { return slice(x, {Range{}, Range{}, Range{0, k}}); };
          expect_close(matmul(first(u) * expand_dims(s, 1), first(v), {.transpose_b = true}), a, tolerance);
          for (const Tensor& w : {u, v})
            expect_close(matmul(w, w, {.transpose_a = true}),
                         broadcast_to(eye(w.shape()[2], -1, dtype), {2, w.shape()[2], w.shape()[2]}), tolerance);
        }
        if (n != columns) continue;
        const Tensor symmetric = a + matrix_transpose(a);
        const auto [e, v] = eigh(symmetric);
        expect_close(matmul(v * expand_dims(e, 1), v, {.transpose_b = true}), symmetric, tolerance);
        expect_close(eigvalsh(symmetric), e, tolerance);
        const Tensor l = cholesky(positive_matrices(n, 2, dtype));
        expect_close(matmul(l, l, {.transpose_b = true}), positive_matrices(n, 2, dtype), tolerance);
      }
}

// Differences of f(x + δ s) for symmetric s, against the gradient.
void expect_symmetric_gradient(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  const Tensor direction = random_matrices(x.shape(), 7), s = direction + matrix_transpose(direction);
  GradientTape tape;
  tape.watch(x);
  const Tensor y = f(x), weights = random_matrices(y.shape(), 8);
  const Tensor targets[] = {sum(y * weights)};
  const std::vector<GradientTape::Source> sources{x};
  const double slope = sum(tape.gradient(targets, sources)[0] * s).item<double>();
  const auto moved = [&](double by) { return sum(f(x + constant(by, f64) * s) * weights).item<double>(); };
  const double eps = 1e-6;
  EXPECT_NEAR(slope, (moved(eps) - moved(-eps)) / (2 * eps), 1e-6 * std::max(1.0, std::fabs(slope)));
}

TEST(LinearAlgebra, GradientOfCholeskyMatchesDifferences) {
  for (const int64_t n : {1, 2, 5, 20}) {
    expect_symmetric_gradient([](const Tensor& x) { return cholesky(x); }, positive_matrices(n, 3));
    // and its gradient's gradient
    expect_symmetric_gradient(
        [](const Tensor& x) {
          GradientTape tape;
          tape.watch(x);
          const Tensor targets[] = {sum(square(cholesky(x)) * constant(0.5, f64) + cholesky(x))};
          const std::vector<GradientTape::Source> sources{x};
          return tape.gradient(targets, sources)[0];
        },
        positive_matrices(n, 3));
  }
}

TEST(LinearAlgebra, GradientsThatTensorFlowHasNot) {
  const auto gradient = [](const Tensor& x, const std::function<Tensor(const Tensor&)>& f) {
    GradientTape tape;
    tape.watch(x);
    const Tensor targets[] = {f(x)};
    const std::vector<GradientTape::Source> sources{x};
    tape.gradient(targets, sources);
  };
  refuses("qr", {"(3, 2)", "full_matrices"}, [&] {
    gradient(tensor({3, 2}), [](const Tensor& x) { return qr(x, true).q; });
  });
  refuses("svd", {"(4, 2)", "full_matrices"}, [&] {
    gradient(tensor({4, 2}), [](const Tensor& x) { return svd(x, true).u; });
  });
}

TEST(LinearAlgebra, MatricesThatHaveNoSolution) {
  const Tensor singular({{{1, 0}, {0, 1}}, {{1, 2}, {2, 4}}}), large = tensor({3, 20, 20}), sides = tensor({2, 2, 1});
  const auto read = [](const Tensor& x) { x.array(); };
  refuses("inv", {"matrix 1", "(2, 2, 2)", "singular", "pinv"}, [&] { read(inv(singular)); });
  refuses("solve", {"matrix 1", "singular"}, [&] { read(solve(singular, sides)); });
  refuses("inv", {"matrix 0", "(3, 20, 20)"}, [&] { read(inv(large)); });
  refuses("solve", {"matrix 0", "(3, 20, 20)"}, [&] { read(solve(large, large)); });
  refuses("cholesky", {"matrix 1", "not positive definite", "column 1"}, [&] { read(cholesky(singular)); });
  const Tensor last_negative = linalg::diag(concat({ones({19}), -ones({1})}, 0));
  refuses("cholesky", {"matrix 2", "column 19"}, [&] { read(cholesky(stack({eye(20), eye(20), last_negative}))); });
  EXPECT_EQ(det(singular).to_vector<float>(), (std::vector<float>{1, 0}));
  EXPECT_EQ(slogdet(large).log_abs_determinant.to_vector<float>(), (std::vector<float>{-kInf, -kInf, -kInf}));
}

TEST(LinearAlgebra, AFailedRunChangesNoVariable) {
  Variable v(ones({2, 2}));
  auto step = function([&](const Tensor& x) {
    v.assign(v + constant(1, f32));
    v.assign(v + inv(x));
    return x;
  });
  step(eye(2));
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{3, 2, 2, 3}));
  refuses("inv", {"singular"}, [&] { step(zeros({2, 2})); });
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{3, 2, 2, 3}));
}

TEST(LinearAlgebra, NaNAndInfinityGiveNaN) {
  for (const float bad : {kNaN, kInf, -kInf})
    for (const int64_t n : {2, 30}) {
      const Tensor x = set_diag(eye(n), concat({full({1}, bad), ones({n - 1})}, 0)), b = ones({n, 2});
      EXPECT_TRUE(all_nan(inv(x)));
      EXPECT_TRUE(all_nan(solve(x, b)));
      EXPECT_TRUE(all_nan(det(x)));
      EXPECT_TRUE(all_nan(slogdet(x).sign));
      EXPECT_TRUE(all_nan(qr(x).q));
      EXPECT_TRUE(all_nan(svdvals(x)));
      const auto [s, u, v] = svd(pad(x, {Padding{0, 1}, Padding{0, 0}}), true);
      EXPECT_TRUE(all_nan(s) && all_nan(u) && all_nan(v));
      EXPECT_TRUE(all_nan(eigvalsh(x)) && all_nan(eigh(x).v));
      EXPECT_EQ(sum(cast(is_nan(cholesky(x)), i32)).item<int32_t>(), n * (n + 1) / 2);
    }
}

TEST(LinearAlgebra, OnlyTheLowerTriangleIsRead) {
  const Tensor a({{4, kNaN}, {2, 5}});
  EXPECT_EQ(cholesky(a).to_vector<float>(), (std::vector<float>{2, 0, 1, 2}));
  EXPECT_FALSE(any(is_nan(eigh(a).v)).item<bool>());
}

TEST(LinearAlgebra, SignsAreSettled) {
  const auto [e, v] = eigh(Tensor({{0, 1}, {1, 0}}));
  const float half = std::sqrt(0.5f);
  expect_close(v, Tensor({{half, half}, {-half, half}}), 1e-6);
  expect_close(svd(-eye(3)).u, eye(3), 0);
  expect_close(svd(-eye(3)).v, -eye(3), 0);
}

TEST(LinearAlgebra, NoElements) {
  EXPECT_EQ(det(zeros({3, 0, 0})).to_vector<float>(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(cholesky(zeros({0, 0})).shape(), Shape({0, 0}));
  EXPECT_EQ(inv(zeros({0, 20, 20})).shape(), Shape({0, 20, 20}));
  EXPECT_EQ(solve(zeros({0, 0}), zeros({0, 3})).shape(), Shape({0, 3}));
  expect_close(qr(zeros({3, 0}), true).q, eye(3), 0);
  expect_close(svd(zeros({3, 0}), true).u, eye(3), 0);
  EXPECT_EQ(svd(zeros({2, 3, 0})).v.shape(), Shape({2, 0, 0}));
  EXPECT_EQ(eigh(zeros({0, 4, 4})).e.shape(), Shape({0, 4}));
  EXPECT_EQ(pinv(zeros({3, 0})).shape(), Shape({0, 3}));
  EXPECT_EQ(matrix_rank(zeros({2, 3, 0})).to_vector<int32_t>(), (std::vector<int32_t>{0, 0}));
}

TEST(LinearAlgebra, ABatchIsSharedAmongThreads) {  // which call the library at once
  const int before = thread_count();
  const Tensor a = random_matrices({64, 33, 33}, 5, f32), b = random_matrices({64, 33, 3}, 6, f32);
  std::vector<std::vector<float>> expected;
  for (const int threads : {1, 8}) {
    set_thread_count(threads);
    const std::vector<Tensor> results{solve(a, b), svd(a).u, qr(a).q, eigh(a).v, det(a), triangular_solve(a, b),
                                      inv(a)};
    for (size_t i = 0; i < results.size(); ++i) {
      if (threads == 1) expected.push_back(results[i].to_vector<float>());
      else EXPECT_EQ(results[i].to_vector<float>(), expected[i]) << i;
    }
  }
  set_thread_count(before);
}

TEST(LinearAlgebra, BatchesBroadcast) {
  const Tensor a = random_matrices({3, 1, 4, 4}, 1) + constant(4, f64) * eye(4, -1, f64),
               b = random_matrices({2, 4, 2}, 2);
  const Tensor x = solve(a, b);
  EXPECT_EQ(x.shape(), Shape({3, 2, 4, 2}));
  expect_close(matmul(a, x), broadcast_to(b, {3, 2, 4, 2}), 1e-12);
  EXPECT_EQ(triangular_solve(a, b).shape(), Shape({3, 2, 4, 2}));
  expect_close(inv(a, {.adjoint = true}), matrix_transpose(inv(a)), 0);
}

TEST(LinearAlgebra, LeastSquares) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{30, 4}, {4, 30}, {5, 5}}) {
    const Tensor a = random_matrices({m, n}, 1), b = random_matrices({m, 2}, 2), x = lstsq(a, b);
    expect_close(lstsq(a, b, {.fast = false}), x, 1e-9);
    expect_close(matmul(pinv(a), b), x, 1e-9);
    expect_close(matmul(a, matmul(a, x) - b, {.transpose_a = true}), zeros({n, 2}, f64), 1e-9);
  }
  const Tensor deficient({{1, 2}, {2, 4}});
  expect_close(lstsq(deficient, Tensor({{5}, {10}}), {.fast = false}), Tensor({{1}, {2}}), 1e-5);
  EXPECT_EQ(matrix_rank(deficient).item<int32_t>(), 1);
  EXPECT_EQ(matrix_rank(deficient, 100).item<int32_t>(), 0);
  refuses("cholesky", {"not positive definite"}, [&] { lstsq(zeros({3, 2}), ones({3, 1})).array(); });
  refuses("lstsq", {"l2_regularizer is -1"}, [&] { lstsq(deficient, deficient, {.l2_regularizer = -1}); });
  refuses("lstsq", {"(2, 2)", "(3, 1)"}, [&] { lstsq(deficient, ones({3, 1})); });
  refuses("lstsq", {"input 1", "(2,)", "expand_dims"}, [&] { lstsq(deficient, ones({2})); });
  refuses("pinv", {"none"}, [&] { pinv(Tensor()); });
  refuses("matrix_rank", {"(2,)"}, [&] { matrix_rank(ones({2})); });
}

TEST(LinearAlgebra, NormsBySingularValues) {
  const Tensor a({{{1, 0}, {0, -2}}, {{0, 3}, {4, 0}}});
  expect_close(matrix_norm(a, MatrixNorm::spectral), Tensor({2, 4}), 1e-6);
  expect_close(matrix_norm(a, MatrixNorm::nuclear, 1, 2, true), Tensor({{{3}}, {{7}}}), 1e-6);
  expect_close(matrix_norm(transpose(a, {1, 0, 2}), MatrixNorm::nuclear, 0, 2), Tensor({3, 7}), 1e-6);
  refuses("svd", {"float16", "cast"}, [&] { matrix_norm(cast(a, f16), MatrixNorm::nuclear); });
}

TEST(LinearAlgebra, InAFunctionThatIsKept) {
  const Tensor a = positive_matrices(5, 9), b = random_matrices({5, 2}, 4);
  auto f = function([](const Tensor& x, const Tensor& y) { return cholesky_solve(cholesky(x), y); });
  for (int i = 0; i < 3; ++i) expect_close(f(a, b), solve(a, b), 1e-12);
  expect_close(exp(logdet(a)), det(a), 1e-9);
}

TEST(LinearAlgebra, Refusals) {
  refuses("trace", {"(2,)"}, [] { trace(ones({2})); });
  refuses("matrix_transpose", {"(2,)"}, [] { matrix_transpose(ones({2})); });
  refuses("matrix_transpose", {"none"}, [] { matrix_transpose(Tensor()); });
}

}  // namespace
}  // namespace brio::testing
