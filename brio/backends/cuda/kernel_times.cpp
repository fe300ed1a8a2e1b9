#include "brio/backends/cuda/kernel_times.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

namespace brio::cuda {
namespace {

struct Times {
  struct Row {
    double seconds = 0;
    long long calls = 0;
  };
  std::mutex mutex;
  std::map<std::string, Row> rows;
};
Times& times() {
  static auto* const all = new Times;  // outlives what runs at the end
  return *all;
}

void print_times() {
  const std::lock_guard lock(times().mutex);
  std::vector<std::pair<std::string, Times::Row>> rows(times().rows.begin(), times().rows.end());
  std::ranges::sort(rows, std::ranges::greater{}, [](const auto& row) { return row.second.seconds; });
  double all = 0;
  for (const auto& row : rows) all += row.second.seconds;
  std::fprintf(stderr, "%10s %6s %8s %10s  kernel\n", "ms", "share", "calls", "us a call");
  for (const auto& [name, row] : rows)
    std::fprintf(stderr, "%10.2f %5.1f%% %8lld %10.2f  %s\n", 1e3 * row.seconds, 100 * row.seconds / all, row.calls,
                 1e6 * row.seconds / static_cast<double>(row.calls), name.c_str());
}

}  // namespace

bool times_kernels() {
  static const bool on = [] {
    const char* setting = std::getenv("BRIO_CUDA_TIMES");
    if (!setting || *setting != '1') return false;
    std::atexit(print_times);
    return true;
  }();
  return on;
}

void count_kernel(const std::string& name, double seconds) {
  const std::lock_guard lock(times().mutex);
  Times::Row& row = times().rows[name];
  row.seconds += seconds;
  ++row.calls;
}

}  // namespace brio::cuda
