#include "brio/base/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "brio/base/control_group.h"
#include "brio/base/fork_locks.h"

namespace brio {
namespace {

int affinity_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more than 1024 CPUs
}

// CPUs that "quota period" (microseconds) amounts to; 0 when there is no limit.
int quota_count(double quota, double period) {
  if (quota <= 0 || period <= 0) return 0;
  return std::max(1, static_cast<int>(quota / period + 0.999));
}

int quota_limit() {
  for (const std::string& directory : control_group_directories()) {
    std::ifstream in(directory + "/cpu.max");
    std::string quota;
    double period = 0;
    if (in >> quota >> period) return quota == "max" ? 0 : quota_count(std::atof(quota.c_str()), period);
  }
  double quota = 0, period = 0;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  return quota_count(quota, period);
}

}  // namespace

int usable_cpus() {
  static constinit MadeOnce<const int> count;  // it reads files, which takes a while
  return count.get([] {
    const int limit = quota_limit();
    return new int(limit > 0 ? std::min(limit, affinity_count()) : affinity_count());
  });
}

}  // namespace brio
