#include "brio/base/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "brio/base/control_group.h"

namespace brio {
namespace {

constexpr int64_t kUnlimited = INT64_MAX;

// The number in a file of one; unlimited where the file is missing or says "max".
int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value ? value : kUnlimited;
}

int64_t free_on_machine() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  int64_t kilobytes = 0;
  for (std::string unit; file >> name >> kilobytes && std::getline(file, unit);)
    if (name == "MemAvailable:") return kilobytes * 1024;
  return int64_t{1} << 30;  // a machine that says nothing
}

int64_t free_in_group(const std::string& limit, const std::string& used) {
  const int64_t most = number_in(limit), now = number_in(used);
  return most == kUnlimited || now == kUnlimited ? kUnlimited : std::max<int64_t>(0, most - now);
}

}  // namespace

int64_t available_memory() {
  int64_t free = std::min(free_on_machine(), free_in_group("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                                           "/sys/fs/cgroup/memory/memory.usage_in_bytes"));
  for (const std::string& directory : control_group_directories())
    free = std::min(free, free_in_group(directory + "/memory.max", directory + "/memory.current"));
  return free;
}

}  // namespace brio
