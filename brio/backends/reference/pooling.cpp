#include "brio/ops/network/pooling.h"

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

// Calls f(x index, tap) for the elements of one window that are not padding, in row-major order.
template <typename F>
void for_window(const PoolGeometry& g, int64_t n, const Coordinates& o, int64_t channel, F&& f) {
  const Shape window{g.axis[0].window, g.axis[1].window, g.axis[2].window};
  for (int64_t t = 0; t < window.elements(); ++t) {
    const Coordinates tap(window, t);
    int64_t index = n;
    bool inside = true;
    for (int a = 0; a < 3; ++a) {
      const int64_t i = g.axis[a].position(o[a], tap[a]);
      inside &= i >= 0 && i < g.axis[a].size;
      index = index * g.axis[a].size + i;
    }
    if (inside) f(index * g.channels + channel, t);
  }
}

// Calls f(y index, n, position, channel) for every window.
template <typename F>
void for_windows(const PoolGeometry& g, F&& f) {
  const Shape counts{g.axis[0].count(), g.axis[1].count(), g.axis[2].count()};
  for (int64_t y = 0; y < g.batch * counts.elements() * g.channels; ++y) {
    const int64_t pixel = y / g.channels;
    f(y, pixel / counts.elements(), Coordinates(counts, pixel % counts.elements()), y % g.channels);
  }
}

struct FirstLargest {
  int64_t at = -1, tap = -1;
};
template <typename T>
FirstLargest first_largest(const PoolGeometry& g, const T* x, int64_t n, const Coordinates& o, int64_t channel) {
  FirstLargest best;
  for_window(g, n, o, channel, [&](int64_t i, int64_t tap) {
    const auto candidate = wide(x[i]);
    if (best.at < 0 || candidate > wide(x[best.at]) ||
        (candidate != candidate && wide(x[best.at]) == wide(x[best.at])))
      best = {i, tap};
  });
  return best;
}

// What is picked from is the last input: x itself, or another tensor.
void run_pick(const Call& call) {
  const PoolGeometry g = PoolGeometry::of(call.in_shape(0), call.attrs);
  visit_numbers(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for_windows(g, [&](int64_t y, int64_t n, const Coordinates& o, int64_t channel) {
      call.out<T>()[y] = call.in<T>(call.in_avals.size() - 1)[first_largest(g, call.in<T>(0), n, o, channel).at];
    });
  });
}

void run_with_taken(const Call& call) {
  const PoolGeometry g = PoolGeometry::of(call.in_shape(0), call.attrs);
  visit_numbers(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for_windows(g, [&](int64_t y, int64_t n, const Coordinates& o, int64_t channel) {
      const FirstLargest largest = first_largest(g, call.in<T>(0), n, o, channel);
      call.out<T>()[y] = call.in<T>(0)[largest.at];
      call.out<uint8_t>(1)[y] = static_cast<uint8_t>(largest.tap);
    });
  });
}

// The sum of what an element gets from the windows that hold it: for each tap the one, if any, that it is this tap
// of.
template <typename T, typename Share>
void gather_shares(const Call& call, const PoolGeometry& g, Share&& share) {
  const Shape sizes{g.axis[0].size, g.axis[1].size, g.axis[2].size};
  const Shape window{g.axis[0].window, g.axis[1].window, g.axis[2].window};
  const Shape counts{g.axis[0].count(), g.axis[1].count(), g.axis[2].count()};
  for (int64_t i = 0; i < call.out_shape().elements(); ++i) {
    const int64_t n = i / g.channels / g.sizes();
    const Coordinates at(sizes, i / g.channels % g.sizes());
    Accumulator<T> sum = 0;
    for (int64_t t = 0; t < window.elements(); ++t) {
      const Coordinates tap(window, t);
      int64_t pixel = n;
      Coordinates o(counts, 0);
      bool exists = true;
      for (int a = 0; a < 3; ++a) {
        const int64_t from = at[a] + g.axis[a].low - tap[a];
        o.c[a] = from / g.axis[a].stride;
        exists &= from >= 0 && from % g.axis[a].stride == 0 && o[a] < counts[a];
        pixel = pixel * counts[a] + o[a];
      }
      if (exists) sum = plus(sum, share(i, pixel * g.channels + i % g.channels, n, o, t));
    }
    call.out<T>()[i] = rounded<T>(sum);
  }
}

void run_max_pool_grad(const Call& call) {
  const PoolGeometry g = PoolGeometry::of(call.in_shape(0), call.attrs);
  visit_numbers(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    gather_shares<T>(call, g, [&](int64_t i, int64_t y, int64_t n, const Coordinates& o, int64_t) -> Accumulator<T> {
      if (first_largest(g, call.in<T>(0), n, o, i % g.channels).at != i) return 0;
      return static_cast<Accumulator<T>>(call.in<T>(1)[y]);
    });
  });
}

void run_grad_from_taken(const Call& call) {
  const PoolGeometry g = PoolGeometry::of(call.out_shape(), call.attrs);
  visit_numbers(call.in_avals[1].dtype, [&](auto t) {
    using T = decltype(t);
    gather_shares<T>(call, g, [&](int64_t, int64_t y, int64_t, const Coordinates&, int64_t tap) -> Accumulator<T> {
      if (call.in<uint8_t>(0)[y] != tap) return 0;
      return static_cast<Accumulator<T>>(call.in<T>(1)[y]);
    });
  });
}

void run_avg_pool(const Call& call) {
  const PoolGeometry g = PoolGeometry::of(call.in_shape(0), call.attrs);
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for_windows(g, [&](int64_t y, int64_t n, const Coordinates& o, int64_t channel) {
      double sum = 0, count = 0;
      for_window(g, n, o, channel, [&](int64_t i, int64_t) {
        sum += wide(call.in<T>(0)[i]);
        ++count;
      });
      call.out<T>()[y] = rounded<T>(sum / count);
    });
  });
}

void run_avg_pool_grad(const Call& call) {
  const PoolGeometry g = PoolGeometry::of(call.out_shape(), call.attrs);
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    gather_shares<T>(call, g, [&](int64_t i, int64_t y, int64_t n, const Coordinates& o, int64_t) {
      double count = 0;
      for_window(g, n, o, i % g.channels, [&](int64_t, int64_t) { ++count; });
      return wide(call.in<T>(0)[y]) / count;
    });
  });
}

}  // namespace

void add_pooling(Registry& r) {
  add<run_pick>(r, op::max_pool);
  add<run_pick>(r, op::max_pool_pick);
  add<run_max_pool_grad>(r, op::max_pool_grad);
  add<run_with_taken>(r, op::max_pool_with_taken);
  add<run_grad_from_taken>(r, op::max_pool_grad_from_taken);
  add<run_avg_pool>(r, op::avg_pool);
  add<run_avg_pool_grad>(r, op::avg_pool_grad);
}

}  // namespace brio::reference
