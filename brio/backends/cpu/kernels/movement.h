// Moves elements without computing with them, at memory speed: copies between any strides (transpose, slice, concat,
// pad, broadcast, reverse), gather, scatter_add, one_hot. Elements are known only by their size (1, 2, 4, 8 or 16
// bytes), except where they are added. Long work is spread over the threads; the bits never depend on how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "brio/tensor/dtype.h"
#include "brio/tensor/shape.h"

namespace brio::cpu {

// out[Σ iᵈ · out_strides[d]] = in[Σ iᵈ · in_strides[d]] for all i within sizes, d < sizes.size() ≤ 8. Strides count
// elements; those of `in` may be zero or negative, those of `out` negative but such that no element is written twice.
// The arrays do not overlap.
class StridedCopy {
 public:
  // Works the loops out once: dimensions merged and ordered, the kernel chosen. Run it often, from any thread.
  StridedCopy(size_t element_size, std::span<const int64_t> sizes, std::span<const int64_t> in_strides,
              std::span<const int64_t> out_strides);
  void run(const void* in, void* out) const;

  const char* kernel() const;  // "copy", "runs", "transpose", "elements": what the inner loop does

 private:
  enum class Kind { nothing, copy, runs, transpose, elements };
  struct Dim {
    int64_t size, in, out;
  };
  void run_part(const char* in, char* out, int64_t begin, int64_t end) const;
  template <typename T>
  void run_inner(const char* in, char* out, int64_t rows) const;

  size_t element_size_;
  Kind kind_;
  int outer_ =
      0;  // dims_[0 … outer_) are looped over, the rest is the inner kernel's, which does rows of the last one
  int rank_ = 0;
  int64_t elements_ = 1;
  Dim dims_[kMaxRank] = {};  // in bytes where looped over, in elements for the inner kernel
};

inline void strided_copy(size_t element_size, std::span<const int64_t> sizes, std::span<const int64_t> in_strides,
                         std::span<const int64_t> out_strides, const void* in, void* out) {
  StridedCopy(element_size, sizes, in_strides, out_strides).run(in, out);
}

// Writes `value` (one element) to every place that the sizes and strides describe: the margins of a pad.
void strided_fill(size_t element_size, std::span<const int64_t> sizes, std::span<const int64_t> out_strides,
                  const void* value, void* out);

// The position of the first index outside [0, limit), or -1. Indices are i32 or i64.
int64_t first_bad_index(DType index_dtype, const void* indices, int64_t count, int64_t limit);

// out[o, i, :] = in[o, indices[i], :], where `in` is (outer, axis, inner) and out (outer, count, inner).
// Returns first_bad_index: unless it is -1 nothing was written.
int64_t gather(size_t element_size, int64_t outer, int64_t axis, int64_t inner, DType index_dtype,
               const void* indices, int64_t count, const void* in, void* out);

// out = base, then out[o, indices[i], :] += updates[o, i, :] for i in order, whatever the number of threads. `out`
// may be `base`. All dtypes but bool; the 16-bit floats round after every addition. Returns as gather does.
int64_t scatter_add(DType dtype, int64_t outer, int64_t axis, int64_t inner, DType index_dtype, const void* indices,
                    int64_t count, const void* updates, const void* base, void* out);

// out[o, d, i] = d == indices[o, i] ? on : 0, out being (outer, depth, inner). An index outside [0, depth) gives a
// column of zeros, as TensorFlow has it. `on` points to one element.
void one_hot(size_t element_size, int64_t outer, int64_t depth, int64_t inner, DType index_dtype, const void* indices,
             const void* on, void* out);

}  // namespace brio::cpu
