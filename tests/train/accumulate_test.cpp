// FitOptions::accumulate: the parts of a batch make the step that the whole batch makes.
#include "brio/nn/config.h"
#include "brio/nn/mask.h"
#include "brio/train/model.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;

// Gives its input a mask: steps whose first feature is above 0.
class Masked : public nn::Module {
 public:
  Masked() : Module("masked") {}
  std::string_view kind() const override { return "Masked"; }

 protected:
  Tensor call(const Tensor& x, const nn::Call&) override { return x * constant(1, x.dtype()); }
  Tensor compute_mask(const Tensor& x, const Tensor&) const override {
    return greater(squeeze(slice(x, {{0, x.shape()[0]}, {0, x.shape()[1]}, {0, 1}}), {2}), constant(0, x.dtype()));
  }
};

struct Run {
  std::vector<std::vector<float>> weights;
  std::vector<double> losses;
};

// Three epochs over 44 rows in batches of 16, from the same weights. SGD, as Adam's first steps divide a gradient by
// its own size: where that is nearly 0 they show the rounding of the sum, not whether the parts were added up.
Run trained(const nn::Sequential& model, const nn::Loss& loss, int64_t accumulate, const Tensor& x, const Tensor& y,
            const Tensor& sample_weight, const std::vector<Tensor>& start) {
  model.set_weights(start);
  model.compile({.optimizer = nn::SGD(0.05, {.momentum = 0.9, .clipnorm = 1}), .loss = loss, .metrics = {"mse"}});
  const auto history = model.fit(x, y,
                                 {.epochs = 3,
                                  .batch_size = 16,
                                  .accumulate = accumulate,
                                  .shuffle = false,
                                  .verbose = 0,
                                  .sample_weight = sample_weight});
  Run run{{}, history["mse"]};
  run.losses.insert(run.losses.end(), history["loss"].begin(), history["loss"].end());
  for (const Tensor& weight : model.get_weights()) run.weights.push_back(weight.to_vector<float>());
  return run;
}

void expect_same_steps(const nn::Sequential& model, const nn::Loss& loss, const Tensor& x, const Tensor& y,
                       const Tensor& sample_weight = {}) {
  model(x);
  const std::vector<Tensor> start = model.get_weights();
  const Run whole = trained(model, loss, 1, x, y, sample_weight, start);
  for (const int64_t parts : {2, 3, 16, 40}) {  // of 16 rows, and of 12 in the last batch: unequal parts too
    SCOPED_TRACE(cat(loss.name(), " in ", parts));
    const Run run = trained(model, loss, parts, x, y, sample_weight, start);
    for (size_t i = 0; i < whole.weights.size(); ++i)
      for (size_t k = 0; k < whole.weights[i].size(); ++k)
        EXPECT_NEAR(run.weights[i][k], whole.weights[i][k], 2e-5 * std::max(1.f, std::abs(whole.weights[i][k])));
    for (size_t i = 0; i < whole.losses.size(); ++i)
      EXPECT_NEAR(run.losses[i], whole.losses[i], 1e-5 * std::max(1.0, whole.losses[i]));
  }
}

nn::Sequential small() {
  return nn::Sequential({nn::Dense(8, {.activation = "tanh", .kernel_regularizer = nn::l2(0.01)}), nn::Dense(1)});
}

TEST(Accumulate, MakesTheStepOfTheWholeBatch) {
  const Tensor x = random::normal({44, 3}, {.seed = 1}), y = random::normal({44, 1}, {.seed = 2});
  const Tensor weights = random::uniform({44}, {.seed = 3});
  expect_same_steps(small(), nn::MeanSquaredError(), x, y);
  expect_same_steps(small(), nn::MeanSquaredError(), x, y, weights);
  expect_same_steps(small(), nn::MeanSquaredError({.reduction = nn::Reduction::sum}), x, y, weights);
  expect_same_steps(small(), nn::MeanSquaredError({.reduction = nn::Reduction::mean_with_sample_weight}), x, y,
                    weights);
}

TEST(Accumulate, CountsWhatMasksLeave) {
  const Tensor x = random::normal({44, 5, 3}, {.seed = 1}), y = random::normal({44, 5, 1}, {.seed = 2});
  expect_same_steps(nn::Sequential({nn::layer<Masked>(), nn::Dense(4, {.activation = "tanh"}), nn::Dense(1)}),
                    nn::MeanSquaredError(), x, y);
}

int64_t ledger_bytes(Owner owner) {
  for (const LedgerRow& row : memory_ledger())
    if (row.owner == owner) return row.bytes;
  return 0;
}

TEST(Accumulate, TakesTheMemoryOfAPart) {
  // Activations dominate: 4096 rows of 2 × 256 numbers.
  const nn::Sequential model(
      {nn::Dense(256, {.activation = "tanh"}), nn::Dense(256, {.activation = "tanh"}), nn::Dense(1)});
  const Tensor x = random::normal({4096, 8}, {.seed = 1}), y = ones({4096, 1});
  auto peak = [&](int64_t accumulate) {
    model.compile({.optimizer = nn::SGD(0.01), .loss = "mse"});
    int64_t most = 0;
    auto watch = std::make_shared<train::LambdaCallback>();
    watch->train_batch_end = [&](train::Progress&, int64_t) {
      most = std::max(most, ledger_bytes(Owner::activations));
    };
    model.fit(x, y, {.batch_size = 4096, .accumulate = accumulate, .verbose = 0, .callbacks = {watch}});
    return most;
  };
  const int64_t parts = peak(16), whole = peak(1);
  EXPECT_GT(whole, parts * 4);
}

TEST(Accumulate, APartThatFailsLeavesNothingBehind) {
  const nn::Sequential model({nn::Embedding(4, 3), nn::Flatten(), nn::Dense(1)});
  const Tensor good({{0, 1}, {2, 3}, {1, 1}, {3, 0}}, i32), bad({{0, 1}, {2, 3}, {1, 9}, {3, 0}}, i32);
  const Tensor y({{1}, {2}, {3}, {4}});
  model(good);
  const std::vector<Tensor> start = model.get_weights();
  auto trained = [&](bool fails_first) {
    model.set_weights(start);
    model.compile({.optimizer = nn::SGD(0.1), .loss = "mse"});
    const nn::FitOptions options{.batch_size = 4, .accumulate = 2, .shuffle = false, .verbose = 0};
    // Rows 0 and 1 are added up before row 2 is refused.
    if (fails_first) {
      EXPECT_SAYS(invalid([&] { model.fit(bad, y, options); }), "9");
    }
    model.fit(good, y, options);
    return model.get_weights()[0].to_vector<float>();
  };
  EXPECT_EQ(trained(true), trained(false));
}

TEST(Accumulate, SaysWhatItCannotDo) {
  const Tensor x = ones({4, 3}), y = ones({4, 1});
  const nn::Sequential model = small();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_SAYS(invalid([&] { model.fit(x, y, {.accumulate = 0, .verbose = 0}); }), "accumulate is 0");
  model.compile({.optimizer = "sgd", .train_step = [](const train::Batch&) { return nn::NamedTensors(); }});
  EXPECT_SAYS(invalid([&] { model.fit(x, y, {.accumulate = 2, .verbose = 0}); }), "the train_step that you gave");
  const nn::Symbol in = nn::Input({3});
  const nn::Model two({in}, {nn::Dense(1)(in), nn::Dense(1)(in)});
  two.compile({.optimizer = "sgd", .loss = nn::MeanSquaredError({.reduction = nn::Reduction::sum})});
  EXPECT_SAYS(invalid([&] { two.fit(x, {y, y}, {.accumulate = 2, .verbose = 0}); }), "several outputs together");
  two.compile({.optimizer = "sgd", .loss = "mse"});
  two.fit(x, {y, y}, {.accumulate = 2, .verbose = 0});
}

TEST(Precision, Float16GetsALossScale) {
  nn::set_global_policy("mixed_float16");
  const nn::Sequential model({nn::Dense(8, {.activation = "relu"}), nn::Dense(1, {.dtype = "float32"})});
  nn::set_global_policy("float32");
  const Tensor x = random::normal({64, 4}, {.seed = 1}), y = sum(x, 1, true);
  model.compile({.optimizer = nn::Adam(0.02), .loss = "mse"});
  EXPECT_TRUE(model.optimizer().scales_loss());
  const auto history = model.fit(x, y, {.epochs = 30, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front() / 4);
  model.compile({.optimizer = nn::Adam(0.02), .loss = "mse", .auto_scale_loss = false});
  EXPECT_FALSE(model.optimizer().scales_loss());
}

TEST(Constraints, HoldAfterEveryStep) {
  const nn::Dense dense(4, {.kernel_constraint = nn::max_norm(0.5), .bias_constraint = "non_neg"});
  const nn::Sequential model({dense, nn::Dense(1)});
  const Tensor x = random::normal({32, 3}, {.seed = 1}), y = random::normal({32, 1}, {.seed = 2});
  model.compile({.optimizer = nn::Adam(0.1), .loss = "mse"});
  model.fit(x, y, {.epochs = 5, .verbose = 0});
  for (const float length : sqrt(sum(square(dense.kernel()), 0)).to_vector<float>()) EXPECT_LE(length, 0.5f + 1e-5f);
  for (const float b : dense.bias().value().to_vector<float>()) EXPECT_GE(b, 0);
}

}  // namespace
}  // namespace brio
