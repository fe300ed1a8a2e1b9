// The factorizations by textbook algorithms, which have nothing in common with LAPACK's: Cholesky's loops,
// Householder's reflections, Jacobi's rotations. In double, one matrix after another; unlike other definitions they
// allocate.
#include <cmath>
#include <numeric>

#include "brio/backends/reference/kernel.h"
#include "brio/ops/linear_algebra/factorizations.h"
#include "brio/ops/linear_algebra/matrices.h"

namespace brio::reference {
namespace {

struct Matrix {
  int64_t rows, columns;
  std::vector<double> values;
  Matrix(int64_t m, int64_t n) : rows(m), columns(n), values(static_cast<size_t>(m * n)) {}
  double& operator()(int64_t i, int64_t j) { return values[static_cast<size_t>(i * columns + j)]; }

  static Matrix identity(int64_t n) {
    Matrix result(n, n);
    for (int64_t i = 0; i < n; ++i) result(i, i) = 1;
    return result;
  }
  template <typename T>
  static Matrix from(const T* x, int64_t m, int64_t n, bool transposed = false) {
    Matrix result(transposed ? n : m, transposed ? m : n);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) (transposed ? result(j, i) : result(i, j)) = static_cast<double>(x[i * n + j]);
    return result;
  }
  template <typename T>
  void write(T* out) const {
    for (size_t i = 0; i < values.size(); ++i) out[i] = static_cast<T>(values[i]);
  }
  // Columns a and b turned: c a - s b, s a + c b.
  void rotate(int64_t a, int64_t b, double c, double s) {
    for (int64_t i = 0; i < rows; ++i) {
      const double x = (*this)(i, a), y = (*this)(i, b);
      (*this)(i, a) = c * x - s * y;
      (*this)(i, b) = s * x + c * y;
    }
  }
  double dot(int64_t a, int64_t b) {
    double sum = 0;
    for (int64_t i = 0; i < rows; ++i) sum += (*this)(i, a) * (*this)(i, b);
    return sum;
  }
  // The columns in this order.
  Matrix ordered(const std::vector<int64_t>& order) {
    Matrix result(rows, columns);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) result(i, j) = (*this)(i, order[static_cast<size_t>(j)]);
    return result;
  }
  void negate(int64_t column) {
    for (int64_t i = 0; i < rows; ++i) (*this)(i, column) = -(*this)(i, column);
  }
  bool column_points_back(int64_t column) { return points_back(values.data() + column, rows, columns); }
};

// Runs f(matrix number, data) for each of input 0, with T.
template <typename F>
void for_each_matrix(const Call& call, F&& f) {
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    const Matrices m(call.in_shape(0));
    for (int64_t i = 0; i < m.batch; ++i) f(i, call.in<T>(0) + i * m.elements());
  });
}
// Output o's part of a batch.
template <typename T>
T* part(const Call& call, size_t o, int64_t matrix) {
  const int64_t batch = Matrices(call.in_shape(0)).batch;
  return call.out<T>(o) + matrix * (call.out_shape(o).elements() / batch);
}
template <typename T>
void fill_nan(const Call& call, size_t o, int64_t matrix) {
  const int64_t count = call.out_shape(o).elements() / Matrices(call.in_shape(0)).batch;
  std::fill_n(part<T>(call, o, matrix), count, static_cast<T>(kNaN));
}

bool lower_is_finite(Matrix& a) {
  bool finite = true;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j <= i; ++j) finite &= std::isfinite(a(i, j));
  return finite;
}

void run_cholesky(const Call& call) {
  const Matrices m(call.in_shape(0));
  const int64_t n = m.rows;
  for_each_matrix(call, [&]<typename T>(int64_t matrix, const T* x) {
    Matrix a = Matrix::from(x, n, n), l(n, n);
    const bool finite = lower_is_finite(a);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = j; i < n; ++i) {
        double sum = a(i, j);
        for (int64_t k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
        if (finite && i == j && !(sum > 0)) throw_not_positive(call.op, call.in_shape(0), matrix, j);
        l(i, j) = !finite ? kNaN : i == j ? std::sqrt(sum) : sum / l(j, j);
      }
    l.write(part<T>(call, 0, matrix));
  });
}

// Reflections that make a upper triangular, applied to the identity: a = q · r.
void householder(Matrix& a, Matrix& q) {
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    double tail = 0;
    for (int64_t i = k + 1; i < a.rows; ++i) tail += a(i, k) * a(i, k);
    if (tail == 0) continue;  // nothing to reflect: the sign stays
    const double alpha = a(k, k), beta = -std::copysign(std::sqrt(alpha * alpha + tail), alpha);
    std::vector<double> v(static_cast<size_t>(a.rows));
    v[static_cast<size_t>(k)] = 1;
    for (int64_t i = k + 1; i < a.rows; ++i) v[static_cast<size_t>(i)] = a(i, k) / (alpha - beta);
    const double tau = (beta - alpha) / beta;
    for (int64_t j = k; j < a.columns; ++j) {  // a -= tau v (vᵀ a)
      double dot = 0;
      for (int64_t i = k; i < a.rows; ++i) dot += v[static_cast<size_t>(i)] * a(i, j);
      for (int64_t i = k; i < a.rows; ++i) a(i, j) -= tau * v[static_cast<size_t>(i)] * dot;
    }
    for (int64_t i = 0; i < q.rows; ++i) {  // q -= tau (q v) vᵀ
      double dot = 0;
      for (int64_t j = k; j < q.columns; ++j) dot += q(i, j) * v[static_cast<size_t>(j)];
      for (int64_t j = k; j < q.columns; ++j) q(i, j) -= tau * dot * v[static_cast<size_t>(j)];
    }
    for (int64_t i = k + 1; i < a.rows; ++i) a(i, k) = 0;
  }
}

void run_qr(const Call& call) {
  const Matrices m(call.in_shape(0));
  const int64_t k = Matrices(call.out_shape(0)).columns;
  for_each_matrix(call, [&]<typename T>(int64_t matrix, const T* x) {
    Matrix a = Matrix::from(x, m.rows, m.columns), q = Matrix::identity(m.rows);
    const bool finite = all_finite(x, m.elements());
    if (finite) householder(a, q);
    T *to_q = part<T>(call, 0, matrix), *to_r = part<T>(call, 1, matrix);
    for (int64_t i = 0; i < m.rows; ++i)
      for (int64_t j = 0; j < k; ++j) to_q[i * k + j] = static_cast<T>(finite ? q(i, j) : kNaN);
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = 0; j < m.columns; ++j)
        to_r[i * m.columns + j] = static_cast<T>(i > j ? 0 : finite ? a(i, j) : kNaN);
  });
}

// The angle that makes p and q, with products pp, qq and pq, orthogonal.
bool jacobi_angle(double pp, double qq, double pq, double& c, double& s) {
  if (std::fabs(pq) <= 1e-300 || std::fabs(pq) <= 1e-17 * std::sqrt(std::fabs(pp)) * std::sqrt(std::fabs(qq)))
    return false;
  const double zeta = (qq - pp) / (2 * pq);
  const double t = std::copysign(1 / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
  c = 1 / std::sqrt(1 + t * t);
  s = c * t;
  return true;
}

std::vector<int64_t> order_of(const std::vector<double>& values, bool rising) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const double x = values[static_cast<size_t>(a)], y = values[static_cast<size_t>(b)];
    return rising ? x < y : x > y;
  });
  return order;
}

constexpr int kSweeps = 60;  // some ten are enough

void run_eigh(const Call& call) {
  const int64_t n = Matrices(call.in_shape(0)).rows;
  for_each_matrix(call, [&]<typename T>(int64_t matrix, const T* x) {
    Matrix a = Matrix::from(x, n, n), v = Matrix::identity(n);
    if (!lower_is_finite(a)) {
      for (size_t o = 0; o < call.out_avals.size(); ++o) fill_nan<T>(call, o, matrix);
      return;
    }
    double scale = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        a(j, i) = a(i, j);
        scale = std::fmax(scale, std::fabs(a(i, j)));
      }
    bool turned = true;
    for (int sweep = 0; sweep < kSweeps && turned; ++sweep) {
      turned = false;
      for (int64_t p = 0; p < n; ++p)
        for (int64_t q = p + 1; q < n; ++q) {
          double c = 1, s = 0;
          if (std::fabs(a(p, q)) <= 1e-18 * scale || !jacobi_angle(a(p, p), a(q, q), a(p, q), c, s)) continue;
          turned = true;
          a.rotate(p, q, c, s);
          for (int64_t j = 0; j < n; ++j) {  // and the rows
            const double one = a(p, j), other = a(q, j);
            a(p, j) = c * one - s * other;
            a(q, j) = s * one + c * other;
          }
          a(p, q) = a(q, p) = 0;
          v.rotate(p, q, c, s);
        }
    }
    std::vector<double> values;
    for (int64_t i = 0; i < n; ++i) values.push_back(a(i, i));
    const std::vector<int64_t> order = order_of(values, true);
    for (size_t i = 0; i < order.size(); ++i)
      part<T>(call, 0, matrix)[i] = static_cast<T>(values[static_cast<size_t>(order[i])]);
    if (!eigh_has_vectors(call.attrs)) return;
    Matrix sorted = v.ordered(order);
    for (int64_t j = 0; j < n; ++j)
      if (sorted.column_points_back(j)) sorted.negate(j);
    sorted.write(part<T>(call, 1, matrix));
  });
}

// The first `have` columns, and as many more as it takes to `want`: the last columns of q of these columns' qr.
Matrix completed(Matrix& u, int64_t have, int64_t want) {
  Matrix thin(u.rows, have), q = Matrix::identity(u.rows), result(u.rows, want);
  for (int64_t i = 0; i < u.rows; ++i)
    for (int64_t j = 0; j < have; ++j) thin(i, j) = u(i, j);
  householder(thin, q);
  for (int64_t i = 0; i < u.rows; ++i)
    for (int64_t j = 0; j < want; ++j) result(i, j) = j < have ? u(i, j) : q(i, j);
  return result;
}

// Columns of a tall matrix turned until they are orthogonal: a · v = u · diag(s).
void run_svd(const Call& call) {
  const Matrices m(call.in_shape(0));
  const bool wide = m.rows < m.columns;
  const int64_t large = std::max(m.rows, m.columns), small = m.smaller();
  for_each_matrix(call, [&]<typename T>(int64_t matrix, const T* x) {
    if (!all_finite(x, m.elements())) {
      for (size_t o = 0; o < call.out_avals.size(); ++o) fill_nan<T>(call, o, matrix);
      return;
    }
    Matrix a = Matrix::from(x, m.rows, m.columns, wide), v = Matrix::identity(small);
    bool turned = true;
    for (int sweep = 0; sweep < kSweeps && turned; ++sweep) {
      turned = false;
      for (int64_t p = 0; p < small; ++p)
        for (int64_t q = p + 1; q < small; ++q) {
          double c = 1, s = 0;
          if (!jacobi_angle(a.dot(p, p), a.dot(q, q), a.dot(p, q), c, s)) continue;
          turned = true;
          a.rotate(p, q, c, s);
          v.rotate(p, q, c, s);
        }
    }
    std::vector<double> values;
    for (int64_t j = 0; j < small; ++j) values.push_back(std::sqrt(a.dot(j, j)));
    const std::vector<int64_t> order = order_of(values, false);
    int64_t rank = 0;  // columns that have a direction
    for (int64_t j = 0; j < small; ++j) {
      const double value = values[static_cast<size_t>(order[static_cast<size_t>(j)])];
      part<T>(call, 0, matrix)[j] = static_cast<T>(value);
      rank += value > 1e-15 * values[static_cast<size_t>(order[0])];
    }
    if (!svd_has_vectors(call.attrs)) return;
    Matrix tall = a.ordered(order), square = v.ordered(order);
    for (int64_t j = 0; j < rank; ++j)
      for (int64_t i = 0; i < large; ++i) tall(i, j) /= values[static_cast<size_t>(order[static_cast<size_t>(j)])];
    tall = completed(tall, rank, small);
    Matrix &u = wide ? square : tall, &of_v = wide ? tall : square;
    for (int64_t j = 0; j < small; ++j)
      if (u.column_points_back(j)) {
        u.negate(j);
        of_v.negate(j);
      }
    if (svd_is_full(call.attrs)) tall = completed(tall, small, large);
    u.write(part<T>(call, 1, matrix));
    of_v.write(part<T>(call, 2, matrix));
  });
}

}  // namespace

void add_factorizations(Registry& registry) {
  add<run_cholesky>(registry, op::cholesky);
  add<run_qr>(registry, op::qr);
  add<run_svd>(registry, op::svd);
  add<run_eigh>(registry, op::eigh);
}

}  // namespace brio::reference
