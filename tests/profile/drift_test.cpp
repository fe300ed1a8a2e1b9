// The watch for growth: what it says of given samples. Runs that grow are in tests/train/drift_test.cpp.
#include "brio/profile/drift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "brio/profile/trend.h"

namespace brio::profile {
namespace {

constexpr double kMs = 1e6;  // ticks, of a nanosecond each

// A hundred samples, half a second and 50 steps after each other; `change` is given each with its step.
DriftFacts facts_where(const std::function<void(Sample&, double step)>& change, int n = 100) {
  DriftFacts facts;
  facts.gauges = {"parameters",
                  "optimizer",
                  "other",
                  "cache",
                  std::string(kPlanCount),
                  std::string(kRecordedOps),
                  std::string(kReadAhead),
                  "input"};
  facts.line = "train.py:41";
  facts.from_python = true;
  for (int i = 0; i < n; ++i) {
    Sample s;
    s.run = 1;
    s.step = static_cast<uint64_t>(50 * i);
    s.at = static_cast<uint64_t>(i) * 500'000'000;
    s.rss = 2'000'000'000;
    s.rss_of_files = 100'000'000;
    s.cpu = 0.5 * i;
    s.parts[static_cast<size_t>(Part::run)] = static_cast<uint64_t>(s.step) * 9'000'000;
    s.parts[static_cast<size_t>(Part::input)] = static_cast<uint64_t>(s.step) * 100'000;
    s.gauges = {400'000'000, 800'000'000, 100'000'000, 50'000'000, 12, 0, 20'000'000, 30'000'000};
    change(s, static_cast<double>(s.step));
    facts.samples.push_back(s);
  }
  return facts;
}

std::vector<std::string> texts_of(const DriftFacts& facts) {
  std::vector<std::string> texts;
  for (const Drift& drift : drifts(facts)) texts.push_back(drift.text);
  return texts;
}

using Texts = std::vector<std::string>;

void grow(Sample& s, size_t gauge, double step, double since, double by) {
  const auto more = static_cast<int64_t>(std::max(0.0, step - since) * by);
  s.gauges[gauge] += more;
  if (gauge < 4 || gauge == 7) s.rss += more;
}

TEST(Drift, NamesTheStateOfNewVariables) {
  EXPECT_EQ(texts_of(facts_where([](Sample& s, double step) { grow(s, 1, step, 1500, 3.1e6); })),
            Texts{"[drift] optimizer state of new variables: +3.10 MB a step since step 1500, in your loop at "
                  "train.py:41; make variables and optimizers before the loop"});
}

TEST(Drift, NamesVariablesThatAreMadeInTheLoop) {
  EXPECT_EQ(
      texts_of(facts_where([](Sample& s, double step) { grow(s, 0, step, 0, 262'144); })),
      Texts{"[drift] variables that are made in your loop at train.py:41: +262 kB a step since step 0; make them "
            "before the loop"});
}

TEST(Drift, NamesTensorsThatAreKept) {
  EXPECT_EQ(texts_of(facts_where([](Sample& s, double step) { grow(s, 2, step, 0, 65'536); })),
            Texts{"[drift] tensors that are kept by your loop at train.py:41: +65.5 kB a step since step 0; keep "
                  "numbers, not tensors: losses.append(float(loss))"});
}

TEST(Drift, WhatPipelinesReadAheadIsKeptByNobody) {
  const auto read_ahead = [](Sample& s, double step) {
    grow(s, 6, step, 0, 3e5);
    grow(s, 7, step, 0, 3e5);
  };
  EXPECT_EQ(texts_of(facts_where(read_ahead)), Texts{});
  const DriftFacts kept = facts_where([](Sample& s, double step) { grow(s, 7, step, 0, 65'536); });
  EXPECT_EQ(texts_of(kept),
            Texts{"[drift] tensors that are kept by your loop at train.py:41: +65.5 kB a step since step "
                  "0; keep numbers, not tensors: losses.append(float(loss))"});
}

TEST(Drift, WithinFitTheLoopIsNotTheUsers) {
  DriftFacts facts = facts_where([](Sample& s, double step) { grow(s, 2, step, 0, 65'536); });
  facts.in_fit = true;
  EXPECT_EQ(texts_of(facts),
            Texts{"[drift] tensors that are kept by callbacks or the train_step of fit at train.py:41: "
                  "+65.5 kB a step since step 0; keep numbers, not tensors: losses.append(float(loss))"});
}

TEST(Drift, NamesTheGraphBeforeTheTensorsThatItKeeps) {
  EXPECT_EQ(
      texts_of(facts_where([](Sample& s, double step) {
        grow(s, 5, step, 0, 57);
        grow(s, 2, step, 0, 65'536);
      })),
      Texts{"[drift] recorded graph is being extended in your loop at train.py:41: +57 ops a step since step 0; "
            "open the GradientTape inside of the loop"});
}

TEST(Drift, NamesSwap) {
  EXPECT_EQ(
      texts_of(facts_where([](Sample& s, double step) {
        if (step < 4000) return;
        s.swap = static_cast<int64_t>((step - 3950) * 120'000);
        s.parts[static_cast<size_t>(Part::run)] += static_cast<uint64_t>((step - 3950) * 40 * kMs);
      })),
      Texts{"[drift] swap: 120 MB of this program are out on disk since step 4000, as the memory is full; a step "
            "takes 49.0 ms now, 9.00 ms in the middle; lower batch_size, or fit(..., accumulate=4)"});
}

TEST(Drift, NamesPlansThatAreMadeAnew) {
  DriftFacts facts = facts_where([](Sample& s, double step) { grow(s, 4, step, 1000, 0.5); });
  facts.why_planned = "new shape (16, 100) for input 0";
  EXPECT_EQ(texts_of(facts), Texts{"[drift] plans are made anew in your loop at train.py:41: +0.5 a step since step "
                                   "1000, the newest for a new shape (16, 100) for input 0; give the same shapes and "
                                   "structure in every step"});
}

TEST(Drift, NamesWhatIsOutsideOfTheLedgerLast) {
  EXPECT_EQ(
      texts_of(facts_where([](Sample& s, double step) { s.rss += static_cast<int64_t>(step * 1e5); })),
      Texts{"[drift] memory outside of Brio's ledger: +100 kB a step since step 0, in your loop at train.py:41: "
            "arrays and objects that Python keeps, or another library's memory"});
}

TEST(Drift, NamesInputThatIsWaitedForMoreAndMore) {
  EXPECT_EQ(texts_of(facts_where([](Sample& s, double step) {
              s.parts[static_cast<size_t>(Part::input)] += static_cast<uint64_t>(step * step * 1e-3 * kMs);
            })).size(),
            1U);
}

TEST(Drift, NamesWhatMakesStepsSlower) {
  const auto slower = [](double work) {
    return facts_where([work](Sample& s, double step) {
      s.parts[static_cast<size_t>(Part::host)] += static_cast<uint64_t>(step * step * 2e-3 * kMs);
      s.cpu += work * step * step * 2e-6;
    });
  };
  const Texts texts = texts_of(slower(1));
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_NE(texts[0].find("steps become slower in your loop at train.py:41: "), std::string::npos) << texts[0];
  EXPECT_NE(texts[0].find("most of it is your own code"), std::string::npos) << texts[0];
  EXPECT_EQ(texts_of(slower(0)), Texts{});  // others took the processors
}

TEST(Drift, SaysNothingOfHealthyRuns) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise;
  for (int round = 0; round < 200; ++round) {
    // Memory comes and goes, a cache fills and is full, an evaluation takes its buffers, a file is read by pages.
    double spent = 0, waited = 0;
    const DriftFacts facts = facts_where(
        [&](Sample& s, double step) {
          grow(s, 3, std::min(step, 1000.0), 0, 1e6);
          s.rss += static_cast<int64_t>(20e6 * noise(random)) + (step > 2500 ? 300'000'000 : 0);
          s.rss += static_cast<int64_t>(step * 1e6);
          s.rss_of_files += static_cast<int64_t>(step * 1e6);
          s.gauges[2] += static_cast<int64_t>(10e6 * std::abs(noise(random))) + (step > 2500 ? 200'000'000 : 0);
          spent += 50 * (9 + std::abs(3 * noise(random)) + (round % 2 == 0 && step > 3000 ? 20 : 0)) * kMs;
          waited += 50 * std::abs(4 * noise(random)) * kMs;
          s.parts[static_cast<size_t>(Part::run)] = static_cast<uint64_t>(spent);
          s.parts[static_cast<size_t>(Part::input)] = static_cast<uint64_t>(waited);
        },
        12 + 2 * round);
    EXPECT_EQ(texts_of(facts), Texts{}) << "round " << round;
  }
}

TEST(Trend, FindsWhereALateRiseBegan) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise;
  std::vector<double> x, y;
  for (int i = 0; i < 400; ++i) {
    x.push_back(i);
    y.push_back(100 + noise(random) + std::max(0, i - 250) + (i % 37 == 0 ? 500 : 0));
  }
  const auto rise = steady_rise(x, y, 30, 12);
  ASSERT_TRUE(rise);
  EXPECT_NEAR(rise->slope, 1, 0.1);
  EXPECT_NEAR(rise->since, 250, 12);
}

TEST(Trend, IsNoneWhereARiseLevelsOffOrIsOneStep) {
  std::vector<double> x, full, jump;
  for (int i = 0; i < 200; ++i) {
    x.push_back(i);
    full.push_back(100 * (1 - std::exp(-i / 20.0)));
    jump.push_back(i > 120 ? 50 : 0);
  }
  EXPECT_FALSE(steady_rise(x, full, 20, 12));
  EXPECT_FALSE(steady_rise(x, jump, 20, 12));
}

}  // namespace
}  // namespace brio::profile
