#include "brio/profile/gauges.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "brio/base/control_group.h"
#include "brio/profile/clock.h"

namespace brio::profile {
namespace {

constexpr size_t kMostSamples = 512;
constexpr double kEvery = 0.5, kFirstEvery = 0.1;  // seconds: short runs are sampled, too
constexpr size_t kFirst = 8;

struct Gauge {
  char name[32] = {};
  int64_t (*read)() = nullptr;
};

struct Gauges {
  std::mutex mutex;
  std::array<Gauge, kMostGauges> gauges;
  size_t used_gauges = 0;
  std::array<Sample, kMostSamples> samples;
  size_t used = 0;
  double every = kEvery, first_every = kFirstEvery;
};
Gauges& gauges() {
  static auto* made = new Gauges;
  return *made;
}
std::atomic<long> training_thread{0};  // by the system's number; samples from other threads ask for this one's

void forget_gauges() {
  Gauges& t = gauges();
  new (&t.mutex) std::mutex;
  t.used = 0;
  t.every = kEvery;
  training_thread = 0;
}
[[maybe_unused]] const int gauges_registered = pthread_atfork(nullptr, nullptr, forget_gauges);

// A small file of the system, whole.
size_t read_small(const char* path, char* text, size_t size) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t n = read(file, text, size - 1);
  close(file);
  text[n > 0 ? n : 0] = 0;
  return n > 0 ? static_cast<size_t>(n) : 0;
}

int64_t number_behind(const char* text, const char* word) {
  const char* at = std::strstr(text, word);
  return at ? std::strtoll(at + std::strlen(word), nullptr, 10) : 0;
}

// Only where there is a quota: every question to the system is a chance to lose the processor.
double throttled_seconds() {
  static const std::string path = [] {
    char text[64];
    for (const std::string& folder : control_group_directories())
      if (read_small((folder + "/cpu.max").c_str(), text, sizeof text) > 0 && std::strncmp(text, "max", 3) != 0)
        return folder + "/cpu.stat";
    return std::string();
  }();
  char text[1024];
  if (path.empty() || read_small(path.c_str(), text, sizeof text) == 0) return 0;
  return static_cast<double>(number_behind(text, "throttled_usec ")) * 1e-6;
}

Sample take(const RunSoFar& run) {
  Sample s;
  s.at = ticks();
  s.run = run.run;
  s.step = run.steps;
  s.parts = run.parts;
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  s.cpu = seconds(use.ru_utime) + seconds(use.ru_stime);
  s.minor_faults = use.ru_minflt;
  s.major_faults = use.ru_majflt;
  s.involuntary = use.ru_nivcsw;
  char text[4096];
  if (read_small("/proc/self/statm", text, sizeof text) > 0) {
    long long pages = 0, of_files = 0;
    if (std::sscanf(text, "%*s %lld %lld", &pages, &of_files) == 2) {
      s.rss = pages * sysconf(_SC_PAGESIZE);
      s.rss_of_files = of_files * sysconf(_SC_PAGESIZE);
    }
  }
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", training_thread.load());
  if (read_small(path, text, sizeof text) > 0) {
    unsigned long long ran = 0, waited = 0;
    if (std::sscanf(text, "%llu %llu", &ran, &waited) == 2) s.waited_cpu = static_cast<double>(waited) * 1e-9;
  }
  s.read_bytes = int64_t{use.ru_inblock} * 512;
  if (s.major_faults > 0 && read_small("/proc/self/status", text, sizeof text) > 0)
    s.swap = number_behind(text, "VmSwap:") * 1024;
  s.throttled = throttled_seconds();
  return s;
}

}  // namespace

constinit std::atomic<uint64_t> detail::next_sample_at{0};

void add_gauge(std::string_view name, int64_t (*read)()) {
  Gauges& t = gauges();
  const std::lock_guard lock(t.mutex);
  if (t.used_gauges == kMostGauges) return;
  Gauge& gauge = t.gauges[t.used_gauges++];
  std::memcpy(gauge.name, name.data(), std::min(name.size(), sizeof gauge.name - 1));
  gauge.read = read;
}

std::vector<std::string> gauge_names() {
  Gauges& t = gauges();
  const std::lock_guard lock(t.mutex);
  std::vector<std::string> names;
  for (size_t i = 0; i < t.used_gauges; ++i) names.emplace_back(t.gauges[i].name);
  return names;
}

void sample_now(const RunSoFar& run) {
  Sample s = take(run);
  Gauges& t = gauges();
  const std::lock_guard lock(t.mutex);
  for (size_t i = 0; i < t.used_gauges; ++i) s.gauges[i] = t.gauges[i].read();
  if (t.used == kMostSamples) {
    for (size_t i = 0; i < kMostSamples / 2; ++i) t.samples[i] = t.samples[2 * i];
    t.used = kMostSamples / 2;
    t.every *= 2;
  }
  t.samples[t.used++] = s;
  const double wait = t.used < kFirst ? t.first_every : t.every;
  detail::next_sample_at.store(s.at + static_cast<uint64_t>(wait / seconds_per_tick()), std::memory_order_relaxed);
}

void sample_training(const RunSoFar& run) {
  training_thread.store(static_cast<long>(syscall(SYS_gettid)), std::memory_order_relaxed);
  sample_now(run);
}

void sample_every(double seconds) {
  Gauges& t = gauges();
  const std::lock_guard lock(t.mutex);
  t.used = 0;
  t.every = t.first_every = seconds;
  detail::next_sample_at.store(0, std::memory_order_relaxed);
}

std::vector<Sample> samples() {
  Gauges& t = gauges();
  const std::lock_guard lock(t.mutex);
  return {t.samples.begin(), t.samples.begin() + static_cast<std::ptrdiff_t>(t.used)};
}

size_t count_samples(uint64_t run) {
  Gauges& t = gauges();
  const std::lock_guard lock(t.mutex);
  return static_cast<size_t>(std::count_if(t.samples.begin(), t.samples.begin() + static_cast<std::ptrdiff_t>(t.used),
                                           [run](const Sample& s) { return s.run == run; }));
}

std::vector<Sample> samples_of(uint64_t run) {
  std::vector<Sample> list = samples();
  std::erase_if(list, [run](const Sample& s) { return s.run != run; });
  return list;
}

size_t gauges_bytes() { return sizeof(Gauges); }

}  // namespace brio::profile
