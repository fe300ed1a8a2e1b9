#include "brio/profile/recorder.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>

#include "brio/profile/drift.h"
#include "brio/profile/gauges.h"

namespace brio::profile {
namespace {

constexpr size_t kMostRuns = 8;

std::atomic<bool> recording_on{true};
std::atomic<uint64_t> training_traces{0};
std::atomic<uint64_t> runs_so_far{0};

// A run is written under the lock, by the thread whose steps it has; the doctor reads from another one.
struct RunTable {
  std::mutex mutex;
  std::array<std::unique_ptr<Run>, kMostRuns> runs;
  std::atomic<uint64_t> replaced{0};  // runs that made room for others
};
RunTable& run_table() {
  static auto* made = new RunTable;
  return *made;
}

uint64_t length(const Run& run) { return run.wall + run.first_step; }

bool has_run(const detail::ThreadState& s, RunKind kind, const void* key) {
  return s.run && s.key == key && s.kind == kind &&
         s.replaced == run_table().replaced.load(std::memory_order_relaxed);
}

// The place of this key, or another one; the shortest run makes room. Null: as many threads train at once.
std::unique_ptr<Run>* place_for(RunTable& t, RunKind kind, const void* key) {
  for (auto& run : t.runs)
    if (run && run->key == key && run->kind == kind && !run->in_fit) return &run;
  std::unique_ptr<Run>* place = nullptr;
  for (auto& run : t.runs) {
    if (run && run->in_fit) continue;
    if (!place || !run || length(*run) < length(**place)) place = &run;
    if (!run) break;
  }
  if (!place) return nullptr;
  if (!*place) *place = std::make_unique<Run>();
  else t.replaced.fetch_add(1, std::memory_order_relaxed);
  **place = Run{};
  (*place)->kind = kind;
  (*place)->key = key;
  (*place)->id = runs_so_far.fetch_add(1, std::memory_order_relaxed) + 1;
  return place;
}

// With the table's lock held.
Run* take_run(RunTable& t, RunKind kind, const void* key) {
  detail::ThreadState& s = detail::state;
  if (has_run(s, kind, key) && !s.run->in_fit) return s.run;
  std::unique_ptr<Run>* const place = place_for(t, kind, key);
  s.run = place ? place->get() : nullptr;
  s.kind = kind;
  s.key = key;
  s.replaced = t.replaced.load(std::memory_order_relaxed);
  s.first = s.run && s.run->steps == 0;
  return s.run;
}

void begin_steps(detail::ThreadState& s, uint64_t now) {
  s.spent = {};
  s.steps = s.rows = s.most_rows = s.reads = s.recorded_ops = 0;
  s.since = s.step_began = now;
  s.part = Part::host;
  s.closed = false;
  s.active = true;
}

// Steps up to `now`, in one entry.
void add_steps(const detail::ThreadState& s, Run& run, uint64_t now) {
  if (run.steps == 0) {
    run.began = s.step_began;
    run.first_step = now - s.step_began;
  } else {
    for (size_t i = 0; i < kParts; ++i) run.total[i] += s.spent[i];
    Step& step = run.ring[run.written++ % Run::kRing];
    step.began = s.step_began;
    step.ended = now;
    step.count = s.steps;
    step.total = run.total;
    run.wall += now - s.step_began;
    run.all_rows += s.rows;
  }
  run.ended = now;
  run.rows = std::max(run.rows, s.most_rows);
  run.steps += s.steps;
  run.reads += s.reads;
  run.recorded_ops += s.recorded_ops;
}

RunSoFar so_far(const Run& run) { return {run.id, run.steps, run.total}; }

void write_steps(detail::ThreadState& s, uint64_t now) {
  RunTable& t = run_table();
  RunSoFar run;
  {
    const std::lock_guard lock(t.mutex);
    if (has_run(s, s.kind, s.key) || take_run(t, s.kind, s.key)) {
      add_steps(s, *s.run, now);
      run = so_far(*s.run);
    }
  }
  s.first = false;
  s.spent = {};
  s.steps = s.rows = s.most_rows = s.reads = s.recorded_ops = 0;
  s.step_began = now;
  if (!time_to_sample(now)) [[likely]]
    return;
  sample_training(run);
  watch_drift(run.run);
}

// It ended where the last part did. Short ones are written down together: the memory that is touched would cost more
// than the stamps.
void end_step(detail::ThreadState& s, uint64_t rows) {
  constexpr uint64_t kWorthWriting = 1 << 18;  // ticks: some hundred microseconds
  ++s.steps;
  s.rows += rows;
  s.most_rows = std::max(s.most_rows, rows);
  s.gradient_taken = false;
  if (s.since - s.step_began >= kWorthWriting || s.first) [[unlikely]]
    write_steps(s, s.since);
}

// A step of a loop that was not announced: the time before the first one is unknown.
void end_loop_step(RunKind kind, const void* key, uint64_t rows) {
  detail::ThreadState& s = detail::state;
  if (s.in_fit || s.closed || !recording()) return;
  if (s.active && has_run(s, kind, key)) {
    s.part = Part::host;
    return end_step(s, rows);
  }
  begin_steps(s, ticks());
  if (time_to_sample(s.step_began)) sample_training({});  // what the first one has to find out belongs to no step
  RunTable& t = run_table();
  const std::lock_guard lock(t.mutex);
  Run* const run = take_run(t, kind, key);
  s.active = run;
  if (!run || run->steps > 0) return;
  run->began = run->ended = s.step_began;
  run->steps = 1;
  run->rows = rows;
  s.first = false;
}

void forget_runs() {
  RunTable& t = run_table();
  new (&t.mutex) std::mutex;
  for (auto& run : t.runs) run.reset();
  detail::state = {};
}
[[maybe_unused]] const int runs_registered = pthread_atfork(nullptr, nullptr, forget_runs);

}  // namespace

constinit thread_local detail::ThreadState detail::state;

void set_recording(bool on) {
  recording_on.store(on, std::memory_order_relaxed);
  if (!on) detail::state.active = false;
}
bool recording() { return recording_on.load(std::memory_order_relaxed); }

FitScope::FitScope(const void* model, uint64_t epochs) {
  detail::ThreadState& s = detail::state;
  if (!recording() || s.in_fit || s.closed) return;  // a fit within a callback is that callback's time
  const bool goes_on = has_run(s, RunKind::fit, model);
  const uint64_t now = ticks();
  RunSoFar run;
  {
    RunTable& t = run_table();
    const std::lock_guard lock(t.mutex);
    run_ = take_run(t, RunKind::fit, model);
    if (!run_) return;
    run = so_far(*run_);
    if (goes_on && run.steps > 0) run_->between += now - run_->ended;
    run_->epochs_asked += epochs;
    run_->in_fit = true;
  }
  s.in_fit = true;
  begin_steps(s, now);
  if (time_to_sample(now)) sample_training(run);
}

void FitScope::settle() {
  if (!run_) return;
  detail::ThreadState& s = detail::state;
  const uint64_t now = ticks();
  detail::switch_to(s, s.part, now);
  if (s.steps > 0) return write_steps(s, now);
  const std::lock_guard lock(run_table().mutex);
  if (run_->steps == 0) return;
  for (size_t i = 0; i < kParts; ++i) run_->total[i] += s.spent[i];
  run_->wall += now - s.step_began;
  run_->ended = s.step_began = now;
  s.spent = {};
}

FitScope::~FitScope() {
  if (!run_) return;
  settle();
  detail::ThreadState& s = detail::state;
  s.spent = {};
  s.in_fit = s.active = s.closed = false;
  const std::lock_guard lock(run_table().mutex);
  run_->in_fit = false;
}

void FitScope::begin_epoch(uint64_t steps) {
  if (!run_) return;
  const std::lock_guard lock(run_table().mutex);
  ++run_->epochs;
  if (steps > 0) run_->steps_an_epoch = steps;
}

void FitScope::count_evaluation() {
  if (!run_) return;
  const std::lock_guard lock(run_table().mutex);
  ++run_->evaluations;
}

void FitScope::set_trials(const Trials& trials) {
  if (!run_) return;
  const std::lock_guard lock(run_table().mutex);
  run_->trials = trials;
}

void FitScope::input_begins() {
  if (!run_) return;
  detail::ThreadState& s = detail::state;
  if (s.part != Part::input) detail::switch_to(s, Part::input, ticks());  // after a step it is that already
  s.closed = true;
}

void FitScope::input_ends() {
  if (!run_) return;
  detail::ThreadState& s = detail::state;
  s.closed = false;
  detail::switch_to(s, Part::run, ticks());
}

void FitScope::end_step(uint64_t rows) {
  if (!run_) return;
  detail::ThreadState& s = detail::state;
  detail::switch_to(s, Part::input, ticks());
  profile::end_step(s, rows);
}

void FitScope::end_epoch() {
  if (run_) detail::switch_to(detail::state, Part::host, ticks());
}

void tape_opened() {
  detail::ThreadState& s = detail::state;
  if (s.in_fit || s.closed || !recording()) return;
  // A step that updates by hand has no optimizer to end it: the next tape does.
  if (s.gradient_taken) {
    if (s.active) detail::switch_to(s, s.part, ticks());
    end_loop_step(RunKind::eager_loop, nullptr, 0);
  }
  s.gradient_taken = false;
  if (s.active && s.part != Part::record) detail::switch_to(s, Part::record, ticks());
}

void gradient_taken() { detail::state.gradient_taken = true; }

void eager_step_ended(const void* optimizer) {
  detail::state.gradient_taken = false;
  end_loop_step(RunKind::eager_loop, optimizer, 0);
}

void function_step_ended(const void* function, uint64_t rows) {
  end_loop_step(RunKind::function_loop, function, rows);
}

void value_read() {
  detail::ThreadState& s = detail::state;
  if (!s.active) return;
  ++s.reads;
  if (!s.closed && !s.in_fit && s.part == Part::host) detail::switch_to(s, Part::read, ticks());
}

void ops_recorded(uint64_t n) {
  detail::ThreadState& s = detail::state;
  if (s.active) s.recorded_ops += n;
}

uint64_t optimizer_steps_traced() { return training_traces.load(std::memory_order_relaxed); }
void optimizer_step_traced() { training_traces.fetch_add(1, std::memory_order_relaxed); }

namespace {
std::atomic<Verdict> verdict_of_doctor{nullptr};
std::atomic<bool> tries{false};
}  // namespace
void set_verdict(Verdict verdict) { verdict_of_doctor = verdict; }
void tell_verdict(bool prints, bool at_end) {
  if (const Verdict verdict = verdict_of_doctor) verdict(prints, at_end);
}
void want_trials(bool wanted) { tries = wanted; }
bool trials_wanted() { return tries.load(std::memory_order_relaxed); }

void forget_key(const void* key) {
  static const char nobody = 0;
  RunTable& t = run_table();
  const std::lock_guard lock(t.mutex);
  for (auto& run : t.runs)
    if (run && run->key == key) {
      run->key = &nobody;
      t.replaced.fetch_add(1, std::memory_order_relaxed);
    }
}

std::vector<std::unique_ptr<const Run>> runs() {
  RunTable& t = run_table();
  std::vector<std::unique_ptr<const Run>> list;
  {
    const std::lock_guard lock(t.mutex);
    for (const auto& run : t.runs)
      if (run && run->steps > 0) list.push_back(std::make_unique<Run>(*run));
  }
  std::ranges::sort(list, std::greater<>(), [](const auto& run) { return length(*run); });
  return list;
}

double share_of_recorder() {
  constexpr int kTries = 1000;
  const uint64_t begin = ticks();
  for (int i = 0; i < kTries; ++i) static_cast<void>(ticks());
  const double stamp = static_cast<double>(ticks() - begin) / kTries;
  double spent = 0, all = 0;
  for (const auto& run : runs()) {
    spent += static_cast<double>(run->steps) * stamp * 7;  // stamps of a step of fit(), and writing it down
    all += static_cast<double>(length(*run));
  }
  return all > 0 ? spent / all : 0;
}

size_t recorder_bytes() {
  RunTable& t = run_table();
  const std::lock_guard lock(t.mutex);
  size_t bytes = sizeof(RunTable);
  for (const auto& run : t.runs) bytes += run ? sizeof(Run) : 0;
  return bytes;
}

}  // namespace brio::profile
