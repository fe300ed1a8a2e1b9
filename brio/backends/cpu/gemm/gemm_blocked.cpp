// Our own kernel for products of any size, dtype and strides: blocks of B are packed into panels that stay in the
// second-level cache while the rows of A pass over them.
#include <algorithm>

#include "brio/backends/cpu/gemm/gemm_kernels.h"
#include "brio/base/error.h"
#include "brio/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/gemm/gemm_blocked.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "brio/backends/cpu/gemm/gemm_micro-inl.h"
#include "brio/backends/cpu/gemm/gemm_pack-inl.h"
#include "brio/backends/cpu/gemm/gemm_types-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu::HWY_NAMESPACE {

// Columns of A, and rows of B, that are multiplied before the next block is packed.
inline constexpr int64_t kDepth = 384;
// Panels of A that are packed together, some columns of each in turn: when A lies transposed, neighbouring panels
// share cache lines, which do not stay in cache long because their addresses differ by powers of two.
inline constexpr int64_t kGroup = 8, kGroupColumns = 8;

// Where the parts of the scratch memory lie, in elements of S.
template <typename T>
struct BlockedLayout {
  int64_t depth, width, panel, sums, total;
  explicit BlockedLayout(const GemmShape& g) {
    const EvenCut cut(g.k, kDepth);
    depth = cut.size(0);
    width = (g.n + kLanes<SumType<T>> - 1) / kLanes<SumType<T>> * kLanes<SumType<T>>;
    panel = depth * width;
    sums = panel + (depth * kMaxRows * kGroup + 63) / 64 * 64;
    total = sums + (std::is_same_v<T, SumType<T>> ? 0 : g.m * g.n);
  }
};

template <typename T>
size_t blocked_scratch(const GemmShape& g) {
  return static_cast<size_t>(BlockedLayout<T>(g).total) * sizeof(SumType<T>);
}

template <typename T>
void pack_panel_of(int64_t rows, const T* a, int64_t a_row, int64_t a_col, int64_t k, SumType<T>* out) {
  static_assert(kMaxRows == 6);
  switch (rows) {
    case 1: return pack_panel<T, 1>(a, a_row, a_col, k, out);
    case 2: return pack_panel<T, 2>(a, a_row, a_col, k, out);
    case 3: return pack_panel<T, 3>(a, a_row, a_col, k, out);
    case 4: return pack_panel<T, 4>(a, a_row, a_col, k, out);
    case 5: return pack_panel<T, 5>(a, a_row, a_col, k, out);
    case 6: return pack_panel<T, 6>(a, a_row, a_col, k, out);
    default: return;
  }
}

// Packs the panels first … last of `rows`; each has depth × its rows elements, the first standing at `out`.
template <typename T>
void pack_group(const GemmShape& g, const T* a, int64_t depth, const EvenCut& rows, int64_t first, int64_t last,
                SumType<T>* out) {
  for (int64_t p = 0; p < depth; p += kGroupColumns) {
    const int64_t count = std::min(kGroupColumns, depth - p);
    const T* panel_a = a + p * g.a_col;
    SumType<T>* panel = out;
    for (int64_t i = first; i < last; ++i) {
      const int64_t size = rows.size(i);
      pack_panel_of(size, panel_a, g.a_row, g.a_col, count, panel + p * size);
      panel_a += size * g.a_row;
      panel += depth * size;
    }
  }
}

// C (rows of S) gets the product of `depth` columns of A and rows of B, B in panels as packed below.
template <typename T>
void multiply_block(const GemmShape& g, const T* a, int64_t depth, const SumType<T>* packed, SumType<T>* panels,
                    MicroTile<SumType<T>> tile) {
  using S = SumType<T>;
  constexpr int64_t lanes = kLanes<S>;
  S* const c = tile.c;
  const S* const bias = tile.bias;
  const bool in_place = std::is_same_v<T, S> && g.a_col == 1;
  const EvenCut rows(g.m, kMaxRows), columns((g.n + lanes - 1) / lanes, kMaxVectors<SumType<T>>);
  const S* panel = panels;
  int64_t row = 0;
  for (int64_t i = 0; i < rows.parts; ++i) {
    const int64_t count = rows.size(i);
    if (in_place) {
      tile.a = reinterpret_cast<const S*>(a + row * g.a_row);
      tile.a_row = g.a_row;
      tile.a_col = 1;
    } else {
      if (i % kGroup == 0) {
        pack_group(g, a + row * g.a_row, depth, rows, i, std::min(rows.parts, i + kGroup), panels);
        panel = panels;
      }
      tile.a = panel;
      tile.a_row = 1;
      tile.a_col = count;
      panel += depth * count;
    }
    int64_t column = 0;
    for (int64_t j = 0; j < columns.parts; ++j) {
      const int64_t vectors = columns.size(j);
      tile.b = packed + column * depth;
      tile.b_row = vectors * lanes;
      tile.c = c + row * tile.c_row + column;
      tile.bias = bias ? bias + column : nullptr;
      tile.tail = std::min(vectors * lanes, g.n - column) - (vectors - 1) * lanes;
      kMicro<S>.fn[tile.tail != lanes][count - 1][vectors - 1](tile);
      column += vectors * lanes;
    }
    row += count;
  }
}

// Panels of up to kMaxVectors vectors of columns, each depth × its width, one after the other.
template <typename T>
void pack_block(const T* b, const GemmShape& g, int64_t depth, SumType<T>* packed) {
  constexpr int64_t lanes = kLanes<SumType<T>>;
  const EvenCut columns((g.n + lanes - 1) / lanes, kMaxVectors<SumType<T>>);
  // Dense rows are read some at a time across all panels: whole pages in order rather than a piece of each.
  const int64_t step = g.b_col == 1 ? 4 : depth;
  for (int64_t p = 0; p < depth; p += step) {
    const int64_t count = std::min(step, depth - p);
    int64_t column = 0;
    for (int64_t j = 0; j < columns.parts; ++j) {
      const int64_t width = columns.size(j) * lanes;
      pack_rows(b + p * g.b_row + column * g.b_col, g.b_row, g.b_col, count, std::min(width, g.n - column),
                packed + column * depth + p * width, width);
      column += width;
    }
  }
}

template <typename T>
void blocked(const GemmShape& g, const GemmPointers& x) {
  using S = SumType<T>;
  constexpr bool same = std::is_same_v<T, S>;
  const BlockedLayout<T> layout(g);
  S* const packed = static_cast<S*>(x.scratch);
  MicroTile<S> tile{};
  tile.c = same ? static_cast<S*>(x.c) : packed + layout.sums;
  tile.c_row = same ? g.c_row : g.n;
  const EvenCut cut(g.k, kDepth);
  int64_t p = 0;
  for (int64_t part = 0; part < cut.parts; ++part) {
    tile.k = cut.size(part);
    tile.accumulate = part > 0;
    if (same && part == cut.parts - 1) {
      tile.bias = static_cast<const S*>(x.bias);
      tile.relu = g.relu;
    }
    pack_block(static_cast<const T*>(x.b) + p * g.b_row, g, tile.k, packed);
    multiply_block(g, static_cast<const T*>(x.a) + p * g.a_col, tile.k, packed, packed + layout.panel, tile);
    p += tile.k;
  }
  if constexpr (!same) {
    const S* sums = packed + layout.sums;
    T* c = static_cast<T*>(x.c);
    for (int64_t i = 0; i < g.m; ++i)
      for (int64_t j = 0; j < g.n; ++j) c[i * g.c_row + j] = from_sum<T>(sums[i * g.n + j]);
  }
}

GemmKernelInfo blocked_info(DType dtype) {
  GemmKernelInfo info;
  visit(dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (!std::is_same_v<T, bool>)
      info = {.run = &blocked<T>, .applies_bias_relu = std::is_same_v<T, SumType<T>>, .scratch = &blocked_scratch<T>};
  });
  return info;
}

}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {
namespace {
HWY_EXPORT(blocked_info);
}  // namespace

GemmKernelInfo blocked_gemm_kernel(DType dtype) {
  GemmKernelInfo info = HWY_DYNAMIC_DISPATCH(blocked_info)(dtype);
  info.name = cat("blocked ", gemm_target_facts().name);
  return info;
}

}  // namespace brio::cpu
#endif  // HWY_ONCE
