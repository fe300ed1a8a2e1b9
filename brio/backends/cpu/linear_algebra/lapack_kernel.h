// A kernel that calls LAPACK once per matrix of a batch: pieces of the batch in parallel, each with memory of its
// own.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "brio/backends/cpu/linear_algebra/lapack.h"
#include "brio/backends/cpu/linear_algebra/small_matrices.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/linear_algebra/matrices.h"

namespace brio::cpu {

template <typename T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

template <typename T>
class LapackKernel : public Kernel {
 public:
  explicit LapackKernel(const NodeView& view) : op_(*view.node.op), shape_(view.in(0).shape), m_(shape_) {
    description = "lapack";
  }
  void run(const KernelArgs& args) const final {
    const int64_t pieces = piece_count(), grain = (m_.batch + pieces - 1) / pieces;
    parallel_for(m_.batch, grain, [&](int64_t begin, int64_t end) {
      char* scratch = static_cast<char*>(args.scratch) + static_cast<size_t>(begin / grain) * per_piece_;
      for (int64_t i = begin; i < end; ++i) one(args, i, scratch);
    });
  }
  size_t scratch_bytes() const final { return per_piece_ * static_cast<size_t>(piece_count()); }

 protected:
  virtual void one(const KernelArgs& args, int64_t matrix, char* scratch) const = 0;

  // Room for so many of U in each piece's memory: where it starts.
  template <typename U>
  size_t room(int64_t count) {
    const size_t start = per_piece_;
    per_piece_ += (static_cast<size_t>(count) * sizeof(U) + 63) / 64 * 64;
    return start;
  }
  template <typename U>
  static U* at(char* scratch, size_t start) {
    return reinterpret_cast<U*>(scratch + start);
  }
  const T* in(const KernelArgs& args, int64_t matrix) const {
    return static_cast<const T*>(args.in[0]) + matrix * m_.elements();
  }
  int rows() const { return static_cast<int>(m_.rows); }
  int columns() const { return static_cast<int>(m_.columns); }

  const OpDef& op_;
  const Shape shape_;
  const Matrices m_;

 private:
  // Depends on shapes alone. A matrix at least, and not more memory than a large batch may ask for.
  int64_t piece_count() const {
    constexpr double kPieceWork = 1 << 15;
    constexpr size_t kMostBytes = size_t{256} << 20;
    const double work = static_cast<double>(m_.elements()) * static_cast<double>(m_.smaller() + 16);
    const auto by_work = static_cast<int64_t>(std::min(64.0, work * static_cast<double>(m_.batch) / kPieceWork));
    const auto by_bytes = static_cast<int64_t>(kMostBytes / std::max<size_t>(per_piece_, 1));
    return std::max<int64_t>(1, std::min({m_.batch, by_work, by_bytes}));
  }
  size_t per_piece_ = 0;
};

// Memory that a query answered, as a whole number; a float that names more than 2²⁴ was rounded.
template <typename T>
int work_size(T answer) {
  return static_cast<int>(
      std::min(std::nextafter(static_cast<double>(answer), 1e300) * (sizeof(T) == 4 ? 1.000001 : 1),
               static_cast<double>(std::numeric_limits<int>::max())));
}

// out [columns, rows] = xᵀ, both row-major.
template <typename T>
void transpose_into(const T* x, int64_t rows, int64_t columns, T* out) {
  constexpr int64_t kBlock = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += kBlock)
    for (int64_t j0 = 0; j0 < columns; j0 += kBlock)
      for (int64_t i = i0; i < std::min(rows, i0 + kBlock); ++i)
        for (int64_t j = j0; j < std::min(columns, j0 + kBlock); ++j) out[j * rows + i] = x[i * columns + j];
}

template <template <typename> typename K>
std::unique_ptr<Kernel> prepare_float(const NodeView& view) {
  if (view.in(0).dtype == f32) return std::make_unique<K<float>>(view);
  return std::make_unique<K<double>>(view);
}

inline Support is_small(const NodeView& view) {
  if (Matrices(view.in(0).shape).rows <= kSmallMatrix) return Support::can();
  return Support::cannot(cat("small: more than ", kSmallMatrix, " rows"));
}
inline Support has_lapack(const NodeView& view) {
  if (view.in(0).shape.elements() == 0 || view.out(0).shape.elements() == 0)
    return Support::cannot("lapack: there are no elements");
  if (!lapack_unusable().empty()) return Support::cannot(lapack_unusable());
  return Support::can();
}
// For svd and eigh: their workspaces, some n², are counted by 32-bit integers.
inline Support has_lapack_for_spectra(const NodeView& view) {
  constexpr int64_t kLargest = 16384;
  const Matrices m(view.in(0).shape);
  if (std::max(m.rows, m.columns) > kLargest)
    return Support::cannot(
        cat("lapack: for sides over ", kLargest, " its workspace is too long for 32-bit integers"));
  return has_lapack(view);
}

}  // namespace brio::cpu
