// The library that a machine set up for Brio has, and what Brio asks of it.
#include "brio/backends/cpu/linear_algebra/lapack.h"

#include <gtest/gtest.h>

#include <dirent.h>

#include <thread>
#include <vector>

namespace brio::cpu {
namespace {

int threads_of_this_process() {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

TEST(Lapack, IsThereAndStartsNoThreads) {
  const int before = threads_of_this_process();
  EXPECT_EQ(lapack_unusable(), "");
  EXPECT_EQ(threads_of_this_process(), before);
}

TEST(Lapack, MayBeCalledByThreadsAtOnce) {
  const int n = 120;
  std::vector<double> a(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[static_cast<size_t>(i * n + j)] = i == j ? 2 * n : 1.0 / (1 + i + j);
  const auto factor = [&] {
    std::vector<double> copy = a;
    int info = -1;
    lapack<double>().potrf("U", &n, copy.data(), &n, &info, 1);
    EXPECT_EQ(info, 0);
    return copy;
  };
  const std::vector<double> expected = factor();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) ASSERT_EQ(factor(), expected);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace brio::cpu
