// When the watch for growth looks, and what it has told.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string_view>

#include "brio/base/error.h"
#include "brio/base/warning.h"
#include "brio/profile/drift.h"
#include "brio/profile/named.h"

namespace brio::profile {
namespace {

// Of a run: at how many samples it is looked at again, and which causes were told.
struct Watched {
  uint64_t run = 0;
  size_t seen = 0, next = 0;
  uint32_t told = 0;
};

struct Watch {
  std::mutex mutex;
  std::array<Watched, 8> runs;
  size_t newest = 0;
};
Watch& drift_watch() {
  static auto* made = new Watch;
  return *made;
}
std::atomic<std::string (*)()> line_of_user{nullptr};

void forget_watched() {
  Watch& w = drift_watch();
  new (&w.mutex) std::mutex;
  w.runs = {};
}
[[maybe_unused]] const int watch_registered = pthread_atfork(nullptr, nullptr, forget_watched);

// With the lock held.
Watched& row_of_run(Watch& w, uint64_t run) {
  const auto it = std::ranges::find(w.runs, run, &Watched::run);
  if (it != w.runs.end()) return *it;
  Watched& row = w.runs[w.newest++ % w.runs.size()];
  row = {.run = run, .next = kFewestSamples};
  return row;
}

std::string line_in_loop() {
  if (const auto ask = line_of_user.load()) return ask();
  const detail::ThreadState& s = detail::state;
  if (!s.file || s.in_fit) return {};
  const std::string_view path = s.file;
  return cat(path.substr(path.find_last_of('/') + 1), ":", s.line);
}

DriftFacts facts_of(std::vector<Sample> samples) {
  DriftFacts facts;
  facts.samples = std::move(samples);
  facts.gauges = gauge_names();
  facts.seconds_per_tick = seconds_per_tick();
  facts.line = line_in_loop();
  facts.in_fit = detail::state.in_fit;
  for (const Named& plan : named(NameKind::plan)) facts.why_planned = plan.detail;
  for (const Named& note : named(NameKind::note)) facts.from_python |= note.name == "python";
  return facts;
}

}  // namespace

void set_user_line(std::string (*line)()) { line_of_user = line; }

void watch_drift(uint64_t run) {
  if (run == 0) return;
  try {
    Watch& w = drift_watch();
    // This is the thread that trains: before it is time to look, nothing is copied.
    const size_t count = count_samples(run);
    {
      const std::lock_guard lock(w.mutex);
      Watched& row = row_of_run(w, run);
      const bool halved = count < row.seen;  // the table was full
      row.seen = count;
      if (row.seen < row.next && !halved) return;
      row.next = row.seen + std::max<size_t>(4, row.seen / 8);
    }
    for (const Drift& drift : drifts(facts_of(samples_of(run)))) {
      const uint32_t bit = uint32_t{1} << static_cast<uint32_t>(drift.what);
      {
        const std::lock_guard lock(w.mutex);
        Watched& row = row_of_run(w, run);
        if (row.told & bit) continue;
        row.told |= bit;
      }
      warn(drift.text);
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a watch that finds no memory says nothing
  }
}

}  // namespace brio::profile
