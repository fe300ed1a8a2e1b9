// Keras' formulas in Keras' order, each step rounded to the parameters' dtype.
#include "brio/ops/network/optimizer_ops.h"

#include <cmath>

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

// A number that is rounded to T after every operation.
template <typename T>
struct Rounded {
  Wide<T> value;
  Rounded(Wide<T> x) : value(wide(static_cast<T>(x))) {}
  friend Rounded operator+(Rounded a, Rounded b) { return a.value + b.value; }
  friend Rounded operator-(Rounded a, Rounded b) { return a.value - b.value; }
  friend Rounded operator*(Rounded a, Rounded b) { return a.value * b.value; }
  friend Rounded operator/(Rounded a, Rounded b) { return a.value / b.value; }
  friend Rounded sqrt(Rounded a) { return std::sqrt(a.value); }
  friend Rounded pow(Rounded a, Rounded b) { return std::pow(a.value, b.value); }
  friend Rounded max(Rounded a, Rounded b) { return a.value > b.value || a.value != a.value ? a : b; }
};

// Runs body(update of T) for every element of every parameter.
template <typename T>
struct Update {
  const Call& call;
  UpdateLayout layout = UpdateLayout::of(call.op, call.attrs, call.in_avals.size());
  size_t tensor = 0;
  int64_t element = 0;

  Rounded<T> scalar(size_t i) const { return static_cast<Wide<T>>(*call.in<double>(i)); }
  Rounded<T> one_minus(size_t i) const { return static_cast<Wide<T>>(1.0 - *call.in<double>(i)); }
  Rounded<T> get(size_t kind) const {
    const size_t i = layout.in(kind, tensor);
    if (kind != 1) return wide(call.in<T>(i)[element]);
    const int64_t at = layout.is_spread(tensor) ? in_rows() : element;
    const DType dtype = call.in_avals[i].dtype;  // of 16 bits, it may be
    if (dtype == f16) return static_cast<Wide<T>>(wide(call.in<Half>(i)[at]));
    if (dtype == bf16) return static_cast<Wide<T>>(wide(call.in<BFloat16>(i)[at]));
    return wide(call.in<T>(i)[at]);
  }
  int64_t in_rows() const {  // where the element is in a gradient that is rows
    const Shape &table = call.out_shape(tensor), &rows = call.in_shape(layout.in(1, tensor));
    const int64_t width = table.elements() / table[0], last = rows[0] - 1;
    const int64_t place = call.in<int32_t>(layout.places(tensor))[element / width];
    return (place < 0 || place > last ? last : place) * width + element % width;
  }
  Rounded<T> set(size_t kind, Rounded<T> x) const {
    call.out<T>(layout.out(kind, tensor))[element] = static_cast<T>(x.value);
    return x;
  }
  Rounded<T> param() const {  // after its decay
    const Rounded<T> p = get(0);
    return layout.decays ? p - p * scalar(layout.decay()) * scalar(0) : p;
  }
  template <typename Body>
  void for_each(Body&& body) {
    const bool runs = !layout.gated || *call.in<bool>(layout.gate());
    for (tensor = 0; tensor < layout.n; ++tensor)
      for (element = 0; element < call.out_shape(tensor).elements(); ++element) {
        if (runs) body();
        else
          for (size_t kind = 0; kind < 2 + layout.slots; ++kind)
            if (kind != 1) set(kind, get(kind));
      }
  }
};

void run_sgd(const Call& call) {
  const bool nesterov = call.attrs[0], has_momentum = call.attrs[1];
  visit_floats(call.out_avals[0].dtype, [&](auto t) {
    Update<decltype(t)> u{call};
    const auto rate = u.scalar(0), momentum = u.scalar(1);
    u.for_each([&] {
      const auto p = u.param(), step = u.get(1) * rate;
      if (!has_momentum) {
        u.set(0, p - step);
        return;
      }
      const auto m = u.set(2, u.get(2) * momentum - step);
      u.set(0, nesterov ? p + (m * momentum - step) : p + m);
    });
  });
}

void run_rmsprop(const Call& call) {
  const bool centered = call.attrs[0], has_momentum = call.attrs[1];
  visit_floats(call.out_avals[0].dtype, [&](auto t) {
    Update<decltype(t)> u{call};
    const auto rate = u.scalar(0), rho = u.scalar(1), momentum = u.scalar(2), epsilon = u.scalar(3);
    const auto rest = u.one_minus(1);
    u.for_each([&] {
      const auto p = u.param(), g = u.get(1);
      auto denominator = u.set(2, rho * u.get(2) + rest * (g * g));
      if (centered) {
        const size_t kind = has_momentum ? 4 : 3;
        const auto average = u.set(kind, rho * u.get(kind) + rest * g);
        denominator = denominator - average * average;
      }
      const auto increment = rate * g / sqrt(denominator + epsilon);
      u.set(0, p - (has_momentum ? u.set(3, momentum * u.get(3) + increment) : increment));
    });
  });
}

void run_adam(const Call& call) {
  const bool amsgrad = call.attrs[0];
  visit_floats(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    Update<T> u{call};
    const Rounded<T> one = Wide<T>(1), step = static_cast<Wide<T>>(*call.in<int64_t>(1) + 1);
    const auto alpha = u.scalar(0) * sqrt(one - pow(u.scalar(3), step)) / (one - pow(u.scalar(2), step));
    const auto rest_1 = u.one_minus(2), rest_2 = u.one_minus(3), epsilon = u.scalar(4);
    u.for_each([&] {
      const auto p = u.param(), g = u.get(1), m0 = u.get(2), v0 = u.get(3);
      const auto m = u.set(2, m0 + (g - m0) * rest_1);
      auto v = u.set(3, v0 + (g * g - v0) * rest_2);
      if (amsgrad) v = u.set(4, max(u.get(4), v));
      u.set(0, p - m * alpha / (sqrt(v) + epsilon));
    });
  });
}

}  // namespace

void add_optimizer_ops(Registry& r) {
  add<run_sgd>(r, op::sgd_update);
  add<run_rmsprop>(r, op::rmsprop_update);
  add<run_adam>(r, op::adam_update);
}

}  // namespace brio::reference
