#include "brio/backends/cpu/convolution/pool_kernels.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/base/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/convolution/pool_kernels.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/float_ops-inl.h"
#include "brio/backends/cpu/loops/simd_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

// The part of a window that lies inside x: first and last position along each axis, and where they begin in x.
struct Box {
  int64_t begin[3], end[3];
  int64_t line_step, slice_step;  // in pixels
  int64_t origin;                 // of the picture

  Box(const PoolGeometry& g, int64_t row, int64_t w) {
    const int64_t rows = g.axis[1].count(), slices = g.axis[0].count();
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there is a row only where no count is 0
    const int64_t out[3] = {row / rows % slices, row % rows, w};
    for (int a = 0; a < 3; ++a) {
      const int64_t from = g.axis[a].position(out[a], 0);
      begin[a] = std::max<int64_t>(from, 0);
      end[a] = std::min(from + g.axis[a].window, g.axis[a].size);
    }
    line_step = g.axis[2].size;
    slice_step = g.axis[1].size * line_step;
    origin = row / (rows * slices) * g.sizes();
  }
  int64_t count() const { return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]); }
  // Calls f(pixel of x) in row-major order.
  template <class F>
  HWY_INLINE void each(const F& f) const {
    for (int64_t z = begin[0]; z < end[0]; ++z)
      for (int64_t y = begin[1]; y < end[1]; ++y)
        for (int64_t x = begin[2]; x < end[2]; ++x) f(origin + z * slice_step + y * line_step + x);
  }
};

// Calls f(box, load, store, first channel, pixel of y) for every window of the rows and every vector of channels.
template <typename T, class F>
HWY_INLINE void for_windows(const PoolGeometry& g, int64_t begin_row, int64_t end_row, const F& f) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), columns = g.axis[2].count();
  for (int64_t row = begin_row; row < end_row; ++row)
    for (int64_t w = 0; w < columns; ++w) {
      const Box box(g, row, w);
      int64_t c = 0;
      for (; c + lanes <= g.channels; c += lanes)
        f(
            box, [d](const T* p) HWY_ATTR { return hn::LoadU(d, p); },
            [d](V v, T* p) HWY_ATTR { hn::StoreU(v, d, p); }, c, row * columns + w);
      if (c == g.channels) continue;
      const size_t left = static_cast<size_t>(g.channels - c);
      f(
          box, [d, left](const T* p) HWY_ATTR { return load_tail(d, p, left); },
          [d, left](V v, T* p) HWY_ATTR { store_tail(v, d, p, left); }, c, row * columns + w);
    }
}

template <typename T>
void max_rows(const PoolGeometry& g, const void* x_, void* y_, int64_t begin_row, int64_t end_row) {
  const hn::ScalableTag<T> d;
  const T* x = static_cast<const T*>(x_);
  T* y = static_cast<T*>(y_);
  for_windows<T>(g, begin_row, end_row,
                 [&](const Box& box, const auto& load, const auto& store, int64_t c, int64_t to) HWY_ATTR {
                   auto best = hn::Set(d, -hwy::HighestValue<T>());
                   bool first = true;
                   box.each([&](int64_t pixel) HWY_ATTR {
                     const auto v = load(x + pixel * g.channels + c);
                     best = first ? v : Max::run(d, v, best);
                     first = false;
                   });
                   store(best, y + to * g.channels + c);
                 });
}

// Calls step(is it the largest so far?, pixel) for the elements of a window.
template <typename T, class Load, class Step>
HWY_INLINE void for_candidates(const Box& box, const T* x, int64_t channels, const Load& load, const Step& step) {
  const hn::ScalableTag<T> d;
  auto best = hn::Zero(d);
  bool first = true;
  box.each([&](int64_t pixel) HWY_ATTR {
    const auto v = load(x + pixel * channels);
    const auto better =
        first ? hn::Eq(hn::Zero(d), hn::Zero(d)) : hn::Or(hn::Gt(v, best), hn::AndNot(hn::IsNaN(best), hn::IsNaN(v)));
    first = false;
    best = hn::IfThenElse(better, v, best);
    step(better, pixel);
  });
}

template <typename T>
void pick_rows(const PoolGeometry& g, const void* x_, const void* from_, void* y_, int64_t begin_row,
               int64_t end_row) {
  const hn::ScalableTag<T> d;
  const T *x = static_cast<const T*>(x_), *from = static_cast<const T*>(from_);
  T* y = static_cast<T*>(y_);
  for_windows<T>(g, begin_row, end_row,
                 [&](const Box& box, const auto& load, const auto& store, int64_t c, int64_t to) HWY_ATTR {
                   auto picked = hn::Zero(d);
                   for_candidates<T>(box, x + c, g.channels, load, [&](auto better, int64_t pixel) HWY_ATTR {
                     picked = hn::IfThenElse(better, load(from + pixel * g.channels + c), picked);
                   });
                   store(picked, y + to * g.channels + c);
                 });
}

// Lanes hold the number of the element within its window as a T: exact far beyond any window.
template <typename T>
void max_grad(const PoolGeometry& g, const void* x_, const void* y_, void* out_, int64_t begin, int64_t end) {
  const hn::ScalableTag<T> d;
  const T *x = static_cast<const T*>(x_), *y = static_cast<const T*>(y_);
  T* out = static_cast<T*>(out_);
  const int64_t picture = g.sizes() * g.channels, rows = g.axis[0].count() * g.axis[1].count();
  std::fill(out + begin * picture, out + end * picture, T{0});
  for_windows<T>(g, begin * rows, end * rows,
                 [&](const Box& box, const auto& load, const auto& store, int64_t c, int64_t at) HWY_ATTR {
                   auto winner = hn::Zero(d);
                   T number = 0;
                   for_candidates<T>(box, x + c, g.channels, load, [&](auto better, int64_t) HWY_ATTR {
                     winner = hn::IfThenElse(better, hn::Set(d, number), winner);
                     number += 1;
                   });
                   const auto share = load(y + at * g.channels + c);
                   number = 0;
                   box.each([&](int64_t pixel) HWY_ATTR {
                     T* to = out + pixel * g.channels + c;
                     store(hn::Add(load(to), hn::IfThenElseZero(hn::Eq(winner, hn::Set(d, number)), share)), to);
                     number += 1;
                   });
                 });
}

template <typename T>
void avg_rows(const PoolGeometry& g, const void* x_, void* y_, int64_t begin_row, int64_t end_row) {
  const hn::ScalableTag<T> d;
  const T* x = static_cast<const T*>(x_);
  T* y = static_cast<T*>(y_);
  for_windows<T>(g, begin_row, end_row,
                 [&](const Box& box, const auto& load, const auto& store, int64_t c, int64_t to) HWY_ATTR {
                   auto sum = hn::Zero(d);
                   box.each([&](int64_t pixel) HWY_ATTR { sum = hn::Add(sum, load(x + pixel * g.channels + c)); });
                   store(hn::Div(sum, hn::Set(d, static_cast<T>(box.count()))), y + to * g.channels + c);
                 });
}

template <typename T>
void avg_grad(const PoolGeometry& g, const void* y_, void* out_, int64_t begin, int64_t end) {
  const hn::ScalableTag<T> d;
  const T* y = static_cast<const T*>(y_);
  T* out = static_cast<T*>(out_);
  const int64_t picture = g.sizes() * g.channels, rows = g.axis[0].count() * g.axis[1].count();
  std::fill(out + begin * picture, out + end * picture, T{0});
  for_windows<T>(g, begin * rows, end * rows,
                 [&](const Box& box, const auto& load, const auto& store, int64_t c, int64_t at) HWY_ATTR {
                   const auto share = hn::Div(load(y + at * g.channels + c), hn::Set(d, static_cast<T>(box.count())));
                   box.each([&](int64_t pixel) HWY_ATTR {
                     T* to = out + pixel * g.channels + c;
                     store(hn::Add(load(to), share), to);
                   });
                 });
}

template <typename T>
constexpr PoolFns kFns = {max_rows<T>, pick_rows<T>, max_grad<T>, avg_rows<T>, avg_grad<T>};

}  // namespace

PoolFns find_pool_here(DType dtype) { return dtype == f32 ? kFns<float> : kFns<double>; }

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_pool_here);

PoolFns find_pool_fns(DType dtype) {
  apply_isa_cap();
  BRIO_CHECK(dtype == f32 || dtype == f64, "pooling of ", dtype);
  return HWY_DYNAMIC_DISPATCH(find_pool_here)(dtype);
}

}  // namespace brio::cpu
#endif
