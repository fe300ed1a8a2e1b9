// What pipelines say of themselves: the stages of joined and of nested pipelines, and what the reader found.
#include "brio/data/engine/report.h"

#include <thread>

#include "brio/data/engine/measure.h"
#include "tests/data/expect.h"

namespace brio::data {
namespace {

Report read_all(const Dataset& dataset, int epochs = 1) {
  Iterator iterator = dataset.iterator(0);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    if (epoch > 0) iterator.reset(static_cast<uint64_t>(epoch));
    for (Item item; iterator.next(item);) {
    }
  }
  return iterator.report();
}

// Keeps the thread that makes an element.
void spend(std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

void slow(Sample& sample) {
  spend(std::chrono::microseconds(200));
  sample.pass(0, 0);
}

Dataset generated(int64_t count, std::chrono::microseconds each) {
  return from_generator([=] {
    return [=, i = int64_t{0}](std::vector<Tensor>& out) mutable {
      if (i == count) return false;
      spend(each);
      out.push_back(Tensor::from(std::vector<int64_t>{i++}, {}));
      return true;
    };
  });
}

// ">range|map": a mark for each step in.
std::string outline(const Report& report) {
  std::string text;
  for (const StageReport& stage : report.stages)
    text += cat(text.empty() ? "" : "|", std::string(static_cast<size_t>(stage.depth), '>'), stage.name);
  return text;
}

TEST(Report, ShowsWhatIsJoinedAStepFurtherIn) {
  const Dataset one = range(64), two = range(64).map(slow);
  Report report = read_all(zip({one, two.shuffle(8)}).batch(4));
  EXPECT_EQ(outline(report), ">range|>range|>map|>shuffle|zip|batch");
  EXPECT_EQ(report.limit, "map");
  EXPECT_SAYS(report.str(), "\n  map        ");
  EXPECT_SAYS(report.str(), "\nzip        ");
  EXPECT_EQ(outline(read_all(one.concatenate(two))), ">range|>range|>map|concatenate");
  EXPECT_EQ(outline(read_all(sample_from_datasets({one, two, one.take(3)}))),
            ">range|>range|>map|>range|>take|sample_from_datasets");
  report = read_all(one.concatenate(zip({one, two}).map([](Sample& s) { s.pass(0, 0); })).batch(2));
  EXPECT_EQ(outline(report), ">range|>>range|>>range|>>map|>zip|>map|concatenate|batch");
}

TEST(Report, ShowsThePipelinesThatAStageOpens) {
  const auto inner = [](const Item&) { return range(20).map(slow).take(10); };
  for (const Dataset& outer : {range(16).flat_map(inner), range(16).interleave(inner, {.cycle_length = 3})}) {
    const Report report = read_all(outer);
    ASSERT_EQ(report.stages.size(), 6U) << report.str();
    EXPECT_SAYS(outline(report), "range|prefetch|>range|>map|>take|");
    const StageReport &map = report.stages[3], &last = report.stages.back();
    EXPECT_EQ(map.timed, 12U);  // of 160 elements two and one in 16 are timed: those of pipelines that are gone, too
    EXPECT_GT(map.seconds_an_element, 150e-6);
    EXPECT_LT(last.seconds_an_element, 100e-6) << "the time of the nested stages is theirs";
    EXPECT_GT(map.share, 0.5);
    EXPECT_EQ(report.limit, "map");
  }
}

TEST(Report, ShowsNestedPipelinesOfNestedOnesAndOfOtherSteps) {
  const Dataset twice = range(4).flat_map(
      [](const Item&) { return range(4).flat_map([](const Item&) { return range(4).map(slow); }); });
  EXPECT_EQ(outline(read_all(twice)), "range|prefetch|>range|>prefetch|>>range|>>map|>flat_map|flat_map");
  // Up to eight kinds are told apart.
  const Dataset kinds = range(20).flat_map([](const Item& item) {
    Dataset made = range(40).map(slow);
    for (int64_t i = 0; i < item[0].item<int64_t>() % 10; ++i) made = made.take(100);
    return made;
  });
  const Report report = read_all(kinds);
  uint64_t timed = 0;
  double shares = 0;
  for (const StageReport& stage : report.stages) {
    shares += stage.share;
    if (stage.depth == 1 && (stage.name == "map" || stage.name == "others")) timed += stage.timed;
  }
  EXPECT_EQ(timed, 52U);  // of 800 elements
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_SAYS(outline(report), "|>others|flat_map");
  const Dataset windows =
      range(40).group_by_window([](const Item& item) { return item[0].item<int64_t>() % 3; },
                                [](int64_t, const Dataset& window) { return window.batch(4); }, 4);
  EXPECT_EQ(outline(read_all(windows)), "range|prefetch|>window|>batch|group_by_window");
}

TEST(Report, NamesWhatMakesTheReaderWait) {
  const auto microseconds = [](int n) { return std::chrono::microseconds(n); };
  Report report =
      read_all(generated(160, microseconds(1000)).map([](Sample& s) { s.pass(0, 0); }).batch(4).prefetch(2));
  EXPECT_EQ(report.limit, "generator") << report.str();
  EXPECT_SAYS(report.str(), "limited by: generator");
  EXPECT_GT(report.stages[0].seconds_an_element, 900e-6) << report.str();
  report = read_all(generated(160, microseconds(10)).map(slow).batch(4).prefetch(2));
  EXPECT_EQ(report.limit, "map") << report.str();
}

// While threads open and close pipelines.
TEST(Report, CanBeReadAtAnyTime) {
  const Dataset dataset = range(1000)
                              .flat_map([](const Item&) { return range(5).map([](Sample& s) { s.pass(0, 0); }); })
                              .batch(2)
                              .prefetch(4)
                              .with_options({.cpu_budget = 3});
  Iterator iterator = dataset.iterator(0);
  int64_t reports = 0;
  for (Item item; iterator.next(item);) reports += iterator.report().stages.empty() ? 0 : 1;
  EXPECT_EQ(reports, 2500);
}

TEST(Report, CountsEveryEpochAndWhatTheReaderFound) {
  const Report report = read_all(range(10).map([](Sample& s) { s.pass(0, 0); }), 3);
  EXPECT_EQ(report.threads.back().elements, 30);
  Iterator iterator = range(200).map(slow).prefetch(4).iterator(0);
  Item item;
  for (int i = 0; i < 20; ++i) {
    iterator.next(item);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the ring is full meanwhile
  }
  const Report idle = iterator.report();
  EXPECT_GT(idle.threads[0].mean_filled(), 0);
  EXPECT_LE(idle.threads[0].mean_filled(), 4);
  EXPECT_SAYS(idle.str(), " of 4 elements ready, holds ");
}

}  // namespace
}  // namespace brio::data
