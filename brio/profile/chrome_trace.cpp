#include "brio/profile/chrome_trace.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "brio/profile/gauges.h"
#include "brio/profile/recorder.h"

namespace brio::profile {
namespace {

void add(std::string& text, const char* form, auto... values) {
  char line[256];
  std::snprintf(line, sizeof line, form, values...);
  if (!text.empty()) text += ",\n";
  text += line;
}

}  // namespace

// Within a step its parts are drawn one after the other, each as long as it was in all: their order is not recorded.
std::string trace_events(uint64_t since) {
  std::string text;
  const double us = seconds_per_tick() * 1e6;
  // As the system's clock counts, so that what Python timed fits in.
  const double offset = static_cast<double>(detail::system_ns()) * 1e-3 - static_cast<double>(ticks()) * us;
  const int process = getpid();
  int thread = 1;
  for (const Run* run : runs()) {
    const uint64_t n = run->steady_steps(), kept = std::min<uint64_t>(n, Run::kRing);
    for (uint64_t i = n - kept; i < n; ++i) {
      const Step& step = run->ring[i % Run::kRing];
      if (step.end <= since) continue;
      double at = offset + static_cast<double>(step.end) * us - static_cast<double>(step.wall) * us;
      add(text, R"({"name":"step","ph":"X","ts":%.3f,"dur":%.3f,"pid":%d,"tid":%d,"args":{"step":%llu}})", at,
          static_cast<double>(step.wall) * us, process, thread, static_cast<unsigned long long>(i + 1));
      for (size_t p = 0; p < kParts; ++p) {
        const double took = static_cast<double>(step.parts[p]) * us;
        if (took < 0.05) continue;
        add(text, R"({"name":"%s","ph":"X","ts":%.3f,"dur":%.3f,"pid":%d,"tid":%d})", kPartNames[p].data(), at, took,
            process, thread);
        at += took;
      }
    }
    ++thread;
  }
  for (const Sample& sample : samples())
    if (sample.at > since)
      add(text, R"({"name":"memory","ph":"C","ts":%.3f,"pid":%d,"args":{"resident":%lld}})",
          offset + static_cast<double>(sample.at) * us, process, static_cast<long long>(sample.rss));
  return text;
}

std::string chrome_trace(uint64_t since) {
  return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" + trace_events(since) + "]}\n";
}

}  // namespace brio::profile
