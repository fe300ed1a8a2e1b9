// What the tuner makes of what it is told.
#include "brio/data/engine/tuner.h"

#include "tests/data/expect.h"

namespace brio::data {
namespace {

constexpr TunerLimits kLimits{.workers = 4, .depth = 64};
constexpr int64_t kMs = 1'000'000;

// Elements of so many ns each, for which the reader waits all the time.
TunerWindow made_by_reader(int64_t elements, int64_t each_ns) {
  return {.elements = elements,
          .wall_ns = elements * each_ns,
          .waited_ns = elements * each_ns,
          .cheapest_ns = each_ns,
          .computed_ns = elements * each_ns,
          .found_empty = elements};
}

struct Tuned {
  Tuner tuner;
  TunerSetting setting;
  int64_t see(const TunerWindow& window) {
    setting = tuner.decide(window, setting, kLimits, 0, "map");
    return setting.workers;
  }
};

TEST(Tuner, StartsThreadsForSlowElements) {
  Tuned pictures;
  EXPECT_EQ(pictures.see(made_by_reader(1, 100 * kMs)), 4);  // 100 ms are no accident
  EXPECT_EQ(pictures.setting.depth, 5);
  Tuned steady;
  EXPECT_EQ(steady.see(made_by_reader(1, 3 * kMs)), 0);
  EXPECT_EQ(steady.see(made_by_reader(1, 3 * kMs)), 4);
}

TEST(Tuner, OneElementThatLostItsCpuStartsNone) {
  Tuned rows;
  EXPECT_EQ(rows.see(made_by_reader(1000, 2'000)), 0);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(rows.see(made_by_reader(1, 30 * kMs)), 0);
    EXPECT_EQ(rows.see(made_by_reader(1000, 2'000)), 0);
  }
  EXPECT_EQ(rows.see(made_by_reader(8, 3 * kMs)), 0);
  EXPECT_EQ(rows.see(made_by_reader(8, 3 * kMs)), 4);  // sixteen in a row are no accident
  TunerWindow none = made_by_reader(5, 0);             // nothing was made in it
  none.wall_ns = none.waited_ns = kMs;
  none.cheapest_ns = INT64_MAX;
  Tuned unknown;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(unknown.see(none), 0);
}

TEST(Tuner, StopsThreadsThatAreNotNeeded) {
  TunerWindow idle{.elements = 2, .wall_ns = 200 * kMs, .cheapest_ns = 5 * kMs, .computed_ns = 10 * kMs};
  Tuned tuned;
  tuned.setting = {.workers = 3, .depth = 4};
  EXPECT_EQ(tuned.see(idle), 2);
  idle.cheapest_ns = INT64_MAX;  // what they are at is not finished: they may be as busy as can be
  idle.computed_ns = 0;
  EXPECT_EQ(tuned.see(idle), 2);
}

TEST(Tuner, GoesBackWhereThreadsAreNoHelp) {
  Tuned tuned;
  for (int i = 0; i < 2; ++i) tuned.see(made_by_reader(50, 40'000));
  ASSERT_EQ(tuned.setting.workers, 4);
  EXPECT_EQ(tuned.see(made_by_reader(50, 80'000)), 0);  // 40 µs by itself, 80 from threads
  EXPECT_SAYS(tuned.tuner.log().back().why,
              "the reader waited 80 µs for an element, and 40 when it made them by itself");
  EXPECT_EQ(tuned.see(made_by_reader(7, 40'000)), 0);  // and is slow to try once more
  EXPECT_EQ(tuned.see(made_by_reader(1, 40'000)), 4);
  EXPECT_EQ(tuned.see(made_by_reader(50, 20'000)), 4);  // now they help
  EXPECT_EQ(tuned.see(made_by_reader(50, 5'000)), 0);
  EXPECT_SAYS(tuned.tuner.log().back().why, "handing an element over costs more than making it");
}

}  // namespace
}  // namespace brio::data
