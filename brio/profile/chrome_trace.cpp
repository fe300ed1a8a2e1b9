#include "brio/profile/chrome_trace.h"

#include <unistd.h>

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
  for (const auto& run : runs()) {
    for (uint64_t i = run->first_kept(); i < run->written; ++i) {
      const Step& step = run->step(i);
      if (step.ended <= since) continue;
      double at = offset + static_cast<double>(step.began) * us;
      add(text, R"({"name":"step","ph":"X","ts":%.3f,"dur":%.3f,"pid":%d,"tid":%d,"args":{"steps":%llu}})", at,
          static_cast<double>(step.ended - step.began) * us, process, thread,
          static_cast<unsigned long long>(step.count));
      for (size_t p = 0; p < kParts; ++p) {
        const double took = static_cast<double>(run->ticks_of(i, static_cast<Part>(p))) * us;
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
