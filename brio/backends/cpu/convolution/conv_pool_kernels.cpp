#include "brio/backends/cpu/convolution/conv_pool_kernels.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "brio/base/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/convolution/conv_pool_kernels.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/simd_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using DI = hn::RebindToSigned<D>;
using VI = hn::Vec<DI>;
using D8 = hn::Rebind<uint8_t, D>;

// As many sums as fit the registers: 32 of them, or 16.
constexpr bool kManyRegisters = HWY_TARGET == HWY_AVX3;
constexpr int kPixels = 3, kVectors = kManyRegisters ? 2 : 1;

HWY_INLINE void store_which(VI which, uint8_t* to, int64_t left) {
  const D8 d8;
  const auto bytes = hn::DemoteTo(d8, which);
  if (left >= static_cast<int64_t>(hn::Lanes(D()))) {
    hn::StoreU(bytes, d8, to);
  } else {
    HWY_ALIGN uint8_t all[hn::MaxLanes(D())];
    hn::StoreU(bytes, d8, all);
    std::memcpy(to, all, static_cast<size_t>(left));
  }
}
HWY_INLINE VI load_which(const uint8_t* from, int64_t left) {
  const D8 d8;
  if (left >= static_cast<int64_t>(hn::Lanes(D()))) return hn::PromoteTo(DI(), hn::LoadU(d8, from));
  HWY_ALIGN uint8_t all[hn::MaxLanes(D())] = {};
  std::memcpy(all, from, static_cast<size_t>(left));
  return hn::PromoteTo(DI(), hn::LoadU(d8, all));
}
HWY_INLINE V load_some(const float* from, int64_t left) {
  return left >= static_cast<int64_t>(hn::Lanes(D())) ? hn::LoadU(D(), from)
                                                      : load_tail(D(), from, static_cast<size_t>(left));
}
HWY_INLINE void store_some(V v, float* to, int64_t left) {
  if (left >= static_cast<int64_t>(hn::Lanes(D()))) hn::StoreU(v, D(), to);
  else store_tail(v, D(), to, static_cast<size_t>(left));
}

// The largest of the values that were seen, of equal ones the first, from 0 on; NaN is larger than all.
struct Largest {
  V value = hn::Zero(D());
  VI which;
  hn::Mask<D> is_nan = hn::IsNaN(hn::Zero(D()));
  explicit Largest(int64_t none) : which(hn::Set(DI(), static_cast<int32_t>(none))) {}
  HWY_INLINE void see(V z, int64_t tap) {
    const auto larger = hn::Gt(z, value);
    value = hn::IfThenElse(larger, z, value);
    which = hn::IfThenElse(hn::RebindMask(DI(), larger), hn::Set(DI(), static_cast<int32_t>(tap)), which);
    is_nan = hn::Or(is_nan, hn::IsNaN(z));
  }
  HWY_INLINE void finish(int64_t none) {
    value = hn::IfThenElse(is_nan, hn::Set(D(), std::numeric_limits<float>::quiet_NaN()), value);
    which = hn::IfThenElse(hn::RebindMask(DI(), is_nan), hn::Set(DI(), static_cast<int32_t>(none)), which);
  }
};

// As a number lies in memory between two ops: equal ones are equal before the first of them is taken.
struct AsF32 {
  static HWY_INLINE V rounded(V x) { return x; }
};
struct AsBf16 {
  // Half to even. A NaN has zeros in the half that goes: those of the operands and the processor's own do.
  static HWY_INLINE V rounded(V x) {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, x);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    return hn::BitCast(D(), hn::And(hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fff))), hn::Set(du, 0xffff0000u)));
  }
};
struct AsF16 {
  static HWY_INLINE V rounded(V x) { return hn::PromoteTo(D(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), x)); }
};

// Pooled values of kP neighbours in kV vectors of channels: the four sums of each stay in registers.
template <class As, int kP, int kV>
HWY_INLINE void forward_block(const ConvPoolRow& row, const float* x, const float* filter, const float* bias,
                              float* pooled, uint8_t* which, int64_t left) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), step = row.stride_w * row.in, run = row.run();
  V sum[2][2 * kP][kV];
#pragma GCC unroll 8
  for (int m = 0; m < 2 * kP; ++m)
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) sum[0][m][v] = sum[1][m][v] = hn::Zero(d);
  for (int64_t ky = 0; ky < row.kernel_h; ++ky) {
    const float* const first = x + ky * row.line;
    const float* const second = first + row.stride_h * row.line;
    for (int64_t j = 0; j < run; ++j, filter += row.padded_out) {
      V w[kV];
#pragma GCC unroll 2
      for (int v = 0; v < kV; ++v) w[v] = hn::LoadU(d, filter + v * lanes);
#pragma GCC unroll 8
      for (int m = 0; m < 2 * kP; ++m) {
        const V a = hn::Set(d, first[m * step + j]), b = hn::Set(d, second[m * step + j]);
#pragma GCC unroll 2
        for (int v = 0; v < kV; ++v) {
          sum[0][m][v] = hn::MulAdd(a, w[v], sum[0][m][v]);
          sum[1][m][v] = hn::MulAdd(b, w[v], sum[1][m][v]);
        }
      }
    }
  }
#pragma GCC unroll 3
  for (int p = 0; p < kP; ++p) {
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) {
      const V b = hn::LoadU(d, bias + v * lanes);
      Largest best(4);
      best.see(As::rounded(hn::Add(As::rounded(sum[0][2 * p][v]), b)), 0);
      best.see(As::rounded(hn::Add(As::rounded(sum[0][2 * p + 1][v]), b)), 1);
      best.see(As::rounded(hn::Add(As::rounded(sum[1][2 * p][v]), b)), 2);
      best.see(As::rounded(hn::Add(As::rounded(sum[1][2 * p + 1][v]), b)), 3);
      best.finish(4);
      store_some(best.value, pooled + p * row.out + v * lanes, left - v * lanes);
      store_which(best.which, which + p * row.out + v * lanes, left - v * lanes);
    }
  }
}

template <class As, int kV>
HWY_INLINE void forward_channels(const ConvPoolRow& row, const float* lines, const float* filter, const float* bias,
                                 float* pooled, uint8_t* which, int64_t left) {
  const int64_t step = 2 * row.stride_w * row.in;
  int64_t q = 0;
  for (; q + kPixels <= row.pooled; q += kPixels)
    forward_block<As, kPixels, kV>(row, lines + q * step, filter, bias, pooled + q * row.out, which + q * row.out,
                                   left);
  for (; q < row.pooled; ++q)
    forward_block<As, 1, kV>(row, lines + q * step, filter, bias, pooled + q * row.out, which + q * row.out, left);
}

template <class As>
void forward(const ConvPoolRow& row, const float* lines, const float* filter, const float* bias, float* pooled,
             uint8_t* which) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t c = 0;
  for (; c + (kVectors - 1) * lanes < row.out; c += kVectors * lanes)
    forward_channels<As, kVectors>(row, lines, filter + c, bias + c, pooled + c, which + c, row.out - c);
  for (; c < row.out; c += lanes)
    forward_channels<As, 1>(row, lines, filter + c, bias + c, pooled + c, which + c, row.out - c);
}

void make_tables(const ConvPoolRow& row, const float* lines, float* tables) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), step = row.stride_w * row.in;
  const int64_t used = (row.columns() - row.stride_w) * row.in;  // the right taps lie a step further
  for (int64_t ky = 0; ky < row.kernel_h; ++ky, tables += 4 * row.line) {
    const float* const first = lines + ky * row.line;
    const float* const second = first + row.stride_h * row.line;
    int64_t j = 0;
    for (; j + lanes <= used; j += lanes)
      hn::StoreInterleaved4(hn::LoadU(d, first + j), hn::LoadU(d, first + j + step), hn::LoadU(d, second + j),
                            hn::LoadU(d, second + j + step), d, tables + 4 * j);
    for (; j < used; ++j) {
      tables[4 * j] = first[j];
      tables[4 * j + 1] = first[j + step];
      tables[4 * j + 2] = second[j];
      tables[4 * j + 3] = second[j + step];
    }
  }
}

// The taps that a row's cotangents flow to, as a pattern of bytes, and the cotangents that do flow.
struct Flow {
  VI taps;
  V cotangent;
  HWY_INLINE Flow(const uint8_t* which, const float* from, int64_t left) {
    const DI di;
    taps = load_which(which, left);
    const auto flows = hn::Lt(taps, hn::Set(di, 4));
    cotangent = hn::IfThenElseZero(hn::RebindMask(D(), flows), load_some(from, left));
    taps = hn::And(taps, hn::Set(di, 3));
#if HWY_TARGET != HWY_SCALAR
    // Four times the number in every byte, and 0 to 3: the bytes of that float.
    taps = hn::ShiftLeft<2>(taps);
    taps = hn::Or(taps, hn::ShiftLeft<8>(taps));
    taps = hn::Or(taps, hn::ShiftLeft<16>(taps));
    taps = hn::Or(taps, hn::Set(di, 0x03020100));
#endif
  }
  // For each lane the one of four floats that its tap says.
  HWY_INLINE V take(const float* four) const {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(D(), four[hn::GetLane(taps)]);
#else
    const hn::Repartition<uint8_t, D> bytes;
    return hn::BitCast(D(),
                       hn::TableLookupBytes(hn::BitCast(bytes, hn::LoadDup128(D(), four)), hn::BitCast(bytes, taps)));
#endif
  }
};

// kN elements of the filter, from number k on: their sums over the row.
template <int kN>
HWY_INLINE void add_elements(const ConvPoolRow& row, const float* tables, const uint8_t* which,
                             const float* cotangent, float* sums, int64_t k, int64_t left) {
  const D d;
  const float* at[kN];
  for (int i = 0; i < kN; ++i) {
    const int64_t ky = (k + i) / row.run(), j = (k + i) % row.run();
    at[i] = tables + 4 * (ky * row.line + j);
  }
  V sum[kN];
#pragma GCC unroll 27
  for (int i = 0; i < kN; ++i) sum[i] = hn::Zero(d);
  const int64_t step = 8 * row.stride_w * row.in;
  int64_t offset = 0;
  for (int64_t q = 0; q < row.pooled; ++q, which += row.out, cotangent += row.out, offset += step) {
    const Flow flow(which, cotangent, left);
#pragma GCC unroll 27
    for (int i = 0; i < kN; ++i) sum[i] = hn::MulAdd(flow.take(at[i] + offset), flow.cotangent, sum[i]);
  }
#pragma GCC unroll 27
  for (int i = 0; i < kN; ++i) {
    float* const to = sums + (k + i) * row.padded_out;
    hn::StoreU(hn::Add(hn::LoadU(d, to), sum[i]), d, to);
  }
}

void filter_grad(const ConvPoolRow& row, const float* tables, const uint8_t* which, const float* cotangent,
                 float* sums) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), depth = row.depth();
  for (int64_t c = 0; c < row.out; c += lanes) {
    const int64_t left = row.out - c;
    int64_t k = 0;
    if constexpr (kManyRegisters) {
      for (; k + 27 <= depth; k += 27) add_elements<27>(row, tables, which + c, cotangent + c, sums + c, k, left);
      for (; k + 16 <= depth; k += 16) add_elements<16>(row, tables, which + c, cotangent + c, sums + c, k, left);
    }
    for (; k + 9 <= depth; k += 9) add_elements<9>(row, tables, which + c, cotangent + c, sums + c, k, left);
    for (; k + 3 <= depth; k += 3) add_elements<3>(row, tables, which + c, cotangent + c, sums + c, k, left);
    for (; k < depth; ++k) add_elements<1>(row, tables, which + c, cotangent + c, sums + c, k, left);
    V bias = hn::Zero(d);
    for (int64_t q = 0; q < row.pooled; ++q)
      bias = hn::Add(bias, Flow(which + c + q * row.out, cotangent + c + q * row.out, left).cotangent);
    float* const to = sums + depth * row.padded_out + c;
    hn::StoreU(hn::Add(hn::LoadU(d, to), bias), d, to);
  }
}

// ---- pooling alone

// A row of windows: where the first element of each lies, and what lies between its taps.
struct PoolRow {
  int64_t y;  // of the first element of the first window
  explicit PoolRow(const PoolGeometry& g, int64_t row) {
    // NOLINTBEGIN(clang-analyzer-core.DivideZero): there is a row only where no count is 0
    const int64_t h = row % g.axis[1].count(), d = row / g.axis[1].count() % g.axis[0].count(),
                  n = row / (g.axis[1].count() * g.axis[0].count());
    // NOLINTEND(clang-analyzer-core.DivideZero)
    y = ((n * g.axis[0].size + d * g.axis[0].window) * g.axis[1].size + h * g.axis[1].window) * g.axis[2].size *
        g.channels;
  }
};
// f(tap, distance from the first element of a window), for all taps in their order.
template <typename F>
HWY_INLINE void for_taps(const PoolGeometry& g, F&& f) {
  int64_t tap = 0;
  for (int64_t d = 0; d < g.axis[0].window; ++d)
    for (int64_t h = 0; h < g.axis[1].window; ++h)
      for (int64_t w = 0; w < g.axis[2].window; ++w, ++tap)
        f(tap, ((d * g.axis[1].size + h) * g.axis[2].size + w) * g.channels);
}

template <class As>
void relu_pool(const PoolGeometry& g, const float* y, const float* bias, float* pooled, uint8_t* which, int64_t begin,
               int64_t end) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), windows = g.axis[2].count(), taps = g.taps();
  for (int64_t r = begin; r < end; ++r) {
    const PoolRow row(g, r);
    for (int64_t q = 0; q < windows; ++q) {
      const float* const from = y + row.y + q * g.axis[2].window * g.channels;
      const int64_t to = (r * windows + q) * g.channels;
      for (int64_t c = 0; c < g.channels; c += lanes) {
        const int64_t left = g.channels - c;
        const V b = load_some(bias + c, left);
        Largest best(taps);
        for_taps(g, [&](int64_t tap, int64_t at)
                        HWY_ATTR { best.see(As::rounded(hn::Add(load_some(from + at + c, left), b)), tap); });
        best.finish(taps);
        store_some(best.value, pooled + to + c, left);
        store_which(best.which, which + to + c, left);
      }
    }
  }
}

void relu_pool_grad(const PoolGeometry& g, const uint8_t* which, const float* cotangent, float* y, int64_t begin,
                    int64_t end) {
  const D d;
  const DI di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), windows = g.axis[2].count();
  for (int64_t r = begin; r < end; ++r) {
    const PoolRow row(g, r);
    for (int64_t q = 0; q < windows; ++q) {
      float* const to = y + row.y + q * g.axis[2].window * g.channels;
      const int64_t from = (r * windows + q) * g.channels;
      for (int64_t c = 0; c < g.channels; c += lanes) {
        const int64_t left = g.channels - c;
        const VI taken = load_which(which + from + c, left);
        const V flows = load_some(cotangent + from + c, left);
        for_taps(g, [&](int64_t tap, int64_t at) HWY_ATTR {
          const auto is = hn::RebindMask(d, hn::Eq(taken, hn::Set(di, static_cast<int32_t>(tap))));
          store_some(hn::IfThenElseZero(is, flows), to + at + c, left);
        });
      }
    }
  }
}

template <class As>
constexpr ConvPoolFns kFns = {forward<As>, make_tables, filter_grad, relu_pool<As>, relu_pool_grad};

ConvPoolFns conv_pool_fns(DType dtype) {
  return dtype == bf16 ? kFns<AsBf16> : dtype == f16 ? kFns<AsF16> : kFns<AsF32>;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(conv_pool_fns);

ConvPoolFns find_conv_pool_fns(DType dtype) {
  apply_isa_cap();
  return HWY_DYNAMIC_DISPATCH(conv_pool_fns)(dtype);
}

}  // namespace brio::cpu
#endif
