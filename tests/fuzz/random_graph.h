// Random graphs of the ops that training is made of, through the comparisons of check_graph.h within the tolerance of
// the dtypes used. The same graph in several sizes is run from its symbolic plan, which must have the bits of plans
// of their own. Graphs of all ops: tests/ops/random_graphs_test.cpp.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "brio/brio.h"
#include "brio/runtime/plan_cache.h"
#include "tests/fuzz/check_graph.h"

namespace brio::fuzz {

inline Array random_array(const Aval& type, std::mt19937_64& random) {
  Array array = Array::allocate(type);
  for (int64_t i = 0; i < type.shape.elements(); ++i) {
    const int eighths = std::uniform_int_distribution<int>(-16, 16)(random);
    visit(type.dtype, [&](auto t) {
      using T = decltype(t);
      if constexpr (std::is_integral_v<T>) array.as<T>()[i] = static_cast<T>(eighths / 2);
      else array.as<T>()[i] = static_cast<T>(static_cast<float>(eighths) / 8);
    });
  }
  return array;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Sample make() {
    const int n_inputs = between(1, 4);
    float_dtype_ = pick<DType>({f32, f32, f32, f32, f64, bf16, f16});
    sample_.tolerance = float_dtype_ == f64 ? 1e-11 : float_dtype_ == f32 ? 5e-5 : float_dtype_ == f16 ? 2e-2 : 1e-1;
    for (int i = 0; i < n_inputs; ++i) add_input({shape(), float_dtype_});
    if (chance(0.3)) add_input({shape(), chance(0.5) ? i32 : i64});
    const int n_nodes = between(1, 18);
    for (int i = 0; i < n_nodes; ++i) add_node();
    Graph& g = sample_.graph;
    const auto last = static_cast<ValueId>(g.values.size() - 1);
    g.outputs.push_back(last);
    for (ValueId v = 0; v < last; ++v)
      if (chance(0.15)) g.outputs.push_back(v);
    return std::move(sample_);
  }

 private:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }
  template <typename T>
  T pick(std::vector<T> choices) {
    return choices[static_cast<size_t>(between(0, static_cast<int>(choices.size()) - 1))];
  }
  const Aval& aval(ValueId v) const { return sample_.graph.values[v]; }

  Shape shape() {
    Shape s;
    const int rank = between(0, 4);
    for (int i = 0; i < rank; ++i)
      s.push_back(pick<int64_t>({1, 2, 3, 4, 5, 8, 17, chance(0.05) ? 0 : 3, chance(0.05) ? 130 : 2}));
    return s;
  }

  ValueId add_input(const Aval& type) {
    const ValueId v = sample_.graph.add_input(type, chance(0.3));
    sample_.inputs.push_back(random_array(type, random_));
    exact_.resize(sample_.graph.values.size(), false);
    exact_[v] = true;
    return v;
  }

  // A random value that satisfies `fits`; none when there is none.
  template <typename Fits>
  std::optional<ValueId> some(Fits fits) {
    std::vector<ValueId> found;
    for (ValueId v = 0; v < sample_.graph.values.size(); ++v)
      if (fits(v)) found.push_back(v);
    if (found.empty()) return std::nullopt;
    // Later values more often, so that chains grow.
    const auto at = std::max(std::uniform_int_distribution<size_t>(0, found.size() - 1)(random_),
                             std::uniform_int_distribution<size_t>(0, found.size() - 1)(random_));
    return found[at];
  }
  bool floating(ValueId v) const { return aval(v).dtype == float_dtype_; }
  bool small(ValueId v) const { return aval(v).shape.elements() <= 4096; }

  void append(const OpDef& op, std::vector<ValueId> in, std::vector<int64_t> attrs = {}, bool keeps_exact = false) {
    bool exact = keeps_exact;
    for (ValueId v : in) exact = exact && exact_[v];
    sample_.graph.add(op, std::move(in), std::move(attrs));
    exact_.resize(sample_.graph.values.size(), exact);
  }

  void add_node() {
    switch (between(0, 16)) {
      case 0:
      case 1: return unary();
      case 2:
      case 3:
      case 4: return binary();
      case 5: return reduction();
      case 6: return reshape_node();
      case 7: return transpose_node();
      case 8: return product();
      case 9: return slice_node();
      case 10: return choose_node();
      case 11: return softmax_node();
      case 12: return join();
      case 13: return number();
      case 14: return scan_node();
      case 15: return order();
      case 16: return looked_up();
    }
  }

  void unary() {
    const auto x = some([&](ValueId v) { return floating(v); });
    if (!x) return;
    append(*pick<const OpDef*>({&op::neg, &op::abs, &op::tanh, &op::sigmoid, &op::erf, &op::relu, &op::softplus,
                                &op::atan, &op::asinh, &op::softsign}),
           {*x});
    // The sine of a large number turns its last bit into another value, and others grow too fast: take them of a
    // small one.
    if (chance(0.3))
      append(*pick<const OpDef*>({&op::sin, &op::cos, &op::tan, &op::sinh, &op::cosh, &op::erfc}), {bounded(*x)});
  }
  ValueId bounded(ValueId v) {
    append(op::tanh, {v});
    return static_cast<ValueId>(sample_.graph.values.size() - 1);
  }
  void binary() {
    const auto x = some([&](ValueId v) { return floating(v) || is_integer(aval(v).dtype); });
    if (!x) return;
    const auto y = some([&](ValueId v) {
      Shape out;
      return aval(v).dtype == aval(*x).dtype && broadcast(aval(v).shape, aval(*x).shape, out) &&
             out.elements() <= 4096;
    });
    if (!y) return;
    if (is_integer(aval(*x).dtype)) {
      append(*pick<const OpDef*>({&op::add, &op::sub, &op::max, &op::min, &op::mul}), {*x, *y}, {}, true);
      return;
    }
    const OpDef* op = pick<const OpDef*>({&op::add, &op::sub, &op::mul, &op::max, &op::min, &op::squared_difference});
    append(*op, {*x, *y});
    if (chance(0.5)) append(op::tanh, {static_cast<ValueId>(sample_.graph.values.size() - 1)});
  }
  void reduction() {
    const auto x = some([&](ValueId v) { return floating(v); });
    if (!x) return;
    std::vector<int64_t> attrs{chance(0.5), 0};
    for (int i = 0; i < aval(*x).shape.rank(); ++i)
      if (chance(0.5)) attrs.push_back(i);
    attrs[1] = static_cast<int64_t>(attrs.size() - 2);
    append(*pick<const OpDef*>({&op::reduce_sum, &op::reduce_sum, &op::reduce_max, &op::reduce_min}), {*x}, attrs);
    const auto made = static_cast<ValueId>(sample_.graph.values.size() - 1);
    if (aval(*x).shape.elements() > 0) append(op::tanh, {made});
  }
  void reshape_node() {
    const auto x = some([&](ValueId) { return true; });
    std::vector<int64_t> dims;
    int64_t rest = aval(*x).shape.elements();
    for (int64_t factor : {2, 3, 5, 17})
      if (rest > 0 && rest % factor == 0 && chance(0.5)) {
        dims.push_back(factor);
        rest /= factor;
      }
    dims.push_back(rest);
    if (chance(0.3)) dims.insert(dims.begin(), 1);
    dims.insert(dims.begin(), static_cast<int64_t>(dims.size()));
    append(op::reshape, {*x}, dims, true);
  }
  void transpose_node() {
    const auto x = some([&](ValueId v) { return aval(v).shape.rank() >= 2; });
    if (!x) return;
    std::vector<int64_t> permutation(static_cast<size_t>(aval(*x).shape.rank()));
    for (size_t i = 0; i < permutation.size(); ++i) permutation[i] = static_cast<int64_t>(i);
    std::ranges::shuffle(permutation, random_);
    permutation.insert(permutation.begin(), static_cast<int64_t>(permutation.size()));
    append(op::transpose, {*x}, permutation, true);
  }
  void product() {
    const bool ta = chance(0.3), tb = chance(0.3);
    const auto a = some([&](ValueId v) { return floating(v) && aval(v).shape.rank() >= 1 && small(v); });
    if (!a) return;
    const auto b = some([&](ValueId v) {
      if (!floating(v) || aval(v).shape.rank() == 0 || !small(v)) return false;
      try {
        Graph probe;
        const ValueId pa = probe.add_input(aval(*a)), pb = probe.add_input(aval(v));
        probe.add(op::matmul, {pa, pb}, {ta, tb});
        return probe.values.back().shape.elements() <= 4096;
      } catch (const InvalidArgument&) {
        return false;
      }
    });
    if (!b) return;
    // Large operands may cancel to a small result, all of whose digits are rounding.
    const ValueId left = exact_[*a] ? *a : bounded(*a), right = exact_[*b] ? *b : bounded(*b);
    append(op::matmul, {left, right}, {ta, tb});
    const auto made = static_cast<ValueId>(sample_.graph.values.size() - 1);
    const Shape& out = aval(made).shape;
    const auto bias = some([&](ValueId v) {
      return floating(v) && aval(v).shape.rank() == 1 && out.rank() >= 1 && aval(v).shape[0] == out[out.rank() - 1];
    });
    if (bias && chance(0.7)) append(op::add, {made, *bias});
    append(*pick<const OpDef*>({&op::tanh, &op::sigmoid, &op::relu}),
           {static_cast<ValueId>(sample_.graph.values.size() - 1)});
  }
  void slice_node() {
    const auto x = some([&](ValueId v) { return aval(v).shape.rank() >= 1 && aval(v).shape.elements() > 0; });
    if (!x) return;
    std::vector<int64_t> begin, size, stride;
    for (int64_t dim : aval(*x).shape) {
      const int64_t step = chance(0.2) ? -1 : chance(0.2) ? 2 : 1;
      const int64_t from = between(0, static_cast<int>(dim - 1));
      const int64_t most = step > 0 ? (dim - from + step - 1) / step : from + 1;
      begin.push_back(chance(0.5) && step == 1 ? 0 : from);
      size.push_back(begin.back() == 0 && step == 1 && chance(0.5)
                         ? dim
                         : between(1, static_cast<int>(begin.back() == from ? most : 1)));
      stride.push_back(step);
    }
    std::vector<int64_t> attrs;
    for (const auto* list : {&begin, &size, &stride}) {
      attrs.push_back(static_cast<int64_t>(list->size()));
      attrs.insert(attrs.end(), list->begin(), list->end());
    }
    append(op::slice, {*x}, attrs, true);
  }
  // Comparisons only of values whose bits are exact: a rounding must not flip a branch.
  void choose_node() {
    const auto x = some([&](ValueId v) { return floating(v) && exact_[v]; });
    const auto y = some([&](ValueId v) {
      Shape out;
      return x && floating(v) && exact_[v] && broadcast(aval(v).shape, aval(*x).shape, out) && out.elements() <= 4096;
    });
    if (!x || !y) return;
    append(*pick<const OpDef*>({&op::less, &op::greater_equal, &op::equal}), {*x, *y});
    const auto condition = static_cast<ValueId>(sample_.graph.values.size() - 1);
    const auto a = some([&](ValueId v) {
      Shape out;
      return floating(v) && broadcast(aval(v).shape, aval(condition).shape, out) && out.elements() <= 4096;
    });
    append(op::select, {condition, *a, *x});
  }
  void softmax_node() {
    const auto x = some([&](ValueId v) {
      return floating(v) && aval(v).shape.rank() >= 1 && aval(v).shape[aval(v).shape.rank() - 1] > 0;
    });
    if (!x) return;
    append(*pick<const OpDef*>({&op::softmax, &op::log_softmax}), {bounded(*x)});
  }
  void join() {
    const auto x = some([&](ValueId v) { return aval(v).shape.rank() >= 1 && small(v); });
    if (!x) return;
    const auto axis = between(0, aval(*x).shape.rank() - 1);
    const auto y = some([&](ValueId v) {
      if (aval(v).dtype != aval(*x).dtype || aval(v).shape.rank() != aval(*x).shape.rank()) return false;
      for (int i = 0; i < aval(v).shape.rank(); ++i)
        if (i != axis && aval(v).shape[i] != aval(*x).shape[i]) return false;
      return true;
    });
    append(op::concat, {*x, *y}, {axis}, true);
  }
  void scan_node() {
    const auto x = some([&](ValueId v) { return floating(v) && aval(v).shape.rank() >= 1; });
    if (!x) return;
    append(op::cumsum, {bounded(*x)}, {between(0, aval(*x).shape.rank() - 1), chance(0.3), chance(0.3)});
    bounded(static_cast<ValueId>(sample_.graph.values.size() - 1));
  }
  // Of values whose bits are exact: a rounding must not change which comes first.
  void order() {
    const auto x = some([&](ValueId v) { return floating(v) && exact_[v] && aval(v).shape.rank() >= 1; });
    if (!x) return;
    const int last = aval(*x).shape.rank() - 1;
    const int64_t n = aval(*x).shape[last];
    if (n > 0 && chance(0.3)) return append(op::argmax, {*x}, {last, static_cast<int64_t>(i64)}, true);
    append(op::top_k, {*x}, {chance(0.5), 1, chance(0.5) ? n : between(0, static_cast<int>(n))}, true);
    append(op::iota, {}, {static_cast<int64_t>(float_dtype_), 1, n}, true);
  }
  // What the gradient of a looked-up table is, and often something that reads it as such.
  void looked_up() {
    constexpr int64_t kRows = 90;
    const auto x = some([&](ValueId v) {
      const Shape& shape = aval(v).shape;
      return floating(v) && shape.rank() >= 1 && shape[0] > 0 && shape.elements() / shape[0] <= 40;
    });
    if (!x) return;
    Shape table = aval(*x).shape;
    const auto last = [&] { return static_cast<ValueId>(sample_.graph.values.size() - 1); };
    append(op::iota, {}, {static_cast<int64_t>(i32), 1, table[0]}, true);
    const ValueId count = last(),
                  most = sample_.graph.add_constant(i32, static_cast<uint64_t>(between(0, kRows - 1)));
    const ValueId zero = sample_.graph.add_constant(float_dtype_, 0);
    exact_.resize(sample_.graph.values.size(), true);
    append(op::min, {count, most}, {}, true);
    const ValueId indices = last();
    table.set(0, kRows);
    std::vector<int64_t> dims(table.begin(), table.end());
    dims.insert(dims.begin(), table.rank());
    append(op::broadcast_to, {zero}, dims, true);
    append(op::scatter_add, {last(), indices, *x}, {0});
    const ValueId gradient = last();
    const auto weights = some([&](ValueId v) {
      Shape out;
      return v != gradient && floating(v) && broadcast(aval(v).shape, table, out) && out.elements() <= 4096;
    });
    if (weights && chance(0.7)) append(op::sub, {*weights, gradient});
    bounded(last());
  }

  void number() {
    const ValueId made = sample_.graph.add_constant(float_dtype_, Scalar(between(-4, 4) / 2.0).bits_as(float_dtype_));
    exact_.resize(sample_.graph.values.size(), false);
    exact_[made] = true;
  }

  std::mt19937_64 random_;
  Sample sample_;
  DType float_dtype_ = f32;
  std::vector<bool> exact_;
};

// One seed through all the comparisons; the report of the first that fails.
inline std::string check(uint64_t seed) {
  const Sample sample = Generator(seed).make();
  return check(sample, seed, [&](const std::vector<Array>& actual, const std::vector<Array>& reference) {
    return difference(actual, reference, sample.tolerance);
  });
}

// The sample with n in the place of 17, in shapes and in the attributes that follow them; none where that is no
// graph.
constexpr int64_t kBatch = 17;
inline std::optional<Sample> resized(const Sample& sample, int64_t n, uint64_t seed) {
  const auto scale = [&](int64_t size) { return size % kBatch == 0 ? size / kBatch * n : size; };
  std::mt19937_64 random(seed + static_cast<uint64_t>(n));
  Sample result{{}, {}, sample.tolerance};
  for (const Graph::Input& input : sample.graph.inputs) {
    Aval type = sample.graph.values[input.value];
    for (int i = 0; i < type.shape.rank(); ++i) type.shape.set(i, scale(type.shape[i]));
    result.graph.add_input(type, input.donated);
    result.inputs.push_back(random_array(type, random));
  }
  for (const Node& node : sample.graph.nodes) {
    std::vector<int64_t> attrs = node.attrs;
    size_t at = 0;
    for (const AttrSpec& spec : node.op->attrs) {
      const int64_t count = is_list(spec.kind) ? attrs[at++] : 1;
      for (int64_t i = 0; i < count; ++i, ++at)
        if (spec.kind == AttrKind::extents) attrs[at] = scale(attrs[at]);
    }
    try {
      result.graph.add(*node.op, node.in, std::move(attrs));
    } catch (const InvalidArgument&) {
      return std::nullopt;
    }
  }
  result.graph.outputs = sample.graph.outputs;
  return result;
}

inline std::string check_sizes(uint64_t seed) {
  const Sample sample = Generator(seed).make();
  Device& device = registry().host();
  clear_symbolic_plans();
  std::vector<std::shared_ptr<const Plan>> kept;  // a plan that is gone is no sample
  for (int64_t n : {17, 40, 23, 18, 101, 26, 19}) {
    const auto other = resized(sample, n, seed);
    if (!other) return {};
    const MadePlan made = make_plan(other->graph, device);
    kept.push_back(made.plan);
    if (auto p = difference(run(made.plan, *other), run(Plan::make(other->graph, device), *other), -1); !p.empty())
      return cat("seed ", seed, ": size ", n, ": ", made.note, ": ", p, "\n", other->graph.str());
  }
  return {};
}

}  // namespace brio::fuzz
