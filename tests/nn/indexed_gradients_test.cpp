// Gradients of looked-up tables stay rows: the same bits as through a table, without its memory.
#include <gtest/gtest.h>

#include <cstdlib>

#include <cmath>

#include "brio/base/thread_pool.h"
#include "brio/brio.h"
#include "brio/ops/indexing/indexed_rows.h"
#include "brio/passes/pipeline.h"
#include "brio/runtime/plan_cache.h"
#include "tests/nn/golden_values.h"
#include "tests/place.h"

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
    for (size_t i = 0; i < rows[v].size(); ++i) {
      if (std::isnan(rows[v][i]) && std::isnan(table[v][i])) continue;  // 0 / 0: an epsilon of 1e-7 is 0 in float16
      ASSERT_NEAR(rows[v][i], table[v][i], tolerance * std::abs(table[v][i])) << what << " " << v << " " << i;
    }
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
  for (const Kind& kind : every_optimizer([](auto& o) { o.clipvalue = 0.01; }))
    expect_same_training(kind.name, kind.make);
}
TEST(IndexedGradients, ClippedByNorm) {
  for (const Kind& kind : every_optimizer([](auto& o) { o.clipnorm = 0.1; }))
    expect_same_training(kind.name, kind.make);
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
    expect_same_training(kind.name, [&] { return nn::LossScaleOptimizer(kind.make(), {.initial_scale = 16}); });
}

TEST(IndexedGradients, EveryDtype) {
  for (const DType dtype : {f64, bf16, f16})
    for (const Kind& kind : every_optimizer([](auto& o) { o.global_clipnorm = 0.1; }))
      if (kind.name.find("Muon") == std::string::npos) expect_same_training(kind.name, kind.make, look_up, dtype);
}

// Two lookups in one table: their rows are summed together, in another order than two tables of sums.
TEST(IndexedGradients, ATableThatIsUsedTwice) {
  const Loss twice = [](const Variable& table, const Variable& w, const Tensor& words) {
    const Tensor reversed = cast(constant(59, i32) - words, i64);
    return mean(square(matmul(gather(table, words), w))) + mean(abs(gather(table, slice(reversed, {{0, 1}}))));
  };
  for (const Kind& kind : every_optimizer([](auto&) {})) expect_same_training(kind.name, kind.make, twice, f32, 1e-6);
}

// The table is also the last product's matrix: the sum of both gradients is a table, which the rows are added to.
TEST(IndexedGradients, ATiedTable) {
  const Loss tied = [](const Variable& table, const Variable& w, const Tensor& words) {
    const Tensor rows = matmul(matmul(gather(table, words), w), transpose(w.value()));
    return mean(square(matmul(rows, table.value(), {.transpose_b = true})));
  };
  for (const Kind& kind : every_optimizer([](auto& o) { o.clipnorm = 1; }))
    expect_same_training(kind.name, kind.make, tied);
}

TEST(IndexedGradients, MixedPrecision) {
  for (const char* policy : {"mixed_bfloat16", "mixed_float16"})
    for (const bool twice : {false, true}) {
      auto train_model = [&] {
        set_random_seed(3);
        const nn::Embedding embedding(80, 6, {.dtype = policy});
        const nn::Dense dense(1, {.dtype = policy});
        const nn::LossScaleOptimizer optimizer(nn::Adam(0.05), {.initial_scale = 64});
        auto step = function([&](const Tensor& words) {
          GradientTape tape;
          Tensor out = dense(mean(embedding(words, true), 1), true);
          if (twice) out = out * dense(mean(embedding(constant(79, i32) - words, true), 1), true);
          const std::vector<Variable> weights = {embedding.embeddings(), dense.trainable_variables()[0]};
          const Tensor loss = optimizer.scale_loss(mean(square(cast(out, f32) - 1.f)));
          optimizer.apply_gradients(tape.gradient(loss, weights), weights);
        });
        (void)dense(mean(embedding(Tensor({{1}}, i32)), 1)).array();
        for (int i = 0; i < 4; ++i) step(Tensor({{i, 2, 2 * i}, {79, i, i}}, i32));
        const std::vector<Variable> weights = {embedding.embeddings(), dense.trainable_variables()[0]};
        return Trained{values_of(weights), planned(op::sum_rows)};
      };
      const Trained rows = with_pass(true, train_model), table = with_pass(false, train_model);
      EXPECT_GT(rows.summed, 0u) << policy;
      EXPECT_EQ(table.summed, 0u) << policy;
      // bf16 sums of three lookups in another order differ by a rounding of them.
      expect_same(rows.values, table.values, twice ? 1.0 / 128 : 0, policy);
    }
}

TEST(IndexedGradients, NothingLookedUp) {
  const Loss nothing = [](const Variable& table, const Variable& w, const Tensor& words) {
    return sum(gather(table, slice(words, {{0, 2}, {0, 0}}))) + mean(square(w.value()));
  };
  for (const Kind& kind : every_optimizer([](auto&) {})) {
    const Trained on = with_pass(true, [&] { return train(kind.make, nothing, Mode::function, f32); });
    const Trained off = with_pass(false, [&] { return train(kind.make, nothing, Mode::function, f32); });
    expect_same(on.values, off.values, 0, kind.name);
  }
}

// A gradient that somebody holds is a value like any other.
TEST(IndexedGradients, AGradientThatIsHeldIsATable) {
  Variable table(ones({40, 2}));
  const nn::SGD sgd(0.5);
  GradientTape tape;
  const Tensor loss = sum(gather(table, Tensor({3, 3, 8}, i32)));
  const std::vector<Tensor> gradients = tape.gradient(loss, {table});
  sgd.apply_gradients(gradients, {table});
  EXPECT_EQ(gradients[0].shape(), (Shape{40, 2}));
  EXPECT_EQ(gradients[0].to_vector<float>()[6], 2);
  EXPECT_EQ(table.value().to_vector<float>()[6], 0);
  EXPECT_EQ(table.value().to_vector<float>()[0], 1);
}

TEST(IndexedGradients, AnIndexOutsideChangesNothing) {
  for (const int bad : {-1, 60}) {
    Variable a(random::normal({60, 5}, {.seed = 1})), b(random::normal({60, 5}, {.seed = 2}));
    const Values before = values_of(std::vector<Variable>{a, b});
    const nn::SGD sgd(0.5);
    auto step = function([&](const Tensor& words) {
      GradientTape tape;
      const Tensor loss = mean(square(gather(a, words) - gather(b, constant(59, i32) - words)));
      sgd.apply_gradients(tape.gradient(loss, {a, b}), {a, b});
    });
    EXPECT_THROW(step(Tensor({1, bad, 2}, i32)), InvalidArgument);
    expect_same(values_of(std::vector<Variable>{a, b}), before, 0, "after a refusal");
    step(Tensor({1, 5, 2}, i32));
    EXPECT_NE(values_of(std::vector<Variable>{a})[0][5], before[0][5]);
    EXPECT_EQ(values_of(std::vector<Variable>{a})[0][0], before[0][0]);
  }
}

TEST(IndexedGradients, AStepThatIsNotFiniteChangesNothing) {
  for (const Kind& kind : every_optimizer([](auto&) {})) {
    Variable table(random::normal({60, 5}, {.seed = 1}), {.name = "embedding"});
    const nn::LossScaleOptimizer optimizer(kind.make(), {.initial_scale = 16});
    auto step = function([&](const Tensor& words, const Tensor& by) {
      GradientTape tape;
      const Tensor loss = optimizer.scale_loss(mean(square(gather(table, words))) * by);
      optimizer.apply_gradients(tape.gradient(loss, {table}), {table});
    });
    const Tensor words({7, 9, 7}, i32);
    step(words, Tensor::from(std::vector<float>{1}, {}));
    std::vector<Variable> all = optimizer.inner_optimizer().variables();
    all.push_back(table);
    const Values before = values_of(all);
    step(words, Tensor::from(std::vector<float>{INFINITY}, {}));
    expect_same(values_of(all), before, 0, kind.name);
    EXPECT_EQ(optimizer.loss_scale().item<float>(), 8) << kind.name;
  }
}

TEST(IndexedGradients, AnyNumberOfThreads) {
  const int before = thread_count();
  for (const Kind& kind : every_optimizer([](auto& o) { o.global_clipnorm = 0.1; })) {
    if (kind.name.find("Muon") != std::string::npos) continue;  // its products are long
    Values first;
    for (const int threads : {1, 2, 7}) {
      set_thread_count(threads);
      clear_plan_cache();
      Variable table(random::normal({3000, 40}, {.seed = 1}));
      const nn::Optimizer optimizer = kind.make();
      auto step = function([&](const Tensor& words) {
        GradientTape tape;
        const Tensor loss = mean(square(gather(table, words)));
        optimizer.apply_gradients(tape.gradient(loss, {table}), {table});
      });
      for (uint64_t i = 0; i < 2; ++i) step(cast(random::uniform({700}, {.seed = i}) * 3000.f, i32));
      const Values values = values_of(std::vector<Variable>{table});
      if (threads == 1) first = values;
      else expect_same(values, first, 0, kind.name);
    }
  }
  set_thread_count(before);
}

// Batches of many sizes, which are planned from a symbolic plan after the third.
TEST(IndexedGradients, ManyBatchSizes) {
  auto train_sizes = [] {
    Variable table(random::normal({200, 3}, {.seed = 1}));
    const nn::Adagrad adagrad(0.1);
    const nn::SGD sgd(0.1);
    for (int64_t n : {5, 6, 7, 8, 12, 30, 49, 199, 400, 9}) {
      const Tensor words = cast(random::uniform({n, 2}, {.seed = static_cast<uint64_t>(n)}) * 200.f, i32);
      for (const nn::Optimizer& optimizer : {nn::Optimizer(adagrad), nn::Optimizer(sgd)}) {
        GradientTape tape;
        const Tensor loss = mean(square(gather(table, words)));
        optimizer.apply_gradients(tape.gradient(loss, {table}), {table});
      }
    }
    return values_of(std::vector<Variable>{table});
  };
  expect_same(with_pass(true, train_sizes), with_pass(false, train_sizes), 0, "sizes");
}

// All that is on the ledger. What was given back is there as well, kept for reuse.
int64_t bytes_on_ledger() {
  int64_t bytes = 0;
  for (const LedgerRow& row : memory_ledger()) bytes += row.bytes;
  return bytes;
}

// A table of 12.8 MB, and two of them: what a step takes besides weights and slots is a few rows, and an int32 per
// row.
TEST(IndexedGradients, NoTableIsMade) {
  if (std::getenv("BRIO_WALLED_LACKS")) GTEST_SKIP() << "a kernel of the host works on copies of the table";
  constexpr int64_t kRows = 50'000, kWidth = 64, kTable = kRows * kWidth * 4;
  const Tensor words = cast(random::uniform({32, 20}, {.seed = 1}) * static_cast<float>(kRows), i32);
  (void)words.array();
  auto work_of = [&](const nn::Optimizer& optimizer) {
    Variable a(zeros({kRows, kWidth})), b(zeros({kRows, kWidth}));
    auto step = function([&](const Tensor& at) {
      GradientTape tape;
      const Tensor loss = mean(square(gather(a, at) * gather(b, at) - 1.f));
      optimizer.apply_gradients(tape.gradient(loss, {a, b}), {a, b});
    });
    optimizer.build(std::vector<Variable>{a, b});
    const void* places[] = {test::place(a.value()), test::place(b.value())};
    trim_host_memory();
    const int64_t before = bytes_on_ledger();
    for (int i = 0; i < 3; ++i) step(words);
    const int64_t work = bytes_on_ledger() - before;
    EXPECT_EQ(places[0], test::place(a.value())) << optimizer.name() << " is not in place";
    EXPECT_EQ(places[1], test::place(b.value())) << optimizer.name() << " is not in place";
    return work;
  };
  const std::function<nn::Optimizer()> makers[] = {
      [] { return nn::SGD(0.1); },
      [] { return nn::Adam(0.1); },
      [] { return nn::Adagrad(0.1, {.global_clipnorm = 1.0}); },
      [] { return nn::LossScaleOptimizer(nn::Lion(0.1)); },
  };
  for (const auto& make : makers) {
    EXPECT_LT(work_of(make()), kTable / 8) << make().name();
    EXPECT_GT(with_pass(false, [&] { return work_of(make()); }), kTable) << "this would not be seen";
  }
}

TEST(IndexedGradients, Fit) {
  auto fit = [] {
    set_random_seed(5);
    const Tensor words = cast(random::uniform({64, 7}, {.seed = 1}) * 500.f, i32);
    const Tensor y = cast(random::uniform({64, 1}, {.seed = 2}) > 0.5f, f32);
    const nn::Sequential model(
        {nn::Embedding(500, 8, {.mask_zero = true}), nn::LSTM(6), nn::Dense(1, {.activation = "sigmoid"})});
    model.compile({.optimizer = nn::Adam(0.01, {.global_clipnorm = 1}), .loss = "binary_crossentropy"});
    model.fit(words, y, {.epochs = 3, .batch_size = 12, .verbose = 0});
    return Trained{values_of(model.trainable_variables()), planned(op::sum_rows)};
  };
  const Trained rows = with_pass(true, fit), table = with_pass(false, fit);
  EXPECT_GT(rows.summed, 0u);
  EXPECT_EQ(table.summed, 0u);
  expect_same(rows.values, table.values, 0, "fit");
}

}  // namespace
}  // namespace brio
