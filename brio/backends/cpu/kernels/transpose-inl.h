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
  // Vector r holds rows r, r + L, r + 2L, … (L = elements in 16 bytes), so that transposing inside each 16 bytes ends
  // it.
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

// One step of transposing 16-byte blocks: row g holds blocks of g, column q becomes rows.
template <class D, class V>
HWY_INLINE void transpose_blocks_of_vectors(D d, V (&x)[1]) {
  (void)d, (void)x;
}
template <class D, class V>
HWY_INLINE void transpose_blocks_of_vectors(D d, V (&x)[2]) {
  const V low = hn::ConcatLowerLower(d, x[1], x[0]), high = hn::ConcatUpperUpper(d, x[1], x[0]);
  x[0] = low;
  x[1] = high;
}
template <class D, class V>
HWY_INLINE void transpose_blocks_of_vectors(D d, V (&x)[4]) {
  const V y0 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(x[1]), x[0]);
  const V y1 = hn::OddEvenBlocks(x[1], hn::SwapAdjacentBlocks(x[0]));
  const V y2 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(x[3]), x[2]);
  const V y3 = hn::OddEvenBlocks(x[3], hn::SwapAdjacentBlocks(x[2]));
  x[0] = hn::ConcatLowerLower(d, y2, y0);
  x[1] = hn::ConcatLowerLower(d, y3, y1);
  x[2] = hn::ConcatUpperUpper(d, y2, y0);
  x[3] = hn::ConcatUpperUpper(d, y3, y1);
}

// A square of lanes × lanes: whole vectors in, whole vectors out, so that each cache line is touched once even where
// rows lie a power of two apart and push each other out.
template <typename T>
HWY_INLINE void transpose_square(const T* in, int64_t in_row, T* out, int64_t out_row) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int per_block = 16 / sizeof(T);
  constexpr int groups = static_cast<int>(hn::MaxLanes(hn::ScalableTag<T>())) / per_block;
  V t[per_block][groups];  // [c][g]: columns q * per_block + c, for all blocks q, of rows g * per_block …
#pragma GCC unroll 4
  for (int g = 0; g < groups; ++g) {
    const T* row = in + g * per_block * in_row;
    if constexpr (sizeof(T) == 4) {
      const V v0 = hn::LoadU(d, row), v1 = hn::LoadU(d, row + in_row);
      const V v2 = hn::LoadU(d, row + 2 * in_row), v3 = hn::LoadU(d, row + 3 * in_row);
      const V even_low = hn::InterleaveLower(d, v0, v2), even_high = hn::InterleaveUpper(d, v0, v2);
      const V odd_low = hn::InterleaveLower(d, v1, v3), odd_high = hn::InterleaveUpper(d, v1, v3);
      t[0][g] = hn::InterleaveLower(d, even_low, odd_low);
      t[1][g] = hn::InterleaveUpper(d, even_low, odd_low);
      t[2][g] = hn::InterleaveLower(d, even_high, odd_high);
      t[3][g] = hn::InterleaveUpper(d, even_high, odd_high);
    } else {
      const V v0 = hn::LoadU(d, row), v1 = hn::LoadU(d, row + in_row);
      t[0][g] = hn::InterleaveLower(d, v0, v1);
      t[1][g] = hn::InterleaveUpper(d, v0, v1);
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < per_block; ++c) {
    transpose_blocks_of_vectors(d, t[c]);
#pragma GCC unroll 4
    for (int q = 0; q < groups; ++q) hn::StoreU(t[c][q], d, out + (q * per_block + c) * out_row);
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
#if HWY_TARGET != HWY_SCALAR
    for (; c + step_r <= columns; c += step_r)
      transpose_square(in + r * in_row + c, in_row, out + c * out_row + r, out_row);
#endif
    for (; c + step_c <= columns; c += step_c)
      transpose_block(in + r * in_row + c, in_row, out + c * out_row + r, out_row);
    for (; c < columns; ++c)
      for (int64_t i = r; i < r + step_r; ++i) out[c * out_row + i] = in[i * in_row + c];
  }
  for (; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) out[c * out_row + r] = in[r * in_row + c];
}

}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
