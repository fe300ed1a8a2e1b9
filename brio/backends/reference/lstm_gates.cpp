// Written apart from the plain definition, in double.
#include "brio/ops/network/lstm_gates.h"

#include <cmath>

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

double squashed(double x) { return 1 / (1 + std::exp(-x)); }

// One unit of one row: its gates and its new state.
struct LstmUnit {
  double before, in, forget, candidate, out, c;
  template <typename T>
  LstmUnit(const T* x, const T* product, int64_t units, T state) : before(static_cast<double>(wide(state))) {
    const auto z = [&](int64_t gate) {
      return static_cast<double>(wide(x[gate * units])) + static_cast<double>(wide(product[gate * units]));
    };
    in = squashed(z(0)), forget = squashed(z(1)), candidate = std::tanh(z(2)), out = squashed(z(3));
    c = forget * before + in * candidate;
  }
};

// f(unit, its number, where its first gate is), for all of them.
template <typename T, typename F>
void for_lstm_units(const Call& call, F f) {
  const Shape& c = call.in_shape(2);
  const int64_t units = c[c.rank() - 1];
  for (int64_t i = 0; i < c.elements(); ++i) {
    const int64_t at = i / units * 4 * units + i % units;
    f(LstmUnit(call.in<T>(0) + at, call.in<T>(1) + at, units, call.in<T>(2)[i]), i, at, units);
  }
}

void run_lstm_gates(const Call& call) {
  visit_floats(call.in_avals[2].dtype, [&](auto t) {
    using T = decltype(t);
    for_lstm_units<T>(call, [&](const LstmUnit& unit, int64_t i, int64_t, int64_t) {
      static_cast<T*>(call.args.out[0])[i] = rounded<T>(unit.out * std::tanh(unit.c));
      static_cast<T*>(call.args.out[1])[i] = rounded<T>(unit.c);
    });
  });
}

void run_lstm_gates_grad(const Call& call) {
  visit_floats(call.in_avals[2].dtype, [&](auto t) {
    using T = decltype(t);
    for_lstm_units<T>(call, [&](const LstmUnit& u, int64_t i, int64_t at, int64_t units) {
      const double dh = static_cast<double>(wide(call.in<T>(3)[i])), active = std::tanh(u.c);
      const double dc = static_cast<double>(wide(call.in<T>(4)[i])) + dh * u.out * (1 - active * active);
      const double dz[] = {dc * u.candidate * u.in * (1 - u.in), dc * u.before * u.forget * (1 - u.forget),
                           dc * u.in * (1 - u.candidate * u.candidate), dh * active * u.out * (1 - u.out)};
      for (int64_t gate = 0; gate < 4; ++gate)
        static_cast<T*>(call.args.out[0])[at + gate * units] = rounded<T>(dz[gate]);
      static_cast<T*>(call.args.out[1])[i] = rounded<T>(dc * u.forget);
    });
  });
}

}  // namespace

void add_lstm_gates(Registry& r) {
  add<run_lstm_gates>(r, op::lstm_gates);
  add<run_lstm_gates_grad>(r, op::lstm_gates_grad);
}

}  // namespace brio::reference
