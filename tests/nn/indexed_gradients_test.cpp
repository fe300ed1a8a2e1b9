// Gradients of looked-up tables stay rows: the same bits as through a table, without its memory.
#include <gtest/gtest.h>

#include "brio/base/thread_pool.h"
#include "brio/brio.h"
#include "brio/ops/indexed_rows.h"
#include "brio/passes/pipeline.h"
#include "brio/runtime/plan_cache.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

// Runs `work` with the pass, and without it.
template <typename Work>
auto with_pass(bool on, Work work) {
  set_pass_enabled("indexed", on);
  clear_plan_cache();
  auto result = work();
  set_pass_enabled("indexed", true);
  clear_plan_cache();
  return result;
}

using Values = std::vector<std::vector<double>>;
Values values_of(std::span<const Variable> variables) {
  Values values;
  for (const Variable& variable : variables) values.push_back(cast(variable.value(), f64).to_vector<double>());
  return values;
}
void expect_same(const Values& rows, const Values& table, double tolerance, const std::string& what) {
  ASSERT_EQ(rows.size(), table.size()) << what;
  for (size_t v = 0; v < rows.size(); ++v) {
    ASSERT_EQ(rows[v].size(), table[v].size()) << what;
    for (size_t i = 0; i < rows[v].size(); ++i)
      ASSERT_NEAR(rows[v][i], table[v][i], tolerance * std::abs(table[v][i])) << what << " " << v << " " << i;
  }
}

// How many nodes of this op, in loops too, the plans have that exist now.
size_t planned(const OpDef& op) {
  size_t n = 0;
  for_each_plan([&](const Plan& plan) {
    for (const Node& node : plan.graph().nodes) {
      n += node.op == &op;
      for (const auto& body : node.graphs)
        for (const Node& inner : body->nodes) n += inner.op == &op;
    }
  });
  return n;
}

using Maker = std::function<nn::Optimizer()>;
using Loss = std::function<Tensor(const Variable& table, const Variable& w, const Tensor& words)>;

Tensor look_up(const Variable& table, const Variable& w, const Tensor& words) {
  return mean(square(matmul(gather(table, words), w)));
}

enum class Mode { eager, function };

struct Trained {
  Values values;  // the weights and all that the optimizer keeps
  size_t summed;  // plans' nodes that keep the gradient rows
};

// Three steps.
Trained train(const Maker& make, const Loss& loss, Mode mode, DType dtype) {
  Variable table(cast(random::normal({60, 5}, {.seed = 1}), dtype), {.name = "embedding"});
  Variable w(cast(random::normal({5, 3}, {.seed = 2}), dtype), {.name = "w"});
  const nn::Optimizer optimizer = make();
  auto step = [&](const Tensor& words) {
    GradientTape tape;
    const Tensor value = optimizer.scale_loss(loss(table, w, words));
    optimizer.apply_gradients(tape.gradient(value, {table, w}), {table, w});
  };
  auto traced = function(step);
  const Tensor words[] = {Tensor({{3, 59, 3}, {0, 7, 3}}, i32), Tensor({{1, 2, 3}, {2, 2, 2}}, i32),
                          Tensor({{59, 0, 9}, {11, 59, 59}}, i32)};
  for (const Tensor& batch : words) {
    if (mode == Mode::function) traced(batch);
    else step(batch);
  }
  std::vector<Variable> all = optimizer.variables();
  all.insert(all.end(), {table, w});
  return {values_of(all), planned(op::sum_rows)};
}

void expect_same_training(const std::string& what, const Maker& make, const Loss& loss = look_up, DType dtype = f32,
                          double tolerance = 0) {
  for (const Mode mode : {Mode::eager, Mode::function}) {
    const Trained rows = with_pass(true, [&] { return train(make, loss, mode, dtype); });
    const Trained table = with_pass(false, [&] { return train(make, loss, mode, dtype); });
    EXPECT_GT(rows.summed, 0u) << what;
    EXPECT_EQ(table.summed, 0u) << what;
    expect_same(rows.values, table.values, tolerance, what);
  }
}

struct Kind {
  std::string name;
  Maker make;
};
template <typename Change>
std::vector<Kind> every_optimizer(Change change) {
  std::vector<Kind> kinds;
  auto add = [&]<typename Optimizer, typename Options>(const char* name, std::type_identity<Optimizer>, Options o) {
    change(o);
    kinds.push_back({name, [o] { return Optimizer(0.05, o); }});
  };
#define ADD(NAME, ...) add(#NAME " " #__VA_ARGS__, std::type_identity<nn::NAME>(), nn::NAME##Options{__VA_ARGS__})
  ADD(SGD);
  ADD(SGD, .momentum = 0.9);
  ADD(SGD, .momentum = 0.9, .nesterov = true);
  ADD(RMSprop);
  ADD(RMSprop, .momentum = 0.9);
  ADD(RMSprop, .momentum = 0.9, .centered = true);
  ADD(Adam);
  ADD(Adam, .amsgrad = true);
  ADD(AdamW);
  ADD(Adamax);
  ADD(Nadam);
  ADD(Adagrad);
  ADD(Adadelta);
  ADD(Adafactor);
  ADD(Ftrl);
  ADD(Ftrl, .l2_shrinkage_regularization_strength = 0.1);
  ADD(Lion);
  ADD(Lamb);
  ADD(Muon);
  ADD(Muon, .exclude_embeddings = false);
#undef ADD
  return kinds;
}

TEST(IndexedGradients, EveryOptimizer) {
  for (const Kind& kind : every_optimizer([](auto&) {})) expect_same_training(kind.name, kind.make);
}
TEST(IndexedGradients, ClippedByValue) {
  for (const Kind& kind : every_optimizer([](auto& o) { o.clipvalue = 0.01; })) expect_same_training(kind.name, kind.make);
}
TEST(IndexedGradients, ClippedByNorm) {
  for (const Kind& kind : every_optimizer([](auto& o) { o.clipnorm = 0.1; })) expect_same_training(kind.name, kind.make);
}
TEST(IndexedGradients, ClippedByGlobalNorm) {
  for (const Kind& kind : every_optimizer([](auto& o) { o.global_clipnorm = 0.1; }))
    expect_same_training(kind.name, kind.make);
}
TEST(IndexedGradients, WeightDecay) {
  for (const Kind& kind : every_optimizer([](auto& o) { o.weight_decay = 0.01; }))
    expect_same_training(kind.name, kind.make);
}
TEST(IndexedGradients, MovingAverages) {
  for (const Kind& kind : every_optimizer([](auto& o) { o.use_ema = true, o.ema_overwrite_frequency = 2; }))
    expect_same_training(kind.name, kind.make);
}
TEST(IndexedGradients, Accumulation) {
  for (const Kind& kind : every_optimizer([](auto& o) { o.gradient_accumulation_steps = 2; }))
    expect_same_training(kind.name, kind.make);
}
TEST(IndexedGradients, LossScaleFactor) {
  for (const Kind& kind : every_optimizer([](auto& o) { o.loss_scale_factor = 16; }))
    expect_same_training(kind.name, kind.make);
}
TEST(IndexedGradients, DynamicLossScale) {
  for (const Kind& kind : every_optimizer([](auto&) {}))
    expect_same_training(kind.name,
                         [&] { return nn::LossScaleOptimizer(kind.make(), {.initial_scale = 16}); });
}

}  // namespace
}  // namespace brio
