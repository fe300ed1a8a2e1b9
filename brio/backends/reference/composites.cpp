// Written apart from the plain definitions, in double: a second opinion on them.
#include "brio/ops/network/composites.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "brio/backends/reference/products.h"
#include "brio/ops/network/residuals.h"

namespace brio::reference {
namespace {

double activate(FusedActivation activation, double x) {
  switch (activation) {
    case FusedActivation::none: return x;
    case FusedActivation::relu: return x > 0 || x != x ? x : 0;
    case FusedActivation::sigmoid: return 1 / (1 + std::exp(-x));
    case FusedActivation::tanh: return std::tanh(x);
  }
  return x;
}

void run_linear(const Call& call) {
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    matmul<T>(call, call.attrs[1], call.attrs[2], [&](int64_t i, int64_t column, double sum) {
      call.out<T>()[i] = rounded<T>(activate(linear_activation(call.attrs), sum + wide(call.in<T>(2)[column])));
    });
  });
}

void run_linear_sum(const Call& call) {
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    matmul<T>(call, call.attrs[0], call.attrs[1], [&](int64_t i, int64_t column, double sum) {
      if (call.in_avals.size() > 3) sum += wide(call.in<T>(3)[column]);
      call.out<T>()[i] = rounded<T>(sum + wide(call.in<T>(2)[i]));
    });
  });
}

// Rows of the last axis.
template <typename T>
struct Rows {
  const T* data;
  int64_t columns, count;

  Rows(const Call& call) : data(call.in<T>(0)), columns(call.in_shape(0)[call.in_shape(0).rank() - 1]), count(1) {
    for (int i = 0; i + 1 < call.in_shape(0).rank(); ++i) count *= call.in_shape(0)[i];
  }
  double at(int64_t row, int64_t column) const { return wide(data[row * columns + column]); }
  // log(sum(exp(row))), from which log_softmax = x - this; the largest element keeps exp from overflowing.
  double log_sum_exp(int64_t row) const {
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t c = 0; c < columns; ++c) most = at(row, c) > most || at(row, c) != at(row, c) ? at(row, c) : most;
    for (int64_t c = 0; c < columns; ++c) sum += std::exp(at(row, c) - most);
    return most + std::log(sum);
  }
};

template <bool log>
void run_softmax(const Call& call) {
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    const Rows<T> x(call);
    for (int64_t r = 0; r < x.count; ++r) {
      const double total = x.log_sum_exp(r);
      for (int64_t c = 0; c < x.columns; ++c) {
        const double value = x.at(r, c) - total;
        call.out<T>()[r * x.columns + c] = rounded<T>(log ? value : std::exp(value));
      }
    }
  });
}

// The label of a class: a probability, or whether it is the row's class.
template <typename T>
double label(const Call& call, const Rows<T>& x, int64_t row, int64_t column) {
  if (xent_is_sparse(call.attrs)) return integer_at(call.args.in[1], call.in_avals[1].dtype, row) == column;
  return wide(call.in<T>(1)[row * x.columns + column]);
}

template <bool value, bool gradient>
void run_xent(const Call& call) {
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    const Rows<T> x(call);
    if (xent_is_sparse(call.attrs)) check_labels(call.op, call.in_shape(0), call.in_avals[1].dtype, call.args.in[1]);
    for (int64_t r = 0; r < x.count; ++r) {
      const double total = x.log_sum_exp(r);
      double loss = 0, mass = 0;
      for (int64_t c = 0; c < x.columns; ++c) {
        const double z = label(call, x, r, c);
        mass += z;
        // A class that is not the row's has no part in the loss, even where its probability is 0.
        if (!xent_is_sparse(call.attrs) || z != 0) loss -= z * (x.at(r, c) - total);
      }
      const auto of_row = [&](auto v) {  // what there is one of for a row
        using V = decltype(v);
        if (value) call.out<V>(0)[r] = rounded<V>(loss);
        for (int64_t c = 0; gradient && c < x.columns; ++c) {
          const double slope = std::exp(x.at(r, c) - total) * mass - label(call, x, r, c);
          call.out<T>(value ? 1 : 0)[r * x.columns + c] = rounded<T>(slope * wide(call.in<V>(2)[r]));
        }
      };
      if (gradient) visit_floats(call.in_avals[2].dtype, of_row);
      else of_row(T());
    }
  });
}

void run_sigmoid_xent(const Call& call) {
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < call.out_shape().elements(); ++i) {
      const double x = wide(call.in<T>(0)[i]), z = wide(call.in<T>(1)[i]);
      call.out<T>()[i] = rounded<T>(std::max(x, 0.0) - x * z + std::log1p(std::exp(-std::fabs(x))));
    }
  });
}

void run_softsign(const Call& call) {
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < call.out_shape().elements(); ++i) {
      const double x = wide(call.in<T>(0)[i]);
      call.out<T>()[i] = rounded<T>(x / (1 + std::fabs(x)));
    }
  });
}

}  // namespace

void add_composites(Registry& r) {
  add<run_linear>(r, op::linear);
  add<run_linear_sum>(r, op::linear_sum);
  add<run_softmax<false>>(r, op::softmax);
  add<run_softmax<true>>(r, op::log_softmax);
  add<run_xent<true, false>>(r, op::softmax_xent);
  add<run_xent<false, true>>(r, op::softmax_xent_grad);
  add<run_xent<true, true>>(r, op::softmax_xent_value_and_grad);
  add<run_sigmoid_xent>(r, op::sigmoid_xent);
  add<run_softsign>(r, op::softsign);
}

}  // namespace brio::reference
