// Our own kernels for products that are small or thin in some direction.
#include <algorithm>

#include "brio/backends/cpu/gemm/gemm_kernels.h"
#include "brio/base/error.h"
#include "brio/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/gemm/gemm_small.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "brio/backends/cpu/gemm/gemm_micro-inl.h"
#include "brio/backends/cpu/gemm/gemm_pack-inl.h"
#include "brio/backends/cpu/gemm/gemm_types-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

// ---- tiny

// kDepth: k where it is known, which unrolls the sum; else 0.
template <typename T, int kDepth>
void tiny(const GemmShape& g, const GemmPointers& x) {
  using S = SumType<T>;
  const T* a = static_cast<const T*>(x.a);
  const T* const bias = static_cast<const T*>(x.bias);
  T* c = static_cast<T*>(x.c);
  for (int64_t i = g.m; i > 0; --i) {
    const T* b = static_cast<const T*>(x.b);
    for (int64_t j = 0; j < g.n; ++j) {
      asm volatile("");  // keeps the compiler from vectorising, whose set-up takes longer than the work
      const T* a_at = a;
      const T* b_at = b;
      S sum = to_sum(*a_at) * to_sum(*b_at);  // k is at least 1
#pragma GCC unroll 4
      for (int64_t p = kDepth ? kDepth : g.k; p > 1; --p) {
        a_at += g.a_col;
        b_at += g.b_row;
        sum = scalar_multiply_add(to_sum(*a_at), to_sum(*b_at), sum);
      }
      T value = from_sum<T>(sum);
      if (bias) value = from_sum<T>(static_cast<S>(to_sum(value) + to_sum(bias[j])));
      if (g.relu && value < T{}) value = T{};
      c[j] = value;
      b += g.b_col;
    }
    a += g.a_row;
    c += g.c_row;
  }
}

// ---- direct

template <typename T>
bool direct_packs(const GemmShape& g) {
  return g.b_col != 1 || (!kMaskedMemory && g.n % kLanes<T> != 0);
}

template <typename T>
size_t direct_scratch(const GemmShape& g) {
  return direct_packs<T>(g) ? static_cast<size_t>(g.k * round_up(g.n, kLanes<T>)) * sizeof(T) : 0;
}

template <typename T>
void direct(const GemmShape& g, const GemmPointers& x) {
  constexpr int64_t lanes = kLanes<T>;
  MicroTile<T> tile{.k = g.k,
                    .a = static_cast<const T*>(x.a),
                    .a_row = g.a_row,
                    .a_col = g.a_col,
                    .b = static_cast<const T*>(x.b),
                    .b_row = g.b_row,
                    .c = static_cast<T*>(x.c),
                    .c_row = g.c_row,
                    .tail = 0,
                    .bias = static_cast<const T*>(x.bias),
                    .relu = g.relu,
                    .accumulate = false};
  if (direct_packs<T>(g)) {
    T* packed = static_cast<T*>(x.scratch);
    tile.b_row = round_up(g.n, lanes);
    pack_rows(tile.b, g.b_row, g.b_col, g.k, g.n, packed, tile.b_row);
    tile.b = packed;
  }
  if (g.m <= kMaxRows && g.n <= kMaxVectors<T> * lanes) {  // one tile: spare the divisions
    const int64_t vectors = (g.n + lanes - 1) / lanes;
    tile.tail = g.n - (vectors - 1) * lanes;
    return kMicro<T>.fn[tile.tail != lanes][g.m - 1][vectors - 1](tile);
  }
  const EvenCut cut((g.n + lanes - 1) / lanes, kMaxVectors<SumType<T>>);
  int64_t left = g.n;
  for (int64_t part = 0; part < cut.parts; ++part) {
    const int64_t columns = std::min(cut.size(part) * lanes, left);
    run_row_blocks(tile, g.m, columns);
    tile.b += columns;
    tile.c += columns;
    if (tile.bias) tile.bias += columns;
    left -= columns;
  }
}

// ---- dot: vectors along k

inline constexpr int kDotRows = 4;
inline constexpr int kDotColumns = HWY_TARGET == HWY_AVX3 ? 5 : 3;

template <typename T, int kRows, int kColumns>
HWY_INLINE void dot_tile(const T* a, int64_t a_row, const T* b, int64_t b_col, int64_t k, T* c, int64_t c_row) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t lanes = kLanes<T>;
  constexpr int unroll = std::max(1, 8 / (kRows * kColumns));  // eight chains hide the latency of the additions
  V acc[unroll][kRows][kColumns];
#pragma GCC unroll 8
  for (int u = 0; u < unroll; ++u)
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 5
      for (int j = 0; j < kColumns; ++j) acc[u][i][j] = hn::Zero(d);

  int64_t p = 0;
  for (; p + unroll * lanes <= k; p += unroll * lanes) {
#pragma GCC unroll 8
    for (int u = 0; u < unroll; ++u) {
      V bv[kColumns];
#pragma GCC unroll 5
      for (int j = 0; j < kColumns; ++j) bv[j] = hn::LoadU(d, b + j * b_col + p + u * lanes);
#pragma GCC unroll 4
      for (int i = 0; i < kRows; ++i) {
        const V av = hn::LoadU(d, a + i * a_row + p + u * lanes);
#pragma GCC unroll 5
        for (int j = 0; j < kColumns; ++j) acc[u][i][j] = hn::MulAdd(av, bv[j], acc[u][i][j]);
      }
    }
  }
  for (; p < k; p += lanes) {
    const size_t count = static_cast<size_t>(std::min(lanes, k - p));
    V bv[kColumns];
#pragma GCC unroll 5
    for (int j = 0; j < kColumns; ++j) bv[j] = load_first(d, b + j * b_col + p, count);
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
      const V av = load_first(d, a + i * a_row + p, count);
#pragma GCC unroll 5
      for (int j = 0; j < kColumns; ++j) acc[0][i][j] = hn::MulAdd(av, bv[j], acc[0][i][j]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 5
    for (int j = 0; j < kColumns; ++j) {
      V sum = acc[0][i][j];
#pragma GCC unroll 8
      for (int u = 1; u < unroll; ++u) sum = hn::Add(sum, acc[u][i][j]);
      c[i * c_row + j] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
}

template <typename T, int kColumns>
void dot_columns(const T* a, int64_t a_row, const T* b, int64_t b_col, int64_t m, int64_t k, T* c, int64_t c_row) {
  int64_t i = 0;
  for (; i + kDotRows <= m; i += kDotRows)
    dot_tile<T, kDotRows, kColumns>(a + i * a_row, a_row, b, b_col, k, c + i * c_row, c_row);
  for (; i < m; ++i) dot_tile<T, 1, kColumns>(a + i * a_row, a_row, b, b_col, k, c + i * c_row, c_row);
}

template <typename T>
void dot(const GemmShape& g, const GemmPointers& x) {
  const T* a = static_cast<const T*>(x.a);
  const T* b = static_cast<const T*>(x.b);
  T* c = static_cast<T*>(x.c);
  const EvenCut cut(g.n, kDotColumns);
  for (int64_t part = 0; part < cut.parts; ++part) {
    const int64_t columns = cut.size(part);
    switch (columns) {
      case 1: dot_columns<T, 1>(a, g.a_row, b, g.b_col, g.m, g.k, c, g.c_row); break;
      case 2: dot_columns<T, 2>(a, g.a_row, b, g.b_col, g.m, g.k, c, g.c_row); break;
      case 3: dot_columns<T, 3>(a, g.a_row, b, g.b_col, g.m, g.k, c, g.c_row); break;
#if HWY_TARGET == HWY_AVX3
      case 4: dot_columns<T, 4>(a, g.a_row, b, g.b_col, g.m, g.k, c, g.c_row); break;
      case 5: dot_columns<T, 5>(a, g.a_row, b, g.b_col, g.m, g.k, c, g.c_row); break;
#endif
      default: break;
    }
    b += columns * g.b_col;
    c += columns;
  }
}

// ---- axpy: vectors along n, k outermost

inline constexpr int64_t kAxpyRows = 4;        // of B, taken together
inline constexpr int64_t kAxpyColumns = 4096;  // bytes of a row that stay in the first-level cache meanwhile

// c[0, n) += Σ a[p] · b[p, 0 … n) for the first `kCount` rows of B, in order.
template <typename T, int kCount>
HWY_INLINE void axpy_rows(const T* coefficient, int64_t stride, const T* b, int64_t b_row, int64_t n, T* c) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t lanes = kLanes<T>;
  V a[kCount];
#pragma GCC unroll 4
  for (int p = 0; p < kCount; ++p) a[p] = hn::Set(d, coefficient[p * stride]);
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    V sum = hn::LoadU(d, c + j);
#pragma GCC unroll 4
    for (int p = 0; p < kCount; ++p) sum = hn::MulAdd(a[p], hn::LoadU(d, b + p * b_row + j), sum);
    hn::StoreU(sum, d, c + j);
  }
  if (j < n) {
    const size_t count = static_cast<size_t>(n - j);
    V sum = load_first(d, c + j, count);
#pragma GCC unroll 4
    for (int p = 0; p < kCount; ++p) sum = hn::MulAdd(a[p], load_first(d, b + p * b_row + j, count), sum);
    store_first(sum, d, c + j, count);
  }
}

template <typename T>
void axpy(const GemmShape& g, const GemmPointers& x) {
  constexpr int64_t chunk = kAxpyColumns / static_cast<int64_t>(sizeof(T));
  const T* a = static_cast<const T*>(x.a);
  for (int64_t begin = 0; begin < g.n; begin += chunk) {
    const int64_t n = std::min(chunk, g.n - begin);
    const T* b = static_cast<const T*>(x.b) + begin;
    T* c = static_cast<T*>(x.c) + begin;
    for (int64_t i = 0; i < g.m; ++i) std::fill_n(c + i * g.c_row, n, T{0});
    int64_t p = 0;
    for (; p + kAxpyRows <= g.k; p += kAxpyRows)
      for (int64_t i = 0; i < g.m; ++i)
        axpy_rows<T, kAxpyRows>(a + i * g.a_row + p * g.a_col, g.a_col, b + p * g.b_row, g.b_row, n, c + i * g.c_row);
    for (; p < g.k; ++p)
      for (int64_t i = 0; i < g.m; ++i)
        axpy_rows<T, 1>(a + i * g.a_row + p * g.a_col, g.a_col, b + p * g.b_row, g.b_row, n, c + i * g.c_row);
  }
}

// ---- turned: Cᵀ = Bᵀ · Aᵀ, for few columns of C

inline constexpr int64_t kTurnedRows = 16;
inline constexpr int kTurnedVectors = 2;

template <typename T>
size_t turned_scratch(const GemmShape& g) {
  // Without masked memory the last columns of A are copied to where they may be over-read.
  return kMaskedMemory ? 0 : static_cast<size_t>(g.k * kTurnedVectors * kLanes<T>) * sizeof(T);
}

// Twelve rows need 24 accumulators, which only AVX-512 has registers for.
template <typename T>
HWY_INLINE void turned_rows(MicroTile<T> tile, int64_t rows, int64_t columns) {
#if HWY_TARGET == HWY_AVX3
  if (columns == kTurnedVectors * kLanes<T>) {
    switch (rows) {
      case 7: return micro_tile<T, 7, 2, false>(tile);
      case 8: return micro_tile<T, 8, 2, false>(tile);
      case 9: return micro_tile<T, 9, 2, false>(tile);
      case 10: return micro_tile<T, 10, 2, false>(tile);
      case 11: return micro_tile<T, 11, 2, false>(tile);
      case 12: return micro_tile<T, 12, 2, false>(tile);
      default: break;
    }
  }
#endif
  run_row_blocks(tile, rows, columns);
}

template <typename T>
void turned(const GemmShape& g, const GemmPointers& x) {
  constexpr int64_t width = kTurnedVectors * kLanes<T>;
  HWY_ALIGN T block[static_cast<size_t>(kTurnedRows * width)];
  MicroTile<T> tile{.k = g.k,
                    .a = static_cast<const T*>(x.b),
                    .a_row = g.b_col,
                    .a_col = g.b_row,
                    .b = static_cast<const T*>(x.a),
                    .b_row = g.a_col,
                    .c = block,
                    .c_row = width,
                    .tail = 0,
                    .bias = nullptr,
                    .relu = false,
                    .accumulate = false};
  T* c = static_cast<T*>(x.c);
  for (int64_t i = 0; i < g.m; i += width) {
    const int64_t rows = std::min(width, g.m - i);
    if (!kMaskedMemory && rows < width) {
      T* padded = static_cast<T*>(x.scratch);
      pack_rows(tile.b, g.a_col, 1, g.k, rows, padded, width);
      tile.b = padded;
      tile.b_row = width;
    }
    turned_rows(tile, g.n, rows);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < g.n; ++j) c[r * g.c_row + j] = block[j * width + r];
    tile.b += rows;
    c += rows * g.c_row;
  }
}

// ---- bias and relu apart

template <typename T>
void bias_relu(T* c, int64_t rows, int64_t n, int64_t c_row, const T* bias, bool relu) {
  for (int64_t i = 0; i < rows; ++i) {
    T* row = c + i * c_row;
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      if (bias && relu) {
        for (int64_t j = 0; j < n; ++j) {
          const T v = row[j] + bias[j];
          row[j] = v < 0 ? T{0} : v;
        }
        continue;
      }
    }
    if (bias)
      for (int64_t j = 0; j < n; ++j) row[j] = from_sum<T>(static_cast<SumType<T>>(to_sum(row[j]) + to_sum(bias[j])));
    if (relu)
      for (int64_t j = 0; j < n; ++j)
        if (row[j] < T{}) row[j] = T{};
  }
}

void bias_relu_any(DType dtype, void* c, int64_t rows, int64_t n, int64_t c_row, const void* bias, bool relu) {
  visit(dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (!std::is_same_v<T, bool>)
      bias_relu(static_cast<T*>(c), rows, n, c_row, static_cast<const T*>(bias), relu);
  });
}

void turn_b_any(DType dtype, const void* b, int64_t b_row, int64_t b_col, int64_t k, int64_t n, void* out) {
  // The rows of the turned matrix are the columns of B, hence the strides change places.
  if (dtype == f32) pack_rows(static_cast<const float*>(b), b_col, b_row, n, k, static_cast<float*>(out), k);
  else pack_rows(static_cast<const double*>(b), b_col, b_row, n, k, static_cast<double*>(out), k);
}

// ---- look-up

template <typename T>
GemmKernel tiny_for(int64_t k) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    switch (k) {
      case 1: return &tiny<T, 1>;
      case 2: return &tiny<T, 2>;
      case 3: return &tiny<T, 3>;
      case 4: return &tiny<T, 4>;
      default: break;
    }
  }
  return &tiny<T, 0>;
}

GemmKernelInfo tiny_info(DType dtype, int64_t k) {
  GemmKernelInfo info{.run = nullptr, .applies_bias_relu = true, .scratch = nullptr};
  visit(dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (!std::is_same_v<T, bool>) info.run = tiny_for<T>(k);
  });
  return info;
}

GemmKernelInfo direct_info(DType dtype) {
  if (dtype == f32) return {&direct<float>, true, &direct_scratch<float>};
  if (dtype == f64) return {&direct<double>, true, &direct_scratch<double>};
  return {};
}
GemmKernelInfo dot_info(DType dtype) {
  if (dtype == f32) return {&dot<float>, false, nullptr};
  if (dtype == f64) return {&dot<double>, false, nullptr};
  return {};
}
GemmKernelInfo axpy_info(DType dtype) {
  if (dtype == f32) return {&axpy<float>, false, nullptr};
  if (dtype == f64) return {&axpy<double>, false, nullptr};
  return {};
}
GemmKernelInfo turned_info(DType dtype) {
  if (dtype == f32) return {&turned<float>, false, &turned_scratch<float>};
  if (dtype == f64) return {&turned<double>, false, &turned_scratch<double>};
  return {};
}

GemmTargetFacts target_facts() {
  constexpr const char* name = HWY_TARGET == HWY_AVX3   ? "avx3"
                               : HWY_TARGET == HWY_AVX2 ? "avx2"
                               : HWY_TARGET == HWY_SSE4 ? "sse4"
                                                        : "scalar";
  return {kLanes<float> * 4, name, kMaxRows, kMaxVectors<float>};
}

}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {
namespace {

HWY_EXPORT(tiny_info);
HWY_EXPORT(direct_info);
HWY_EXPORT(dot_info);
HWY_EXPORT(axpy_info);
HWY_EXPORT(turned_info);
HWY_EXPORT(bias_relu_any);
HWY_EXPORT(turn_b_any);
HWY_EXPORT(target_facts);

GemmKernelInfo named(GemmKernelInfo info, const char* family) {
  info.name = cat(family, " ", gemm_target_facts().name);
  return info;
}

}  // namespace

GemmKernelInfo tiny_gemm_kernel(DType dtype, int64_t k) {
  return named(HWY_DYNAMIC_DISPATCH(tiny_info)(dtype, k), "tiny");
}
GemmKernelInfo direct_gemm_kernel(DType dtype) {
  GemmKernelInfo info = named(HWY_DYNAMIC_DISPATCH(direct_info)(dtype), "direct");
  const GemmTargetFacts facts = gemm_target_facts();
  info.name += cat(" ", facts.rows, "x", facts.vectors);
  return info;
}
GemmKernelInfo dot_gemm_kernel(DType dtype) { return named(HWY_DYNAMIC_DISPATCH(dot_info)(dtype), "dot"); }
GemmKernelInfo axpy_gemm_kernel(DType dtype) { return named(HWY_DYNAMIC_DISPATCH(axpy_info)(dtype), "axpy"); }
GemmKernelInfo turned_gemm_kernel(DType dtype) { return named(HWY_DYNAMIC_DISPATCH(turned_info)(dtype), "turned"); }

void apply_bias_relu(DType dtype, void* c, int64_t rows, int64_t n, int64_t c_row, const void* bias, bool relu) {
  HWY_DYNAMIC_DISPATCH(bias_relu_any)(dtype, c, rows, n, c_row, bias, relu);
}

void turn_b(DType dtype, const void* b, int64_t b_row, int64_t b_col, int64_t k, int64_t n, void* out) {
  HWY_DYNAMIC_DISPATCH(turn_b_any)(dtype, b, b_row, b_col, k, n, out);
}

GemmTargetFacts gemm_target_facts() { return HWY_DYNAMIC_DISPATCH(target_facts)(); }

}  // namespace brio::cpu
#endif  // HWY_ONCE
