// Transposes of small blocks in registers, for elements of 4 and 8 bytes. Included once per instruction set.
#if defined(BRIO_BACKENDS_CPU_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRIO_BACKENDS_CPU_TRANSPOSE_INL_H_
#undef BRIO_BACKENDS_CPU_TRANSPOSE_INL_H_
#else
#define BRIO_BACKENDS_CPU_TRANSPOSE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
template <typename T>
inline constexpr int64_t kTransposeRows = 1;
template <typename T>
inline constexpr int64_t kTransposeColumns = 1;

template <typename T>
void transpose_block(const T* in, int64_t, T* out, int64_t) {
  *out = *in;
}
#else

// transpose_block reads kTransposeRows rows of kTransposeColumns elements (16 bytes each).
template <typename T>
inline constexpr int64_t kTransposeRows = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
template <typename T>
inline constexpr int64_t kTransposeColumns = static_cast<int64_t>(16 / sizeof(T));

// 16 bytes from each of the rows first, first + stride, … put together to one vector.
template <typename T, size_t kBytes>
HWY_INLINE auto gather_blocks(const T* first, int64_t stride) {
  if constexpr (kBytes == 16) {
    return hn::LoadU(hn::Full128<T>(), first);
  } else {
    const hn::FixedTag<T, kBytes / sizeof(T)> d;
    const auto low = gather_blocks<T, kBytes / 2>(first, stride);
    const auto high = gather_blocks<T, kBytes / 2>(first + static_cast<int64_t>(kBytes / 32) * stride, stride);
    return hn::Combine(d, high, low);
  }
}

// out[c * out_row + r] = in[r * in_row + c]
template <typename T>
HWY_INLINE void transpose_block(const T* in, int64_t in_row, T* out, int64_t out_row) {
  const hn::ScalableTag<T> d;
  constexpr size_t bytes = hn::MaxLanes(hn::ScalableTag<T>()) * sizeof(T);
  // Vector r holds rows r, r + L, r + 2L, … (L = elements in 16 bytes), so that transposing inside each 16 bytes ends it.
  if constexpr (sizeof(T) == 4) {
    const auto v0 = gather_blocks<T, bytes>(in, 4 * in_row);
    const auto v1 = gather_blocks<T, bytes>(in + in_row, 4 * in_row);
    const auto v2 = gather_blocks<T, bytes>(in + 2 * in_row, 4 * in_row);
    const auto v3 = gather_blocks<T, bytes>(in + 3 * in_row, 4 * in_row);
    const auto even_low = hn::InterleaveLower(d, v0, v2), even_high = hn::InterleaveUpper(d, v0, v2);
    const auto odd_low = hn::InterleaveLower(d, v1, v3), odd_high = hn::InterleaveUpper(d, v1, v3);
    hn::StoreU(hn::InterleaveLower(d, even_low, odd_low), d, out);
    hn::StoreU(hn::InterleaveUpper(d, even_low, odd_low), d, out + out_row);
    hn::StoreU(hn::InterleaveLower(d, even_high, odd_high), d, out + 2 * out_row);
    hn::StoreU(hn::InterleaveUpper(d, even_high, odd_high), d, out + 3 * out_row);
  } else {
    static_assert(sizeof(T) == 8);
    const auto v0 = gather_blocks<T, bytes>(in, 2 * in_row);
    const auto v1 = gather_blocks<T, bytes>(in + in_row, 2 * in_row);
    hn::StoreU(hn::InterleaveLower(d, v0, v1), d, out);
    hn::StoreU(hn::InterleaveUpper(d, v0, v1), d, out + out_row);
  }
}
#endif

// out[c * out_row + r] = in[r * in_row + c] for any size.
template <typename T>
void transpose_any(const T* in, int64_t in_row, int64_t rows, int64_t columns, T* out, int64_t out_row) {
  constexpr int64_t step_r = kTransposeRows<T>, step_c = kTransposeColumns<T>;
  int64_t r = 0;
  for (; r + step_r <= rows; r += step_r) {
    int64_t c = 0;
    for (; c + step_c <= columns; c += step_c) transpose_block(in + r * in_row + c, in_row, out + c * out_row + r, out_row);
    for (; c < columns; ++c)
      for (int64_t i = r; i < r + step_r; ++i) out[c * out_row + i] = in[i * in_row + c];
  }
  for (; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) out[c * out_row + r] = in[r * in_row + c];
}

}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
