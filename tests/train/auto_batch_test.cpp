// batch_size = "auto": the search by itself, the rows that it hands out, and whole runs.
#include "brio/train/auto_batch.h"

#include <sstream>

#include <brio/brio.h>
#include "brio/train/progress_bar.h"
#include "tests/nn/golden_values.h"
#include "tests/share.h"

namespace brio::train {
namespace {

using golden::invalid;

// A search over steps that take `fixed` seconds and `each` for every row.
BatchChoice searched(BatchSearchOptions options, double fixed, double each, int64_t bytes_a_row = 0) {
  BatchSearch search(options);
  for (int i = 0; !search.done(); ++i) {
    EXPECT_LT(i, 1000);
    const auto rows = static_cast<double>(search.size());
    search.note(search.begins_size() ? 1 : fixed + each * rows, search.size() * bytes_a_row);  // planning takes long
  }
  EXPECT_EQ(search.size(), search.choice().batch_size);
  return search.choice();
}

TEST(BatchSearch, TakesTheBestThroughput) {
  // Nothing is fixed: all sizes are alike, and the smallest wins.
  BatchChoice choice = searched({}, 0, 1e-5);
  EXPECT_EQ(choice.batch_size, 32);
  EXPECT_EQ(choice.tried.size(), 3u);
  EXPECT_EQ(choice.why_no_larger, "two in a row gained nothing");
  EXPECT_NEAR(choice.tried[0].samples_a_second, 1e5, 1);
  // 100 µs a step and 1 µs a row: n rows come at 1 / (1 + 100/n) of the rate without end, and 4,096 within 2 % of
  // what is tried last, 16,384.
  choice = searched({}, 1e-4, 1e-6);
  EXPECT_EQ(choice.batch_size, 4096);
  // As much as there may be.
  choice = searched({.most = 300}, 1, 1e-9);
  EXPECT_EQ(choice.batch_size, 256);
  EXPECT_EQ(choice.why_no_larger, "512 is more than the data allow");
  EXPECT_EQ(choice.tried.back().batch_size, 256);
}

TEST(BatchSearch, ASlowSizeInBetweenDoesNotEndIt) {
  BatchSearch search({.most = 256});
  while (!search.done()) search.note(search.size() == 64 ? 1.0 : 1e-3, 0);
  EXPECT_EQ(search.choice().batch_size, 256);
  EXPECT_EQ(search.choice().tried.size(), 4u);
}

TEST(BatchSearch, KeepsWithinTheMemory) {
  const BatchChoice choice = searched({.memory_budget = 1'000'000}, 1, 0, 2000);
  EXPECT_EQ(choice.batch_size, 256);  // 512 rows would take 1.02 MB
  EXPECT_EQ(choice.tried.back().bytes, 512'000);
  EXPECT_EQ(choice.why_no_larger, "512 would take about 1 MB, and there are 1");
}

TEST(BatchSearch, SurvivesASizeThatDoesNotFit) {
  BatchSearch search({});
  while (search.size() < 128) search.note(1e-3, 0);
  search.note(1e-3, 0);
  EXPECT_TRUE(search.out_of_memory());
  EXPECT_TRUE(search.done());
  EXPECT_EQ(search.choice().batch_size, 64);
  EXPECT_EQ(search.choice().why_no_larger, "128 found no memory");
  EXPECT_FALSE(search.out_of_memory());  // what was chosen did fit

  BatchSearch tight({});
  for (const int64_t smaller : {16, 8, 4}) {
    EXPECT_TRUE(tight.out_of_memory());
    EXPECT_EQ(tight.size(), smaller);
  }
  while (!tight.done()) tight.note(1e-3, 0);
  EXPECT_EQ(tight.choice().batch_size, 4);
  BatchSearch none({.first = 1});
  EXPECT_FALSE(none.out_of_memory());
}

TEST(BatchSearch, SettlesWithWhatItKnows) {
  BatchSearch search({});
  EXPECT_EQ(search.settle().batch_size, 32);
  EXPECT_EQ(search.choice().str(), "batch_size auto: 32 taken; no larger: training ended");
  EXPECT_EQ(searched({.most = 64}, 0.032, 0).str(),
            "batch_size auto: 64 taken; samples/s 32: 1000, 64: 2000; no larger: 128 is more than the data allow");
  EXPECT_EQ(searched({.first = 1, .most = 1}, 1, 0).str(),
            "batch_size auto: 1 taken; samples/s 1: 1; no larger: 2 is more than the data allow");
}

TEST(AutoBatchSource, EveryRowComesOnceAnEpoch) {
  std::vector<float> numbers(1003);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const Tensor x = Tensor::from(numbers, {1003, 1});
  for (const bool shuffled : {false, true}) {
    ArraySourceOptions options;
    if (shuffled) options.shuffle = Generator::State{5, 0};
    ArraySource plain(x, x, {}, options), rows(x, x, {}, options);
    AutoBatchSource source(rows);
    EXPECT_EQ(source.steps(), std::nullopt);
    for (int64_t epoch = 0; epoch < 5; ++epoch) {
      const auto order = [&](BatchSource& from, bool fails) {
        std::vector<float> seen;
        from.reset(epoch);
        for (Batch batch; from.next(batch);) {
          if (fails && seen.size() > 500 && from.take_back(batch)) continue;
          const std::vector<float> some = batch.x[0].to_vector<float>();
          EXPECT_EQ(some, batch.y[0].to_vector<float>());
          seen.insert(seen.end(), some.begin(), some.end());
        }
        return seen;
      };
      EXPECT_EQ(order(source, epoch == 1), order(plain, false)) << epoch;
    }
    ASSERT_TRUE(source.choice(false));
    const int64_t chosen = source.choice(false)->batch_size;
    EXPECT_LE(chosen, 1003 / 8);
    EXPECT_EQ(source.steps(), (1003 + chosen - 1) / chosen);
    Batch batch;
    ASSERT_TRUE(source.next(batch) || (source.reset(9), source.next(batch)));
    EXPECT_EQ(batch.rows(), chosen);
    EXPECT_FALSE(source.take_back(batch));
  }
}

nn::Sequential small_model() { return nn::Sequential({nn::Dense(8, {.activation = "relu"}), nn::Dense(1)}); }

struct Data {
  Tensor x = random::normal({2000, 6}, {.seed = 1});
  Tensor y = sum(x, 1, true);
};

TEST(AutoBatch, FitChoosesAndSaysSo) {
  const Data data;
  const nn::Sequential model = small_model();
  const nn::Adam adam(0.01);
  model.compile({.optimizer = adam, .loss = "mse"});
  int64_t steps = 0;
  std::vector<std::optional<int64_t>> known;
  auto watch = std::make_shared<LambdaCallback>();
  watch->epoch_begin = [&](Progress& p, int64_t) { known.push_back(p.steps); };
  watch->train_batch_end = [&](Progress&, int64_t) { ++steps; };
  std::ostringstream out;
  auto bar = std::make_shared<ProgressBar>(2, out, false);
  const History history = model.fit(
      data.x, data.y,
      {.epochs = 10, .batch_size = "auto", .validation_split = 0.2, .verbose = 0, .callbacks = {watch, bar}});
  ASSERT_TRUE(history.batch_choice);
  const BatchChoice& choice = *history.batch_choice;
  EXPECT_GE(choice.tried.size(), 3u);
  EXPECT_EQ(choice.tried[0].batch_size, 32);
  EXPECT_GT(choice.tried[0].bytes, 0);
  EXPECT_NE(choice.why_no_larger, "training ended");
  double best = 0;
  for (const BatchChoice::Tried& each : choice.tried) best = std::max(best, each.samples_a_second);
  for (const BatchChoice::Tried& each : choice.tried)
    if (each.batch_size == choice.batch_size) {
      EXPECT_GE(each.samples_a_second, best / 1.021);
    }
  EXPECT_EQ(known.front(), std::nullopt);
  EXPECT_EQ(known.back(), (1600 + choice.batch_size - 1) / choice.batch_size);
  EXPECT_EQ(adam.iterations().item<int64_t>(), steps);  // every step that was tried counts
  const std::string text = out.str();
  const size_t said = text.find(choice.str() + "\n");
  ASSERT_NE(said, std::string::npos) << text;
  EXPECT_EQ(text.find("batch_size auto", said + 1), std::string::npos);
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  // A number is a number.
  EXPECT_FALSE(model.fit(data.x, data.y, {.batch_size = 100, .verbose = 0}).batch_choice);
}

TEST(AutoBatch, ARunThatEndsBeforeTheSearchSettlesForWhatItHas) {
  const Data data;
  const nn::Sequential model = small_model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const History history = model.fit(data.x, data.y, {.batch_size = "auto", .verbose = 0, .steps_per_epoch = 3});
  ASSERT_TRUE(history.batch_choice);
  EXPECT_EQ(history.batch_choice->batch_size, 32);
  EXPECT_EQ(history.batch_choice->why_no_larger, "training ended");
  const Tensor few = data.x.array().aval.shape[0] ? row_range(data.x, 0, 5) : Tensor();
  EXPECT_EQ(model.fit(few, row_range(data.y, 0, 5), {.epochs = 20, .batch_size = "auto", .verbose = 0})
                .batch_choice->batch_size,
            5);
}

TEST(AutoBatch, KeepsToAMemoryBudget) {
  const Data data;
  const nn::Sequential model({nn::Dense(256, {.activation = "relu"}), nn::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  ArraySource rows(data.x, data.y, {}, {});
  AutoBatchSource source(rows, {.memory_budget = 200'000});
  const History history = model.fit(source, {.epochs = 5, .verbose = 0});
  ASSERT_TRUE(history.batch_choice);
  const BatchChoice& choice = *history.batch_choice;
  EXPECT_SAYS(choice.why_no_larger, "would take about");
  EXPECT_LE(choice.tried.back().bytes, 200'000);
  EXPECT_GT(choice.tried.back().bytes, 50'000);
}

TEST(AutoBatch, MemoryThatIsRefusedEndsTheSearchAndNothingElse) {
  const Tensor x = random::normal({400, 6}, {.seed = 1}), y = sum(x, 1, true);
  x.array();
  y.array();
  int survived = 0, shrunk = 0;
  const uint64_t stride = 3 / test::share_of(3);
  for (uint64_t n = 1;; n += stride * (n < 120 ? 1 : 7)) {
    trim_host_memory();
    const nn::Sequential model = small_model();
    const nn::SGD sgd(0.001);
    int64_t rows = 0;
    auto watch = std::make_shared<LambdaCallback>();
    watch->train_batch_end = [&](Progress&, int64_t) { ++rows; };
    const uint64_t before = host_allocations();
    fail_host_allocation(n);
    std::optional<History> history;
    try {
      model.compile({.optimizer = sgd, .loss = "mse"});
      history = model.fit(x, y, {.epochs = 8, .batch_size = "auto", .verbose = 0, .callbacks = {watch}});
    } catch (const ResourceError&) {
    }
    fail_host_allocation(0);
    const bool failed = !history || host_allocations() - before >= n;
    if (history) {
      ASSERT_TRUE(std::isfinite(history->operator[]("loss").back())) << n;
      EXPECT_EQ(sgd.iterations().item<int64_t>(), rows) << n;
      survived += failed;
      shrunk += failed && history->batch_choice->batch_size < 32;
    }
    if (!failed) break;
    ASSERT_LT(n, 10'000u);
  }
  EXPECT_GT(survived, static_cast<int>(10 / stride));
  EXPECT_GT(shrunk, 0);
}

TEST(AutoBatch, SaysWhatIsWrong) {
  const Data data;
  const nn::Sequential model = small_model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_SAYS(invalid([] { const BatchSize size("car"); }),
              "[fit] batch_size is 'car'; give a number of rows, or 'auto'");
  EXPECT_SAYS(invalid([&] { model.fit(data.x, data.y, {.batch_size = "auto", .accumulate = 2}); }),
              "[fit] batch_size is \"auto\" beside accumulate = 2");
  const data::Dataset batches = data::from_tensor_slices({data.x, data.y}).batch(32);
  EXPECT_SAYS(invalid([&] { model.fit(batches, {.batch_size = "auto"}); }), "choose the size in its batch()");
}

TEST(ProgressBar, SaysTheBatchSizeAboveTheBar) {
  for (const bool terminal : {false, true}) {
    std::ostringstream out;
    ProgressBar bar(1, out, terminal);
    Progress progress{.epochs = 2, .steps = {}, .read = [] { return Logs(); }};
    bar.on_train_begin(progress);
    bar.on_epoch_begin(progress, 0);
    bar.on_train_batch_end(progress, 0);
    progress.batch_choice = BatchChoice{.batch_size = 64, .tried = {}, .why_no_larger = "so"};
    for (int64_t i = 1; i < 5; ++i) bar.on_train_batch_end(progress, i);
    bar.on_train_end(progress, {});
    const std::string line = "batch_size auto: 64 taken; no larger: so\n";
    EXPECT_SAYS(out.str(), terminal ? "\r\x1b[K" + line : line);
    EXPECT_EQ(out.str().find(line), out.str().rfind(line));
  }
}

}  // namespace
}  // namespace brio::train
