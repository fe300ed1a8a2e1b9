// The micro-kernel that all blocked products share: kRows × kVectors accumulators held in registers, A read by
// broadcast with any strides, B read as vectors from rows that are dense. Included once per instruction set.
#if defined(BRIO_BACKENDS_CPU_GEMM_MICRO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRIO_BACKENDS_CPU_GEMM_MICRO_INL_H_
#undef BRIO_BACKENDS_CPU_GEMM_MICRO_INL_H_
#else
#define BRIO_BACKENDS_CPU_GEMM_MICRO_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Masked loads and stores touch no byte outside the mask only where the instruction set has them.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
inline constexpr bool kMaskedMemory = true;
#else
inline constexpr bool kMaskedMemory = false;
#endif

// Registers: 32 with AVX-512, 16 before. kMaxRows × kMaxVectors accumulators + kMaxVectors of B + one of A must fit.
// Integers, whose multiplications are slow anyway, get one vector, which keeps the code small.
template <typename T>
inline constexpr int kMaxVectors = !hwy::IsFloat<T>() || HWY_TARGET == HWY_SCALAR ? 1
                                   : HWY_TARGET == HWY_AVX3                       ? 4
                                                                                  : 2;
inline constexpr int kMaxRows = 6;

template <typename T>
inline constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));

template <typename T>
struct MicroTile {
  int64_t k;
  const T* a;
  int64_t a_row, a_col;
  const T* b;
  int64_t b_row = 0;
  T* c;
  int64_t c_row;
  int64_t tail = 0;         // columns in the last vector, when it is not full
  const T* bias = nullptr;  // or null
  bool relu = false;
  bool accumulate = false;  // add to what C holds
};

template <typename V>
HWY_INLINE V multiply_add(V a, V b, V c) {
  if constexpr (hwy::IsFloat<hn::TFromV<V>>()) return hn::MulAdd(a, b, c);
  else return hn::Add(hn::Mul(a, b), c);
}

// relu as the elementwise op has it: NaN and −0 stay.
template <class D, class V>
HWY_INLINE V relu(D d, V x) {
  if constexpr (hwy::IsSigned<hn::TFromD<D>>()) return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
  else return x;
}

// The first `count` lanes; the others are zero, or, where memory cannot be masked, whatever lies there (see
// kMaskedMemory: callers then read from padded copies only).
template <class D, typename T>
HWY_INLINE hn::Vec<D> load_first(D d, const T* p, size_t count) {
  if constexpr (kMaskedMemory) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, p);
  } else {
    HWY_ALIGN T buffer[hn::MaxLanes(D())] = {};
    for (size_t i = 0; i < count; ++i) buffer[i] = p[i];
    return hn::Load(d, buffer);
  }
}

template <class D, typename T>
HWY_INLINE void store_first(hn::Vec<D> v, D d, T* p, size_t count) {
  if constexpr (kMaskedMemory) {
    hn::BlendedStore(v, hn::FirstN(d, count), d, p);
  } else {
    HWY_ALIGN T buffer[hn::MaxLanes(D())];
    hn::Store(v, d, buffer);
    for (size_t i = 0; i < count; ++i) p[i] = buffer[i];
  }
}

template <typename T, int kRows, int kVectors, bool kTail>
void micro_tile(const MicroTile<T>& tile) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t lanes = kLanes<T>;
  const auto mask = hn::FirstN(d, static_cast<size_t>(kTail ? tile.tail : lanes));

  V acc[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) acc[i][j] = hn::Zero(d);

  const T* a[kRows];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) a[i] = tile.a + i * tile.a_row;
  if (tile.k >= 128)  // C arrives while the sums are made
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) __builtin_prefetch(tile.c + i * tile.c_row + j * lanes, 1);
  const T* b = tile.b;
  const int64_t b_row = tile.b_row, a_col = tile.a_col;
  int64_t offset = 0;
  for (int64_t p = tile.k; p > 0; --p) {
    V bv[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      const bool partial = kTail && kMaskedMemory && j == kVectors - 1;
      bv[j] = partial ? hn::MaskedLoad(mask, d, b + j * lanes) : hn::LoadU(d, b + j * lanes);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const V av = hn::Set(d, a[i][offset]);
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) acc[i][j] = multiply_add(av, bv[j], acc[i][j]);
    }
    offset += a_col;
    b += b_row;
  }

  // Copies, because the compiler must assume that a store to C changes the tile.
  T* const c_first = tile.c;
  const int64_t c_row = tile.c_row;
  const T* const bias_first = tile.bias;
  const size_t tail = static_cast<size_t>(tile.tail);
  const bool with_relu = tile.relu, accumulate = tile.accumulate;
  // Applies f(accumulator, row, vector) to all.
  auto each = [&](auto&& f) HWY_ATTR {
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) f(acc[i][j], i, j);
  };
  auto load = [&](const T* p, int j) HWY_ATTR {
    return kTail && j == kVectors - 1 ? load_first(d, p + j * lanes, tail) : hn::LoadU(d, p + j * lanes);
  };
  if (accumulate) each([&](V& v, int i, int j) HWY_ATTR { v = hn::Add(load(c_first + i * c_row, j), v); });
  if (bias_first) {
    V bias[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) bias[j] = load(bias_first, j);
    each([&](V& v, int, int j) HWY_ATTR { v = hn::Add(v, bias[j]); });
  }
  if (with_relu) each([&](V& v, int, int) HWY_ATTR { v = relu(d, v); });
  each([&](V& v, int i, int j) HWY_ATTR {
    T* c = c_first + i * c_row + j * lanes;
    if (kTail && j == kVectors - 1) store_first(v, d, c, tail);
    else hn::StoreU(v, d, c);
  });
}

template <typename T>
using MicroFn = void (*)(const MicroTile<T>&);

template <typename T>
struct MicroTable {
  MicroFn<T> fn[2][kMaxRows][kMaxVectors<T>];  // [tail][rows - 1][vectors - 1]
};

template <typename T, bool kTail, size_t... I>
constexpr void fill_micro_table(MicroTable<T>& table, std::index_sequence<I...>) {
  constexpr size_t vectors = kMaxVectors<T>;
  ((table.fn[kTail][I / vectors][I % vectors] =
        &micro_tile<T, static_cast<int>(I / vectors + 1), static_cast<int>(I % vectors + 1), kTail>),
   ...);
}

template <typename T>
constexpr MicroTable<T> make_micro_table() {
  MicroTable<T> table{};
  constexpr auto all = std::make_index_sequence<static_cast<size_t>(kMaxRows * kMaxVectors<T>)>();
  fill_micro_table<T, false>(table, all);
  if constexpr (kLanes < T >> 1) fill_micro_table<T, true>(table, all);
  return table;
}

template <typename T>
inline constexpr MicroTable<T> kMicro = make_micro_table<T>();

// Cuts `total` into the fewest parts of at most `limit`, as even as can be: 32 rows by 6 are 6 6 5 5 5 5, not 6 6 6 6
// 6 2.
struct EvenCut {
  int64_t parts, base, larger;
  EvenCut(int64_t total, int64_t limit)
      : parts((total + limit - 1) / limit), base(parts ? total / parts : 0), larger(parts ? total % parts : 0) {}
  int64_t size(int64_t part) const { return base + (part < larger); }
};

// All rows of `tile` times columns [0, columns), columns ≤ kMaxVectors<T> vectors. tile.a and tile.c stand at row 0.
template <typename T>
HWY_INLINE void run_row_blocks(MicroTile<T> tile, int64_t rows, int64_t columns) {
  constexpr int64_t lanes = kLanes<T>;
  const int64_t vectors = (columns + lanes - 1) / lanes;
  tile.tail = columns - (vectors - 1) * lanes;
  const auto& table = kMicro<T>.fn[tile.tail != lanes];
  const EvenCut cut(rows, kMaxRows);
  for (int64_t part = 0; part < cut.parts; ++part) {
    const int64_t count = cut.size(part);
    table[count - 1][vectors - 1](tile);
    tile.a += count * tile.a_row;
    tile.c += count * tile.c_row;
  }
}

}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
