#include "brio/backends/cpu/convolution/conv_columns.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/base/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/convolution/conv_columns.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/simd_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
struct Gather {
  const T* x;
  T* columns;

  HWY_INLINE void inside(int64_t at_x, int64_t at_column, size_t n) const {
    const hn::ScalableTag<T> d;
    const size_t lanes = hn::Lanes(d);
    const T* from = x + at_x;
    T* to = columns + at_column;
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
    if (i < n) store_tail(load_tail(d, from + i, n - i), d, to + i, n - i);
  }
  HWY_INLINE void outside(int64_t at_column, size_t n) const { std::fill_n(columns + at_column, n, T{0}); }
};

template <typename T>
struct Add {
  const T* columns;
  T* x;

  HWY_INLINE void inside(int64_t at_x, int64_t at_column, size_t n) const {
    const hn::ScalableTag<T> d;
    const size_t lanes = hn::Lanes(d);
    const T* from = columns + at_column;
    T* to = x + at_x;
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
    if (i == n) return;
    store_tail(hn::Add(load_tail(d, to + i, n - i), load_tail(d, from + i, n - i)), d, to + i, n - i);
  }
  HWY_INLINE void outside(int64_t, size_t) const {}
};

// Calls inside() and outside() for the runs of elements that a row consists of.
template <class Move>
void move_rows(const ConvGeometry& g, int64_t group, int64_t first, int64_t count, const Move& move) {
  const WindowAxis &depth = g.axis[0], &height = g.axis[1], &width = g.axis[2];
  const int64_t channels = g.in_channels(), columns = width.count(), rows = height.count(), slices = depth.count();
  // Neighbouring taps of all channels are neighbours in x too.
  const bool dense = width.dilation == 1 && g.groups == 1;
  const int64_t run = dense ? width.window : 1;  // taps that are moved at once
  int64_t at = 0;
  for (int64_t p = first; p < first + count; ++p) {
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there is a window only where no count is 0
    const int64_t w = p % columns, h = p / columns % rows, s = p / (columns * rows) % slices,
                  n = p / (columns * rows * slices);
    for (int64_t kd = 0; kd < depth.window; ++kd) {
      const int64_t z = depth.position(s, kd);
      for (int64_t kh = 0; kh < height.window; ++kh) {
        const int64_t y = height.position(h, kh);
        if (z < 0 || z >= depth.size || y < 0 || y >= height.size) {
          move.outside(at, static_cast<size_t>(width.window * g.in));
          at += width.window * g.in;
          continue;
        }
        const int64_t line = ((n * depth.size + z) * height.size + y) * width.size;
        for (int64_t kw = 0; kw < width.window; kw += run) {
          const int64_t x = width.position(w, kw);
          const int64_t begin = std::clamp<int64_t>(-x, 0, run), end = std::clamp(width.size - x, begin, run);
          if (begin > 0) move.outside(at, static_cast<size_t>(begin * g.in));
          if (end > begin)
            move.inside((line + x + begin) * channels + group * g.in, at + begin * g.in,
                        static_cast<size_t>((end - begin) * g.in));
          if (end < run) move.outside(at + end * g.in, static_cast<size_t>((run - end) * g.in));
          at += run * g.in;
        }
      }
    }
  }
}

template <typename T>
void gather_rows(const ConvGeometry& g, int64_t group, int64_t first, int64_t count, const void* x, void* columns) {
  move_rows(g, group, first, count, Gather<T>{static_cast<const T*>(x), static_cast<T*>(columns)});
}
template <typename T>
void add_rows(const ConvGeometry& g, int64_t group, int64_t first, int64_t count, const void* columns, void* x) {
  move_rows(g, group, first, count, Add<T>{static_cast<const T*>(columns), static_cast<T*>(x)});
}

}  // namespace

ColumnFns find_column_fns_here(DType dtype) {
  return visit(dtype, [](auto t) -> ColumnFns {
    using T = decltype(t);
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return {gather_rows<T>, add_rows<T>};
    return {};
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_column_fns_here);

ColumnFns find_column_fns(DType dtype) {
  apply_isa_cap();
  const ColumnFns fns = HWY_DYNAMIC_DISPATCH(find_column_fns_here)(dtype);
  BRIO_CHECK(fns.gather, "no columns of ", dtype);
  return fns;
}

}  // namespace brio::cpu
#endif
