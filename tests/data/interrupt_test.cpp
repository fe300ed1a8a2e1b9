// Threads that are stopped, and waits that are interrupted, in the midst of an epoch: neither is an error of an
// element, nor the end.
#include "brio/base/interrupt.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "brio/ops/elementwise/elementwise.h"
#include "tests/data/expect.h"
#include "tests/formats/scratch.h"

namespace brio::data {
namespace {

Dataset passing(const Dataset& from, int64_t least) {
  return from.filter([least](const Tensor& x) { return greater_equal(x, constant(least, i64)); });
}
Dataset with_threads(const Dataset& from) {
  return from.map([](Sample& sample) { sample.pass(0, 0); }, {.num_parallel_calls = 2});
}

TEST(StoppedThreads, LeaveNoShortCache) {
  const formats::Scratch scratch;
  for (int round = 0; round < 60; ++round) {
    const std::string file = scratch.path() + "/kept" + std::to_string(round);
    {
      Iterator iterator = with_threads(passing(range(4000), 0).cache(file)).iterator();
      Item item;
      for (int i = 0; i <= round; ++i) ASSERT_TRUE(iterator.next(item));
    }
    EXPECT_FALSE(std::filesystem::exists(file)) << "round " << round;
  }
}

// While it lives whoever reads is interrupted.
struct Interrupting {
  Interrupting() {
    began = std::chrono::steady_clock::now();
    set_interrupt_check([] {
      if (std::chrono::steady_clock::now() - began > std::chrono::milliseconds(100))
        throw std::runtime_error("enough");
    });
  }
  ~Interrupting() { set_interrupt_check(nullptr); }
  static inline std::chrono::steady_clock::time_point began;
};

TEST(Interrupts, EndDatasetsThatGiveNothing) {
  const Dataset none = passing(range(int64_t{1} << 60), int64_t{1} << 61);
  for (const Dataset& dataset : {none, none.ignore_errors(), none.batch(2).unbatch().ignore_errors(),
                                 with_threads(none.ignore_errors()), none.batch(2).rebatch(3).prefetch(2),
                                 range(3).interleave([=](const Item&) { return none; }, {}).ignore_errors()}) {
    const Interrupting scope;
    Iterator iterator = dataset.iterator();
    Item item;
    for (int again = 0; again < 2; ++again) {  // and never becomes an end
      try {
        iterator.next(item);
        ADD_FAILURE() << "it was not interrupted";
      } catch (const std::exception&) {
      }
    }
    EXPECT_LT(std::chrono::steady_clock::now() - scope.began, std::chrono::seconds(20));
    EXPECT_EQ(iterator.report().skipped.count, 0);
  }
}

TEST(Interrupts, LoseNothing) {
  std::atomic<bool> go_on;
  const Dataset waits = range(6).map(
      [&](Sample& sample) {
        while (*sample.read<int64_t>(0) == 3 && !go_on) std::this_thread::yield();
        sample.pass(0, 0);
      },
      {.num_parallel_calls = 2});
  // The second is interrupted in the midst of a batch, and has its first row already.
  for (const Dataset& dataset : {waits, waits.batch(2).unbatch(), waits.batch(2).prefetch(1).unbatch()}) {
    go_on = false;
    Iterator iterator = dataset.iterator();
    Item item;
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(iterator.next(item));
    int64_t expected = 2;
    {
      const Interrupting scope;
      EXPECT_ANY_THROW({
        while (iterator.next(item)) EXPECT_EQ(item[0].item<int64_t>(), expected++);
      });
    }
    go_on = true;
    while (iterator.next(item)) EXPECT_EQ(item[0].item<int64_t>(), expected++);
    EXPECT_EQ(expected, 6);
  }
}

}  // namespace
}  // namespace brio::data
