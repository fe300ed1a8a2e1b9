// Written apart from the plain definitions: element by element, sums in double.
#include "brio/ops/network/conv_pool.h"

#include <vector>

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

// Positions of the three axes, in sizes of which the last two count.
Coordinates at_of(const WindowAxis (&axis)[3], int64_t WindowAxis::*size, int64_t index) {
  return {Shape{axis[0].*size, axis[1].*size, axis[2].*size}, index};
}
int64_t index_of(const int64_t* at, const int64_t* size) { return (at[0] * size[1] + at[1]) * size[2] + at[2]; }

struct Pool {
  const PoolGeometry& g;
  int64_t counts[3], sizes[3];
  explicit Pool(const PoolGeometry& geometry) : g(geometry) {
    for (int a = 0; a < 3; ++a) {
      counts[a] = g.axis[a].count();
      sizes[a] = g.axis[a].size;
    }
  }
  int64_t windows() const { return g.batch * g.counts() * g.channels; }
  // The element of y that is tap `tap` of window `index` (batch, counts…, channels).
  int64_t element(int64_t index, int64_t tap) const {
    const int64_t pixel = index / g.channels;
    const Coordinates o(Shape{counts[0], counts[1], counts[2]}, pixel % g.counts());
    const Coordinates within = at_of(g.axis, &WindowAxis::window, tap);
    int64_t at[3];
    for (int a = 0; a < 3; ++a) at[a] = o[a] * g.axis[a].window + within[a];
    return (pixel / g.counts() * g.sizes() + index_of(at, sizes)) * g.channels + index % g.channels;
  }
};

// value(element of y): the convolution's result, rounded as it would lie in memory.
template <typename T, typename Value>
void pool(const Call& call, const PoolGeometry& g, const T* bias, Value value) {
  const Pool pool(g);
  for (int64_t w = 0; w < pool.windows(); ++w) {
    Wide<T> most = 0;
    int64_t taken = g.taps();
    for (int64_t tap = 0; tap < g.taps(); ++tap) {
      const Wide<T> z = wide(rounded<T>(wide(value(pool.element(w, tap))) + wide(bias[w % g.channels])));
      if (z > most) {
        most = z;
        taken = tap;
      } else if (z != z && most == most) {
        most = z;
        taken = g.taps();
      }
    }
    if (most != most) taken = g.taps();
    call.out<T>(0)[w] = rounded<T>(most);
    call.out<uint8_t>(1)[w] = static_cast<uint8_t>(taken);
  }
}

void run_relu_pool(const Call& call) {
  const PoolGeometry g = relu_pool_geometry(call.in_shape(0), call.attrs);
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    pool<T>(call, g, call.in<T>(1), [&](int64_t i) { return call.in<T>(0)[i]; });
  });
}

// y's gradient, in double.
template <typename T>
std::vector<double> unpooled(const PoolGeometry& g, const uint8_t* which, const T* cotangent) {
  const Pool pool(g);
  std::vector<double> y(static_cast<size_t>(g.batch * g.sizes() * g.channels), 0);
  for (int64_t w = 0; w < pool.windows(); ++w)
    if (which[w] < g.taps()) y[static_cast<size_t>(pool.element(w, which[w]))] = wide(cotangent[w]);
  return y;
}

void run_relu_pool_grad(const Call& call) {
  const PoolGeometry g = relu_pool_geometry(call.out_shape(), call.attrs);
  visit_floats(call.in_avals[1].dtype, [&](auto t) {
    using T = decltype(t);
    const std::vector<double> y = unpooled(g, call.in<uint8_t>(0), call.in<T>(1));
    for (size_t i = 0; i < y.size(); ++i) call.out<T>()[i] = rounded<T>(y[i]);
  });
}

struct Convolution {
  const ConvGeometry& g;
  // Calls f(element of x, element of the filter) for what y's element i is a sum of.
  template <typename F>
  void for_products(int64_t i, F&& f) const {
    const int64_t channel = i % g.out_channels(), pixel = i / g.out_channels(), n = pixel / g.counts();
    const Coordinates o(Shape{g.axis[0].count(), g.axis[1].count(), g.axis[2].count()}, pixel % g.counts());
    const int64_t sizes[] = {g.axis[0].size, g.axis[1].size, g.axis[2].size};
    for (int64_t t = 0; t < g.taps(); ++t) {
      const Coordinates tap = at_of(g.axis, &WindowAxis::window, t);
      int64_t at[3];
      bool inside = true;
      for (int a = 0; a < 3; ++a) {
        at[a] = g.axis[a].position(o[a], tap[a]);
        inside &= at[a] >= 0 && at[a] < sizes[a];
      }
      if (!inside) continue;
      for (int64_t in = 0; in < g.in; ++in)
        f((n * g.sizes() + index_of(at, sizes)) * g.in_channels() + channel / g.out * g.in + in,
          (t * g.in + in) * g.out_channels() + channel);
    }
  }
};

void run_conv_relu_pool(const Call& call) {
  const ConvPoolForm form(call.op, call.in_shape(0), call.in_shape(1), call.attrs);
  const Convolution conv{form.conv};
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    pool<T>(call, form.pool, call.in<T>(2), [&](int64_t i) {
      double sum = 0;
      conv.for_products(i, [&](int64_t x, int64_t filter) {
        sum += double{wide(call.in<T>(0)[x])} * double{wide(call.in<T>(1)[filter])};
      });
      return rounded<T>(sum);
    });
  });
}

void run_conv_relu_pool_grad(const Call& call) {
  const ConvPoolForm form(call.op, call.in_shape(0), call.out_shape(), call.attrs);
  const Convolution conv{form.conv};
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    const std::vector<double> y = unpooled(form.pool, call.in<uint8_t>(1), call.in<T>(2));
    std::vector<double> filter(static_cast<size_t>(call.out_shape().elements()), 0);
    std::vector<double> bias(static_cast<size_t>(form.pool.channels), 0);
    for (size_t i = 0; i < y.size(); ++i) {
      bias[i % bias.size()] += y[i];
      conv.for_products(static_cast<int64_t>(i), [&](int64_t x, int64_t f) {
        filter[static_cast<size_t>(f)] += y[i] * double{wide(call.in<T>(0)[x])};
      });
    }
    for (size_t i = 0; i < filter.size(); ++i) call.out<T>(0)[i] = rounded<T>(filter[i]);
    for (size_t i = 0; i < bias.size(); ++i) call.out<T>(1)[i] = rounded<T>(bias[i]);
  });
}

}  // namespace

void add_conv_pool(Registry& r) {
  add<run_relu_pool>(r, op::relu_pool);
  add<run_relu_pool_grad>(r, op::relu_pool_grad);
  add<run_conv_relu_pool>(r, op::conv_relu_pool);
  add<run_conv_relu_pool_grad>(r, op::conv_relu_pool_grad);
}

}  // namespace brio::reference
