// compile, fit, evaluate and predict.
#include "brio/train/model.h"

#include <sstream>

#include "brio/nn/names.h"
#include "brio/runtime/backend.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;

nn::Sequential small_model(nn::SequentialOptions options = {}) {
  return nn::Sequential({nn::Dense(8, {.activation = "relu"}), nn::Dense(1, {.activation = "sigmoid"})}, options);
}

struct Classes {
  Tensor x = random::normal({100, 6}, {.seed = 1});
  Tensor y = cast(random::uniform({100, 1}, {.seed = 2}) > 0.5f, f32);
};

TEST(Fit, FollowsKeras) {
  for (const golden::Case& c : golden::load("fit.json")) {
    const nn::Sequential model = small_model({.input_shape = Shape{5}});
    std::vector<Tensor> weights;
    for (const char* name : {"w1", "b1", "w2", "b2"}) weights.push_back(golden::tensor(c.input(name)));
    model.set_weights(weights);
    model.compile(
        {.optimizer = nn::Adam(c.number("learning_rate")), .loss = "binary_crossentropy", .metrics = {"accuracy"}});
    const Tensor x = golden::tensor(c.input("x")), y = golden::tensor(c.input("y"));
    const auto batch = static_cast<int64_t>(c.number("batch_size"));
    const train::History history =
        model.fit(x, y, {.epochs = 3, .batch_size = batch, .shuffle = false, .verbose = 0});
    for (const char* name : {"loss", "accuracy"}) {
      ASSERT_EQ(history[name].size(), 3u);
      for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(history[name][i], c.output(name).data[i], 5e-6) << c.name << " " << name;
    }
    const std::vector<Tensor> trained = model.get_weights();
    const char* names[] = {"w1", "b1", "w2", "b2"};
    for (size_t i = 0; i < 4; ++i) golden::expect_near(trained[i], c.output(names[i]), 1e-5, c.name + " " + names[i]);
    golden::expect_near(model.predict(x, {.batch_size = batch}), c.output("predictions"), 1e-5, c.name);
    const train::Logs evaluated = model.evaluate(x, y, {.batch_size = batch, .verbose = 0});
    EXPECT_NEAR(evaluated[size_t{0}], c.output("evaluate").data[0], 5e-6);
    EXPECT_NEAR(evaluated["accuracy"], c.output("evaluate").data[1], 5e-6);
  }
}

TEST(Fit, LearnsASeparableProblem) {
  set_random_seed(1);
  const Tensor x = random::normal({512, 4}, {.seed = 1});
  const Tensor y = cast(sum(x, 1, true) > 0.f, f32);
  const nn::Sequential model = small_model();
  model.compile({.optimizer = nn::Adam(0.01), .loss = "binary_crossentropy", .metrics = {"accuracy"}});
  const train::History history = model.fit(x, y, {.epochs = 30, .validation_split = 0.25, .verbose = 0});
  EXPECT_GT(history["accuracy"].back(), 0.95);
  EXPECT_GT(history["val_accuracy"].back(), 0.9);
  EXPECT_LT(history["loss"].back(), history["loss"].front() / 2);
}

TEST(Fit, LearnsClassesAndNumbers) {
  set_random_seed(2);
  const Tensor x = random::normal({256, 4}, {.seed = 1});
  const Tensor labels = argmax(x, -1, i32);
  const nn::Sequential classifier({nn::Dense(16, {.activation = "tanh"}), nn::Dense(4, {.activation = "softmax"})});
  classifier.compile(
      {.optimizer = nn::Adam(0.02), .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  EXPECT_GT(classifier.fit(x, labels, {.epochs = 20, .verbose = 0})["accuracy"].back(), 0.9);
  const nn::Sequential one_hot_classifier({nn::Dense(4, {.activation = "softmax"})});
  one_hot_classifier.compile(
      {.optimizer = nn::Adam(0.05), .loss = "categorical_crossentropy", .metrics = {"acc", "mse"}});
  const train::History history = one_hot_classifier.fit(x, one_hot(labels, 4), {.epochs = 20, .verbose = 0});
  EXPECT_GT(history["acc"].back(), 0.9);
  EXPECT_LT(history["mse"].back(), 0.1);
  const nn::Sequential regression({nn::Dense(1)});
  regression.compile({.optimizer = nn::SGD(0.1), .loss = "mse"});
  const Tensor target = sum(x * Tensor({1, 2, 3, 4}), 1);  // (256,) beside (256, 1)
  EXPECT_LT(regression.fit(x, target, {.epochs = 20, .verbose = 0})["loss"].back(), 1e-4);
}

TEST(Fit, HistoryIsSortedByName) {
  const Classes data;
  const nn::Sequential model = small_model();
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mse", "accuracy"}});
  const train::History history =
      model.fit(data.x, data.y, {.epochs = 3, .validation_split = 0.2, .verbose = 0, .initial_epoch = 1});
  EXPECT_EQ(history.epoch, (std::vector<int64_t>{1, 2}));
  std::vector<std::string> names;
  for (const auto& [name, values] : history.columns) {
    names.push_back(name);
    EXPECT_EQ(values.size(), 2u);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"accuracy", "loss", "mse", "val_accuracy", "val_loss", "val_mse"}));
  EXPECT_NEAR(history["loss"][1], history["mse"][1], 1e-6);
  EXPECT_SAYS(invalid([&] { history["los"]; }), "there is no 'los'; there is accuracy, loss");
}

TEST(Fit, ValidationSplitTakesTheLastRows) {
  const Classes data;
  const nn::Sequential model = small_model({.input_shape = Shape{6}});
  model.compile({.optimizer = nn::SGD(0), .loss = "mse"});  // weights stay
  const train::History split = model.fit(data.x, data.y, {.validation_split = 0.25, .verbose = 0});
  const auto rows = [&](const Tensor& t, int64_t begin, int64_t end) { return train::row_range(t, begin, end); };
  const train::Logs last = model.evaluate(rows(data.x, 75, 100), rows(data.y, 75, 100), {.verbose = 0});
  const train::Logs first = model.evaluate(rows(data.x, 0, 75), rows(data.y, 0, 75), {.verbose = 0});
  EXPECT_NEAR(split["val_loss"][0], last["loss"], 1e-6);
  EXPECT_NEAR(split["loss"][0], first["loss"], 1e-6);
  const train::History given =
      model.fit(data.x, data.y, {.validation_data = {rows(data.x, 75, 100), rows(data.y, 75, 100)}, .verbose = 0});
  EXPECT_EQ(given["val_loss"][0], split["val_loss"][0]);
}

TEST(Fit, ValidationEveryOtherEpoch) {
  const Classes data;
  const nn::Sequential model = small_model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const train::History history =
      model.fit(data.x, data.y, {.epochs = 4, .validation_split = 0.25, .verbose = 0, .validation_freq = 2});
  EXPECT_EQ(history["loss"].size(), 4u);
  EXPECT_EQ(history["val_loss"].size(), 2u);
}

TEST(Fit, SampleWeightsScaleTheLoss) {
  const Classes data;
  const nn::Sequential model = small_model({.input_shape = Shape{6}});
  model.compile(
      {.optimizer = nn::SGD(0), .loss = "mse", .metrics = {"mse"}, .weighted_metrics = {nn::Metric("MSE")}});
  const Tensor half = full({100}, 0.5);
  const train::History history = model.fit(data.x, data.y, {.verbose = 0, .sample_weight = half});
  const train::Logs plain = model.evaluate(data.x, data.y, {.verbose = 0});
  EXPECT_NEAR(history["loss"][0], plain["loss"] / 2, 1e-6);
  EXPECT_NEAR(history["mse"][0], plain["mse"], 1e-6);
  EXPECT_NEAR(history["MSE"][0], plain["mse"], 1e-6);  // a mean does not change with equal weights
  const train::Logs weighted = model.evaluate(data.x, data.y, {.verbose = 0, .sample_weight = half});
  EXPECT_NEAR(weighted["loss"], plain["loss"] / 2, 1e-6);
}

TEST(Fit, SameSeedSameBitsForAnyNumberOfThreads) {
  const Classes data;
  auto trained = [&](int threads) {
    const int before = thread_count();
    set_thread_count(threads);
    set_random_seed(7);
    const nn::Sequential model({nn::Dense(16, {.activation = "relu", .kernel_initializer = "he_normal"}),
                                nn::Dropout(0.2), nn::Dense(1, {.activation = "sigmoid"})});
    model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
    const train::History history = model.fit(data.x, data.y, {.epochs = 3, .verbose = 0});
    std::vector<std::vector<float>> bits;
    for (const Tensor& w : model.get_weights()) bits.push_back(w.to_vector<float>());
    bits.emplace_back(history["loss"].begin(), history["loss"].end());
    set_thread_count(before);
    return bits;
  };
  const auto one = trained(1);
  EXPECT_EQ(trained(1), one);
  EXPECT_EQ(trained(2), one);
  EXPECT_EQ(trained(7), one);
}

TEST(Fit, ShuffleSeesEveryRowOnceAndDiffersByEpoch) {
  struct Seen : train::BatchSource {
    void reset(int64_t) override {}
    bool next(train::Batch&) override { return false; }
    std::optional<int64_t> steps() const override { return {}; }
  };
  std::vector<float> numbers(103);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const Tensor x = Tensor::from(numbers, {103, 1});
  train::ArraySource source(x, x, {}, {.batch_size = 10, .shuffle = Generator::State{5, 0}});
  EXPECT_EQ(source.steps(), 11);
  auto order = [&](int64_t epoch) {
    std::vector<float> seen;
    source.reset(epoch);
    for (train::Batch batch; source.next(batch);) {
      const std::vector<float> rows = batch.x[0].to_vector<float>();
      EXPECT_EQ(rows, batch.y[0].to_vector<float>());
      seen.insert(seen.end(), rows.begin(), rows.end());
    }
    return seen;
  };
  const std::vector<float> first = order(0), second = order(1);
  EXPECT_NE(first, numbers);
  EXPECT_NE(first, second);
  EXPECT_EQ(order(0), first);
  std::vector<float> sorted = first;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, numbers);
}

TEST(Fit, AKeptBatchIsNotOverwritten) {
  const Tensor x({{1}, {2}, {3}, {4}});
  train::ArraySource source(x, {}, {}, {.batch_size = 2, .shuffle = Generator::State{5, 0}});
  source.reset(0);
  train::Batch a, b;
  ASSERT_TRUE(source.next(a));
  const std::vector<float> before = a.x[0].to_vector<float>();
  ASSERT_TRUE(source.next(b));
  EXPECT_EQ(a.x[0].to_vector<float>(), before);
  EXPECT_NE(b.x[0].to_vector<float>(), before);
}

TEST(Fit, StepsPerEpochEndsAnEpochEarly) {
  const Classes data;
  const nn::Sequential model = small_model();
  const nn::SGD sgd;
  model.compile({.optimizer = sgd, .loss = "mse"});
  model.fit(data.x, data.y, {.epochs = 2, .batch_size = 10, .verbose = 0, .steps_per_epoch = 3});
  EXPECT_EQ(sgd.iterations().item<int64_t>(), 6);
}

TEST(Fit, CallbacksSeeAndStopTheRun) {
  struct Recorder : train::Callback {
    std::string text;
    int64_t batches = 0;
    void on_train_begin(train::Progress& p) override { text += cat("begin ", p.epochs, "x", *p.steps, ";"); }
    void on_epoch_begin(train::Progress&, int64_t epoch) override { text += cat("epoch ", epoch, ";"); }
    void on_train_batch_begin(train::Progress&, int64_t) override { ++batches; }
    void on_train_batch_end(train::Progress& p, int64_t step) override {
      EXPECT_GT(p.read()["loss"], 0);
      if (step == 1) p.stop_training = true;
    }
    void on_epoch_end(train::Progress&, int64_t, train::Logs& logs) override {
      text += cat("end ", logs.size(), ";");
    }
    void on_train_end(train::Progress&, const train::Logs&) override { text += "done"; }
  };
  const Classes data;
  const nn::Sequential model = small_model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  auto recorder = std::make_shared<Recorder>();
  const train::History history =
      model.fit(data.x, data.y, {.epochs = 5, .batch_size = 25, .verbose = 0, .callbacks = {recorder}});
  EXPECT_EQ(recorder->text, "begin 5x4;epoch 0;end 1;done");
  EXPECT_EQ(recorder->batches, 2);
  EXPECT_EQ(history.epoch.size(), 1u);
}

TEST(Fit, FromASourceOfBatches) {
  struct Ten : train::BatchSource {
    int64_t left = 0;
    void reset(int64_t) override { left = 10; }
    bool next(train::Batch& batch) override {
      if (left-- <= 0) return false;
      batch = {random::normal({8, 3}, {.seed = 1}), ones({8, 1}), {}};
      return true;
    }
    std::optional<int64_t> steps() const override { return {}; }
  };
  Ten source;
  const nn::Sequential model = small_model();
  model.compile({.optimizer = nn::SGD(0.1), .loss = "mse"});
  const train::History history = model.fit(source, {.epochs = 3, .verbose = 0});
  EXPECT_LT(history["loss"][2], history["loss"][0]);
  EXPECT_EQ(model.optimizer().iterations().item<int64_t>(), 30);
  EXPECT_LT(model.evaluate(source, {.verbose = 0})["loss"], history["loss"][0]);
}

TEST(Fit, GoesOnWhereItStopped) {
  const Classes data;
  auto trained = [&](bool in_two) {
    set_random_seed(3);
    const nn::Sequential model = small_model({.input_shape = Shape{6}});
    model.compile({.optimizer = "adam", .loss = "mse"});
    if (in_two) {
      model.fit(data.x, data.y, {.epochs = 1, .shuffle = false, .verbose = 0});
      model.fit(data.x, data.y, {.epochs = 2, .shuffle = false, .verbose = 0, .initial_epoch = 1});
    } else {
      model.fit(data.x, data.y, {.epochs = 2, .shuffle = false, .verbose = 0});
    }
    return model.get_weights()[0].to_vector<float>();
  };
  EXPECT_EQ(trained(true), trained(false));
}

TEST(Predict, OneRowForEach) {
  const nn::Sequential model({nn::Dense(3)});
  const Tensor x = random::normal({70, 4}, {.seed = 1});
  const Tensor all = model.predict(x);
  ASSERT_EQ(all.shape(), Shape({70, 3}));
  const std::vector<float> direct = model(x).to_vector<float>(), predicted = all.to_vector<float>();
  const std::vector<float> at_once = model.predict(x, {.batch_size = 70}).to_vector<float>();
  // The host computes a row alike in every batch; a GPU's library takes another kernel for another size.
  if (current_device().is_host()) {
    EXPECT_EQ(predicted, at_once);
  }
  for (size_t i = 0; i < direct.size(); ++i) {
    EXPECT_NEAR(direct[i], predicted[i], 1e-6);
    EXPECT_NEAR(at_once[i], predicted[i], 1e-6);
  }
}

TEST(Fit, SaysWhatIsWrong) {
  const Classes data;
  const nn::Sequential model({nn::Dense(1)}, {.name = "tiny"});
  EXPECT_SAYS(invalid([&] { model.fit(data.x, data.y); }), "[fit] 'tiny' is not compiled; call compile(");
  EXPECT_SAYS(invalid([&] { model.evaluate(data.x, data.y); }), "[evaluate] 'tiny' is not compiled");
  EXPECT_SAYS(invalid([&] { model.optimizer(); }), "not compiled");
  EXPECT_SAYS(invalid([&] { model.compile({.optimizer = "adamm"}); }),
              "there is no optimizer 'adamm'; did you mean 'adam'?");
  EXPECT_SAYS(invalid([&] { model.compile({.loss = "msee"}); }), "did you mean 'mse'?");
  EXPECT_SAYS(invalid([&] { model.compile({.metrics = {"accurcy"}}); }), "did you mean 'accuracy'?");
  model.compile({.optimizer = "sgd"});
  EXPECT_SAYS(invalid([&] { model.fit(data.x, data.y); }), "compiled without a loss");
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto fit = [&](const Tensor& x, const Tensor& y, nn::FitOptions options) {
    options.verbose = 0;
    return invalid([&] { model.fit(x, y, options); });
  };
  EXPECT_SAYS(fit(data.x, zeros({10, 1}), {}), "x has 100 rows, but y has 10 (shape (10, 1))");
  EXPECT_SAYS(fit(data.x, data.y, {.sample_weight = ones({5})}), "but sample_weight has 5");
  EXPECT_SAYS(fit(zeros({0, 3}), zeros({0, 1}), {}), "x has no rows");
  EXPECT_SAYS(fit(Tensor(), data.y, {}), "x is none");
  EXPECT_SAYS(fit(Tensor(1), data.y, {}), "x is a scalar");
  EXPECT_SAYS(fit(data.x, Tensor(), {}), "there is no y");
  EXPECT_SAYS(fit(data.x, data.y, {.batch_size = 0}), "batch_size is 0");
  EXPECT_SAYS(fit(data.x, data.y, {.epochs = -1}), "epochs is -1");
  EXPECT_SAYS(fit(data.x, data.y, {.validation_split = 1}), "validation_split is 1");
  EXPECT_SAYS(fit(data.x, data.y, {.validation_split = 0.999}), "one of the parts would be empty");
  EXPECT_SAYS(fit(data.x, data.y, {.validation_freq = 0}), "validation_freq is 0");
  EXPECT_SAYS(fit(data.x, data.y, {.steps_per_epoch = 0}), "steps_per_epoch is 0");
  EXPECT_SAYS(fit(data.x, zeros({100, 3, 2}), {}), "the targets have shape (32, 3, 2), but the predictions (32, 1)");
  EXPECT_SAYS(fit(zeros({100, 7}), data.y, {}), "was built for 6 features, but the input of shape (32, 7)");
  EXPECT_EQ(fit(data.x, data.y, {}), "");  // none of that broke it
  model.compile({.optimizer = "sgd", .loss = nn::MeanSquaredError({.reduction = nn::Reduction::none})});
  EXPECT_SAYS(fit(data.x, data.y, {}), "needs a reduction other than none");
  const nn::Sequential fixed({nn::Activation("relu")});
  fixed.compile({.loss = "mse"});
  EXPECT_EQ(invalid([&] { fixed.fit(data.y, data.y, {.verbose = 0}); }), "");  // nothing to train: it is measured
  const nn::Sequential empty;
  empty.compile({.loss = "mse"});
  EXPECT_SAYS(invalid([&] { empty.fit(data.x, data.y, {.verbose = 0}); }), "has no layers");
  EXPECT_SAYS(invalid([&] { model.set_weights({data.x}); }), "1 tensors are given for 2 weights");
  EXPECT_SAYS(invalid([&] { model.add(nn::Dense(2)); }), "it is built already");
  EXPECT_SAYS(invalid([] {
                nn::Sequential({nn::Dense(2, {.name = "a"}), nn::Dense(2, {.name = "a"})});
              }),
              "has two layers named 'a'");
}

TEST(Fit, ALossThatIsNotFiniteIsAnErrorWhereThatIsAskedFor) {
  const Classes data;
  const nn::Sequential model({nn::Dense(1)});
  model.compile({.optimizer = nn::SGD(1e20), .loss = "mse"});
  const std::string message = invalid(
      [&] { model.fit(data.x, data.y, {.epochs = 3, .verbose = 0, .on_bad_number = train::OnBadNumber::stop}); });
  EXPECT_SAYS(message, " of epoch 1 gave numbers that are not finite");
  EXPECT_SAYS(message, "learning rate 1e+20");
}

TEST(Summary, IsTheTableOfKeras) {
  nn::reset_unique_names();
  const nn::Sequential model({nn::Dense(64, {.activation = "relu"}), nn::Flatten(), nn::Dropout(0.5),
                              nn::Dense(1, {.name = "a_very_long_layer_name_to_see_what_happens"})});
  EXPECT_SAYS(model.summary_text(), "│ dense (Dense)                   │ ?                      │   0 (unbuilt) │\n");
  model.build({1, 100});
  EXPECT_EQ(model.summary_text(),
            "Model: \"sequential\"\n"
            "┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┓\n"
            "┃ Layer (type)                    ┃ Output Shape           ┃       Param # ┃\n"
            "┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━┩\n"
            "│ dense (Dense)                   │ (None, 64)             │         6,464 │\n"
            "├─────────────────────────────────┼────────────────────────┼───────────────┤\n"
            "│ flatten (Flatten)               │ (None, 64)             │             0 │\n"
            "├─────────────────────────────────┼────────────────────────┼───────────────┤\n"
            "│ dropout (Dropout)               │ (None, 64)             │             0 │\n"
            "├─────────────────────────────────┼────────────────────────┼───────────────┤\n"
            "│ a_very_long_layer_name_to_see_… │ (None, 1)              │            65 │\n"
            "│ (Dense)                         │                        │               │\n"
            "└─────────────────────────────────┴────────────────────────┴───────────────┘\n"
            " Total params: 6,529 (25.50 KB)\n"
            " Trainable params: 6,529 (25.50 KB)\n"
            " Non-trainable params: 0 (0.00 B)\n");
  model.compile({.optimizer = "adam", .loss = "mse"});
  model.fit(zeros({2, 100}), zeros({2, 1}), {.verbose = 0});
  EXPECT_SAYS(model.summary_text(), " Total params: 19,589 (76.5");
  EXPECT_SAYS(model.summary_text(), " Optimizer params: 13,060 (51.0");
}

}  // namespace
}  // namespace brio
