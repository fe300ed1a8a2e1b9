// Every element of the result is one sum, over what the definition y[n, o, c] = Σ x[n, o · stride + k · dilation -
// low, i] · filter[k, i, c] pairs it with.
#include "brio/ops/network/convolution.h"

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

// Positions in x, filter and y along the spatial axes.
struct Position {
  int64_t at[3];
  static Position of(int64_t index, int64_t size1, int64_t size2) {
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there is an index only where no size is 0
    return {{index / (size1 * size2), index / size2 % size1, index % size2}};
  }
};

struct Sizes : ConvGeometry {
  Position y_at(int64_t index) const { return Position::of(index, axis[1].count(), axis[2].count()); }
  Position tap_at(int64_t index) const { return Position::of(index, axis[1].window, axis[2].window); }
  Position x_at(int64_t index) const { return Position::of(index, axis[1].size, axis[2].size); }

  // Where window o's tap lies in x; -1: in the padding.
  int64_t x_of(const Position& o, const Position& tap) const {
    int64_t index = 0;
    for (int a = 0; a < 3; ++a) {
      const int64_t i = axis[a].position(o.at[a], tap.at[a]);
      if (i < 0 || i >= axis[a].size) return -1;
      index = index * axis[a].size + i;
    }
    return index;
  }
  // The window whose tap lies at x's position i; -1: none.
  int64_t y_of(const Position& i, const Position& tap) const {
    int64_t index = 0;
    for (int a = 0; a < 3; ++a) {
      const int64_t from = i.at[a] + axis[a].low - tap.at[a] * axis[a].dilation;
      if (from < 0 || from % axis[a].stride != 0 || from / axis[a].stride >= axis[a].count()) return -1;
      index = index * axis[a].count() + from / axis[a].stride;
    }
    return index;
  }
};

template <typename T>
struct Operands {
  const Call& call;
  Sizes s{ConvGeometry::of(call.op, call.in_shape(0), call.in_shape(1), call.out_shape(), call.attrs)};
  using A = Accumulator<T>;

  int64_t x_index(int64_t n, int64_t i, int64_t channel) const {
    return (n * s.sizes() + i) * s.in_channels() + channel;
  }
  int64_t y_index(int64_t n, int64_t o, int64_t channel) const {
    return (n * s.counts() + o) * s.out_channels() + channel;
  }
  int64_t filter_index(int64_t tap, int64_t in, int64_t channel) const {
    return (tap * s.in + in) * s.out_channels() + channel;
  }
  A product(int64_t a, int64_t b) const {
    return times(static_cast<A>(call.in<T>(0)[a]), static_cast<A>(call.in<T>(1)[b]));
  }
  void store(int64_t at, A sum) const { call.out<T>()[at] = rounded<T>(sum); }
};

template <typename T>
void conv(const Operands<T>& p) {
  const Sizes& s = p.s;
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t o = 0; o < s.counts(); ++o)
      for (int64_t c = 0; c < s.out_channels(); ++c) {
        Accumulator<T> sum = 0;
        for (int64_t tap = 0; tap < s.taps(); ++tap) {
          const int64_t i = s.x_of(s.y_at(o), s.tap_at(tap));
          for (int64_t in = 0; i >= 0 && in < s.in; ++in)
            sum = plus(sum, p.product(p.x_index(n, i, c / s.out * s.in + in), p.filter_index(tap, in, c)));
        }
        p.store(p.y_index(n, o, c), sum);
      }
}

template <typename T>
void input_grad(const Operands<T>& p) {
  const Sizes& s = p.s;
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t i = 0; i < s.sizes(); ++i)
      for (int64_t c = 0; c < s.in_channels(); ++c) {
        Accumulator<T> sum = 0;
        for (int64_t tap = 0; tap < s.taps(); ++tap) {
          const int64_t o = s.y_of(s.x_at(i), s.tap_at(tap)), first = c / s.in * s.out;
          for (int64_t out = first; o >= 0 && out < first + s.out; ++out)
            sum = plus(sum, p.product(p.filter_index(tap, c % s.in, out), p.y_index(n, o, out)));
        }
        p.store(p.x_index(n, i, c), sum);
      }
}

template <typename T>
void filter_grad(const Operands<T>& p) {
  const Sizes& s = p.s;
  for (int64_t tap = 0; tap < s.taps(); ++tap)
    for (int64_t in = 0; in < s.in; ++in)
      for (int64_t c = 0; c < s.out_channels(); ++c) {
        Accumulator<T> sum = 0;
        for (int64_t n = 0; n < s.batch; ++n)
          for (int64_t o = 0; o < s.counts(); ++o)
            if (const int64_t i = s.x_of(s.y_at(o), s.tap_at(tap)); i >= 0)
              sum = plus(sum, p.product(p.x_index(n, i, c / s.out * s.in + in), p.y_index(n, o, c)));
        p.store(p.filter_index(tap, in, c), sum);
      }
}

void run_conv(const Call& call) {
  visit_numbers(call.in_avals[0].dtype, [&](auto t) { conv<decltype(t)>({call}); });
}
void run_input_grad(const Call& call) {
  visit_numbers(call.in_avals[0].dtype, [&](auto t) { input_grad<decltype(t)>({call}); });
}
void run_filter_grad(const Call& call) {
  visit_numbers(call.in_avals[0].dtype, [&](auto t) { filter_grad<decltype(t)>({call}); });
}

}  // namespace

void add_convolutions(Registry& r) {
  add<run_conv>(r, op::conv);
  add<run_input_grad>(r, op::conv_input_grad);
  add<run_filter_grad>(r, op::conv_filter_grad);
}

}  // namespace brio::reference
