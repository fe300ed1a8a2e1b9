// What a step of fit takes is known before it runs, and brought below a limit.
#include "brio/train/step_memory.h"

#include <gtest/gtest.h>

#include <brio/brio.h>

#include "brio/runtime/memory_report.h"
#include "tests/place.h"

namespace brio {
namespace {

struct DeepJob {
  Tensor x = random::normal({2048, 256}, {.seed = 1}), y = random::normal({2048, 8}, {.seed = 2});
  nn::Sequential model;
  std::vector<Tensor> start;

  explicit DeepJob(bool normalised = false) {
    for (int i = 0; i < 12; ++i) {
      model.add(nn::Dense(256, {.activation = "gelu"}));
      if (normalised) model.add(nn::LayerNormalization());
    }
    model.add(nn::Dropout(0.1, {.seed = 5}));
    model.add(nn::Dense(8));
    model(x);
    start = model.get_weights();
  }
  // One epoch, from the same weights.
  train::History fit(nn::FitOptions options, int64_t batch_size = 1024) {
    model.set_weights(start);
    model.compile({.optimizer = "adam", .loss = "mse"});
    options.epochs = 1;
    options.batch_size = batch_size;
    options.verbose = 0;
    options.shuffle = false;
    return model.fit(x, y, options);
  }
  std::vector<float> numbers() const {
    std::vector<float> all;
    for (const Tensor& weight : model.get_weights())
      for (const float each : weight.to_vector<float>()) all.push_back(each);
    return all;
  }
};

// A sanitizer keeps what is freed, and gives it back when it likes: limits near what the process has mean nothing
// there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_WHERE_MEMORY_IS_NOT_THE_RUNS_OWN() GTEST_SKIP() << "a sanitizer holds memory of its own"
#else
#define SKIP_WHERE_MEMORY_IS_NOT_THE_RUNS_OWN() static_cast<void>(0)
#endif

TEST(StepMemory, IsKnownBeforeTheFirstStep) {
  DeepJob job;
  const train::History history = job.fit({});
  ASSERT_TRUE(history.step_memory);
  EXPECT_EQ(history.step_memory->rows, 1024);
  EXPECT_EQ(history.step_memory->parts, 1);
  // 12 layers keep what goes into gelu, at least, for the way back.
  EXPECT_GE(history.step_memory->arena, 12 * 1024 * 256 * 4);
  EXPECT_LT(history.step_memory->arena, 40 * 1024 * 256 * 4);
}

TEST(StepMemory, ALimitThatIsTooSmallIsAnErrorThatSaysWhatFits) {
  SKIP_UNLESS_ON_HOST();
  SKIP_WHERE_MEMORY_IS_NOT_THE_RUNS_OWN();
  DeepJob job;
  const int64_t bytes = job.fit({}).step_memory->bytes();
  trim_host_memory();
  try {
    job.fit({.memory_limit = resident_bytes() + bytes / 2});
    FAIL() << "it fitted";
  } catch (const ResourceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("[fit] a step of 1024 rows takes "), std::string::npos) << text;
    EXPECT_NE(text.find("the limit of "), std::string::npos) << text;
    EXPECT_NE(text.find("memory=\"fit\", computes "), std::string::npos) << text;
    EXPECT_NE(text.find("accumulate="), std::string::npos) << text;
    EXPECT_NE(text.find("batch_size="), std::string::npos) << text;
  }
}

TEST(StepMemory, ComputingAgainFitsTheLimitWithTheSameBits) {
  SKIP_UNLESS_ON_HOST();
  SKIP_WHERE_MEMORY_IS_NOT_THE_RUNS_OWN();
  for (const bool normalised : {false, true}) {
    DeepJob whole(normalised), job(normalised);  // each with a fresh stream of dropout
    job.start = whole.start;
    const int64_t bytes = whole.fit({}).step_memory->bytes();
    const std::vector<float> expected = whole.numbers();
    trim_host_memory();
    const train::History history =
        job.fit({.memory_limit = resident_bytes() + bytes * 6 / 10, .memory = train::OnMemory::fit});
    ASSERT_TRUE(history.step_memory);
    EXPECT_EQ(history.step_memory->parts, 1);
    EXPECT_GT(history.step_memory->repeated, 0);
    EXPECT_LE(history.step_memory->bytes(), bytes * 62 / 100);
    EXPECT_EQ(job.numbers(), expected);
  }
}

TEST(StepMemory, WhereThatIsNotEnoughABatchIsGoneThroughInParts) {
  SKIP_UNLESS_ON_HOST();
  SKIP_WHERE_MEMORY_IS_NOT_THE_RUNS_OWN();
  DeepJob whole, job;
  job.start = whole.start;
  const int64_t bytes = whole.fit({}, 2048).step_memory->bytes();
  const std::vector<float> expected = whole.numbers();
  trim_host_memory();
  const train::History history =
      job.fit({.memory_limit = resident_bytes() + bytes * 2 / 10, .memory = train::OnMemory::fit}, 2048);
  ASSERT_TRUE(history.step_memory);
  EXPECT_GT(history.step_memory->parts, 1);
  EXPECT_LE(history.step_memory->bytes(), bytes * 22 / 100);
  const std::vector<float> numbers = job.numbers();
  double apart = 0;
  for (size_t i = 0; i < numbers.size(); ++i) apart = std::max(apart, std::abs(double{numbers[i]} - expected[i]));
  EXPECT_LT(apart, 2 * 0.001);  // Adam's steps: no weight moves by more than the rate in each
}

TEST(StepMemory, ANetworkThatIsItselfTooLargeIsSaidToBe) {
  SKIP_UNLESS_ON_HOST();
  DeepJob job;
  job.fit({});
  try {
    job.model.compile({.optimizer = "adam", .loss = "mse"});
    job.fit({.memory_limit = 1'000'000, .memory = train::OnMemory::fit});
    FAIL() << "it fitted";
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("the network itself is too large"), std::string::npos) << error.what();
  }
}

// Every byte has an owner: what the process grew by is on the ledger, but for 5 % and what is small.
TEST(StepMemory, TheLedgerHoldsWhatTheProcessGrewBy) {
  SKIP_UNLESS_ON_HOST();
  trim_host_memory();
  const int64_t process = anonymous_bytes(), ledger = memory_report().sum;
  DeepJob job;
  job.fit({});
  const MemoryReport after = memory_report();
  [[maybe_unused]] const int64_t grown = after.anonymous - process;
  const int64_t owned = after.sum - ledger;
  EXPECT_GT(owned, 20'000'000);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which hold memory of their own
  EXPECT_LE(grown - owned, grown / 20 + 32'000'000) << after.str();  // what was free before may be used again
#endif
  const std::string table = after.str();
  for (const char* owner : {"parameters", "optimizer", "activations", "in all", "process"})
    EXPECT_NE(table.find(owner), std::string::npos) << table;
}

TEST(StepMemory, WordsAndNumbersAreChecked) {
  EXPECT_EQ(train::on_memory_from("fit"), train::OnMemory::fit);
  EXPECT_THROW(train::on_memory_from("fits"), InvalidArgument);
  DeepJob job;
  EXPECT_THROW(job.fit({.memory_limit = -1}), InvalidArgument);
}

}  // namespace
}  // namespace brio
