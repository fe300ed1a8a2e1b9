// One row of weights at a time, in double: a second opinion on the plain form.
#include "brio/ops/network/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "brio/backends/reference/kernel.h"
#include "brio/base/philox.h"

namespace brio::reference {
namespace {

template <typename T>
struct Attention {
  const Call& call;
  const AttentionForm form;
  RandomStream stream = {};
  std::vector<double> weights, kept;  // of one query: softmax, and what dropout multiplies it by
  std::vector<bool> visible;
  double log_sum = 0;  // log(sum(exp(logits)))

  explicit Attention(const Call& of) : Attention(of, of.attrs) {}
  Attention(const Call& of, Attrs attrs)
      : call(of),
        form(attrs, of.in_shape(0), of.in_shape(1), of.in_shape(2)),
        weights(static_cast<size_t>(form.keys)),
        kept(weights.size(), 1.0),
        visible(weights.size(), true) {
    if (form.dropout > 0)
      stream = {*call.in<uint64_t>(form.random),
                *call.in<uint64_t>(form.random + 1) + static_cast<uint64_t>(form.offset)};
  }

  // Element 0 of the vector of position `at` and head h in input i or an output of its shape.
  int64_t vector(const Shape& shape, int64_t b, int64_t at, int64_t h) const {
    return ((b * shape[1] + at) * shape[2] + h) * shape[3];
  }
  int64_t key_head(int64_t h) const { return h / form.group(); }
  double dot(const T* a, const T* b, int64_t n) const {
    double sum = 0;
    for (int64_t d = 0; d < n; ++d) sum += static_cast<double>(wide(a[d])) * static_cast<double>(wide(b[d]));
    return sum;
  }
  const T* query(int64_t b, int64_t t, int64_t h) const { return call.in<T>(0) + vector(call.in_shape(0), b, t, h); }
  const T* key(int64_t b, int64_t s, int64_t h) const {
    return call.in<T>(1) + vector(call.in_shape(1), b, s, key_head(h));
  }
  const T* value(int64_t b, int64_t s, int64_t h) const {
    return call.in<T>(2) + vector(call.in_shape(2), b, s, key_head(h));
  }

  void make_weights(int64_t b, int64_t h, int64_t t) {
    double most = -std::numeric_limits<double>::infinity(), total = 0;
    for (int64_t s = 0; s < form.keys; ++s) {
      const auto i = static_cast<size_t>(s);
      const int64_t position = ((b * form.heads + h) * form.queries + t) * form.keys + s;
      const auto at = [&](size_t input) {
        return broadcast_position(call.in_shape(input), form.weights(), position);
      };
      weights[i] = dot(query(b, t, h), key(b, s, h), form.depth) * form.scale;
      if (form.has_bias) weights[i] += wide(call.in<T>(form.bias)[at(form.bias)]);
      visible[i] = (!form.has_mask || call.in<bool>(form.mask)[at(form.mask)]) && (!form.causal || s <= t);
      if (!visible[i]) weights[i] = kMaskedLogit;
      if (form.dropout > 0)
        kept[i] = static_cast<double>(stream.uniform_f32(static_cast<uint64_t>(position))) >=
                          static_cast<double>(static_cast<float>(form.dropout))
                      ? 1 / (1 - form.dropout)
                      : 0;
      most = weights[i] > most || weights[i] != weights[i] ? weights[i] : most;
    }
    for (double& w : weights) total += w = std::exp(w - most);
    for (double& w : weights) w /= total;
    log_sum = most + std::log(total);
  }

  template <typename F>
  void each_query(F&& f) {
    for (int64_t b = 0; b < form.batch; ++b)
      for (int64_t h = 0; h < form.heads; ++h)
        for (int64_t t = 0; t < form.queries; ++t) {
          make_weights(b, h, t);
          f(b, h, t);
        }
  }
};

void run_attention(const Call& call) {
  visit_floats(call.in_avals[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    Attention<T> a(call);
    a.each_query([&](int64_t b, int64_t h, int64_t t) {
      T* out = call.out<T>() + a.vector(call.out_shape(), b, t, h);
      for (int64_t d = 0; d < a.form.value_depth; ++d) {
        double sum = 0;
        for (int64_t s = 0; s < a.form.keys; ++s) {
          const auto i = static_cast<size_t>(s);
          sum += a.weights[i] * a.kept[i] * static_cast<double>(wide(a.value(b, s, h)[d]));
        }
        out[d] = rounded<T>(sum);
      }
    });
  });
}

void run_with_sums(const Call& call) {
  const std::vector<int64_t> words = attention_attributes(call.attrs);
  visit_floats(call.in_avals[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    using S = std::conditional_t<std::is_same_v<T, double>, double, float>;
    Attention<T> a(call, Attrs(words));
    a.each_query([&](int64_t b, int64_t h, int64_t t) {
      T* out = call.out<T>() + a.vector(call.out_shape(), b, t, h);
      for (int64_t d = 0; d < a.form.value_depth; ++d) {
        double value = 0;
        for (int64_t s = 0; s < a.form.keys; ++s)
          value += a.weights[static_cast<size_t>(s)] * static_cast<double>(wide(a.value(b, s, h)[d]));
        out[d] = rounded<T>(value);
      }
      call.out<S>(1)[(b * a.form.heads + h) * a.form.queries + t] = static_cast<S>(a.log_sum);
    });
  });
}

void run_grad_from_sums(const Call& call) {
  const std::vector<int64_t> words = attention_attributes(call.attrs);
  visit_floats(call.in_avals[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    using S = std::conditional_t<std::is_same_v<T, double>, double, float>;
    Attention<T> a(call, Attrs(words));
    std::vector<double> sums[3];
    for (size_t i = 0; i < 3; ++i) sums[i].resize(static_cast<size_t>(call.in_shape(i).elements()));
    a.each_query([&](int64_t b, int64_t h, int64_t t) {
      const T* cotangent = call.in<T>(5) + a.vector(call.in_shape(5), b, t, h);
      const T* result = call.in<T>(3) + a.vector(call.in_shape(3), b, t, h);
      const double given = call.in<S>(4)[(b * a.form.heads + h) * a.form.queries + t];
      const double mean = a.dot(cotangent, result, a.form.value_depth);
      const auto add = [&](size_t input, int64_t at, int64_t head, double factor, const T* x, int64_t n) {
        double* to = sums[input].data() + a.vector(call.in_shape(input), b, at, head);
        for (int64_t d = 0; d < n; ++d) to[d] += factor * static_cast<double>(wide(x[d]));
      };
      for (int64_t s = 0; s < a.form.keys; ++s) {
        const auto i = static_cast<size_t>(s);
        const double weight = a.weights[i] * std::exp(a.log_sum - given);
        const double slope = a.dot(cotangent, a.value(b, s, h), a.form.value_depth) - mean;
        const double of_logit = a.visible[i] ? weight * slope * a.form.scale : 0;
        add(0, t, h, of_logit, a.key(b, s, h), a.form.depth);
        add(1, s, a.key_head(h), of_logit, a.query(b, t, h), a.form.depth);
        add(2, s, a.key_head(h), weight, cotangent, a.form.value_depth);
      }
    });
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < sums[i].size(); ++j) call.out<T>(i)[j] = rounded<T>(sums[i][j]);
  });
}

void run_attention_grad(const Call& call) {
  visit_floats(call.in_avals[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    Attention<T> a(call);
    std::vector<double> sums[3];
    for (size_t i = 0; i < 3; ++i) sums[i].resize(static_cast<size_t>(call.in_shape(i).elements()));
    std::vector<double> slopes(static_cast<size_t>(a.form.keys));
    a.each_query([&](int64_t b, int64_t h, int64_t t) {
      const size_t cotangent_input = a.form.inputs;
      const T* cotangent = call.in<T>(cotangent_input) + a.vector(call.in_shape(cotangent_input), b, t, h);
      double mean = 0;
      for (size_t i = 0; i < slopes.size(); ++i) {
        slopes[i] = a.kept[i] * a.dot(cotangent, a.value(b, static_cast<int64_t>(i), h), a.form.value_depth);
        mean += a.weights[i] * slopes[i];
      }
      const auto add = [&](size_t input, int64_t at, int64_t head, double factor, const T* x, int64_t n) {
        double* to = sums[input].data() + a.vector(call.in_shape(input), b, at, head);
        for (int64_t d = 0; d < n; ++d) to[d] += factor * static_cast<double>(wide(x[d]));
      };
      for (size_t i = 0; i < slopes.size(); ++i) {
        const auto s = static_cast<int64_t>(i);
        const double slope = a.visible[i] ? a.weights[i] * (slopes[i] - mean) * a.form.scale : 0;
        add(0, t, h, slope, a.key(b, s, h), a.form.depth);
        add(1, s, a.key_head(h), slope, a.query(b, t, h), a.form.depth);
        add(2, s, a.key_head(h), a.weights[i] * a.kept[i], cotangent, a.form.value_depth);
      }
    });
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < sums[i].size(); ++j) call.out<T>(i)[j] = rounded<T>(sums[i][j]);
  });
}

}  // namespace

void add_attention(Registry& r) {
  add<run_attention>(r, op::scaled_dot_product_attention);
  add<run_attention_grad>(r, op::scaled_dot_product_attention_grad);
  add<run_with_sums>(r, op::attention_with_sums);
  add<run_grad_from_sums>(r, op::attention_grad_from_sums);
}

}  // namespace brio::reference
