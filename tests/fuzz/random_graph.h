// Random graphs of the ops that training is made of, through the comparisons of check_graph.h within the tolerance of
// the dtypes used; some have axes whose sizes are unknown (check_sizes.h). Graphs of all ops:
// tests/ops/random_graphs_test.cpp.
#pragma once

#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "brio/brio.h"
#include "tests/fuzz/check_graph.h"

namespace brio::fuzz {

inline Array random_array(const Aval& type, std::mt19937_64& random) {
  Array array = Array::allocate(type);
  visit(type.dtype, [&](auto t) {
    using T = decltype(t);
    for (T *at = array.as<T>(), *end = at + type.shape.elements(); at < end; ++at) {
      const int eighths = static_cast<int>(random() % 33) - 16;
      if constexpr (std::is_integral_v<T>) *at = static_cast<T>(eighths / 2);
      else *at = static_cast<T>(static_cast<float>(eighths) / 8);
    }
  });
  return array;
}

// With sizes for the unknown ones.
inline Aval sized(Aval type, std::span<const Size> sizes) {
  for (int i = 0; i < type.shape.rank(); ++i) type.shape.set(i, type.shape[i].at(sizes));
  return type;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  // With so many unknown sizes, at random axes of the inputs, and no numbers for these. What can be added is decided
  // with stand-ins; most are sizes that no other axis has, some are equal.
  static Sample open(uint64_t seed, int symbols) {
    Generator generator(seed);
    for (int i = 0; i < symbols; ++i)
      generator.stand_ins_.push_back(i > 0 && generator.chance(0.3) ? generator.stand_ins_[0] : Size(7 + 4 * i));
    return generator.make();
  }

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
  const Aval& aval(ValueId v) const { return known_[v]; }  // with stand-ins
  const Shape& open_shape(ValueId v) const { return sample_.graph.values[v].shape; }
  ValueId last() const { return static_cast<ValueId>(sample_.graph.values.size() - 1); }

  Shape shape() {
    Shape s;
    const int rank = between(0, 4);
    for (int i = 0; i < rank; ++i) {
      if (!stand_ins_.empty() && chance(0.5))
        s.push_back(symbols_.emplace_back(
            Size::unknown(static_cast<uint32_t>(between(0, static_cast<int>(stand_ins_.size()) - 1)))));
      else s.push_back(pick<int64_t>({1, 2, 3, 4, 5, 8, 17, chance(0.05) ? 0 : 3, chance(0.05) ? 130 : 2}));
    }
    return s;
  }

  ValueId add_input(const Aval& type) {
    const ValueId v = sample_.graph.add_input(type, chance(0.3));
    if (stand_ins_.empty()) sample_.inputs.push_back(random_array(type, random_));
    note_values(true);
    return v;
  }
  void note_values(bool exact) {
    const auto& values = sample_.graph.values;
    for (size_t v = known_.size(); v < values.size(); ++v) known_.push_back(sized(values[v], stand_ins_));
    exact_.resize(values.size(), exact);
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

  void append(const OpDef& op, std::vector<ValueId> in, std::vector<int64_t> attrs = {}, bool keeps_exact = false,
              std::vector<std::shared_ptr<const Graph>> bodies = {}) {
    bool exact = keeps_exact;
    for (ValueId v : in) exact = exact && exact_[v];
    sample_.graph.add(op, std::move(in), std::move(attrs), std::move(bodies));
    note_values(exact);
  }
  // A count and that many words, as lists are in attributes.
  template <typename List>
  static void put_list(std::vector<int64_t>& attrs, const List& list) {
    attrs.push_back(static_cast<int64_t>(std::ranges::size(list)));
    for (const Size size : list) attrs.push_back(size.word());
  }

  void add_node() {
    switch (between(0, 19)) {
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
      case 17: return pad_node();
      case 18: return repeated();
      case 19: return walk();
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
    return last();
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
    if (chance(0.5)) append(op::tanh, {last()});
  }
  void reduction() {
    const auto x = some([&](ValueId v) { return floating(v); });
    if (!x) return;
    std::vector<int64_t> attrs{chance(0.5), 0};
    for (int i = 0; i < aval(*x).shape.rank(); ++i)
      if (chance(0.5)) attrs.push_back(i);
    attrs[1] = static_cast<int64_t>(attrs.size() - 2);
    append(*pick<const OpDef*>({&op::reduce_sum, &op::reduce_sum, &op::reduce_max, &op::reduce_min}), {*x}, attrs);
    const auto made = last();
    if (aval(*x).shape.elements() > 0) append(op::tanh, {made});
  }
  void reshape_node() {
    const auto x = some([&](ValueId) { return true; });
    std::vector<Size> dims, factors{2, 3, 5, 17};
    for (uint32_t i = 0; i < stand_ins_.size(); ++i) factors.push_back(Size::unknown(i));
    Size rest = open_shape(*x).elements();
    for (const Size factor : factors)
      if (!(rest == 0) && rest / factor * factor == rest && chance(0.5)) {
        dims.push_back(factor);
        rest /= factor;
      }
    dims.insert(dims.begin() + between(0, static_cast<int>(dims.size())), rest);
    if (chance(0.3)) dims.insert(dims.begin(), 1);
    std::vector<int64_t> attrs;
    put_list(attrs, dims);
    append(op::reshape, {*x}, attrs, true);
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
    const auto made = last();
    const Shape& out = aval(made).shape;
    const auto bias = some([&](ValueId v) {
      return floating(v) && aval(v).shape.rank() == 1 && out.rank() >= 1 && aval(v).shape[0] == out[out.rank() - 1];
    });
    if (bias && chance(0.7)) append(op::add, {made, *bias});
    append(*pick<const OpDef*>({&op::tanh, &op::sigmoid, &op::relu}), {last()});
  }
  void slice_node() {
    const auto x = some([&](ValueId v) { return aval(v).shape.rank() >= 1 && aval(v).shape.elements() > 0; });
    if (!x) return;
    std::vector<Size> begin, size, stride;
    for (const Size dim : open_shape(*x)) {
      const int64_t step = chance(0.2) ? -1 : chance(0.2) ? 2 : 1;
      stride.push_back(Size(step));
      if (!dim.known()) {
        // From either end, and up to the other, or a few.
        begin.push_back(step < 0 ? dim - 1 : Size(between(0, 2)));
        const Size most = step < 0 ? dim : pieces(max(dim - begin.back(), 0), step);
        size.push_back(chance(0.8) ? most : chance(0.5) ? most / 2 : min(most, 2));
        continue;
      }
      const int64_t from = between(0, static_cast<int>(dim - 1));
      const int64_t most = step > 0 ? (int64_t{dim} - from + step - 1) / step : from + 1;
      begin.push_back(chance(0.5) && step == 1 ? 0 : from);
      size.push_back(begin.back() == 0 && step == 1 && chance(0.5)
                         ? dim
                         : Size(between(1, static_cast<int>(begin.back() == from ? most : 1))));
    }
    std::vector<int64_t> attrs;
    for (const auto* list : {&begin, &size, &stride}) put_list(attrs, *list);
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
    const auto condition = last();
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
    bounded(last());
  }
  // Of values whose bits are exact: a rounding must not change which comes first.
  void order() {
    const auto x = some([&](ValueId v) { return floating(v) && exact_[v] && aval(v).shape.rank() >= 1; });
    if (!x) return;
    const int axis = aval(*x).shape.rank() - 1;
    const Size n = open_shape(*x)[axis];
    const int64_t known = aval(*x).shape[axis];
    if (known > 0 && chance(0.3)) return append(op::argmax, {*x}, {axis, static_cast<int64_t>(i64)}, true);
    const Size k = chance(0.5) ? n : n.known() ? Size(between(0, static_cast<int>(known))) : min(n, 2);
    append(op::top_k, {*x}, {chance(0.5), 1, k.word()}, true);
    append(op::iota, {}, {static_cast<int64_t>(float_dtype_), 1, n.word()}, true);
  }
  // What the gradient of a looked-up table is, and often something that reads it as such.
  void looked_up() {
    constexpr int64_t kRows = 90;
    const auto x = some([&](ValueId v) {
      const Shape& shape = aval(v).shape;
      return floating(v) && shape.rank() >= 1 && shape[0] > 0 && shape.elements() / shape[0] <= 40;
    });
    if (!x) return;
    Shape table = open_shape(*x);
    append(op::iota, {}, {static_cast<int64_t>(i32), 1, table[0].word()}, true);
    const ValueId count = last(),
                  most = sample_.graph.add_constant(i32, static_cast<uint64_t>(between(0, kRows - 1)));
    const ValueId zero = sample_.graph.add_constant(float_dtype_, 0);
    note_values(true);
    append(op::min, {count, most}, {}, true);
    const ValueId indices = last();
    table.set(0, kRows);
    std::vector<int64_t> dims;
    put_list(dims, table.dims());
    append(op::broadcast_to, {zero}, dims, true);
    const Shape known = aval(last()).shape;
    append(op::scatter_add, {last(), indices, *x}, {0});
    const ValueId gradient = last();
    const auto weights = some([&](ValueId v) {
      Shape out;
      return v != gradient && floating(v) && broadcast(aval(v).shape, known, out) && out.elements() <= 4096;
    });
    if (weights && chance(0.7)) append(op::sub, {*weights, gradient});
    bounded(last());
  }

  void pad_node() {
    const auto x = some([&](ValueId v) { return floating(v) && aval(v).shape.rank() >= 1 && small(v); });
    if (!x) return;
    number();
    const ValueId filling = last();
    std::vector<Size> low, high;
    for (int i = 0; i < aval(*x).shape.rank(); ++i)
      for (auto* list : {&low, &high})
        list->push_back(chance(0.7)                        ? Size(0)
                        : !symbols_.empty() && chance(0.3) ? pick(symbols_)
                                                           : Size(between(1, 2)));
    std::vector<int64_t> attrs;
    for (const auto* list : {&low, &high}) put_list(attrs, *list);
    append(op::pad, {*x, filling}, attrs);
  }
  // To the shape of another, as the gradient of a sum is.
  void repeated() {
    const auto x = some([&](ValueId) { return true; });
    const auto other = some([&](ValueId v) {
      Shape out;
      return small(v) && broadcast(aval(*x).shape, aval(v).shape, out) && out == aval(v).shape;
    });
    if (!other) return;
    std::vector<int64_t> attrs;
    put_list(attrs, open_shape(*other).dims());
    append(op::broadcast_to, {*x}, attrs, true);
  }
  // A loop along the first axis, whose body has the others.
  void walk() {
    const auto x = some([&](ValueId v) { return floating(v) && aval(v).shape.rank() >= 1 && small(v); });
    if (!x) return;
    append(op::reduce_sum, {*x}, {0, 1, 0});
    const ValueId carried = bounded(last());
    Graph body;
    const Aval& type = sample_.graph.values[carried];
    const ValueId before = body.add_input(type), element = body.add_input(type);
    body.add(op::add, {before, element});
    body.add(op::tanh, {body.nodes[0].out[0]});
    body.outputs = {body.nodes[1].out[0], body.nodes[1].out[0]};
    append(op::scan, {carried, *x}, {1, 1, chance(0.3), 0}, false, {intern(std::move(body))});
  }

  void number() {
    if (!symbols_.empty() && chance(0.5))
      return append(op::size, {}, {static_cast<int64_t>(float_dtype_), 1, pick(symbols_).word()}, true);
    sample_.graph.add_constant(float_dtype_, Scalar(between(-4, 4) / 2.0).bits_as(float_dtype_));
    note_values(true);
  }

  std::mt19937_64 random_;
  Sample sample_;
  DType float_dtype_ = f32;
  std::vector<Size> symbols_;    // those that inputs have, as often as they have them
  std::vector<Size> stand_ins_;  // for them
  std::vector<Aval> known_;      // the values, with these
  std::vector<bool> exact_;
};

// One seed through all the comparisons; the report of the first that fails.
inline std::string check(uint64_t seed) {
  const Sample sample = Generator(seed).make();
  return check(sample, seed, [&](const std::vector<Array>& actual, const std::vector<Array>& reference) {
    return difference(actual, reference, sample.tolerance);
  });
}

}  // namespace brio::fuzz
