#include "tests/ops/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "brio/ir/outline.h"
#include "brio/ir/recording.h"
#include "brio/ir/sizes.h"
#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/runtime/evaluate.h"
#include "brio/runtime/interpret.h"
#include "brio/runtime/traced_graph.h"
#include "brio/tensor/complex.h"

namespace brio::testing {

namespace {

bool wants_performance() { return std::getenv("BRIO_PERF") != nullptr; }

std::vector<std::function<std::vector<OpTest>()>>& makers() {
  static std::vector<std::function<std::vector<OpTest>()>> list;
  return list;
}
std::vector<std::function<std::vector<Invalid>()>>& invalid_makers() {
  static std::vector<std::function<std::vector<Invalid>()>> list;
  return list;
}

uint64_t seed_of(const OpDef& op, int i) {
  uint64_t seed = 1469598103934665603u;
  for (char c : op.name) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return seed + static_cast<uint64_t>(i);
}

template <typename T>
T special_value(Rng& rng) {
  using Limits = std::numeric_limits<float>;
  const float values[] = {0,    -0.0f, 1,     -1, 0.5f, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                          1e4f, -1e4f, 1e-3f, 3};
  return static_cast<T>(values[rng.range(0, std::size(values) - 1)]);
}

}  // namespace

Array make_array(Rng& rng, const Input& input) {
  Array array = Array::allocate(input.aval);
  if (is_complex(input.aval.dtype)) {
    visit_complex(input.aval.dtype, [&](auto t) {
      using Part = typename decltype(t)::value_type;
      for (int64_t i = 0; i < 2 * input.aval.shape.elements(); ++i)
        array.as<Part>()[i] = static_cast<Part>(rng.uniform(input.low, input.high));
    });
    if (input.adjust) input.adjust(array);
    return array;
  }
  visit(input.aval.dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < input.aval.shape.elements(); ++i) {
      T& x = array.as<T>()[i];
      if constexpr (std::is_same_v<T, bool>) {
        x = rng.chance(0.5);
      } else if constexpr (std::is_integral_v<T>) {
        using Limits = std::numeric_limits<T>;
        if (input.fill != Fill::uniform) {
          x = rng.chance(0.1) ? Limits::min() : rng.chance(0.1) ? Limits::max() : static_cast<T>(rng.bits());
        } else {
          const auto low = static_cast<int64_t>(input.low < static_cast<double>(Limits::min()) ? 0 : input.low);
          x = static_cast<T>(rng.range(low, std::max(low, static_cast<int64_t>(std::min(input.high, 100.0)))));
        }
      } else {
        using Wide = std::conditional_t<sizeof(T) == 8, double, float>;
        x = input.fill == Fill::special && rng.chance(0.3)
                ? special_value<T>(rng)
                : static_cast<T>(static_cast<Wide>(rng.uniform(input.low, input.high)));
      }
    }
  });
  if (input.adjust) input.adjust(array);
  return array;
}

namespace {

struct Prepared {
  Graph graph;
  std::vector<Array> arrays;
  std::string reproducer;
  const Node& node() const { return graph.nodes[0]; }
};

Graph graph_of(const OpDef& op, const Case& made) {
  Graph graph;
  std::vector<ValueId> in;
  for (const Input& input : made.inputs) in.push_back(graph.add_input(input.aval));
  graph.outputs = graph.add(op, in, made.attrs, made.graphs).out;
  return graph;
}

Prepared prepare(const OpTest& test, DType dtype, int i) {
  Rng rng(seed_of(*test.op, i));
  const Case made = test.make(rng, dtype, i);
  Prepared p;
  for (const Input& input : made.inputs) p.arrays.push_back(make_array(rng, input));
  p.graph = graph_of(*test.op, made);
  p.reproducer = cat("case ", i, " of ", test.op->name, " (seed ", seed_of(*test.op, i), "), dtype ", dtype, "\n",
                     p.graph.str());
  return p;
}

// Memory with guards on both sides, which a kernel must not touch.
class Guarded {
 public:
  Guarded(const Aval& aval, const void* content)
      : aval_(aval), bytes_(aval.bytes()), memory_(aval.bytes() + 2 * kGuard + 64, 0xa5) {
    start_ = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(memory_.data()) + 63) / 64 * 64) + kGuard;
    if (content && bytes_) std::memcpy(start_, content, bytes_);
  }
  void* data() const { return start_; }
  bool intact() const {
    for (size_t i = 0; i < kGuard; ++i)
      if (start_[bytes_ + i] != 0xa5 || *(start_ - 1 - i) != 0xa5) return false;
    return true;
  }
  Array array() const { return array(aval_); }
  Array array(const Aval& aval) const {  // the same bytes, seen as another type
    Array copy = Array::allocate(aval);
    if (bytes_) std::memcpy(copy.data(), start_, bytes_);
    return copy;
  }

 private:
  static constexpr size_t kGuard = 64;
  Aval aval_;
  size_t bytes_;
  std::vector<uint8_t> memory_;
  uint8_t* start_;
};

// Runs a kernel on guarded memory; `shared_in` ≥ 0: output `shared_out` lies where that input does.
std::vector<Array> run_guarded(const Kernel& kernel, const Prepared& p, int shared_in, int shared_out) {
  std::vector<Guarded> in, out;
  std::vector<const void*> in_data;
  std::vector<void*> out_data;
  for (const Array& array : p.arrays) {
    in.emplace_back(array.aval, array.data());
    in_data.push_back(in.back().data());
  }
  for (size_t i = 0; i < p.graph.outputs.size(); ++i) {
    out.emplace_back(p.graph.values[p.graph.outputs[i]], nullptr);
    out_data.push_back(static_cast<int>(i) == shared_out ? in[static_cast<size_t>(shared_in)].data()
                                                         : out.back().data());
  }
  const Guarded scratch({Shape{static_cast<int64_t>(kernel.scratch_bytes())}, u8}, nullptr);
  std::vector<void*> table(kernel.table_size());
  kernel.run({in_data.data(), out_data.data(), scratch.data(), table.data()});
  EXPECT_TRUE(scratch.intact()) << "scratch overrun";
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_TRUE(in[i].intact()) << "overrun of input " << i;
    if (static_cast<int>(i) == shared_in) continue;
    EXPECT_EQ(difference(in[i].array(), p.arrays[i], true), "") << "input " << i << " was written to";
  }
  std::vector<Array> result;
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_TRUE(out[i].intact()) << "overrun of output " << i;
    const Guarded& written = static_cast<int>(i) == shared_out ? in[static_cast<size_t>(shared_in)] : out[i];
    result.push_back(written.array(p.graph.values[p.graph.outputs[i]]));
  }
  return result;
}

void expect_same(const std::vector<Array>& actual, const std::vector<Array>& expected, bool exact,
                 const std::string& who, const std::string& reproducer, double factor = 1) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_EQ(difference(actual[i], expected[i], exact, factor), "") << who << ", output " << i << ", " << reproducer;
}

// As a user holds it: computed, or for odd cases a view into a larger tensor.
Tensor as_tensor(const Array& array, bool view) {
  if (!view || array.aval.shape.elements() == 0) return Tensor::from_bytes(array.data(), array.aval);
  const int64_t n = array.aval.shape.elements();
  Array larger = Array::allocate({Shape{n + 2}, array.aval.dtype});
  std::memset(larger.data(), 0, larger.aval.bytes());
  std::memcpy(static_cast<char*>(larger.data()) + size_of(array.aval.dtype), array.data(), array.aval.bytes());
  return reshape(slice(Tensor(std::move(larger)), {Range{1, n + 1}}), array.aval.shape);
}

std::vector<Tensor> record_case(const Prepared& p, const std::vector<Tensor>& in) {
  std::vector<TensorImpl*> impls;
  for (const Tensor& x : in) impls.push_back(x.impl());
  return record_many(*p.node().op, impls, p.node().attrs, p.node().graphs);
}

Cost cost_of(const Prepared& p) {
  std::vector<const Aval*> in;
  std::vector<Aval> out;
  for (const Array& array : p.arrays) in.push_back(&array.aval);
  std::vector<const Graph*> bodies;
  for (ValueId v : p.graph.outputs) out.push_back(p.graph.values[v]);
  for (const auto& body : p.node().graphs) bodies.push_back(body.get());
  return p.node().op->cost({*p.node().op, in, Attrs(p.node().attrs), bodies}, out);
}

// One fixture per kind of test, so that an op has those that apply to it and no others.
class EveryOp : public ::testing::TestWithParam<OpTest> {};
class CompositeOp : public EveryOp {};
class DifferentiableOp : public EveryOp {};
class OpPerformance : public EveryOp {};

TEST_P(EveryOp, MatchesReference) {
  const OpTest& test = GetParam();
  for (int i = 0; i < kCases; ++i) {
    const Prepared p = prepare(test, test.dtypes[static_cast<size_t>(i) % test.dtypes.size()], i);
    const std::vector<Array> expected = interpret(p.graph, p.arrays);
    const NodeView view{p.graph, p.node(), &registry().host()};
    for (const Implementation& implementation : registry().implementations(registry().host(), *test.op)) {
      if (!implementation.supports(view).yes) continue;
      const auto kernel = implementation.prepare(view);
      const std::string who(implementation.name);
      expect_same(run_guarded(*kernel, p, -1, -1), expected, test.exact, who, p.reproducer);
      for (size_t in = 0; in < p.arrays.size(); ++in)
        for (size_t out = 0; out < p.graph.outputs.size(); ++out)
          if (kernel->allows_in_place(in, out) &&
              p.arrays[in].aval.bytes() == p.graph.values[p.graph.outputs[out]].bytes())
            expect_same(run_guarded(*kernel, p, static_cast<int>(in), static_cast<int>(out)), expected, test.exact,
                        cat(who, " in place (", in, ", ", out, ")"), p.reproducer);
    }
    std::vector<Tensor> in;
    for (const Array& array : p.arrays) in.push_back(as_tensor(array, i % 2 == 1));
    std::vector<Array> actual;
    for (const Tensor& out : record_case(p, in)) actual.push_back(out.array());
    const bool narrow = !default_device().is_host() && size_of(p.arrays.empty() ? f32 : p.arrays[0].aval.dtype) == 2;
    expect_same(actual, expected, test.exact, "as recorded", p.reproducer, narrow ? test.roundings : 1);
    if (HasFailure()) return;  // one reproducer is enough
  }
}

// Of a hundred cases the one with the most elements: worth several threads where any is. Millions show no more.
int heaviest(const OpTest& test, DType dtype) {
  constexpr int64_t kEnough = 1 << 20;
  int found = 0;
  int64_t most = -1;
  for (int i = 0; i < 100; ++i) {
    Rng rng(seed_of(*test.op, i));
    int64_t elements = 0;
    for (const Aval& aval : graph_of(*test.op, test.make(rng, dtype, i)).values) elements += aval.shape.elements();
    if (elements <= most || elements > kEnough) continue;
    most = elements;
    found = i;
  }
  return found;
}

TEST_P(EveryOp, GivesTheSameBitsForAnyNumberOfThreads) {
  const OpTest& test = GetParam();
  const int before = thread_count();
  for (DType dtype : test.dtypes) {
    const Prepared p = prepare(test, dtype, heaviest(test, dtype));
    std::vector<Array> expected;
    for (int threads : {1, 2, 7}) {
      set_thread_count(threads);
      std::vector<Tensor> in;
      for (const Array& array : p.arrays) in.push_back(as_tensor(array, false));
      std::vector<Array> actual;
      for (const Tensor& out : record_case(p, in)) actual.push_back(out.array());
      if (threads == 1) expected = actual;
      expect_same(actual, expected, true, cat(threads, " threads"), p.reproducer);
    }
  }
  set_thread_count(before);
}

// Graphs with a symbol for every number from 2 on that is a size or a position; equal numbers have one.
class Opened {
 public:
  Graph of(const Graph& from, const std::vector<std::pair<size_t, int>>& known = {}) {
    Graph graph = from;
    for (size_t k = 0; k < graph.inputs.size(); ++k) {
      Shape& shape = graph.values[graph.inputs[k].value].shape;
      for (int i = 0; i < shape.rank(); ++i)
        if (std::ranges::find(known, std::pair(k, i - shape.rank())) == known.end()) shape.set(i, open(shape[i]));
    }
    for (Node& node : graph.nodes) {
      for_each_word(
          node, std::span(node.attrs), [](int64_t) {}, [&](int64_t& word) { word = open(word).word(); },
          [](int64_t) {});
      for (auto& body : node.graphs)
        if (!body->host) body = intern(of(*body));
      const std::vector<Aval> out = infer(graph, node);
      for (size_t i = 0; i < out.size(); ++i) graph.values[node.out[i]] = out[i];
    }
    return graph;
  }
  const std::vector<Size>& numbers() const { return numbers_; }

 private:
  Size open(int64_t number) {
    if (number < 2) return number;
    const auto it = std::ranges::find(numbers_, Size(number));
    const auto symbol = static_cast<uint32_t>(it - numbers_.begin());
    if (it == numbers_.end()) numbers_.push_back(number);
    return Size::unknown(symbol);
  }
  std::vector<Size> numbers_;
};

TEST_P(EveryOp, FollowsSizesThatAreNotKnown) {
  const OpTest& test = GetParam();
  if (test.op == &op::size) GTEST_SKIP() << "it becomes a constant";
  for (int i = 0; i < kCases; ++i) {
    const Prepared p = prepare(test, test.dtypes[static_cast<size_t>(i) % test.dtypes.size()], i);
    Opened opened;
    try {
      const Graph open = opened.of(p.graph, test.numbers);
      EXPECT_EQ(with_sizes(open, opened.numbers()).str(), p.graph.str()) << open.str();
    } catch (const InvalidArgument& error) {
      ADD_FAILURE() << error.what() << "\n" << p.reproducer;
    }
    if (HasFailure()) return;  // one reproducer is enough
  }
}

TEST_P(EveryOp, CostIsSane) {
  const OpTest& test = GetParam();
  for (int i = 0; i < kCases; ++i) {
    const Prepared p = prepare(test, test.dtypes[static_cast<size_t>(i) % test.dtypes.size()], i);
    const Cost cost = cost_of(p);
    const bool free = test.op->kind == OpKind::view || test.op->kind == OpKind::constant;
    double out_bytes = 0;
    for (ValueId v : p.graph.outputs) out_bytes += static_cast<double>(p.graph.values[v].bytes());
    EXPECT_TRUE(cost.flops >= 0 && cost.flops < 1e9) << cost.flops << ", " << p.reproducer;
    EXPECT_TRUE(free ? cost.bytes == 0 : cost.bytes >= out_bytes && cost.bytes < 1e9)
        << cost.bytes << ", " << p.reproducer;
  }
}

// The plain definition of a composite op and its reference kernel were written apart.
TEST_P(CompositeOp, PlainDefinitionMatchesReference) {
  const OpTest& test = GetParam();
  for (int i = 0; i < kCases; ++i) {
    const Prepared p = prepare(test, test.dtypes[static_cast<size_t>(i) % test.dtypes.size()], i);
    const std::vector<Array> expected = interpret(p.graph, p.arrays);
    std::vector<Tensor> in;
    for (const Array& array : p.arrays) in.push_back(as_tensor(array, false));
    const std::vector<Tensor> out = test.op->plain(in, Attrs(p.node().attrs));
    ASSERT_EQ(out.size(), expected.size());
    for (size_t k = 0; k < out.size(); ++k)  // every one of its ops rounds
      EXPECT_EQ(difference(out[k].array(), expected[k], false, 8), "") << "output " << k << ", " << p.reproducer;
    if (HasFailure()) return;
  }
}

// What a gradient may be asked of: a loop that counts its rounds has an integer among its outputs.
DType dtype_of(const Array& array) { return array.aval.dtype; }
DType dtype_of(const Tensor& tensor) { return tensor.dtype(); }
template <typename T>
std::vector<T> floating(std::vector<T> outputs) {
  std::erase_if(outputs, [](const T& out) { return !has_gradients(dtype_of(out)); });
  return outputs;
}
// Numbers in an array of f64 or c128, whose parts count one by one; none in others.
int64_t doubles_in(const Aval& aval) {
  return aval.dtype == f64 ? aval.shape.elements() : aval.dtype == c128 ? 2 * aval.shape.elements() : Size(0);
}
// Gradients are tested in f64, and in c128 too where the op takes that.
std::vector<DType> gradient_dtypes(const OpTest& test) {
  std::vector<DType> dtypes;
  if (!std::ranges::all_of(test.dtypes, is_complex)) dtypes.push_back(f64);
  if (std::ranges::find(test.dtypes, c128) != test.dtypes.end()) dtypes.push_back(c128);
  return dtypes;
}
std::vector<Array> random_weights(const Prepared& p, Rng& rng) {
  std::vector<Array> weights;
  for (ValueId v : p.graph.outputs) weights.push_back(make_array(rng, {p.graph.values[v], -1, 1}));
  return floating(std::move(weights));
}

// sum over outputs of weight · output, by the reference.
double weighted_sum(const Prepared& p, const std::vector<Array>& inputs, const std::vector<Array>& weights) {
  const std::vector<Array> out = floating(interpret(p.graph, inputs));
  double sum = 0;
  for (size_t o = 0; o < out.size(); ++o)
    for (int64_t i = 0; i < doubles_in(out[o].aval); ++i) sum += out[o].as<double>()[i] * weights[o].as<double>()[i];
  return sum;
}

TEST_P(DifferentiableOp, GradientMatchesDifferences) {
  const OpTest& test = GetParam();
  if (!test.no_differences.empty()) GTEST_SKIP() << test.no_differences;
  constexpr double eps = 1e-6;
  int checked = 0, kinks = 0;
  const std::vector<DType> dtypes = gradient_dtypes(test);
  for (int i = 0; i < kGradientCases * static_cast<int>(dtypes.size()); ++i) {
    Prepared p = prepare(test, dtypes[static_cast<size_t>(i / kGradientCases)], i % kGradientCases);
    Rng rng(seed_of(*test.op, 1000 + i));
    const std::vector<Array> weights = random_weights(p, rng);
    std::vector<Tensor> in, weight_tensors;
    for (const Array& array : p.arrays) in.push_back(as_tensor(array, false));
    for (const Array& weight : weights) weight_tensors.push_back(as_tensor(weight, false));
    std::vector<GradientTape::Source> sources;
    GradientTape tape;
    for (const Tensor& x : in) {
      if (has_gradients(x.dtype())) tape.watch(x);
      sources.emplace_back(x);
    }
    const std::vector<Tensor> gradients = tape.gradient(floating(record_case(p, in)), sources, weight_tensors);
    for (size_t k = 0; k < in.size(); ++k) {
      const bool connected = gradients[k].defined();
      const Array gradient = connected ? gradients[k].array() : Array();
      const int64_t n = doubles_in(p.arrays[k].aval), step = std::max<int64_t>(1, n / 12);
      for (int64_t at = 0; at < n; at += step) {
        std::vector<Array> moved = p.arrays;
        moved[k] = Array::allocate(p.arrays[k].aval);
        std::memcpy(moved[k].data(), p.arrays[k].data(), moved[k].aval.bytes());
        double& x = moved[k].as<double>()[at];
        const double x0 = x, middle = weighted_sum(p, moved, weights);
        x = x0 + eps;
        const double above = weighted_sum(p, moved, weights);
        x = x0 - eps;
        const double below = weighted_sum(p, moved, weights);
        const double slope = (above - below) / (2 * eps), right = (above - middle) / eps,
                     left = (middle - below) / eps;
        if (std::fabs(right - left) > 1e-3 * std::max(1.0, std::fabs(slope))) {
          ++kinks;
          continue;
        }
        ++checked;
        const double actual = connected ? gradient.as<double>()[at] : 0;
        EXPECT_NEAR(actual, slope, 1e-6 * std::max({1.0, std::fabs(slope), std::fabs(middle)}))
            << "input " << k << " element " << at << " = " << x0 << ", " << p.reproducer;
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(checked, 0);
  EXPECT_LE(kinks, checked / 10);
}

// sum of direction · gradient of the weighted outputs with respect to input k, as a tensor that may be
// differentiated.
Tensor slope_along(const Prepared& p, const std::vector<Tensor>& in, const std::vector<Tensor>& weights,
                   const std::vector<Tensor>& directions) {
  std::vector<GradientTape::Source> sources;
  GradientTape tape;
  for (const Tensor& x : in) {
    if (has_gradients(x.dtype())) tape.watch(x);
    sources.emplace_back(x);
  }
  const std::vector<Tensor> gradients = tape.gradient(floating(record_case(p, in)), sources, weights);
  Tensor total = Tensor::from(std::vector<double>{0}, {});
  for (size_t k = 0; k < in.size(); ++k)
    if (gradients[k].defined()) total = total + sum(real(gradients[k] * conj(directions[k])));
  return total;
}

// The ops of a gradient, traced. There may be more arguments, which nobody reads.
TracedGraph gradient_of(const Node& node, std::span<const Aval> avals) {
  const auto body = [&](const std::vector<Tensor>& in) {
    std::vector<GradientTape::Source> sources;
    std::vector<TensorImpl*> impls;
    GradientTape tape;
    for (const Tensor& x : std::span(in).first(node.in.size())) {
      impls.push_back(x.impl());
      if (!has_gradients(x.dtype())) continue;
      tape.watch(x);
      sources.emplace_back(x);
    }
    std::vector<Tensor> gradients =
        tape.gradient(floating(record_many(*node.op, impls, node.attrs, node.graphs)), sources);
    std::erase_if(gradients, [](const Tensor& gradient) { return !gradient.defined(); });
    return gradients;
  };
  return trace_graph(body, avals);
}

TEST_P(DifferentiableOp, GradientFollowsSizesThatAreNotKnown) {
  const OpTest& test = GetParam();
  for (int i = 0; i < kGradientCases; ++i) {
    if (!test.no_differences.empty()) GTEST_SKIP() << test.no_differences;
    const Prepared p = prepare(test, gradient_dtypes(test)[0], i);
    Opened opened;
    try {
      const Graph open = opened.of(p.graph, test.numbers);
      std::vector<Aval> avals, open_avals;
      for (size_t k = 0; k < p.arrays.size(); ++k) {
        avals.push_back(p.graph.values[p.graph.inputs[k].value]);
        open_avals.push_back(open.values[open.inputs[k].value]);
      }
      std::vector<Tensor> given;
      for (const Array& array : p.arrays) given.emplace_back(array);
      for (const Size number : opened.numbers()) {  // each is the size of an argument
        open_avals.push_back({Shape{Size::unknown(static_cast<uint32_t>(open_avals.size() - p.arrays.size()))}, u8});
        given.push_back(zeros({number}, u8));
      }
      const TracedGraph expected = gradient_of(p.node(), avals), made = gradient_of(open.nodes[0], open_avals);
      const auto sizes = bind_symbols(made.arguments, given);
      ASSERT_TRUE(sizes) << p.reproducer << made.graph.str();
      ASSERT_EQ(made.captured.size(), expected.captured.size()) << p.reproducer;
      std::vector<Array> arrays = p.arrays, all;
      for (const Tensor& tensor : given) all.push_back(tensor.array());
      for (const Tensor& captured : expected.captured) {
        arrays.push_back(captured.array());
        all.push_back(captured.array());
      }
      expect_same(interpret(with_sizes(made.graph, *sizes), all), interpret(expected.graph, arrays), true,
                  "for sizes that were not known", cat(p.reproducer, made.graph.str()));
    } catch (const InvalidArgument& error) {
      ADD_FAILURE() << error.what() << "\n" << p.reproducer;
    }
    if (HasFailure()) return;  // one reproducer is enough
  }
}

TEST_P(DifferentiableOp, GradientOfGradientMatchesDifferences) {
  const OpTest& test = GetParam();
  if (!test.no_differences.empty()) GTEST_SKIP() << test.no_differences;
  constexpr double eps = 1e-6;
  int checked = 0, kinks = 0;
  const std::vector<DType> dtypes = gradient_dtypes(test);
  for (int i = 0; i < kGradientCases * static_cast<int>(dtypes.size()); ++i) {
    Prepared p = prepare(test, dtypes[static_cast<size_t>(i / kGradientCases)], i % kGradientCases);
    Rng rng(seed_of(*test.op, 2000 + i));
    std::vector<Tensor> in, weights, directions;
    for (const Array& weight : random_weights(p, rng)) weights.push_back(Tensor(weight));
    for (const Array& array : p.arrays) {
      in.push_back(as_tensor(array, false));
      directions.push_back(Tensor(make_array(rng, {array.aval, -1, 1})));
    }
    std::vector<GradientTape::Source> sources;
    GradientTape tape;
    for (const Tensor& x : in) {
      if (has_gradients(x.dtype())) tape.watch(x);
      sources.emplace_back(x);
    }
    const Tensor targets[] = {slope_along(p, in, weights, directions)};
    const std::vector<Tensor> second = tape.gradient(targets, sources);
    const double middle = targets[0].item<double>();
    for (size_t k = 0; k < in.size(); ++k) {
      const int64_t n = doubles_in(p.arrays[k].aval), step = std::max<int64_t>(1, n / 3);
      for (int64_t at = 0; at < n; at += step) {
        auto moved_by = [&](double delta) {
          std::vector<Tensor> moved = in;
          Array values = Array::allocate(in[k].aval());
          std::memcpy(values.data(), in[k].array().data(), values.aval.bytes());
          values.as<double>()[at] += delta;
          moved[k] = Tensor(std::move(values));
          return slope_along(p, moved, weights, directions).item<double>();
        };
        const double above = moved_by(eps), below = moved_by(-eps), slope = (above - below) / (2 * eps);
        if (std::fabs((above - middle) / eps - (middle - below) / eps) > 1e-3 * std::max(1.0, std::fabs(slope))) {
          ++kinks;
          continue;
        }
        ++checked;
        const double actual = second[k].defined() ? second[k].array().as<double>()[at] : 0;
        EXPECT_NEAR(actual, slope, 1e-6 * std::max({1.0, std::fabs(slope), std::fabs(middle)}))
            << "input " << k << " element " << at << ", " << p.reproducer;
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(checked, 0);
  EXPECT_LE(kinks, checked / 10);
}

TEST_P(OpPerformance, Time) {
  const OpTest& test = GetParam();
  for (DType dtype : test.dtypes) {
    OpTest large = test;
    large.make = [&](Rng&, DType d, int) { return test.large(d); };
    const Prepared p = prepare(large, dtype, 0);
    const Choice choice = choose(registry(), registry().host(), {p.graph, p.node()});
    std::vector<const void*> in;
    std::vector<void*> out;
    std::vector<Array> outputs;
    for (const Array& array : p.arrays) in.push_back(array.data());
    for (ValueId v : p.graph.outputs) {
      outputs.push_back(Array::allocate(p.graph.values[v]));
      out.push_back(outputs.back().data());
    }
    const Array scratch = Array::allocate({Shape{static_cast<int64_t>(choice.kernel->scratch_bytes())}, u8});
    double best = 1e30;
    const auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < 3 || std::chrono::steady_clock::now() - start < std::chrono::milliseconds(200); ++n) {
      const auto before = std::chrono::steady_clock::now();
      std::vector<void*> table(choice.kernel->table_size());
      choice.kernel->run({in.data(), out.data(), scratch.data(), table.data()});
      best =
          std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before).count());
    }
    const Cost cost = cost_of(p);
    std::printf("%-28s %-9s %12.0f ns %8.2f GB/s %8.2f GFLOP/s  %s\n", std::string(test.op->name).c_str(),
                std::string(info(dtype).name).c_str(), best, cost.bytes / best, cost.flops / best,
                choice.kernel->description.c_str());
  }
}

std::vector<OpTest> tests_where(bool (*applies)(const OpTest&)) {
  std::vector<OpTest> some;
  std::ranges::copy_if(op_tests(), std::back_inserter(some), applies);
  return some;
}
std::string op_name(const ::testing::TestParamInfo<OpTest>& test) { return std::string(test.param.op->name); }

INSTANTIATE_TEST_SUITE_P(Ops, EveryOp, ::testing::ValuesIn(op_tests()), op_name);
INSTANTIATE_TEST_SUITE_P(Ops, CompositeOp, ::testing::ValuesIn(tests_where([](const OpTest& test) {
                           return test.op->plain != nullptr;
                         })),
                         op_name);
INSTANTIATE_TEST_SUITE_P(Ops, DifferentiableOp, ::testing::ValuesIn(tests_where([](const OpTest& test) {
                           return test.op->grad != nullptr;
                         })),
                         op_name);
INSTANTIATE_TEST_SUITE_P(Ops, OpPerformance, ::testing::ValuesIn(tests_where([](const OpTest& test) {
                           return wants_performance() && test.large;
                         })),
                         op_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OpPerformance);  // without BRIO_PERF

TEST(InvalidCalls, NameTheOpAndTheValues) {
  for (const Invalid& invalid : invalid_calls()) {
    try {
      invalid.call();
      ADD_FAILURE() << invalid.op->name << ": " << invalid.what << " was accepted";
    } catch (const InvalidArgument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(cat("[", invalid.op->name, "]")), std::string::npos) << invalid.what << ": " << text;
      for (const std::string& fragment : invalid.fragments)
        EXPECT_NE(text.find(fragment), std::string::npos)
            << invalid.what << ": '" << fragment << "' is not in: " << text;
    } catch (const std::exception& error) {
      ADD_FAILURE() << invalid.op->name << ": " << invalid.what << " gave another error: " << error.what();
    }
  }
}

TEST(OpTable, EveryOpHasCasesAndAReferenceKernel) {
  register_runtime();
  for (const OpDef* op : op_table()) {
    int lists = 0;
    for (const OpTest& test : op_tests()) lists += test.op == op;
    // What an effect does is not a result to compare: effects_test.cpp.
    if (op->kind != OpKind::effect) {
      EXPECT_EQ(lists, 1) << op->name << " needs one OpTest (" << kCases << " cases)";
    }
    EXPECT_TRUE(std::ranges::any_of(invalid_calls(), [&](const Invalid& invalid) { return invalid.op == op; }))
        << op->name << " needs an invalid call";
    const auto& implementations = registry().implementations(registry().host(), *op);
    EXPECT_TRUE(!implementations.empty() && implementations.back().priority == 0)
        << op->name << " has no reference kernel";
  }
  for (const OpTest& test : op_tests())
    EXPECT_EQ(find_op(test.op->name), test.op) << test.op->name << " is in no register_ function of its family";
  static_assert(kCases >= 20);
}

}  // namespace

void PrintTo(const OpTest& test, std::ostream* out) { *out << test.op->name; }

AddOpTests::AddOpTests(std::function<std::vector<OpTest>()> tests, std::function<std::vector<Invalid>()> invalid) {
  makers().push_back(std::move(tests));
  invalid_makers().push_back(std::move(invalid));
}

const std::vector<OpTest>& op_tests() {
  static const std::vector<OpTest> all = [] {
    std::vector<OpTest> list;
    for (const auto& make : makers())
      for (OpTest& test : make()) list.push_back(std::move(test));
    return list;
  }();
  return all;
}

const std::vector<Invalid>& invalid_calls() {
  static const std::vector<Invalid> all = [] {
    std::vector<Invalid> list;
    for (const auto& make : invalid_makers())
      for (Invalid& invalid : make()) list.push_back(std::move(invalid));
    return list;
  }();
  return all;
}

Shape random_shape(Rng& rng, int rank, bool zeros) {
  Shape shape;
  int64_t elements = 1;
  // Now and then one that is longer than a tile, or worth several threads.
  if (rank == 1 && rng.chance(0.3)) return Shape{rng.range(1, 70000)};
  if (rank == 2 && rng.chance(0.3)) return Shape{rng.range(1, 300), rng.range(1, 100)};
  for (int i = 0; i < rank; ++i) {
    const int64_t most = std::max<int64_t>(1, std::min<int64_t>(rank <= 2 ? 37 : 7, 600 / elements));
    const int64_t dim = zeros && rng.chance(0.04) ? 0 : rng.range(1, most);
    shape.push_back(dim);
    elements *= std::max<int64_t>(dim, 1);
  }
  return shape;
}

Shape broadcastable(Rng& rng, const Shape& shape) {
  const int drop = rng.chance(0.3) ? static_cast<int>(rng.range(0, shape.rank())) : 0;
  Shape result;
  for (int i = drop; i < shape.rank(); ++i) result.push_back(rng.chance(0.3) ? Size(1) : shape[i]);
  return result;
}

std::vector<int64_t> list(std::initializer_list<std::vector<int64_t>> lists) {
  std::vector<int64_t> words;
  for (const auto& one : lists) {
    words.push_back(static_cast<int64_t>(one.size()));
    words.insert(words.end(), one.begin(), one.end());
  }
  return words;
}

Tensor tensor(const Shape& shape, DType dtype) {
  Array array = Array::allocate({shape, dtype});
  std::memset(array.data(), 0, array.aval.bytes());
  return Tensor(std::move(array));
}

Tensor call(const OpDef& op, std::initializer_list<Tensor> in, std::vector<int64_t> attrs) {
  std::vector<TensorImpl*> impls;
  for (const Tensor& x : in) impls.push_back(x.impl());
  return record_many(op, impls, attrs)[0];
}

namespace {
template <typename T>
double magnitude(T x) {
  if constexpr (is_complex_number<T>) return static_cast<double>(std::abs(x));
  else return std::fabs(static_cast<double>(x));
}
}  // namespace

double allowed(double relative, double size, double largest) {
  return relative * size + relative / 10 * std::min(largest, 1e3);
}

double relative_tolerance(DType dtype) {
  return real_dtype(dtype) == f64   ? 1e-12
         : real_dtype(dtype) == f32 ? 1e-5
         : dtype == f16             ? 2e-3
         : dtype == bf16            ? 1.6e-2
                                    : 0;
}

std::string difference(const Array& actual, const Array& expected, bool exact, double factor) {
  if (!(actual.aval == expected.aval))
    return cat(format_aval(actual.aval), " instead of ", format_aval(expected.aval));
  const DType dtype = expected.aval.dtype;
  const double relative = exact ? 0 : factor * relative_tolerance(dtype);
  return visit_any(dtype, [&](auto t) -> std::string {
    using T = decltype(t);
    const int64_t n = expected.aval.shape.elements();
    const T *a = actual.as<T>(), *e = expected.as<T>();
    double largest = 1;
    if constexpr (!std::is_integral_v<T>)
      for (int64_t i = 0; i < n; ++i)
        if (const double size = magnitude(e[i]); std::isfinite(size)) largest = std::max(largest, size);
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<T>) {
        if (a[i] != e[i]) return cat("element ", i, " of ", n, " is ", +a[i], " instead of ", +e[i]);
      } else if constexpr (is_complex_number<T>) {  // by the plane's distance: what cancels in a part is an error of
                                                    // it
        if (a[i] == e[i] || (std::isnan(magnitude(a[i])) && std::isnan(magnitude(e[i])))) continue;
        if (!(magnitude(a[i] - e[i]) <= allowed(relative, magnitude(e[i]), largest)))
          return cat("element ", i, " of ", n, " is ", a[i], " instead of ", e[i]);
      } else {
        const double x = static_cast<double>(a[i]), y = static_cast<double>(e[i]);
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        if (!(std::fabs(x - y) <= allowed(relative, std::fabs(y), largest)))
          return cat("element ", i, " of ", n, " is ", x, " instead of ", y);
      }
    }
    return "";
  });
}

}  // namespace brio::testing
