#include "brio/backends/cpu/convolution/conv_pool_bf16.h"

#include <algorithm>
#include <cstring>

#include "brio/base/error.h"
#include "brio/base/isa.h"

#if defined(__x86_64__)
// gcc 12 takes the undefined operand inside of some intrinsics for a mistake.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#define BRIO_BF16_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))
#define BRIO_BF16_INLINE BRIO_BF16_TARGET inline __attribute__((always_inline))
#endif

namespace brio::cpu {

void pack_bf16_filter(const ConvPoolRow& row, const uint16_t* filter, uint32_t* packed) {
  const int64_t run = row.run();
  for (int64_t ky = 0; ky < row.kernel_h; ++ky)
    for (int64_t j = 0; j < run; j += 2, packed += row.padded_out) {
      const uint16_t* const line = filter + (ky * run + j) * row.out;
      for (int64_t c = 0; c < row.padded_out; ++c) {
        const uint32_t low = c < row.out ? line[c] : 0, high = c < row.out && j + 1 < run ? line[row.out + c] : 0;
        packed[c] = high << 16 | low;
      }
    }
}

#if defined(__x86_64__)

bool has_bf16_products() {
  __builtin_cpu_init();
  return isa_name() == "avx512" && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

namespace bf16_products {

constexpr int64_t kLanes = 16;

BRIO_BF16_INLINE __m512bh words(__m512i x) { return (__m512bh)x; }

// Rounded to bf16, as a float again.
BRIO_BF16_INLINE __m512 rounded(__m512 x) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(x)), 16));
}

// The largest value from 0 on, of equal ones the first; NaN is larger than all.
struct Most {
  __m512 value;
  __m512i which;
  __mmask16 is_nan;
};
BRIO_BF16_INLINE void see(Most& most, __m512 z, int tap) {
  const __mmask16 larger = _mm512_cmp_ps_mask(z, most.value, _CMP_GT_OQ);
  most.value = _mm512_mask_mov_ps(most.value, larger, z);
  most.which = _mm512_mask_mov_epi32(most.which, larger, _mm512_set1_epi32(tap));
  most.is_nan = static_cast<__mmask16>(most.is_nan | _mm512_cmp_ps_mask(z, z, _CMP_UNORD_Q));
}

BRIO_BF16_INLINE uint32_t two(const uint16_t* from) {
  uint32_t pair;
  std::memcpy(&pair, from, sizeof(pair));
  return pair;
}

// One pair of elements of the filter: its products with those of all pixels.
template <int kP, int kV, bool kLast>
BRIO_BF16_INLINE void add_pair(__m512 (&sum)[2][2 * kP][kV], const uint16_t* first, const uint16_t* second,
                               int64_t step, const uint32_t* filter) {
  __m512bh w[kV];
#pragma GCC unroll 2
  for (int v = 0; v < kV; ++v) w[v] = words(_mm512_loadu_si512(filter + v * kLanes));
#pragma GCC unroll 8
  for (int m = 0; m < 2 * kP; ++m) {
    // The second of an odd number's last pair belongs to the next pixel: 0 times it might be NaN.
    const uint32_t mask = kLast ? 0xffffu : ~0u;
    const __m512bh a = words(_mm512_set1_epi32(static_cast<int>(two(first + m * step) & mask)));
    const __m512bh b = words(_mm512_set1_epi32(static_cast<int>(two(second + m * step) & mask)));
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) {
      sum[0][m][v] = _mm512_dpbf16_ps(sum[0][m][v], w[v], a);
      sum[1][m][v] = _mm512_dpbf16_ps(sum[1][m][v], w[v], b);
    }
  }
}

template <int kP, int kV>
BRIO_BF16_INLINE void block(const ConvPoolRow& row, const uint16_t* x, const uint32_t* filter, const float* bias,
                            uint16_t* pooled, uint8_t* which, int64_t left) {
  const int64_t step = row.stride_w * row.in, run = row.run();
  __m512 sum[2][2 * kP][kV];
#pragma GCC unroll 8
  for (int m = 0; m < 2 * kP; ++m)
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) sum[0][m][v] = sum[1][m][v] = _mm512_setzero_ps();
  for (int64_t ky = 0; ky < row.kernel_h; ++ky) {
    const uint16_t* const first = x + ky * row.line;
    const uint16_t* const second = first + row.stride_h * row.line;
    int64_t j = 0;
    for (; j + 2 <= run; j += 2, filter += row.padded_out)
      add_pair<kP, kV, false>(sum, first + j, second + j, step, filter);
    if (j < run) {
      add_pair<kP, kV, true>(sum, first + j, second + j, step, filter);
      filter += row.padded_out;
    }
  }
#pragma GCC unroll 3
  for (int p = 0; p < kP; ++p) {
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) {
      const int64_t lanes = std::min<int64_t>(kLanes, left - v * kLanes);
      const auto some = static_cast<__mmask16>((1u << lanes) - 1);
      const __m512 b = _mm512_loadu_ps(bias + v * kLanes);
      Most most{_mm512_setzero_ps(), _mm512_set1_epi32(4), 0};
      see(most, rounded(_mm512_add_ps(rounded(sum[0][2 * p][v]), b)), 0);
      see(most, rounded(_mm512_add_ps(rounded(sum[0][2 * p + 1][v]), b)), 1);
      see(most, rounded(_mm512_add_ps(rounded(sum[1][2 * p][v]), b)), 2);
      see(most, rounded(_mm512_add_ps(rounded(sum[1][2 * p + 1][v]), b)), 3);
      const __m512i bits =
          _mm512_mask_mov_epi32(_mm512_castps_si512(most.value), most.is_nan, _mm512_set1_epi32(0x7fc00000));
      const __m512i taken = _mm512_mask_mov_epi32(most.which, most.is_nan, _mm512_set1_epi32(4));
      _mm256_mask_storeu_epi16(pooled + p * row.out + v * kLanes, some,
                               _mm512_cvtepi32_epi16(_mm512_srli_epi32(bits, 16)));
      _mm512_mask_cvtepi32_storeu_epi8(which + p * row.out + v * kLanes, some, taken);
    }
  }
}

template <int kV>
BRIO_BF16_TARGET void channels(const ConvPoolRow& row, const uint16_t* lines, const uint32_t* filter,
                               const float* bias, uint16_t* pooled, uint8_t* which, int64_t left) {
  constexpr int kPixels = 3;
  const int64_t step = 2 * row.stride_w * row.in;
  int64_t q = 0;
  for (; q + kPixels <= row.pooled; q += kPixels)
    block<kPixels, kV>(row, lines + q * step, filter, bias, pooled + q * row.out, which + q * row.out, left);
  for (; q < row.pooled; ++q)
    block<1, kV>(row, lines + q * step, filter, bias, pooled + q * row.out, which + q * row.out, left);
}

}  // namespace bf16_products

void conv_pool_bf16(const ConvPoolRow& row, const uint16_t* lines, const uint32_t* filter, const float* bias,
                    uint16_t* pooled, uint8_t* which) {
  using bf16_products::kLanes;
  int64_t c = 0;
  for (; c + kLanes < row.out; c += 2 * kLanes)
    bf16_products::channels<2>(row, lines, filter + c, bias + c, pooled + c, which + c, row.out - c);
  if (c < row.out) bf16_products::channels<1>(row, lines, filter + c, bias + c, pooled + c, which + c, row.out - c);
}
#pragma GCC diagnostic pop

#else

bool has_bf16_products() { return false; }
void conv_pool_bf16(const ConvPoolRow&, const uint16_t*, const uint32_t*, const float*, uint16_t*, uint8_t*) {
  BRIO_CHECK(false, "bf16 products on a processor without them");
}

#endif

}  // namespace brio::cpu
