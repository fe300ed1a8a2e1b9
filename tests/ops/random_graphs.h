// Random graphs of all ops: every node is a case of an OpTest, fed by the graph's earlier values where that makes
// sense, through the comparisons of tests/fuzz/check_graph.h. An op of the table is drawn by having cases.
//
// What may feed what needs no list of ops. The generator runs the reference as it goes and keeps, per element, how
// far an implementation may be from it: its own rounding as the harness allows it, and what the errors of the inputs
// become, which is found by moving them. A node whose results jump or whose errors swell is refused those inputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brio/brio.h"
#include "brio/runtime/interpret.h"
#include "brio/tensor/complex.h"
#include "tests/fuzz/check_graph.h"
#include "tests/ops/harness.h"
#include "tests/ops/known_value.h"

namespace brio::testing::random_graphs {

class Generator {
 public:
  explicit Generator(uint64_t seed) : rng_(seed) {}

  // Some nodes of any op, then one of each of these.
  void make(std::initializer_list<const OpTest*> last) {
    for (int64_t n = rng_.range(3, 9); n > 0; --n) add_case(*pick(op_tests()));
    for (const OpTest* test : last) add_case(*test);
    put_inputs_first();
    Graph& g = sample.graph;
    std::vector<bool> read(g.values.size());
    for (const Node& node : g.nodes)
      for (ValueId v : node.in) read[v] = true;
    for (ValueId v = 0; v < g.values.size(); ++v)
      if (rng_.chance(read[v] ? 0.15 : 0.9)) g.outputs.push_back(v);
  }

  std::string difference(const std::vector<Array>& actual, const std::vector<Array>& reference) const {
    for (size_t k = 0; k < actual.size(); ++k) {
      const std::vector<double>& error = known_[sample.graph.outputs[k]].error;
      if (!(actual[k].aval == reference[k].aval)) return cat("output ", k, " has another type");
      if (relative_tolerance(actual[k].aval.dtype) == 0) {  // a double does not hold every integer
        if (const std::string p = fuzz::difference({actual[k]}, {reference[k]}, -1); !p.empty())
          return cat("output ", k, " (%", sample.graph.outputs[k], "): ", p);
        continue;
      }
      for (int64_t i = 0; i < actual[k].aval.shape.elements(); ++i) {
        const Number x = number_at(actual[k], i), y = number_at(reference[k], i);
        const double most = error.empty() ? 0 : error[static_cast<size_t>(i)];
        if (!same(x, y) && !(std::abs(x - y) <= most))
          return cat("output ", k, " (%", sample.graph.outputs[k], ") element ", i, ": ", x, " against ", y,
                     ", which may be off by ", most);
      }
    }
    return {};
  }

  fuzz::Sample sample;
  std::set<const OpDef*> drawn, fed;  // ops that are there; those with an input that another node computes

 private:
  template <typename T>
  const T* pick(const std::vector<T>& choices) {
    return &choices[static_cast<size_t>(rng_.range(0, static_cast<int64_t>(choices.size()) - 1))];
  }
  const Aval& aval(ValueId v) const { return sample.graph.values[v]; }

  // A random value that satisfies `fits`, later ones more often, so that chains grow.
  template <typename Fits>
  std::optional<ValueId> some(Fits fits) {
    std::vector<ValueId> found;
    for (ValueId v = 0; v < known_.size(); ++v)
      if (fits(v)) found.push_back(v);
    if (found.empty()) return std::nullopt;
    return std::max(*pick(found), *pick(found));
  }

  // ---- cases

  void add_case(const OpTest& test) {
    constexpr int kTries = 3;  // then with inputs of its own
    for (int n = 0; n <= kTries; ++n) {
      const size_t values = known_.size(), nodes = sample.graph.nodes.size(), inputs = sample.inputs.size();
      const Case made = small_case(test);
      std::vector<ValueId> in;
      for (const Input& input : made.inputs) in.push_back(provide(input, n < kTries));
      // Matrices made to suit a factorization may still be near ones that have another.
      const bool factorizes = test.op->kind == OpKind::contraction &&
                              std::ranges::any_of(made.inputs, [](const Input& input) { return !!input.adjust; });
      if (append(*test.op, in, made.attrs, made.graphs, factorizes)) {
        drawn.insert(test.op);
        if (std::ranges::any_of(in, [&](ValueId v) { return computed(v); })) fed.insert(test.op);
        return;
      }
      drop(values, nodes, inputs);
    }
    throw InternalError(cat(test.op->name, " was refused inputs without errors"));
  }
  Case small_case(const OpTest& test) {
    while (true) {
      Case made = test.make(rng_, *pick(test.dtypes), static_cast<int>(rng_.range(0, kCases - 1)));
      int64_t elements = 0;
      for (const Input& input : made.inputs) elements += input.aval.shape.elements();
      // Few that are worth several threads, and none so long that a reference in n² takes seconds.
      if (elements <= 3000 || (elements <= 20000 && rng_.chance(0.1))) return made;
    }
  }
  bool computed(ValueId v) const {
    return std::ranges::none_of(sample.graph.inputs, [&](const Graph::Input& input) { return input.value == v; });
  }
  void drop(size_t values, size_t nodes, size_t inputs) {
    sample.graph.values.resize(values);
    sample.graph.nodes.erase(sample.graph.nodes.begin() + static_cast<std::ptrdiff_t>(nodes),
                             sample.graph.nodes.end());
    sample.graph.inputs.resize(inputs);
    sample.inputs.resize(inputs);
    known_.resize(values);
  }

  // Text numbers values in this order.
  void put_inputs_first() {
    const Graph old = std::exchange(sample.graph, {});
    std::vector<Known> known = std::exchange(known_, {});
    std::vector<ValueId> now(known.size());
    const auto keep = [&](ValueId before, ValueId after) {
      now[before] = after;
      known_.push_back(std::move(known[before]));
    };
    for (const Graph::Input& input : old.inputs)
      keep(input.value, sample.graph.add_input(old.values[input.value], rng_.chance(0.3)));
    for (const Node& node : old.nodes) {
      std::vector<ValueId> in;
      for (ValueId v : node.in) in.push_back(now[v]);
      const Node& added = sample.graph.add(*node.op, std::move(in), node.attrs, node.graphs);
      for (size_t k = 0; k < node.out.size(); ++k) keep(node.out[k], added.out[k]);
    }
  }

  // ---- inputs of a case

  ValueId provide(const Input& input, bool from_others) {
    // What is adjusted has a structure that other values lack.
    if (from_others && !input.adjust && rng_.chance(0.85)) {
      if (rng_.chance(0.5))
        if (const auto v = some([&](ValueId x) { return aval(x) == input.aval && in_range(known_[x].array, input); }))
          return *v;
      const size_t values = known_.size(), nodes = sample.graph.nodes.size();
      if (const auto v = some([&](ValueId x) { return aval(x).shape.elements() > 0 && !wild(known_[x].array); })) {
        if (const auto made = glued(*v, input)) return *made;
        drop(values, nodes, sample.inputs.size());
      }
    }
    sample.inputs.push_back(make_array(rng_, input));
    known_.push_back({sample.inputs.back()});
    return sample.graph.add_input(input.aval);
  }
  static bool anything_goes(const Input& input) {
    return input.aval.dtype == boolean || input.fill == Fill::special ||
           (input.fill == Fill::bits && is_integer(input.aval.dtype));
  }
  // As make_array() reads the range.
  static double low_of(const Input& input) {
    const bool below = is_integer(input.aval.dtype) && !is_signed(input.aval.dtype) && input.low < 0;
    return below ? 0 : is_integer(input.aval.dtype) ? std::trunc(input.low) : input.low;
  }
  static double high_of(const Input& input) {
    return is_integer(input.aval.dtype) ? std::max(low_of(input), std::floor(std::min(input.high, 100.0)))
                                        : input.high;
  }
  static bool in_range(const Array& array, const Input& input) {
    if (anything_goes(input)) return true;
    const double low = low_of(input), high = high_of(input);
    for (int64_t i = 0; i < array.aval.shape.elements(); ++i) {
      const Number x = number_at(array, i);
      if (!(x.real() >= low && x.real() <= high)) return false;
      if (is_complex(array.aval.dtype) && !(x.imag() >= low && x.imag() <= high)) return false;
    }
    return true;
  }
  static bool wild(const Array& array) {
    for (int64_t i = 0; i < array.aval.shape.elements(); ++i)
      if (!finite(number_at(array, i))) return true;
    return false;
  }

  // Elements of x in the shape, the dtype and the range that the input has; none where a jump is in the way.
  std::optional<ValueId> glued(ValueId x, const Input& input) {
    const DType dtype = real_dtype(input.aval.dtype);
    std::optional<ValueId> v = x;
    if (is_complex(aval(x).dtype)) v = append(op::cast, {x}, {static_cast<int64_t>(real_dtype(aval(x).dtype))});
    v = then(v, [&](ValueId y) { return shaped(y, input.aval.shape); });
    if (dtype == boolean && v && aval(*v).dtype != boolean)
      return then(v, [&](ValueId y) { return append(op::greater, {y, number(aval(y).dtype, 0)}, {}); });
    v = then(v, [&](ValueId y) { return cast_to(y, dtype); });
    v = then(v, [&](ValueId y) { return ranged(y, input); });
    return then(v, [&](ValueId y) { return cast_to(y, input.aval.dtype); });
  }
  template <typename F>
  static std::optional<ValueId> then(std::optional<ValueId> v, F f) {
    return v ? f(*v) : std::nullopt;
  }
  std::optional<ValueId> cast_to(ValueId x, DType dtype) {
    if (aval(x).dtype == dtype) return x;
    return append(op::cast, {x}, {static_cast<int64_t>(dtype)});
  }
  std::optional<ValueId> reshaped(ValueId x, const Shape& shape) {
    if (aval(x).shape == shape) return x;
    return append(op::reshape, {x}, list({{shape.begin(), shape.end()}}));
  }
  std::optional<ValueId> shaped(ValueId x, const Shape& shape) {
    if (aval(x).shape == shape) return x;
    const int64_t n = shape.elements();
    int64_t have = aval(x).shape.elements();
    std::optional<ValueId> v = x;
    if (have != n) {
      if (have < n) {
        const int64_t times = (n + have - 1) / have;
        v = then(reshaped(x, {1, have}), [&](ValueId y) {
          return append(op::broadcast_to, {y}, list({{times, have}}));
        });
        have *= times;
      }
      v = then(v, [&](ValueId y) { return reshaped(y, {have}); });
      v = then(v, [&](ValueId y) {
        const bool back = n > 0 && rng_.chance(0.2);
        const int64_t begin = rng_.range(0, have - n);
        return append(op::slice, {y}, list({{back ? begin + n - 1 : begin}, {n}, {back ? -1 : 1}}));
      });
    }
    return then(v, [&](ValueId y) { return reshaped(y, shape); });
  }
  std::optional<ValueId> ranged(ValueId x, const Input& input) {
    const DType dtype = aval(x).dtype;
    Input real = input;
    real.aval.dtype = dtype;
    if (in_range(known_[x].array, real)) return x;
    const double low = low_of(real), high = high_of(real);
    if (is_floating(dtype) && rng_.chance(0.5)) {
      std::optional<ValueId> v = append(op::sigmoid, {x}, {});
      v = then(v, [&](ValueId y) { return append(op::mul, {y, number(dtype, high - low)}, {}); });
      return then(v, [&](ValueId y) { return append(op::add, {y, number(dtype, low)}, {}); });
    }
    const double margin = is_floating(dtype) ? (high - low) / 64 : 0;  // the range is open
    std::optional<ValueId> v = append(op::max, {x, number(dtype, low + margin)}, {});
    return then(v, [&](ValueId y) { return append(op::min, {y, number(dtype, high - margin)}, {}); });
  }
  ValueId number(DType dtype, double x) {
    const Scalar scalar = is_floating(dtype) ? Scalar(x) : Scalar(static_cast<int64_t>(x));
    return *append(op::constant, {}, {static_cast<int64_t>(dtype), static_cast<int64_t>(scalar.bits_as(dtype))});
  }

  // ---- errors

  // Adds a node and what is known of its results, the first of which it gives. None, and nothing is added, where the
  // errors of its inputs make it jump. Backward stable: its results may be those of inputs some roundings off.
  std::optional<ValueId> append(const OpDef& op, const std::vector<ValueId>& in, const std::vector<int64_t>& attrs,
                                const std::vector<std::shared_ptr<const Graph>>& graphs = {},
                                bool backward_stable = false) {
    Graph alone;
    std::vector<Array> arrays;
    std::vector<ValueId> ids;
    for (ValueId v : in) {
      ids.push_back(alone.add_input(aval(v)));
      arrays.push_back(known_[v].array);
    }
    alone.outputs = alone.add(op, ids, attrs, graphs).out;
    std::vector<Known> results;
    for (Array& array : interpret(alone, arrays)) {
      results.push_back({std::move(array)});
      results.back().error = rounding(test_of(op), results.back().array);
    }
    double worst = 0;  // of the inputs
    for (ValueId v : in) worst = std::max(worst, known_[v].relative_error());
    if ((worst > 0 || backward_stable) && !add_errors_of_inputs(alone, in, worst, backward_stable, results))
      return std::nullopt;
    const Node& node = sample.graph.add(op, in, attrs, graphs);
    for (Known& result : results) known_.push_back(std::move(result));
    return node.out.empty() ? 0 : node.out[0];
  }
  bool add_errors_of_inputs(const Graph& alone, const std::vector<ValueId>& in, double worst, bool backward_stable,
                            std::vector<Known>& results) {
    std::vector<std::vector<double>> moves;
    for (const Known& result : results) moves.emplace_back(static_cast<size_t>(result.array.aval.shape.elements()));
    for (int probe = 0; probe < 6; ++probe) {
      std::vector<Array> arrays;
      for (size_t j = 0; j < in.size(); ++j)  // each complex one along both axes, and any two in all four ways
        arrays.push_back(moved(known_[in[j]], backward_stable, probe >> j % 3));
      std::vector<Array> others;
      try {
        others = interpret(alone, arrays);
      } catch (const InvalidArgument&) {  // at the edge of what it takes
        if (worst > 0) return false;
        continue;
      }
      for (size_t k = 0; k < results.size(); ++k)
        for (size_t i = 0; i < moves[k].size(); ++i) {
          const Number x = number_at(results[k].array, static_cast<int64_t>(i)),
                       y = number_at(others[k], static_cast<int64_t>(i));
          if (same(x, y)) continue;
          const bool jumps = !finite(x) || !finite(y) || relative_tolerance(others[k].aval.dtype) == 0;
          if (jumps && worst > 0) return false;
          moves[k][i] = jumps ? std::numeric_limits<double>::infinity() : std::max(moves[k][i], std::abs(x - y));
        }
    }
    for (size_t k = 0; k < results.size(); ++k) {
      Known& result = results[k];
      const double relative = relative_tolerance(result.array.aval.dtype);
      if (relative == 0) continue;
      result.error.resize(moves[k].size());
      for (size_t i = 0; i < moves[k].size(); ++i) result.error[i] += moves[k][i];
      // A result of which little is known would let anything pass.
      if (worst > 0 && result.relative_error() > std::min(0.1, 30 * std::max(relative, worst))) return false;
    }
    return true;
  }
  // By several times the errors, either way: what is near a jump shows it, and a sum of errors of one sign is
  // covered. Complex numbers move along one axis, by turns.
  Array moved(const Known& known, bool by_roundings, int turn) {
    const DType dtype = known.array.aval.dtype;
    by_roundings = by_roundings && relative_tolerance(dtype) > 0;
    if (known.error.empty() && !by_roundings) return known.array;
    const double least = by_roundings ? largest(known.array) * (real_dtype(dtype) == f64 ? 2e-16 : 1e-7) : 0;
    Array array = Array::allocate(known.array.aval);
    visit_any(array.aval.dtype, [&](auto t) {
      using T = decltype(t);
      for (int64_t i = 0; i < array.aval.shape.elements(); ++i) {
        const double error = known.error.empty() ? 0 : known.error[static_cast<size_t>(i)];
        const double by = (rng_.chance(0.5) ? 4 : -4) * std::max(error, least);
        const Number x = number_at(known.array, i);
        if constexpr (is_complex_number<T>) {
          const Number to = x + by * ((turn + i) % 2 == 0 ? Number(1, 0) : Number(0, 1));
          array.as<T>()[i] = {static_cast<typename T::value_type>(to.real()),
                              static_cast<typename T::value_type>(to.imag())};
        } else if constexpr (std::is_same_v<T, double>) {
          array.as<T>()[i] = x.real() + by;
        } else {
          array.as<T>()[i] = static_cast<T>(static_cast<float>(x.real() + by));
        }
      }
    });
    return array;
  }

  Rng rng_;
  std::vector<Known> known_;  // by value
};

}  // namespace brio::testing::random_graphs
