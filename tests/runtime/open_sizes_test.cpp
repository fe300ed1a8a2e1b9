// Functions whose arguments change their sizes from call to call: traced once for all of them.
#include <gtest/gtest.h>

#include <cstring>

#include "brio/brio.h"
#include "brio/ir/sizes.h"
#include "brio/ir/trace.h"

namespace brio {
namespace {

Tensor numbers(const Shape& shape, float first = 0.5f) {
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(first + 0.37f * static_cast<float>(i));
  return Tensor::from(values, shape);
}

void expect_same_bits(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.aval(), expected.aval());
  EXPECT_EQ(std::memcmp(actual.array().data(), expected.array().data(), expected.aval().bytes()), 0);
}

TEST(OpenSizes, TwoTracesServeAllBatches) {
  const Tensor w = numbers({20, 30}), b = numbers({30}, 2);
  const auto body = [&](const Tensor& x) { return mean(relu(matmul(x, w) + b), {1}); };
  const auto f = function(body, Sizes::open);
  for (const int64_t n : {32, 7, 1, 0, 64, 33, 500, 7}) expect_same_bits(f(numbers({n, 20})), body(numbers({n, 20})));
  EXPECT_EQ(f.traces(), 2u);
}

TEST(OpenSizes, BatchAndLengthAreOpenAtOnce) {
  const auto body = [](const Tensor& x) { return softmax(reshape(transpose(x, {1, 0, 2}), {-1, 8})); };
  const auto f = function(body, Sizes::open);
  for (const auto& [batch, length] : {std::pair<int64_t, int64_t>{3, 5}, {4, 9}, {4, 4}, {1, 7}, {9, 1}, {30, 30}})
    expect_same_bits(f(numbers({batch, length, 8})), body(numbers({batch, length, 8})));
  EXPECT_EQ(f.traces(), 2u);
}

TEST(OpenSizes, ATrainingStepLearnsAsWithoutIt) {
  Variable open(numbers({12, 4})), fixed(numbers({12, 4}));
  const auto step = [](Variable& w, const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor loss = mean(square(matmul(x, w.value()) - y));
    w.assign_sub(tape.gradient(loss, {w})[0] * 0.1f);
    return loss;
  };
  const auto f = function([&](const Tensor& x, const Tensor& y) { return step(open, x, y); }, Sizes::open);
  for (const int64_t n : {16, 5, 9, 40, 1, 16}) {
    const Tensor x = numbers({n, 12}), y = numbers({n, 4}, 3);
    expect_same_bits(f(x, y), step(fixed, x, y));
  }
  expect_same_bits(open.value(), fixed.value());
  EXPECT_EQ(f.traces(), 2u);
}

TEST(OpenSizes, ATraceThatWasAskedForServesCallsAndRunsNothing) {
  Variable steps(Tensor(0.0f));
  const auto body = [&](const std::vector<Tensor>& x) -> std::vector<Tensor> {
    steps.assign_add(Tensor(1.0f));
    return {reshape(x[0], {-1, 65}) + steps.value()};
  };
  detail::TracedFunction f(body);
  const std::vector<Aval> open{{Shape({Size::unknown(0), Size(130)}), f32}};
  const std::optional<TracedGraph> trace = f.trace(open);
  ASSERT_TRUE(trace);
  const Shape shape = trace->graph.values[trace->graph.outputs[0]].shape;
  EXPECT_FALSE(shape[0].known());
  EXPECT_EQ(int64_t{shape[1]}, 65);
  EXPECT_EQ(steps.value().item<float>(), 0.0f);
  EXPECT_TRUE(f.trace(open));
  for (const int64_t n : {3, 200, 1}) {
    const Tensor x = numbers({n, 130});
    std::vector<Tensor> results;
    f.call(&x, 1, results);
    expect_same_bits(results[0], reshape(x, {-1, 65}) + steps.value());
  }
  EXPECT_EQ(steps.value().item<float>(), 3.0f);
  EXPECT_EQ(f.traces(), 1u);
}

TEST(OpenSizes, AFunctionThatAsksForASizeHasNoTraceForAll) {
  detail::TracedFunction f([](const std::vector<Tensor>& x) -> std::vector<Tensor> {
    return {x[0] * static_cast<float>(int64_t{x[0].shape()[0]})};
  });
  EXPECT_FALSE(f.trace({{Shape({Size::unknown(0)}), f32}}));
  const Tensor x = numbers({7});
  std::vector<Tensor> results;
  f.call(&x, 1, results);
  expect_same_bits(results[0], x * 7.0f);
}

TEST(OpenSizes, SizesThatWereTakenForEqualMayDiffer) {
  const auto body = [](const Tensor& x, const Tensor& y) { return sum(x * y, {0}); };
  const auto f = function(body, Sizes::open);
  const auto check = [&](int64_t a, int64_t b) {
    expect_same_bits(f(numbers({a, 3}), numbers({b, 3}, 1)), body(numbers({a, 3}), numbers({b, 3}, 1)));
  };
  check(4, 4);
  check(6, 6);
  check(9, 9);
  EXPECT_EQ(f.traces(), 2u);
  check(9, 1);  // broadcasts: another trace
  check(1, 9);
  check(11, 11);
  EXPECT_THROW(f(numbers({4, 3}), numbers({5, 3})), InvalidArgument);
}

TEST(OpenSizes, SizesThatWereTakenForEqualAndCannotBe) {
  // A part of x as long as y, and x beside y: not of the same length, but one of them may be 1.
  const Graph graph = Graph::parse(R"((%0: f32[n0], %1: f32[n1]) {
  %2 = slice %0 {begin=[2], size=[n1], stride=[1]} : f32[n1]
  %3 = mul %0, %1 : f32[either(n0,n1)]
  return %2, %3
}
)");
  const auto body = [&](const Tensor& x, const Tensor& y) {
    const Size sizes[] = {x.shape()[0], y.shape()[0]};
    const Tensor in[] = {x, y};
    return replay(with_sizes(graph, sizes), in);
  };
  const auto f = function(body, Sizes::open);
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{5, 1}, {1, 0}, {7, 1}}) {
    const Tensor x = numbers({n}), y = numbers({m}, 1);
    const std::vector<Tensor> actual = f(x, y), expected = body(x, y);
    for (size_t i = 0; i < actual.size(); ++i) expect_same_bits(actual[i], expected[i]);
  }
}

TEST(OpenSizes, AProductMayBeAsWideAsItsBiasOrOneColumn) {
  const Tensor x = numbers({3, 6}), b = numbers({2}, 2);
  const auto body = [&](const Tensor& w) { return relu(matmul(x, w) + b); };
  const auto f = function(body, Sizes::open);
  for (const int64_t n : {2, 1, 2}) expect_same_bits(f(numbers({6, n})), body(numbers({6, n})));
}

TEST(OpenSizes, ManyLengthsKeepFewPlansAndOneArena) {
  const Tensor w = numbers({16, 16});
  const auto f = function([&](const Tensor& x) { return sum(tanh(matmul(exp(x), w)) * x); }, Sizes::open);
  const auto plans = [] {
    size_t count = 0;
    for_each_plan([&](const Plan&) { ++count; });
    return count;
  };
  f(numbers({2000, 16}));
  f(numbers({1999, 16}));
  const size_t before = plans();
  const size_t bytes = plan_cache_stats().bytes;
  for (int64_t n = 1; n < 1000; ++n) f(numbers({n, 16}));
  EXPECT_EQ(f.traces(), 2u);
  EXPECT_LE(plans(), before + 64);
  EXPECT_LT(plan_cache_stats().bytes - bytes, 64u * 16384u);  // of 64 plans; an arena of one of them is as large
}

TEST(OpenSizes, WhoAsksForANumberIsTracedForEach) {
  const auto body = [](const Tensor& x) {
    Tensor total = zeros({2});
    for (int64_t i = 0; i < x.shape()[0]; ++i) total = total + squeeze(slice(x, {{i, i + 1}}), {0});
    return total;
  };
  int calls = 0;
  const auto f = function(
      [&](const Tensor& x) {
        ++calls;
        return body(x);
      },
      Sizes::open);
  for (const int64_t n : {3, 4, 5, 4}) expect_same_bits(f(numbers({n, 2})), body(numbers({n, 2})));
  EXPECT_EQ(f.traces(), 3u);
  EXPECT_EQ(calls, 4);  // tried with its sizes open once
}

TEST(OpenSizes, AMistakeNamesTheOpAndTheSizes) {
  const auto f = function([](const Tensor& x) { return reshape(x, {4, -1}); }, Sizes::open);
  f(numbers({8}));
  f(numbers({12}));
  try {
    f(numbers({13}));
    FAIL() << "13 numbers are no 4 rows";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("[reshape]"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("13"), std::string::npos) << error.what();
  }
}

TEST(OpenSizes, GraphsAreWrittenWithThem) {
  Graph graph;
  const Size n = Size::unknown(0);
  const ValueId x = graph.add_input({Shape{n, 3}, f32});
  graph.add(*find_op("reshape"), {x}, {1, (n * 3).word()});
  graph.outputs = {graph.nodes[0].out[0]};
  EXPECT_EQ(Graph::parse(graph.str()).str(), graph.str());
  EXPECT_EQ(count_symbols(graph), 1u);
  const Size five[] = {5};
  EXPECT_EQ(with_sizes(graph, five).values.back().shape, (Shape{15}));
}

}  // namespace
}  // namespace brio
