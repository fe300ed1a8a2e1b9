// Values that are computed again to stay within a limit of memory.
#include "brio/runtime/recompute.h"

#include <gtest/gtest.h>

#include <cmath>

#include <brio/brio.h>

#include "brio/runtime/function.h"
#include "brio/runtime/plan.h"
#include "tests/fuzz/check_graph.h"

namespace brio {
namespace {

// Two values that wait for the end of a chain: 4 MB each, of which the first is cheap to make from an input.
constexpr char kWaiting[] = R"((%0: f32[1024,1024], %1: f32[1024,1024]) {
  %2 = exp %0 : f32[1024,1024]
  %3 = matmul %2, %1 {transpose_a=false, transpose_b=false} : f32[1024,1024]
  %4 = tanh %3 : f32[1024,1024]
  %5 = matmul %4, %1 {transpose_a=false, transpose_b=false} : f32[1024,1024]
  %6 = matmul %5, %1 {transpose_a=false, transpose_b=false} : f32[1024,1024]
  %7 = matmul %6, %2 {transpose_a=false, transpose_b=false} : f32[1024,1024]
  return %7
})";
constexpr size_t kValue = size_t{4} << 20;

TEST(Recompute, WhatIsCheapIsMadeAgainWhereItIsRead) {
  Graph graph = Graph::parse(kWaiting);
  const Recomputed done = recompute_within(graph, 2 * kValue);
  EXPECT_EQ(done.alive_before, 3 * kValue);
  EXPECT_EQ(done.alive_after, 2 * kValue);
  EXPECT_EQ(done.nodes, 1u);
  EXPECT_LT(done.work, 0.1);
  verify(graph, "test");
  ASSERT_EQ(graph.nodes.size(), 7u);
  EXPECT_EQ(graph.nodes[5].op->name, "exp");  // right before its reader
}

TEST(Recompute, AGraphThatFitsStaysAsItIs) {
  Graph graph = Graph::parse(kWaiting);
  const std::string before = graph.str();
  EXPECT_EQ(recompute_within(graph, 3 * kValue).nodes, 0u);
  EXPECT_EQ(graph.str(), before);
}

TEST(Recompute, WhatHelpsNothingIsNotDone) {
  Graph graph = Graph::parse(kWaiting);
  const Recomputed done = recompute_within(graph, 1);
  EXPECT_EQ(done.alive_after, 2 * kValue);  // an operand and a result
  verify(graph, "test");
}

TEST(Recompute, ADonatedInputIsNotReadAfterItsLastReader) {
  Graph graph = Graph::parse(R"((%0: f32[1024,1024] donated, %1: f32[1024,1024]) {
  %2 = exp %0 : f32[1024,1024]
  %3 = matmul %2, %1 {transpose_a=false, transpose_b=false} : f32[1024,1024]
  %4 = matmul %3, %1 {transpose_a=false, transpose_b=false} : f32[1024,1024]
  %5 = matmul %4, %2 {transpose_a=false, transpose_b=false} : f32[1024,1024]
  return %5
})");
  EXPECT_EQ(recompute_within(graph, 2 * kValue).nodes, 0u);
}

TEST(Recompute, ViewsOfWhatIsMadeAgainAreMadeAgain) {
  Graph graph = Graph::parse(R"((%0: f32[1024,1024], %1: f32[1024,1024]) {
  %2 = exp %0 : f32[1024,1024]
  %3 = reshape %2 {shape=[2048,512]} : f32[2048,512]
  %4 = matmul %2, %1 {transpose_a=false, transpose_b=false} : f32[1024,1024]
  %5 = matmul %4, %1 {transpose_a=false, transpose_b=false} : f32[1024,1024]
  %6 = matmul %5, %1 {transpose_a=false, transpose_b=false} : f32[1024,1024]
  %7 = reshape %6 {shape=[2048,512]} : f32[2048,512]
  %8 = add %7, %3 : f32[2048,512]
  return %8
})");
  const Recomputed done = recompute_within(graph, 2 * kValue);
  EXPECT_EQ(done.alive_after, 2 * kValue);
  EXPECT_EQ(done.nodes, 1u);
  verify(graph, "test");
}

// Two outputs of a node, one of which nobody reads, over operands that end there: they may not share one's memory.
TEST(Recompute, OutputsOfOneNodeHaveMemoryOfTheirOwn) {
  const Graph graph = Graph::parse(R"((%0: f32[3]) {
  %1 = exp %0 : f32[3]
  %2, %3, %4 = fused %1 (%0: f32[3]) {
    %1 = neg %0 : f32[3]
    %2 = tanh %0 : f32[3]
    %3 = exp %1 : f32[3]
    return %1, %2, %3
  } : f32[3], f32[3], f32[3]
  %5 = matmul %3, %4 {transpose_a=false, transpose_b=false} : f32[]
  return %5
})");
  const Tensor x({0.5f, 1.f, 2.f});
  const auto plan = Plan::make_unoptimized(graph, registry().host());
  const fuzz::Sample sample{graph, {x.array()}};
  float expected = 0;
  for (const float each : {0.5f, 1.f, 2.f}) expected += std::tanh(std::exp(each)) * std::exp(-std::exp(each));
  EXPECT_NEAR(fuzz::run(plan, sample)[0].as<float>()[0], expected, 1e-6);
}

// A network so deep that its activations outweigh everything else, trained within ever less memory.
struct Deep {
  explicit Deep(size_t arena_limit) {
    for (int i = 0; i < 24; ++i)
      weights.emplace_back(random::normal({128, 128}, {.stddev = 0.12, .seed = static_cast<uint64_t>(i)}));
    step = std::make_unique<detail::TracedFunction>([this](const std::vector<Tensor>& x) {
      GradientTape tape;
      Tensor h = x[0];
      for (const Variable& w : weights) h = tanh(matmul(h, w)) + h * 0.5f;
      h = h * cast(random::uniform(h.shape(), {.seed = 7}) > 0.2f, f32);
      const Tensor loss = mean(square(h));
      optimizer.apply_gradients(tape.gradient(loss, weights), weights);
      return std::vector<Tensor>{loss};
    });
    step->set_arena_limit(arena_limit);
  }
  std::vector<float> train(const Tensor& x) {
    std::vector<float> numbers;
    std::vector<Tensor> loss;
    for (int i = 0; i < 3; ++i) {
      step->call(&x, 1, loss);
      numbers.push_back(loss[0].item<float>());
    }
    for (const Variable& w : weights)
      for (const float each : w.value().to_vector<float>()) numbers.push_back(each);
    return numbers;
  }

  std::vector<Variable> weights;
  nn::Adam optimizer;
  std::unique_ptr<detail::TracedFunction> step;
};

TEST(Recompute, TrainingHasTheSameBitsInLessMemory) {
  const Tensor x = random::normal({2048, 128}, {.seed = 3});
  x.array();
  Deep whole(0);
  const std::vector<float> expected = whole.train(x);
  const size_t arena = whole.step->memory_of(&x, 1).arena;
  size_t before = arena;
  for (const auto& [share, most_work] : {std::pair{0.7, 0.25}, {0.5, 0.4}, {0.3, 0.7}}) {
    const auto limit = static_cast<size_t>(share * static_cast<double>(arena));
    Deep less(limit);
    EXPECT_EQ(less.train(x), expected) << share;
    const auto memory = less.step->memory_of(&x, 1, limit);
    EXPECT_LE(memory.arena, limit) << share;
    EXPECT_LT(memory.arena, before);
    EXPECT_GT(memory.repeated, 0u);
    EXPECT_LT(memory.repeated_work, most_work) << share;  // the forward pass once more is a third
    before = memory.arena;
  }
}

}  // namespace
}  // namespace brio
