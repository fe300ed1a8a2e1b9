#include "brio/ops/network/attention.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "brio/autodiff/tape.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/runtime/function.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

int64_t real(double x) { return std::bit_cast<int64_t>(x); }

// Every third case of the narrow dtypes spans several blocks of queries and tiles of keys.
std::function<Case(Rng&, DType, int)> attention(bool cotangent) {
  return [cotangent](Rng& rng, DType dtype, int i) {
    const bool large = dtype != f64 && i % 3 == 1;
    const int64_t batch = i == 5 ? 0 : rng.range(1, 2),
                  queries = i == 6  ? 0
                            : large ? rng.range(45, 130)
                                    : rng.range(1, 5),
                  keys = i == 7  ? 0
                         : large ? rng.range(60, 600)
                                 : rng.range(1, 6),
                  shared = rng.range(1, 2), heads = shared * rng.range(1, 2),
                  depth = large ? rng.range(1, 20) : rng.range(1, 5),
                  value_depth = rng.chance(0.5) ? depth : rng.range(1, 5);
    const bool mask = rng.chance(0.5), bias = rng.chance(0.4), causal = rng.chance(0.5), drops = rng.chance(0.3);
    const Shape weights{batch, heads, queries, keys};
    Case made{{{{Shape{batch, queries, heads, depth}, dtype}},
               {{Shape{batch, keys, shared, depth}, dtype}},
               {{Shape{batch, keys, shared, value_depth}, dtype}}},
              {mask, bias, causal, real(rng.uniform(0.2, 1)), real(drops ? 0.3 : 0), rng.range(0, 3)}};
    if (mask) made.inputs.push_back({{broadcastable(rng, weights), boolean}});
    if (bias) made.inputs.push_back({{broadcastable(rng, weights), dtype}, -1, 1});
    if (drops)
      for (int k = 0; k < 2; ++k) made.inputs.push_back({{Shape(), u64}, 0, 0, Fill::bits});
    if (cotangent) made.inputs.push_back({{Shape{batch, queries, heads, value_depth}, dtype}, -1, 1});
    return made;
  };
}
std::function<Case(DType)> large(bool cotangent) {
  return [cotangent](DType dtype) {
    const Aval x{Shape{2, 512, 8, 64}, dtype};
    Case made{{{x}, {x}, {x}}, {0, 0, 0, real(0.125), 0, 0}};
    if (cotangent) made.inputs.push_back({x});
    return made;
  };
}

// Without mask, bias and dropout. Sums are about what such logits have, so that weights stay below 1 or little above.
std::function<Case(Rng&, DType, int)> with_sums(bool gradient) {
  return [gradient](Rng& rng, DType dtype, int i) {
    const bool large = dtype != f64 && i % 3 == 1;  // in depths that a GPU's fused kernels take
    const int64_t batch = rng.range(1, 2), queries = large ? rng.range(45, 130) : rng.range(1, 5),
                  keys = large ? rng.range(60, 300) : rng.range(1, 6), shared = rng.range(1, 2),
                  heads = shared * rng.range(1, 2), depth = large ? 8 * rng.range(1, 4) : rng.range(1, 5),
                  value_depth = large ? depth : rng.range(1, 5);
    const Shape result{batch, queries, heads, value_depth};
    Case made{{{{Shape{batch, queries, heads, depth}, dtype}, -1, 1},
               {{Shape{batch, keys, shared, depth}, dtype}, -1, 1},
               {{Shape{batch, keys, shared, value_depth}, dtype}, -1, 1}},
              {rng.chance(0.5), real(rng.uniform(0.2, 0.5))}};
    if (!gradient) return made;
    const double sum = std::log(static_cast<double>(keys)) + 1;
    made.inputs.push_back({{result, dtype}, -1, 1});
    made.inputs.push_back({{Shape{batch, heads, queries}, dtype == f64 ? f64 : f32}, sum, sum + 1});
    made.inputs.push_back({{result, dtype}, -1, 1});
    return made;
  };
}

std::vector<OpTest> tests() {
  // Fused kernels of a GPU round the weights, and the gradients of the logits, before they multiply by them.
  return {{.op = &op::scaled_dot_product_attention,
           .dtypes = kFloats,
           .make = attention(false),
           .large = large(false),
           .roundings = 2},
          {.op = &op::scaled_dot_product_attention_grad,
           .dtypes = kFloats,
           .make = attention(true),
           .large = large(true),
           .roundings = 3},
          {.op = &op::attention_with_sums, .dtypes = kFloats, .make = with_sums(false), .roundings = 2},
          {.op = &op::attention_grad_from_sums, .dtypes = kFloats, .make = with_sums(true), .roundings = 3}};
}

Tensor attend(const Shape& q, const Shape& k, const Shape& v, AttentionOptions options = {}) {
  return scaled_dot_product_attention(tensor(q), tensor(k), tensor(v), std::move(options));
}

std::vector<Invalid> invalid() {
  std::vector<Invalid> list;
  const Shape x{2, 3, 4, 5};
  for (const OpDef* op : {&op::scaled_dot_product_attention, &op::scaled_dot_product_attention_grad}) {
    const bool gradient = op == &op::scaled_dot_product_attention_grad;
    auto refused = [&](std::string what, std::vector<Tensor> in, std::vector<int64_t> attrs,
                       std::vector<std::string> parts) {
      auto with = [=] {
        std::vector<Tensor> all = in;
        if (gradient) all.push_back(tensor(x));
        switch (all.size()) {
          case 3: call(*op, {all[0], all[1], all[2]}, attrs); break;
          case 4: call(*op, {all[0], all[1], all[2], all[3]}, attrs); break;
          case 5: call(*op, {all[0], all[1], all[2], all[3], all[4]}, attrs); break;
          default: call(*op, {all[0], all[1], all[2], all[3], all[4], all[5]}, attrs);
        }
      };
      list.push_back({op, std::move(what), with, std::move(parts)});
    };
    const Tensor q = tensor(x);
    const std::vector<int64_t> plain = {0, 0, 0, real(1), 0, 0}, masked = {1, 0, 0, real(1), 0, 0},
                               biased = {0, 1, 0, real(1), 0, 0}, drops = {0, 0, 0, real(1), real(0.5), 0};
    refused("integers", {tensor(x, i32), tensor(x, i32), tensor(x, i32)}, plain, {"floating-point", "int32", "cast"});
    refused("a key of another dtype", {q, tensor(x, f64), q}, plain, {"key", "float64", "float32", "cast"});
    refused("a value of another dtype", {q, q, tensor(x, bf16)}, plain, {"value", "bfloat16", "float32", "cast"});
    refused("rank 3", {q, tensor({3, 4, 5}), q}, plain, {"rank 4", "(3, 4, 5)", "expand_dims"});
    refused("another batch", {q, tensor({1, 3, 4, 5}), tensor({1, 3, 4, 5})}, plain, {"batch", "(1, 3, 4, 5)"});
    refused("another depth", {q, tensor({2, 3, 4, 6}), q}, plain, {"depth", "(2, 3, 4, 6)"});
    refused("another length", {q, tensor({2, 7, 4, 5}), q}, plain, {"length", "(2, 7, 4, 5)"});
    refused("heads", {q, tensor({2, 3, 3, 5}), tensor({2, 3, 3, 5})}, plain, {"3 heads", "4 heads"});
    refused("no heads", {q, tensor({2, 3, 0, 5}), tensor({2, 3, 0, 5})}, plain, {"0 heads", "4 heads"});
    refused("a mask of numbers", {q, q, q, q}, masked, {"mask", "float32", "bool"});
    refused("a mask's shape", {q, q, q, tensor({3, 3, 3}, boolean)}, masked, {"mask", "(3, 3, 3)", "(2, 4, 3, 3)"});
    refused("a mask that is larger", {q, q, q, tensor({1, 2, 4, 3, 3}, boolean)}, masked, {"(1, 2, 4, 3, 3)"});
    refused("a bias of another dtype", {q, q, q, tensor({}, f64)}, biased, {"bias", "float64", "float32"});
    refused("a bias's shape", {q, q, q, tensor({2})}, biased, {"bias", "(2,)", "(2, 4, 3, 3)"});
    refused("no mask", {q, q, q}, masked, {gradient ? "5 inputs" : "4 inputs", gradient ? "4" : "3"});
    refused("a dropout of 1", {q, q, q}, {0, 0, 0, real(1), real(1), 0}, {"dropout is 1"});
    refused("a seed of floats", {q, q, q, tensor({}), tensor({}, u64)}, drops, {"uint64 scalars", "float32"});
  }
  const Tensor none;
  list.push_back({&op::scaled_dot_product_attention,
                  "none",
                  [=] {
                    scaled_dot_product_attention(tensor({1, 1, 1, 1}), none, tensor({1, 1, 1, 1}));
                  },
                  {"input 1", "none"}});
  list.push_back({&op::scaled_dot_product_attention,
                  "a negative dropout",
                  [=] { attend(x, x, x, {.dropout = -0.5}); },
                  {"dropout is -0.5"}});
  list.push_back({&op::scaled_dot_product_attention,
                  "a huge result",
                  [] {
                    const Shape q{1, int64_t{1} << 40, 1, 0};
                    attend(q, {1, 0, 1, 0}, {1, 0, 1, int64_t{1} << 30});
                  },
                  {"elements"}});
  list.push_back({&op::scaled_dot_product_attention,
                  "weights beyond all bounds",
                  [] {
                    const Shape long_one{1, int64_t{1} << 40, 1, 0};
                    attend(long_one, long_one, long_one);
                  },
                  {"elements"}});
  list.push_back({&op::scaled_dot_product_attention_grad,
                  "a cotangent of another shape",
                  [=] {
                    call(op::scaled_dot_product_attention_grad,
                         {tensor(x), tensor(x), tensor(x), tensor({2, 3, 4, 6})}, {0, 0, 0, real(1), 0, 0});
                  },
                  {"cotangent", "(2, 3, 4, 6)", "(2, 3, 4, 5)"}});
  const Tensor q = tensor(x), sums = tensor({2, 4, 3});
  const std::vector<int64_t> bare = {0, real(1)};
  list.push_back({&op::attention_with_sums,
                  "another batch",
                  [=] {
                    call(op::attention_with_sums, {q, tensor({1, 3, 4, 5}), tensor({1, 3, 4, 5})}, bare);
                  },
                  {"batch", "(1, 3, 4, 5)"}});
  list.push_back({&op::attention_grad_from_sums,
                  "sums of another shape",
                  [=] {
                    call(op::attention_grad_from_sums, {q, q, q, q, tensor({2, 3, 4}), q}, bare);
                  },
                  {"sums", "(2, 3, 4)", "(2, 4, 3)"}});
  list.push_back({&op::attention_grad_from_sums,
                  "a cotangent of another dtype",
                  [=] {
                    call(op::attention_grad_from_sums, {q, q, q, q, sums, tensor(x, f64)}, bare);
                  },
                  {"cotangent", "float64", "float32"}});
  return list;
}

const AddOpTests add_tests(tests, invalid);

Tensor drawn(const Shape& shape, uint64_t seed) { return random::normal(shape, {.seed = seed}); }

TEST(Attention, AQueryThatSeesNothingWeighsAllKeysAlike) {
  const Tensor q = drawn({1, 3, 1, 4}, 1), k = drawn({1, 5, 1, 4}, 2), v = drawn({1, 5, 1, 2}, 3);
  const Tensor mask = not_equal(Tensor({{1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}, {0, 0, 0, 1, 0}}), 0);
  for (bool causal : {false, true}) {
    const auto out = scaled_dot_product_attention(q, k, v, {.mask = mask, .causal = causal}).to_vector<float>();
    const auto all = mean(v, 1).to_vector<float>(), values = v.to_vector<float>();
    for (size_t d = 0; d < 2; ++d) {
      EXPECT_NEAR(out[2 + d], all[d], 1e-6);
      EXPECT_NEAR(out[4 + d], causal ? all[d] : values[6 + d], 1e-6);  // key 3 is past query 2
    }
  }
}

TEST(Attention, ResultsDoNotDependOnTheNumberOfThreads) {
  const Tensor q = drawn({1, 300, 4, 17}, 1), k = drawn({1, 500, 2, 17}, 2), v = drawn({1, 500, 2, 17}, 3);
  std::vector<std::vector<float>> first;
  const int before = thread_count();
  for (int threads : {1, 2, 5}) {
    set_thread_count(threads);
    GradientTape tape;
    tape.watch(q);
    tape.watch(k);
    tape.watch(v);
    const Tensor out = scaled_dot_product_attention(q, k, v, {.causal = true, .dropout = 0.2, .seed = 4});
    std::vector<std::vector<float>> now = {out.to_vector<float>()};
    for (const Tensor& g : tape.gradient(sum(square(out)), {q, k, v})) now.push_back(g.to_vector<float>());
    if (first.empty()) first = now;
    EXPECT_EQ(first, now) << threads;
  }
  set_thread_count(before);
}

TEST(Attention, DropoutDropsTheSameInTheGradient) {
  // With values of one each, a query's result is the sum of its weights; its slope by a value is the weight.
  random::set_seed(3);
  const Tensor q = drawn({1, 2, 1, 3}, 1), k = drawn({1, 50, 1, 3}, 2), v = ones({1, 50, 1, 1});
  auto step = function([&] {
    GradientTape tape;
    tape.watch(v);
    const Tensor out = scaled_dot_product_attention(q, k, v, {.dropout = 0.5});
    return std::vector{out, tape.gradient(out, {v})[0]};
  });
  const std::vector<Tensor> a = step(), b = step();
  EXPECT_NE(a[0].to_vector<float>(), b[0].to_vector<float>());
  EXPECT_NEAR(sum(a[0]).item<float>(), sum(a[1]).item<float>(), 1e-5);
  random::set_seed(3);
  EXPECT_EQ(scaled_dot_product_attention(q, k, v, {.dropout = 0.5}).to_vector<float>(), a[0].to_vector<float>());
}

TEST(Attention, ATrainedBiasHasAGradient) {
  const Tensor q = drawn({2, 3, 2, 4}, 1), bias = drawn({2, 1, 3}, 2);
  GradientTape tape;
  tape.watch(bias);
  tape.watch(q);
  const Tensor out = scaled_dot_product_attention(q, q, q, {.bias = bias, .causal = true});
  const auto gradients = tape.gradient(sum(square(out)), {bias, q});
  EXPECT_EQ(gradients[0].shape(), bias.shape());
  EXPECT_EQ(gradients[1].shape(), q.shape());
  EXPECT_NE(sum(square(gradients[0])).item<float>(), 0);
}

}  // namespace
}  // namespace brio::testing
