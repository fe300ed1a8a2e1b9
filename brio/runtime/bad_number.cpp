#include "brio/runtime/bad_number.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/ops/control/control.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

bool has_fractions(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

// In float64, so that nothing is rounded on the way; complex ones as pairs.
std::vector<double> numbers_of(const Tensor& x) {
  const Array& array = x.array();
  const auto n = static_cast<size_t>(int64_t{x.size()});
  const auto all = [&]<typename T>(const T* from, size_t count) { return std::vector<double>(from, from + count); };
  switch (x.dtype()) {
    case f32: return all(array.as<float>(), n);
    case f64: return all(array.as<double>(), n);
    case DType::c64: return all(array.as<float>(), 2 * n);
    case DType::c128: return all(array.as<double>(), 2 * n);
    default: return numbers_of(cast(x, f64));
  }
}

// An effect that gives nothing but its token would happen once more.
bool is_only_effect(const Graph& graph, const Node& node) {
  return !node.out.empty() && std::ranges::all_of(node.out, [&](ValueId v) { return is_token(graph.values[v]); });
}

class OpByOp {
 public:
  OpByOp(const Graph& graph, const std::vector<Tensor>& inputs) : g_(graph), values_(graph.values.size()) {
    for (size_t i = 0; i < inputs.size(); ++i) values_[g_.inputs[i].value] = inputs[i];
    uses_.assign(g_.values.size(), 0);
    for (const Node& node : g_.nodes)
      for (const ValueId v : node.in) ++uses_[v];
  }

  // Calls f(node number, its inputs, its outputs) after each node, until it returns false.
  template <typename F>
  void run(F&& f) {
    for (size_t n = 0; n < g_.nodes.size(); ++n) {
      const Node& node = g_.nodes[n];
      std::vector<Tensor> in, out;
      for (const ValueId v : node.in) in.push_back(values_[v]);
      if (is_only_effect(g_, node)) {
        for (const ValueId v : node.out) out.push_back(empty_token(g_.values[v]));
      } else {
        std::vector<TensorImpl*> impls;
        for (const Tensor& x : in) impls.push_back(x.impl());
        out = record_many(*node.op, impls, node.attrs, node.graphs);
        flush();
      }
      for (size_t i = 0; i < out.size(); ++i) values_[node.out[i]] = out[i];
      if (!f(n, in, out)) return;
      for (const ValueId v : node.in)
        if (--uses_[v] == 0) values_[v] = {};
      for (const ValueId v : node.out)
        if (uses_[v] == 0) values_[v] = {};
    }
  }

 private:
  static Tensor empty_token(const Aval& aval) { return Tensor(Array::allocate(aval)); }

  const Graph& g_;
  std::vector<Tensor> values_;
  std::vector<uint32_t> uses_;
};

}  // namespace

bool all_finite(const Tensor& x) {
  if (!has_fractions(x.dtype())) return true;
  return std::ranges::all_of(numbers_of(x), [](double v) { return std::isfinite(v); });
}

std::vector<int64_t> rows_not_finite(const Tensor& x) {
  std::vector<int64_t> rows;
  if (x.rank() == 0 || !has_fractions(x.dtype())) return rows;
  const std::vector<double> all = numbers_of(x);
  const int64_t n = x.shape()[0];
  const size_t width = n > 0 ? all.size() / static_cast<size_t>(n) : 0;
  for (int64_t row = 0; row < n; ++row) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(row) * width);
    if (!std::all_of(first, first + static_cast<std::ptrdiff_t>(width), [](double v) { return std::isfinite(v); }))
      rows.push_back(row);
  }
  return rows;
}

NumberStats stats_of(const Tensor& x) {
  NumberStats s;
  double sum = 0;
  int64_t finite = 0;
  for (const double v : numbers_of(x)) {
    ++s.count;
    s.nan += std::isnan(v) ? 1 : 0;
    s.inf += std::isinf(v) ? 1 : 0;
    if (!std::isfinite(v)) continue;
    s.min = finite == 0 ? v : std::min(s.min, v);
    s.max = finite == 0 ? v : std::max(s.max, v);
    sum += v;
    ++finite;
  }
  s.mean = finite > 0 ? sum / static_cast<double>(finite) : 0;
  return s;
}

std::string NumberStats::str() const {
  char text[160];
  if (nan + inf == count) std::snprintf(text, sizeof text, "none of %lld is finite", static_cast<long long>(count));
  else std::snprintf(text, sizeof text, "min %.4g, max %.4g, mean %.4g", min, max, mean);
  std::string all = text;
  if (nan > 0) all += cat(", ", nan, " nan");
  if (inf > 0) all += cat(", ", inf, " inf");
  return all;
}

std::optional<BadNumber> first_bad_number(const Graph& graph, const std::vector<Tensor>& inputs) {
  BRIO_CHECK(inputs.size() == graph.inputs.size(), "got ", inputs.size(), " inputs for a graph of ",
             graph.inputs.size());
  // First which values are not finite, and what makes them;
  std::vector<bool> bad(graph.values.size());
  std::vector<size_t> maker(graph.values.size(), BadNumber::kNone);
  for (size_t i = 0; i < inputs.size(); ++i) bad[graph.inputs[i].value] = !all_finite(inputs[i]);
  OpByOp(graph, inputs).run([&](size_t n, const std::vector<Tensor>&, const std::vector<Tensor>& out) {
    for (size_t i = 0; i < out.size(); ++i) {
      bad[graph.nodes[n].out[i]] = !all_finite(out[i]);
      maker[graph.nodes[n].out[i]] = n;
    }
    return true;
  });
  // then back from the results to where that began. A constant that is infinite is meant to be.
  std::vector<ValueId> left;
  std::vector<bool> seen(graph.values.size());
  const auto follow = [&](ValueId v) {
    if (bad[v] && !seen[v]) left.push_back(v);
    seen[v] = true;
  };
  for (const ValueId v : graph.outputs) follow(v);
  BadNumber first;
  while (!left.empty()) {
    const ValueId v = left.back();
    left.pop_back();
    if (maker[v] == BadNumber::kNone) {
      for (size_t i = 0; i < graph.inputs.size(); ++i)
        if (graph.inputs[i].value == v) first.input = std::min(first.input, i);
      continue;
    }
    const Node& node = graph.nodes[maker[v]];
    const bool made_here = std::ranges::none_of(node.in, [&](ValueId in) { return bool{bad[in]}; });
    if (made_here && node.op != &op::constant) first.node = std::min(first.node, maker[v]);
    for (const ValueId in : node.in) follow(in);
  }
  if (first.input != BadNumber::kNone) {
    first.node = BadNumber::kNone;
    first.out = {inputs[first.input]};
    return first;
  }
  if (first.node == BadNumber::kNone) return {};
  OpByOp(graph, inputs).run([&](size_t n, const std::vector<Tensor>& in, const std::vector<Tensor>& out) {
    if (n != first.node) return true;
    first.in = in;
    first.out = out;
    return false;
  });
  return first;
}

}  // namespace brio
