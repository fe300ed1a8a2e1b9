// What becomes of iterators in the child of a fork.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "brio/data/dataset.h"
#include "brio/formats/file.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "tests/data/says.h"
#include "tests/formats/scratch.h"

namespace brio::data {
namespace {

using Numbers = std::vector<int64_t>;

#if defined(__SANITIZE_THREAD__)
#define SKIP_WITHOUT_FORK() GTEST_SKIP() << "ThreadSanitizer does not support threads in the child of a threaded fork"
#else
#define SKIP_WITHOUT_FORK()
#endif

// Three threads that allocate, record and compute.
Dataset busy(int64_t n) {
  return range(n)
      .map([](const Tensor& x) { return x + x; })
      .map(
          [](Sample& sample) {
            const std::vector<std::string> churn(50, std::string(100, 'x'));
            *sample.write<int64_t>(0, {}) = *sample.read<int64_t>(0) + static_cast<int64_t>(churn.size());
          },
          {.num_parallel_calls = 3})
      .batch(2)
      .prefetch(4);
}
Numbers rest_of(Iterator& iterator) {
  Numbers all;
  for (Item item; iterator.next(item);)
    for (const int64_t value : item[0].to_vector<int64_t>()) all.push_back(value);
  return all;
}
Numbers expected(int64_t first, int64_t n) {
  Numbers all;
  for (int64_t i = first; i < n; ++i) all.push_back(2 * i + 50);
  return all;
}

// Runs f in a child, which has 20 s; true: it said so.
template <typename F>
bool in_child(F f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    bool good = false;
    try {
      good = f();
    } catch (...) {
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Fork, AChildGoesOnAndMakesItsOwn) {
  SKIP_WITHOUT_FORK();
  constexpr int64_t kElements = 400;
  Iterator iterator = busy(kElements).iterator(0);
  Item item;
  int64_t read = 0;
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 5; ++i, read += 2) ASSERT_TRUE(iterator.next(item));
    EXPECT_TRUE(in_child([&] {
      Iterator own = busy(kElements).iterator(0);
      return rest_of(own) == expected(0, kElements);
    })) << round;
    EXPECT_TRUE(in_child([&] {
      try {
        return rest_of(iterator) == expected(read, kElements);
      } catch (const ResourceError& error) {  // threads of one stage waited for those of another
        expect_in(error.what(), "made before a fork");
        iterator.reset(0);
        return rest_of(iterator) == expected(0, kElements);
      }
    })) << round;
  }
  EXPECT_EQ(rest_of(iterator), expected(read, kElements));  // the parent has noticed nothing
}

TEST(Fork, ThreadsOfOneStageStartAgain) {
  SKIP_WITHOUT_FORK();
  const Dataset slow = range(60)
                           .map([](Sample& sample) {
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                             *sample.write<int64_t>(0, {}) = 2 * *sample.read<int64_t>(0) + 50;
                           })
                           .batch(1)
                           .with_options({.cpu_budget = 3});
  Iterator iterator = slow.iterator(0);
  Item item;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(iterator.next(item));
  for (int round = 0; round < 5; ++round)
    EXPECT_TRUE(in_child([&] { return rest_of(iterator) == expected(20, 60); }));
  EXPECT_EQ(rest_of(iterator), expected(20, 60));
}

// Threads that open pipelines, each with threads of its own, do not hold a fork up.
TEST(Fork, WhilePipelinesAreOpened) {
  SKIP_WITHOUT_FORK();
  const Dataset nested = range(100'000)
                             .flat_map([](const Item&) { return range(2).prefetch(1); })
                             .map([](Sample& sample) { sample.pass(0, 0); }, {.num_parallel_calls = 2});
  Iterator iterator = nested.iterator(0);
  Item item;
  double longest = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(iterator.next(item));
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) _exit(0);
    longest = std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    waitpid(child, nullptr, 0);
  }
  EXPECT_LT(longest, 4);
}

TEST(Fork, InsideAFunctionOfAMap) {
  SKIP_WITHOUT_FORK();
  const pid_t parent = getpid();
  const Dataset forks = range(8).map(
      [parent](Sample& sample) {
        if (*sample.read<int64_t>(0) == 3) {
          const bool good = in_child([&] {
            Iterator own = busy(10).iterator(0);
            return getpid() != parent && rest_of(own) == expected(0, 10);
          });
          if (!good) throw ResourceError("the child failed");
        }
        sample.pass(0, 0);
      },
      {.num_parallel_calls = 2});
  Iterator iterator = forks.iterator(0);
  EXPECT_EQ(rest_of(iterator), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Fork, AFileOfTheParentStaysItsOwn) {
  SKIP_WITHOUT_FORK();
  const formats::Scratch scratch;
  {
    formats::OutputFile file(scratch / "a");
    file.write("begun ");
    EXPECT_TRUE(in_child([&] {
      const std::string said = message_of([&] { file.commit(); });
      file.~OutputFile();
      return said.find("only the parent can finish it") != std::string::npos;
    }));
    file.write("and done");
    file.commit();
  }
  EXPECT_EQ(formats::read_file(scratch / "a"), "begun and done");
}

}  // namespace
}  // namespace brio::data
