#include "brio/profile/clock.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "brio/profile/test_clock.h"

namespace brio::profile {
namespace {

bool runs_evenly() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
#else
  return false;
#endif
}

struct Begin {
  uint64_t ns = detail::system_ns(), ticks = 0;
};
const Begin& begin() {
  static const Begin made = [] {
    detail::even_counter = runs_evenly();
    Begin b;
    b.ticks = profile::ticks();
    return b;
  }();
  return made;
}
[[maybe_unused]] const Begin& at_load = begin();

}  // namespace

constinit bool detail::even_counter = false;  // begin() knows
constinit thread_local const uint64_t* detail::test_clock = nullptr;

uint64_t detail::system_ns() {
  if (test_clock) return *test_clock;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

double seconds_per_tick() {
  if (!detail::even_counter) return 1e-9;
  uint64_t ns = 0, ticks = 0;
  do {  // reading both takes some 50 ns: in a fifth of a millisecond that is little, and no program waits for it
    ns = detail::system_ns() - begin().ns;
    ticks = profile::ticks() - begin().ticks;
  } while (ns < 200'000);
  return static_cast<double>(ns) * 1e-9 / static_cast<double>(ticks);
}

uint64_t loaded_at() { return begin().ticks; }

double process_age_at_load() {
  std::FILE* file = std::fopen("/proc/self/stat", "r");
  if (!file) return 0;
  char text[1024];
  const size_t n = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[n] = 0;
  const char* at = std::strrchr(text, ')');  // the name may hold anything
  unsigned long long started = 0;            // field 22, in clock ticks since the machine started
  for (int field = 3; at && field <= 22; ++field) {
    at = std::strchr(at + 1, ' ');
    if (at && field == 22) std::sscanf(at + 1, "%llu", &started);
  }
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const double age = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 -
                     static_cast<double>(started) / static_cast<double>(sysconf(_SC_CLK_TCK));
  const double since_load = static_cast<double>(detail::system_ns() - begin().ns) * 1e-9;
  return started > 0 && age > since_load ? age - since_load : 0;
}

}  // namespace brio::profile
