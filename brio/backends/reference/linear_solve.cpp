// solve, inv and slogdet by elimination with partial pivoting, triangular_solve by substitution: in double, one
// matrix after another. Unlike other definitions they allocate: the factors need room.
#include <cmath>

#include "brio/backends/reference/kernel.h"
#include "brio/ops/linear_algebra/linear_solve.h"
#include "brio/ops/linear_algebra/matrices.h"

namespace brio::reference {
namespace {

struct Lu {
  int64_t n;
  std::vector<double> a;      // row-major: l below the diagonal, which is 1 there, u above
  std::vector<int64_t> from;  // row i of the factors is row from[i] of the matrix
  double sign = 1;            // of the permutation
  bool singular = false;

  template <typename T>
  Lu(const T* x, int64_t size, bool transposed) : n(size) {
    for (int64_t i = 0; i < n; ++i) {
      from.push_back(i);
      for (int64_t j = 0; j < n; ++j) a.push_back(static_cast<double>(transposed ? x[j * n + i] : x[i * n + j]));
    }
    for (int64_t k = 0; k < n; ++k) eliminate(k);
  }
  double& at(int64_t i, int64_t j) { return a[static_cast<size_t>(i * n + j)]; }

  void eliminate(int64_t k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::fabs(at(i, k)) > std::fabs(at(pivot, k))) pivot = i;
    if (at(pivot, k) == 0) {
      singular = true;
      return;
    }
    if (pivot != k) {
      sign = -sign;
      std::swap(from[static_cast<size_t>(k)], from[static_cast<size_t>(pivot)]);
      for (int64_t j = 0; j < n; ++j) std::swap(at(k, j), at(pivot, j));
    }
    for (int64_t i = k + 1; i < n; ++i) {
      at(i, k) /= at(k, k);
      for (int64_t j = k + 1; j < n; ++j) at(i, j) -= at(i, k) * at(k, j);
    }
  }

  // x of a · x = b, in place.
  void solve(std::vector<double>& b) {
    std::vector<double> x;
    for (int64_t i = 0; i < n; ++i) {
      double value = b[static_cast<size_t>(from[static_cast<size_t>(i)])];
      for (int64_t j = 0; j < i; ++j) value -= at(i, j) * x[static_cast<size_t>(j)];
      x.push_back(value);
    }
    for (int64_t i = n - 1; i >= 0; --i) {
      for (int64_t j = i + 1; j < n; ++j) x[static_cast<size_t>(i)] -= at(i, j) * x[static_cast<size_t>(j)];
      x[static_cast<size_t>(i)] /= at(i, i);
    }
    b = x;
  }
};

// Solves for the columns of a right-hand side that `side(i, j)` gives.
template <typename T, typename F>
void solve_columns(const Call& call, int64_t matrix, bool transposed, int64_t columns, F&& side, T* out) {
  const int64_t n = Matrices(call.in_shape(0)).rows;
  const T* a = call.in<T>(0) + matrix * n * n;
  const bool finite = all_finite(a, n * n);
  Lu lu(a, finite ? n : 0, transposed);
  if (lu.singular) throw_singular(call.op, call.in_shape(0), matrix);
  for (int64_t j = 0; j < columns; ++j) {
    std::vector<double> b;
    for (int64_t i = 0; i < n; ++i) b.push_back(finite ? static_cast<double>(side(i, j)) : kNaN);
    if (finite) lu.solve(b);
    for (int64_t i = 0; i < n; ++i) out[i * columns + j] = static_cast<T>(b[static_cast<size_t>(i)]);
  }
}

void run_solve(const Call& call) {
  visit_floats(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    const Matrices m(call.out_shape());
    for (int64_t matrix = 0; matrix < m.batch; ++matrix) {
      const T* b = call.in<T>(1) + matrix * m.elements();
      solve_columns(
          call, matrix, solves_adjoint(call.attrs), m.columns,
          [&](int64_t i, int64_t j) { return b[i * m.columns + j]; }, call.out<T>() + matrix * m.elements());
    }
  });
}

void run_inv(const Call& call) {
  visit_floats(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    const Matrices m(call.out_shape());
    for (int64_t matrix = 0; matrix < m.batch; ++matrix)
      solve_columns(
          call, matrix, false, m.columns, [](int64_t i, int64_t j) { return i == j ? 1 : 0; },
          call.out<T>() + matrix * m.elements());
  });
}

void run_slogdet(const Call& call) {
  visit_floats(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    const Matrices m(call.in_shape(0));
    for (int64_t matrix = 0; matrix < m.batch; ++matrix) {
      const T* a = call.in<T>(0) + matrix * m.elements();
      const bool finite = all_finite(a, m.elements());
      Lu lu(a, finite ? m.rows : 0, false);
      double sign = finite ? lu.sign : kNaN, log = finite ? 0 : kNaN;
      for (int64_t i = 0; i < lu.n && !lu.singular; ++i) {
        if (lu.at(i, i) < 0) sign = -sign;
        log += std::log(std::fabs(lu.at(i, i)));
      }
      call.out<T>(0)[matrix] = static_cast<T>(lu.singular ? 0 : sign);
      call.out<T>(1)[matrix] = static_cast<T>(lu.singular ? -std::numeric_limits<double>::infinity() : log);
    }
  });
}

void run_triangular_solve(const Call& call) {
  const bool adjoint = solves_adjoint(call.attrs);
  const bool forward = solves_lower(call.attrs) != adjoint;  // the first row has one unknown
  visit_floats(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    const Matrices m(call.out_shape());
    const int64_t n = m.rows;
    for (int64_t matrix = 0; matrix < m.batch; ++matrix) {
      const T *a = call.in<T>(0) + matrix * n * n, *b = call.in<T>(1) + matrix * m.elements();
      T* out = call.out<T>() + matrix * m.elements();
      const auto at = [&](int64_t i, int64_t j) {
        return static_cast<double>(adjoint ? a[j * n + i] : a[i * n + j]);
      };
      for (int64_t column = 0; column < m.columns; ++column) {
        std::vector<double> x(static_cast<size_t>(n));
        for (int64_t step = 0; step < n; ++step) {
          const int64_t i = forward ? step : n - 1 - step;
          double value = static_cast<double>(b[i * m.columns + column]);
          for (int64_t j = forward ? 0 : i + 1; j < (forward ? i : n); ++j)
            value -= at(i, j) * x[static_cast<size_t>(j)];
          x[static_cast<size_t>(i)] = value / at(i, i);
        }
        for (int64_t i = 0; i < n; ++i) out[i * m.columns + column] = static_cast<T>(x[static_cast<size_t>(i)]);
      }
    }
  });
}

}  // namespace

void add_linear_solve(Registry& registry) {
  add<run_solve>(registry, op::solve);
  add<run_triangular_solve>(registry, op::triangular_solve);
  add<run_inv>(registry, op::inv);
  add<run_slogdet>(registry, op::slogdet);
}

}  // namespace brio::reference
