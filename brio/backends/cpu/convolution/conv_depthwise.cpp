#include "brio/backends/cpu/convolution/conv_depthwise.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/base/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/convolution/conv_depthwise.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/simd_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

// Calls f(load, store, first channel) for every vector of channels; the last one is masked.
template <typename T, class F>
HWY_INLINE void for_channels(int64_t channels, F&& f) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes)
    f([d](const T* p) HWY_ATTR { return hn::LoadU(d, p); },
      [d](hn::Vec<decltype(d)> v, T* p) HWY_ATTR { hn::StoreU(v, d, p); }, c);
  if (c == channels) return;
  const size_t left = static_cast<size_t>(channels - c);
  f([d, left](const T* p) HWY_ATTR { return load_tail(d, p, left); },
    [d, left](hn::Vec<decltype(d)> v, T* p) HWY_ATTR { store_tail(v, d, p, left); }, c);
}

// One row of windows: what of it lies inside x.
struct Row {
  int64_t n, depth, height;  // of the picture, and of the row in y
  int64_t first_d, last_d;   // taps inside, along the first two axes
  int64_t first_h, last_h;

  Row(const ConvGeometry& g, int64_t row) {
    // NOLINTBEGIN(clang-analyzer-core.DivideZero): there is a row only where no count is 0
    height = row % g.axis[1].count();
    depth = row / g.axis[1].count() % g.axis[0].count();
    n = row / (g.axis[1].count() * g.axis[0].count());
    // NOLINTEND(clang-analyzer-core.DivideZero)
    inside(g.axis[0], depth, first_d, last_d);
    inside(g.axis[1], height, first_h, last_h);
  }
  static void inside(const WindowAxis& axis, int64_t out, int64_t& first, int64_t& last) {
    first = 0;
    while (first < axis.window && axis.position(out, first) < 0) ++first;
    last = axis.window;
    while (last > first && axis.position(out, last - 1) >= axis.size) --last;
  }
  int64_t line(const ConvGeometry& g, int64_t kd, int64_t kh) const {  // of x
    return (n * g.axis[0].size + g.axis[0].position(depth, kd)) * g.axis[1].size + g.axis[1].position(height, kh);
  }
};

// Windows [begin, end) along the last axis for which tap kw lies inside.
struct Span {
  int64_t begin, end;
  Span(const WindowAxis& axis, int64_t kw) {
    const int64_t count = axis.count(), start = kw * axis.dilation - axis.low;  // of window 0
    begin = start >= 0 ? 0 : std::min(count, (-start + axis.stride - 1) / axis.stride);
    end = axis.size <= start ? begin : std::clamp((axis.size - start - 1) / axis.stride + 1, begin, count);
  }
};

constexpr int kBlock = 4;  // windows whose sums are in registers at the same time

// Sums of kCount windows from w on, whose taps all lie inside along the last axis.
template <int kCount, typename T, class Load, class Store>
HWY_INLINE void window_sums(const ConvGeometry& g, const Row& row, const T* x, const T* filter, T* y, int64_t w,
                            int64_t first, int64_t last, const Load& load, const Store& store) {
  const hn::ScalableTag<T> d;
  const WindowAxis& width = g.axis[2];
  const int64_t channels = g.groups, step = width.stride * channels;
  hn::Vec<decltype(d)> sum[kCount];
  for (int k = 0; k < kCount; ++k) sum[k] = hn::Zero(d);
  for (int64_t kd = row.first_d; kd < row.last_d; ++kd)
    for (int64_t kh = row.first_h; kh < row.last_h; ++kh) {
      const T* line = x + row.line(g, kd, kh) * width.size * channels;
      const T* taps = filter + (kd * g.axis[1].window + kh) * width.window * channels;
      for (int64_t kw = first; kw < last; ++kw) {
        const auto tap = load(taps + kw * channels);
        const T* from = line + width.position(w, kw) * channels;
        for (int k = 0; k < kCount; ++k) sum[k] = hn::MulAdd(load(from + k * step), tap, sum[k]);
      }
    }
  for (int k = 0; k < kCount; ++k) store(sum[k], y + (w + k) * channels);
}

template <typename T>
void forward(const ConvGeometry& g, const void* x_, const void* filter_, void* y_, int64_t begin, int64_t end) {
  const T *x = static_cast<const T*>(x_), *filter = static_cast<const T*>(filter_);
  T* y = static_cast<T*>(y_);
  const WindowAxis& width = g.axis[2];
  const int64_t count = width.count();
  // Windows for which all taps lie inside.
  const int64_t inner_begin = Span(width, 0).begin;
  const int64_t inner_end = std::max(inner_begin, Span(width, width.window - 1).end);
  for (int64_t r = begin; r < end; ++r) {
    const Row row(g, r);
    for_channels<T>(g.groups, [&](const auto& load, const auto& store, int64_t c) HWY_ATTR {
      T* out = y + r * count * g.groups + c;
      const auto edge = [&](int64_t w) HWY_ATTR {
        int64_t first, last;
        Row::inside(width, w, first, last);
        window_sums<1>(g, row, x + c, filter + c, out, w, first, last, load, store);
      };
      int64_t w = 0;
      for (; w < std::min(inner_begin, count); ++w) edge(w);
      for (; w + kBlock <= inner_end; w += kBlock)
        window_sums<kBlock>(g, row, x + c, filter + c, out, w, 0, width.window, load, store);
      for (; w < count; ++w) edge(w);
    });
  }
}

template <typename T>
void input_grad(const ConvGeometry& g, const void* filter_, const void* y_, void* x_, int64_t begin, int64_t end) {
  const T *filter = static_cast<const T*>(filter_), *y = static_cast<const T*>(y_);
  T* x = static_cast<T*>(x_);
  const int64_t picture = g.sizes() * g.groups, rows = g.axis[0].count() * g.axis[1].count();
  const WindowAxis& width = g.axis[2];
  std::fill(x + begin * picture, x + end * picture, T{0});
  for (int64_t r = begin * rows; r < end * rows; ++r) {
    const Row row(g, r);
    for_channels<T>(g.groups, [&](const auto& load, const auto& store, int64_t c) HWY_ATTR {
      const T* from = y + r * width.count() * g.groups + c;
      for (int64_t kd = row.first_d; kd < row.last_d; ++kd)
        for (int64_t kh = row.first_h; kh < row.last_h; ++kh)
          for (int64_t kw = 0; kw < width.window; ++kw) {
            const auto tap = load(filter + ((kd * g.axis[1].window + kh) * width.window + kw) * g.groups + c);
            const Span span(width, kw);
            T* to = x + (row.line(g, kd, kh) * width.size + width.position(0, kw)) * g.groups + c;
            for (int64_t w = span.begin; w < span.end; ++w) {
              T* at = to + w * width.stride * g.groups;
              store(hn::MulAdd(load(from + w * g.groups), tap, load(at)), at);
            }
          }
    });
  }
}

template <typename T>
void filter_grad(const ConvGeometry& g, const void* x_, const void* y_, void* filter_, int64_t begin, int64_t end) {
  const hn::ScalableTag<T> d;
  const T *x = static_cast<const T*>(x_), *y = static_cast<const T*>(y_);
  T* filter = static_cast<T*>(filter_);
  const WindowAxis& width = g.axis[2];
  const int64_t step = width.stride * g.groups;
  for (int64_t r = begin; r < end; ++r) {
    const Row row(g, r);
    for_channels<T>(g.groups, [&](const auto& load, const auto& store, int64_t c) HWY_ATTR {
      const T* other = y + r * width.count() * g.groups + c;
      for (int64_t kd = row.first_d; kd < row.last_d; ++kd)
        for (int64_t kh = row.first_h; kh < row.last_h; ++kh)
          for (int64_t kw = 0; kw < width.window; ++kw) {
            const Span span(width, kw);
            const T* from = x + (row.line(g, kd, kh) * width.size + width.position(0, kw)) * g.groups + c;
            // Four chains of additions: one would wait for itself.
            hn::Vec<decltype(d)> sum[kBlock];
            for (int k = 0; k < kBlock; ++k) sum[k] = hn::Zero(d);
            int64_t w = span.begin;
            for (; w + kBlock <= span.end; w += kBlock)
              for (int k = 0; k < kBlock; ++k)
                sum[k] = hn::MulAdd(load(from + (w + k) * step), load(other + (w + k) * g.groups), sum[k]);
            for (; w < span.end; ++w) sum[0] = hn::MulAdd(load(from + w * step), load(other + w * g.groups), sum[0]);
            T* to = filter + ((kd * g.axis[1].window + kh) * width.window + kw) * g.groups + c;
            store(hn::Add(load(to), hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]))), to);
          }
    });
  }
}

template <typename T>
void repeat(const void* in_, void* out_, int64_t n, int64_t times) {
  const T* in = static_cast<const T*>(in_);
  T* out = static_cast<T*>(out_);
  for (int64_t i = 0; i < n; ++i, out += times) std::fill(out, out + times, in[i]);
}
template <typename T>
void fold(const void* in_, void* out_, int64_t n, int64_t times) {
  const T* in = static_cast<const T*>(in_);
  T* out = static_cast<T*>(out_);
  for (int64_t i = 0; i < n; ++i, in += times) {
    T sum = in[0];
    for (int64_t k = 1; k < times; ++k) sum += in[k];
    out[i] = sum;
  }
}

template <typename T>
constexpr DepthwiseFns kFns = {forward<T>, input_grad<T>, filter_grad<T>, repeat<T>, fold<T>};

}  // namespace

DepthwiseFns find_depthwise_here(DType dtype) { return dtype == f32 ? kFns<float> : kFns<double>; }

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_depthwise_here);

DepthwiseFns find_depthwise_fns(DType dtype) {
  apply_isa_cap();
  BRIO_CHECK(dtype == f32 || dtype == f64, "a depthwise convolution of ", dtype);
  return HWY_DYNAMIC_DISPATCH(find_depthwise_here)(dtype);
}

}  // namespace brio::cpu
#endif
