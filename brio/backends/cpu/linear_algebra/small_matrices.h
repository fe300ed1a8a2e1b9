// Plain loops for matrices of up to kSmallMatrix rows: a call of LAPACK costs more than their arithmetic
// (docs/decisions/linear-algebra.md has the measurement).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace brio::cpu {

inline constexpr int64_t kSmallMatrix = 16;

// l of a = l · lᵀ in place, zeros above. The column at which a is not positive definite, or n.
template <typename T>
int64_t small_cholesky(T* a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    T* row = a + j * n;
    T square = row[j];
    for (int64_t k = 0; k < j; ++k) square -= row[k] * row[k];
    if (!(square > 0)) return j;
    const T diagonal = std::sqrt(square);
    row[j] = diagonal;
    for (int64_t i = j + 1; i < n; ++i) {
      T sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k) sum -= a[i * n + k] * row[k];
      a[i * n + j] = sum / diagonal;
      row[i] = 0;
    }
  }
  return n;
}

// a = p · l · u in place; rows of b [n, columns] go with those of a. False for a singular matrix.
template <typename T>
bool small_lu(T* a, int64_t n, T* b, int64_t columns, bool& odd) {
  odd = false;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    if (a[pivot * n + k] == 0) return false;
    if (pivot != k) {
      odd = !odd;
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      std::swap_ranges(b + k * columns, b + (k + 1) * columns, b + pivot * columns);
    }
    for (int64_t i = k + 1; i < n; ++i) {
      const T factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

// x of a · x = b in place for the lower or upper triangle of a; `unit`: with 1 on the diagonal.
template <typename T>
void small_triangular_solve(const T* a, int64_t n, int64_t row_stride, int64_t column_stride, bool lower, bool unit,
                            T* b, int64_t columns) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    T* row = b + i * columns;
    for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j) {
      const T factor = a[i * row_stride + j * column_stride];
      for (int64_t c = 0; c < columns; ++c) row[c] -= factor * b[j * columns + c];
    }
    if (unit) continue;
    const T diagonal = a[i * (row_stride + column_stride)];
    for (int64_t c = 0; c < columns; ++c) row[c] /= diagonal;
  }
}

}  // namespace brio::cpu
