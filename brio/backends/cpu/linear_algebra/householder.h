// The factors q and r of a column-major matrix by Householder's reflections.
//
// From 64 columns on it uses blocks of reflections whose triangles are kept, so q is formed only by products:
// LAPACK's own pair (geqrf and orgqr) processes its last 128 columns one by one.
#pragma once

#include <algorithm>

#include "brio/backends/cpu/linear_algebra/lapack.h"
#include "brio/backends/cpu/linear_algebra/lapack_kernel.h"

namespace brio::cpu {

template <typename T>
class Householder {
 public:
  // For [rows, columns], with this many columns of q.
  Householder(int rows, int columns, int q_columns)
      : m_(rows), n_(columns), k_(std::min(rows, columns)), q_columns_(q_columns) {
    if (k_ >= kBlocked) return;
    const int query = -1;
    T for_r = 0, for_q = 0;
    int info = 0;
    lapack<T>().geqrf(&m_, &n_, nullptr, &m_, nullptr, &for_r, &query, &info);
    lapack<T>().orgqr(&m_, &q_columns_, &k_, nullptr, &m_, nullptr, &for_q, &query, &info);
    work_size_ = std::max(work_size(for_r), work_size(for_q));
  }
  // How many numbers of type T `lent` must hold in both calls below.
  int64_t room() const {
    if (k_ < kBlocked) return int64_t{k_} + work_size_;
    return int64_t{kBlock} * (int64_t{k_} + std::max(n_, q_columns_)) + int64_t{m_} * q_columns_;
  }

  // Leaves r in the upper triangle of a, and the reflections below it.
  void factor(T* a, T* lent) const {
    int info = 0;
    if (k_ >= kBlocked) lapack<T>().geqrt(&m_, &n_, &kBlock, a, &m_, lent, &kBlock, work(lent), &info);
    else lapack<T>().geqrf(&m_, &n_, a, &m_, lent, work(lent), &work_size_, &info);
  }
  // The q of factor()'s result: in `a`, which has room for it, or in `lent`. Returns where it is.
  const T* form_q(T* a, T* lent) const {
    if (k_ < kBlocked) {
      int info = 0;
      lapack<T>().orgqr(&m_, &q_columns_, &k_, a, &m_, lent, work(lent), &work_size_, &info);
      return a;
    }
    T* q = work(lent) + int64_t{kBlock} * std::max(n_, q_columns_);
    std::fill_n(q, int64_t{m_} * q_columns_, T{0});
    for (int64_t j = 0; j < q_columns_; ++j) q[j * (m_ + 1)] = T{1};
    parallel_for(q_columns_, kPiece, [&](int64_t begin, int64_t end) {
      for (int first = (k_ - 1) / kBlock * kBlock; first >= 0; first -= kBlock) {
        const int64_t left =
            std::max<int64_t>(begin, first);  // the columns before a block's own are still those of 1
        if (left >= end) continue;
        const int rows = m_ - first, columns = static_cast<int>(end - left),
                  reflections = std::min(kBlock, k_ - first);
        lapack<T>().larfb("L", "N", "F", "C", &rows, &columns, &reflections, a + int64_t{first} * (m_ + 1), &m_,
                          lent + int64_t{first} * kBlock, &kBlock, q + left * m_ + first, &m_,
                          work(lent) + begin * kBlock, &columns, 1, 1, 1, 1);
      }
    });
    return q;
  }

 private:
  static constexpr int kBlock = 32, kBlocked = 64, kPiece = 128;
  // Behind the triangles, or the factors of the reflections.
  T* work(T* lent) const { return lent + (k_ >= kBlocked ? int64_t{kBlock} * k_ : int64_t{k_}); }

  int m_, n_, k_, q_columns_, work_size_ = 0;
};

}  // namespace brio::cpu
