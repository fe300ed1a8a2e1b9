#include "brio/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "brio/base/cpu_count.h"
#include "brio/base/error.h"
#include "brio/base/float_mode.h"

namespace brio {
namespace {

class ThreadPoolTest : public testing::Test {
 protected:
  void SetUp() override { before_ = thread_count(); }
  void TearDown() override { set_thread_count(before_); }

 private:
  int before_ = 0;
};

// How often each index was visited.
std::vector<int> visits(int64_t n, int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<size_t>(std::max<int64_t>(n, 0)));
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) seen[static_cast<size_t>(i)].fetch_add(1);
  });
  return {seen.begin(), seen.end()};
}

TEST_F(ThreadPoolTest, EveryIndexOnceForAnyGrain) {
  for (int threads : {1, 2, 7}) {
    set_thread_count(threads);
    for (int64_t n : {0, 1, 2, 7, 100, 1001})
      for (int64_t grain : {-3, 0, 1, 2, 16, 5000})
        EXPECT_EQ(visits(n, grain), std::vector<int>(static_cast<size_t>(n), 1)) << n << " / " << grain;
  }
}

TEST_F(ThreadPoolTest, NothingToDo) {
  parallel_for(0, 1, [](int64_t, int64_t) { FAIL(); });
  parallel_for(-5, 1, [](int64_t, int64_t) { FAIL(); });
}

TEST_F(ThreadPoolTest, HugeRangesDoNotOverflow) {
  set_thread_count(2);
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  std::atomic<int64_t> total{0};
  parallel_for(huge, huge / 3 + 5, [&](int64_t begin, int64_t end) { total += end - begin; });
  EXPECT_EQ(total, huge);
}

TEST_F(ThreadPoolTest, OnePieceRunsInTheCaller) {
  set_thread_count(4);
  parallel_for(10, 10, [caller = std::this_thread::get_id()](int64_t, int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST_F(ThreadPoolTest, WorkersTakePart) {
  set_thread_count(2);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  // Two pieces that wait for each other can only end when two threads run them.
  std::atomic<int> arrived{0};
  parallel_for(2, 1, [&](int64_t, int64_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 2u);
}

TEST_F(ThreadPoolTest, NestedLoopsEnd) {
  set_thread_count(3);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> total{0};
    parallel_for(8, 1, [&](int64_t, int64_t) {
      parallel_for(8, 1, [&](int64_t, int64_t) {
        parallel_for(4, 1, [&](int64_t begin, int64_t end) { total += static_cast<int>(end - begin); });
      });
    });
    EXPECT_EQ(total, 8 * 8 * 4);
  }
}

TEST_F(ThreadPoolTest, ManyCallersAtOnce) {
  set_thread_count(3);
  std::vector<std::thread> callers;
  std::vector<int64_t> sums(6);
  for (size_t c = 0; c < sums.size(); ++c)
    callers.emplace_back([&, c] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<int64_t> sum{0};
        parallel_for(100, 3, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) sum += i;
        });
        sums[c] += sum;
      }
    });
  for (std::thread& caller : callers) caller.join();
  for (int64_t sum : sums) EXPECT_EQ(sum, 200 * 4950);
}

TEST_F(ThreadPoolTest, TheExceptionOfTheLowestPieceArrives) {
  for (int threads : {1, 2, 7}) {
    set_thread_count(threads);
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> running{0};
      try {
        parallel_for(64, 1, [&](int64_t begin, int64_t) {
          ++running;
          if (begin >= 5) {
            --running;
            throw std::runtime_error(std::to_string(begin));
          }
          std::this_thread::yield();
          --running;
        });
        ADD_FAILURE() << "no exception";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "5");
      }
      EXPECT_EQ(running, 0);  // nobody is left inside when the exception arrives
    }
    EXPECT_EQ(visits(100, 1), std::vector<int>(100, 1));  // and the pool works on
  }
}

TEST_F(ThreadPoolTest, CountChangesWhileOthersRun) {
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    while (!stop) EXPECT_EQ(visits(50, 1), std::vector<int>(50, 1));
  });
  for (int round = 0; round < 30; ++round)
    for (int threads : {1, 5, 2, 8}) {
      set_thread_count(threads);
      EXPECT_EQ(thread_count(), threads);
      EXPECT_EQ(visits(20, 1), std::vector<int>(20, 1));
    }
  stop = true;
  caller.join();
}

TEST_F(ThreadPoolTest, CountMayChangeInsideABody) {
  set_thread_count(4);
  std::atomic<int> ran{0};
  parallel_for(16, 1, [&](int64_t begin, int64_t) {
    set_thread_count(begin % 2 ? 1 : 4);
    ++ran;
  });
  EXPECT_EQ(ran, 16);
}

TEST_F(ThreadPoolTest, RefusesCountsOutOfRange) {
  for (int threads : {0, -1, 1025}) EXPECT_THROW(set_thread_count(threads), InvalidArgument);
  try {
    set_thread_count(0);
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "set_thread_count: 0 threads; give a whole number from 1 to 1024");
  }
}

TEST_F(ThreadPoolTest, WorkersWakeAfterSleeping) {
  set_thread_count(3);
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(visits(64, 1), std::vector<int>(64, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // far beyond the spin
  }
}

#if defined(__x86_64__)
TEST_F(ThreadPoolTest, BodiesRunInTheFloatModeOfTheCaller) {
  set_thread_count(3);
  const FloatMode::Word plain = FloatMode::current();
  auto check = [](FloatMode::Word expected) {
    parallel_for(32, 1, [&](int64_t, int64_t) { EXPECT_EQ(FloatMode::current(), expected); });
  };
  check(plain);
  {
    FloatMode scope;
    check(FloatMode::kFlushDenormals);
    volatile float tiny = 1e-30f;
    EXPECT_EQ(tiny * tiny * 1e10f, 0.0f);
  }
  EXPECT_EQ(FloatMode::current(), plain);
  check(plain);
}
#endif

TEST_F(ThreadPoolTest, ChildOfAForkHasItsOwnPool) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not support threads in the child of a threaded fork";
#endif
  set_thread_count(4);
  visits(100, 1);  // the parent's workers exist, and some are asleep
  for (int round = 0; round < 5; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      std::atomic<int> arrived{0};
      parallel_for(2, 1, [&](int64_t, int64_t) {  // needs a second thread
        ++arrived;
        while (arrived < 2) std::this_thread::yield();
      });
      _exit(visits(100, 1) == std::vector<int>(100, 1) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    EXPECT_EQ(visits(100, 1), std::vector<int>(100, 1));
  }
}

TEST_F(ThreadPoolTest, ForkWhileOthersRun) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not support threads in the child of a threaded fork";
#endif
  set_thread_count(3);
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    while (!stop) visits(50, 1);
  });
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      _exit(visits(100, 1) == std::vector<int>(100, 1) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }
  stop = true;
  caller.join();
}

TEST_F(ThreadPoolTest, ForkInsideABodyIsReportedInTheChild) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not support threads in the child of a threaded fork";
#endif
  set_thread_count(2);
  const pid_t parent = getpid();
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> forked{false};
  pid_t child = 0;
  try {
    parallel_for(2, 1, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != caller) {
        while (!forked) std::this_thread::yield();  // the child will never see this piece end
      } else if (!forked.exchange(true)) {
        child = fork();
        if (child == 0) alarm(20);
      }
    });
    if (getpid() != parent) _exit(1);
  } catch (const ResourceError&) {
    if (getpid() != parent) _exit(0);
    ADD_FAILURE() << "the parent must not fail";
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

TEST(CpuCount, IsPositive) { EXPECT_GE(usable_cpus(), 1); }

}  // namespace
}  // namespace brio
