// The recorder: where the time of steps goes, in fixed memory.
#include "brio/profile/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "brio/profile/chrome_trace.h"
#include "brio/profile/gauges.h"
#include "brio/profile/named.h"
#include "brio/profile/pipelines.h"
#include "brio/profile/test_clock.h"

namespace brio::profile {
namespace {

void spin(double seconds) {
  const uint64_t until = ticks() + static_cast<uint64_t>(seconds / seconds_per_tick());
  while (ticks() < until) {
  }
}

// At least as long as was spent in it. A thread that loses its processor is in some part, too, so there is no bound
// above but that all parts together are the whole.
void expect_at_least(const Run& run, Part part, double ms) {
  EXPECT_GE(seconds_of(run.total[static_cast<size_t>(part)]) * 1e3, ms * 0.98)
      << kPartNames[static_cast<size_t>(part)];
}
void expect_whole(const Run& run) {
  double sum = 0;
  for (size_t i = 0; i < kParts; ++i) sum += static_cast<double>(run.total[i]);
  EXPECT_NEAR(sum, static_cast<double>(run.wall), 0.001 * sum);
}

Run newest(const void* key) {
  for (const auto& run : runs())
    if (run->key == key) return *run;
  throw std::runtime_error("there is no such run");
}

TEST(Recorder, ModelsThatShareAnAddressShareNoRun) {
  int model = 0;
  const auto fit_three_steps = [&] {
    FitScope fit(&model, 1);
    fit.begin_epoch(3);
    for (int step = 0; step < 3; ++step) fit.end_step(1);
  };
  fit_three_steps();
  fit_three_steps();
  EXPECT_EQ(newest(&model).steps, 6u);  // it goes on
  forget_key(&model);
  fit_three_steps();
  EXPECT_EQ(newest(&model).steps, 3u);
}

// As the doctor's thread does; TSan looks on.
TEST(Recorder, IsReadWhileOthersRecord) {
  std::atomic<int> training{3};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, shared = &training] {
      int models[20] = {};  // more than there are places for: runs make room for others
      for (int round = 0; round < 200; ++round) {
        for (int& model : models) {
          function_step_ended(&model, 8);
          function_step_ended(&model, 8);
        }
        function_step_ended(shared, 8);  // one function in several threads
        FitScope fit(&models[round % 20], 1);
        fit.begin_epoch(2);
        value_read();
        fit.end_step(4);
        fit.count_evaluation();
        fit.set_trials({.alone = 1});
      }
      --training;
    });
  while (training > 0)
    for (const auto& run : runs()) {
      EXPECT_GT(run->steps, 0u);
      EXPECT_LE(run->first_kept(), run->written);
    }
}

TEST(Recorder, KnowsWhatTheTimeOfStepsWentInto) {
  int model = 0;
  {
    FitScope fit(&model, 1);
    fit.begin_epoch(11);
    for (int step = 0; step < 11; ++step) {
      {
        fit.input_begins();
        spin(0.002);
        const Scope inside(Part::run);  // a stage that runs a plan is input still
        spin(0.001);
        fit.input_ends();
      }
      {
        const Scope run(Part::run);
        spin(0.001);
      }
      {
        const Scope callbacks(Part::callbacks);
        spin(0.001);
      }
      fit.end_step(32);
    }
    fit.end_epoch();
    const Scope evaluation(Part::evaluation);
    spin(0.005);
  }
  const auto& run = newest(&model);
  EXPECT_EQ(run.steps, 11U);
  EXPECT_EQ(run.rows, 32U);
  expect_at_least(run, Part::input, 30);
  expect_at_least(run, Part::run, 10);
  expect_at_least(run, Part::callbacks, 10);
  expect_at_least(run, Part::evaluation, 5);
  EXPECT_EQ(run.total[static_cast<size_t>(Part::record)], 0U);
  expect_whole(run);
}

TEST(Recorder, SeesLoopsThatNobodyAnnounces) {
  int optimizer = 0;
  std::thread([&] {
    for (int step = 0; step < 6; ++step) {
      tape_opened();
      spin(0.001);
      {
        const Scope run(Part::run);
        spin(0.001);
      }
      gradient_taken();
      eager_step_ended(&optimizer);
      spin(0.002);
    }
  }).join();
  const auto& run = newest(&optimizer);
  EXPECT_EQ(run.kind, RunKind::eager_loop);
  EXPECT_EQ(run.steady_steps(), 5U);  // what was before the first is not known
  expect_at_least(run, Part::record, 5);
  expect_at_least(run, Part::run, 5);
  expect_at_least(run, Part::host, 10);
  expect_whole(run);
}

// A clock that goes on when the test says so: what is measured does not depend on who else wants the processor.
class OwnClock {
 public:
  OwnClock() : now_(ticks()), even_(detail::even_counter) {
    detail::even_counter = false;
    detail::test_clock = &now_;
  }
  ~OwnClock() {
    detail::even_counter = even_;
    detail::test_clock = nullptr;
  }
  void pass(double microseconds) { now_ += static_cast<uint64_t>(microseconds * 3000); }  // a counter of 3 GHz

 private:
  uint64_t now_;
  bool even_;
};

// Parts of short steps, as shares of the whole. The work takes `busy` microseconds for a while, then ten times that,
// now a little more and now a little less.
std::array<double, kParts> shares_of_short_steps(Pace* pace, double busy) {
  int optimizer = 0;
  std::thread([&] {
    OwnClock clock;
    for (int step = 0; step < 40000; ++step) {
      const double uneven = 1 + 0.1 * (step % 7 - 3);
      tape_opened();
      clock.pass(uneven);
      if (pace) {
        const PacedScope run(Part::run, *pace);
        clock.pass((step < 36000 ? 1 : 10) * busy * uneven);
      } else {
        const Scope run(Part::run);
        clock.pass((step < 36000 ? 1 : 10) * busy * uneven);
      }
      gradient_taken();
      eager_step_ended(&optimizer);
      clock.pass(1 / uneven);
    }
  }).join();
  const Run run = newest(&optimizer);
  expect_whole(run);
  EXPECT_EQ(run.kind, RunKind::eager_loop);
  std::array<double, kParts> shares{};
  for (size_t i = 0; i < kParts; ++i) shares[i] = static_cast<double>(run.total[i]) / static_cast<double>(run.wall);
  forget_key(&optimizer);
  return shares;
}

TEST(Recorder, TimesShortWorkNowAndThenAndSaysTheSame) {
  for (const double busy : {1.0, 4.0}) {
    Pace pace;
    const auto each = shares_of_short_steps(nullptr, busy), some = shares_of_short_steps(&pace, busy);
    EXPECT_GT(each[static_cast<size_t>(Part::run)], 0.3);
    for (const Part part : {Part::host, Part::record, Part::run})
      EXPECT_NEAR(some[static_cast<size_t>(part)], each[static_cast<size_t>(part)], 0.08)
          << kPartNames[static_cast<size_t>(part)] << " of " << busy;
  }
}

TEST(Recorder, StaysAsLargeAsItIsOverAMillionSteps) {
  int model = 0;
  FitScope fit(&model, 1);
  for (int i = 0; i < 10'000; ++i) fit.end_step(1);
  const size_t before = recorder_bytes() + named_bytes() + gauges_bytes();
  for (int i = 0; i < 1'000'000; ++i) {
    const Scope run(Part::run);
    fit.end_step(1);
  }
  EXPECT_EQ(recorder_bytes() + named_bytes() + gauges_bytes(), before);
  EXPECT_LT(before, size_t{4} << 20);
  fit.settle();
  EXPECT_EQ(newest(&model).steps, 1'010'000U);
}

TEST(Recorder, KeepsTheLongestOfManyRuns) {
  int models[40] = {};
  int longest = 0;
  // Longer than those of the tests before.
  uint64_t before = 0;
  for (const auto& run : runs()) before = std::max(before, run->wall + run->first_step);
  const double step = 0.02 + seconds_of(before) / 2;
  {
    FitScope fit(&longest, 1);
    for (int i = 0; i < 3; ++i) {
      spin(step);
      fit.end_step(1);
    }
  }
  for (int& model : models) {
    FitScope fit(&model, 1);
    for (int i = 0; i < 3; ++i) fit.end_step(1);
  }
  EXPECT_EQ(newest(&longest).steps, 3U);
  EXPECT_LE(runs().size(), 8U);
}

TEST(Recorder, IsOffWhenItIsSwitchedOff) {
  int model = 0;
  set_recording(false);
  {
    FitScope fit(&model, 1);
    fit.end_step(1);
  }
  set_recording(true);
  EXPECT_ANY_THROW(newest(&model));
}

TEST(Named, CountsByNameAndIsBounded) {
  for (int i = 0; i < 1000; ++i) count(row_of(NameKind::note, "note " + std::to_string(i)), 1);
  EXPECT_LE(named(NameKind::note).size(), 256U);
  EXPECT_EQ(row_of(NameKind::note, "note 1"), row_of(NameKind::note, "note 1"));
}

TEST(OpTimes, GoToTheTableThatIsUp) {
  OpTimes table;
  EXPECT_EQ(op_table(), nullptr);
  {
    const TimeOps timing(&table);
    op_table()->add("matmul", 100);
    op_table()->add("matmul", 100);
    const TakenOpTable taken;
    EXPECT_EQ(op_table(), nullptr);
  }
  ASSERT_EQ(table.read().size(), 1U);
  EXPECT_EQ(table.read()[0].calls, 2U);
}

TEST(ChromeTrace, IsJsonWithTheSteps) {
  int model = 0;
  const uint64_t begin = ticks();
  {
    FitScope fit(&model, 1);
    for (int i = 0; i < 4; ++i) {
      const Scope run(Part::run);
      spin(0.0005);
      fit.end_step(8);
    }
  }
  const auto json = nlohmann::json::parse(chrome_trace(begin));
  int steps = 0;
  for (const auto& event : json["traceEvents"])
    if (event["name"] == "step") steps += event["args"]["steps"].get<int>();
  EXPECT_EQ(steps, 3);
}

TEST(Pipelines, AddUpWalksOfOneDataset) {
  const auto facts = [] {
    PipelineFacts f;
    f.key = 4711;
    f.read = 10;
    f.stages.emplace_back().seconds = 0.5;
    f.rings.push_back({.stage = "map", .elements = 10, .waited = 5});
    return f;
  };
  for (int i = 0; i < 3; ++i) const OpenPipeline open(facts);
  for (const PipelineFacts& each : pipelines()) {
    if (each.key != 4711) continue;
    EXPECT_EQ(each.read, 30);
    EXPECT_EQ(each.walks, 3);
    EXPECT_DOUBLE_EQ(each.rings.back().waited, 15);
    EXPECT_DOUBLE_EQ(each.stages[0].seconds, 0.5);
    return;
  }
  FAIL() << "it was forgotten";
}

}  // namespace
}  // namespace brio::profile
