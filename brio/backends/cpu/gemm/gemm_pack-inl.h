// Copies of operands in the order in which the micro-kernel reads them. Included once per instruction set.
#if defined(BRIO_BACKENDS_CPU_GEMM_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRIO_BACKENDS_CPU_GEMM_PACK_INL_H_
#undef BRIO_BACKENDS_CPU_GEMM_PACK_INL_H_
#else
#define BRIO_BACKENDS_CPU_GEMM_PACK_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "brio/backends/cpu/gemm/gemm_types-inl.h"
#include "brio/backends/cpu/kernels/transpose-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu::HWY_NAMESPACE {

// out[p * out_row + j] = b[p * b_row + j * b_col] for p < k, j < n; columns n … out_row become zero.
template <typename T>
void pack_rows(const T* b, int64_t b_row, int64_t b_col, int64_t k, int64_t n, SumType<T>* HWY_RESTRICT out,
               int64_t out_row) {
  using S = SumType<T>;
  if (b_col == 1) {
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) out[p * out_row + j] = to_sum(b[p * b_row + j]);
  } else if (b_row == 1 && std::is_same_v<T, S>) {
    transpose_any(reinterpret_cast<const S*>(b), b_col, n, k, out, out_row);
  } else {
    for (int64_t j = 0; j < n; ++j)
      for (int64_t p = 0; p < k; ++p) out[p * out_row + j] = to_sum(b[p * b_row + j * b_col]);
  }
  if (n < out_row)
    for (int64_t p = 0; p < k; ++p) std::fill(out + p * out_row + n, out + (p + 1) * out_row, S{0});
}

// out[p * kRows + i] = a[i * a_row + p * a_col] for i < kRows, p < k: one panel of the micro-kernel.
template <typename T, int kRows>
void pack_panel(const T* a, int64_t a_row, int64_t a_col, int64_t k, SumType<T>* HWY_RESTRICT out) {
  if (std::is_same_v<T, SumType<T>> && a_row == 1) {
    for (int64_t p = 0; p < k; ++p) std::memcpy(out + p * kRows, a + p * a_col, kRows * sizeof(T));
  } else {
    for (int64_t p = 0; p < k; ++p)
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) out[p * kRows + i] = to_sum(a[i * a_row + p * a_col]);
  }
}

}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
