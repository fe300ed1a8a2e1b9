// The recorder: always on, in fixed memory. For every thread that trains it knows how the time of each step was
// spent. The cost is a time stamp at each change.
//
// The part of a step says what the thread is doing. Time in an inner part does not count for the outer one. Some
// parts are closed: everything that happens in a callback counts as the callback's time.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "brio/profile/clock.h"
#include "brio/profile/trials.h"

namespace brio::profile {

enum class Part : uint8_t {
  host,        // the program's own code, and Brio's code around the rest
  input,       // waiting for a batch; closed
  record,      // eager code under a tape, until the end of its step
  trace,       // tracing functions
  plan,        // making plans
  run,         // running plans
  read,        // from reading a value until the program's next call of Brio
  callbacks,   // closed
  checkpoint,  // callbacks that write weights; closed
  metrics,     // reading losses and metrics for logs and the bar; closed
  evaluation,  // validation within fit; closed
  trial,       // trials of the doctor; closed
};
inline constexpr size_t kParts = 12;
inline constexpr std::array<std::string_view, kParts> kPartNames{"host",       "input",   "record",     "trace",
                                                                 "plan",       "run",     "read",       "callbacks",
                                                                 "checkpoint", "metrics", "evaluation", "trial"};

using PartTicks = std::array<uint64_t, kParts>;

// One step, or several short ones: when it began and ended, and the totals of the parts of the run at that time.
// Totals are cheaper to write than the parts of each step.
struct Step {
  uint64_t began = 0, ended = 0, count = 0;
  PartTicks total{};
};

// Steps of one kind in one thread: steps of fit() on a model, or of a loop of the program.
enum class RunKind : uint8_t { fit, function_loop, eager_loop };
struct Run {
  static constexpr size_t kRing = 1024;

  RunKind kind{};
  const void* key = nullptr;
  uint64_t id = 0;                // unique
  bool in_fit = false;            // fit() is running
  uint64_t began = 0, ended = 0;  // the beginning of the first step and the end of the newest one
  uint64_t first_step = 0;        // its duration: tracing, planning, filling buffers
  uint64_t steps = 0;             // including the first one
  uint64_t written = 0;           // entries of the ring so far
  PartTicks total{};              // of all steps except the first
  uint64_t wall = 0;              // of the same
  uint64_t between = 0;           // between calls of fit(), outside of all steps
  uint64_t rows = 0;              // samples of the largest batch
  uint64_t all_rows = 0;          // of all steps except the first
  uint64_t epochs = 0, epochs_asked = 0, steps_an_epoch = 0;
  uint64_t evaluations = 0;
  uint64_t reads = 0;         // values that the host read
  uint64_t recorded_ops = 0;  // by eager code
  Trials trials;
  std::array<Step, kRing> ring{};

  uint64_t steady_steps() const { return steps > 0 ? steps - 1 : 0; }
  // The ring keeps complete entries from here to `written`.
  uint64_t first_kept() const { return written < kRing ? 0 : written - kRing + 1; }
  const Step& step(uint64_t i) const { return ring[i % kRing]; }
  uint64_t ticks_of(uint64_t i, Part part) const {
    const auto p = static_cast<size_t>(part);
    return step(i).total[p] - (i == 0 ? 0 : step(i - 1).total[p]);
  }
};

// Recording can be switched off, to measure its cost.
void set_recording(bool on);
bool recording();

// ---- events, reported by the code that causes them

namespace detail {
struct ThreadState {
  bool active = false;  // this thread has a run
  bool closed = false;
  bool in_fit = false;
  bool gradient_taken = false;
  Part part = Part::host;
  uint64_t since = 0;
  PartTicks spent{};                            // since the last step that was written to the ring
  uint64_t step_began = 0;                      // the end of that step
  uint64_t steps = 0, rows = 0, most_rows = 0;  // since then
  uint64_t reads = 0, recorded_ops = 0;         // since then, too
  bool first = false;                           // no step of the run has been written yet
  // The run to which these are added. Another run may take its place in the table: the counter shows that.
  RunKind kind{};
  const void* key = nullptr;
  uint64_t replaced = 0;
  Run* run = nullptr;
  // Where the program ends its steps; null: unknown.
  const char* file = nullptr;
  uint32_t line = 0;
};
extern constinit thread_local ThreadState state;

inline void switch_to(ThreadState& s, Part part, uint64_t now) {
  if (now > s.since) {  // false if a Pace counted more than was spent
    s.spent[static_cast<size_t>(s.part)] += now - s.since;
    s.since = now;
  }
  s.part = part;
}
inline bool is_closed(Part part) { return part == Part::input || (part >= Part::callbacks && part <= Part::trial); }
}  // namespace detail

class Scope {
 public:
  explicit Scope(Part part) : Scope(part, detail::is_closed(part)) {}
  Scope(Part part, bool closed) {
    detail::ThreadState& s = detail::state;
    if (!s.active || s.closed || s.part == part) [[likely]]
      return;
    entered_ = true;
    before_ = s.part == Part::read ? Part::host : s.part;
    detail::switch_to(s, part, ticks());
    s.closed = closed;
  }
  ~Scope() {
    if (!entered_) return;
    detail::ThreadState& s = detail::state;
    s.closed = false;
    if (s.active) detail::switch_to(s, before_, ticks());
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  bool entered_ = false;
  Part before_ = Part::host;
};

// The time of work that is repeated very often, and of what comes before it since the last stamp. If it comes so
// often that two stamps each time would be noticeable, it is timed one time in sixteen, and that time is used for the
// times in between.
class Pace {
 public:
  // Counts the work for this part without timing it, unless it is to be timed now.
  bool goes_on(detail::ThreadState& s, Part part) {
    const uint32_t left = left_.load(std::memory_order_relaxed);
    if (left == 0) return false;
    left_.store(left - 1, std::memory_order_relaxed);
    const uint32_t before = before_.load(std::memory_order_relaxed), took = took_.load(std::memory_order_relaxed);
    s.spent[static_cast<size_t>(s.part)] += before;
    s.spent[static_cast<size_t>(part)] += took;
    s.since += before + took;
    return true;
  }
  void timed(uint64_t since, uint64_t began, uint64_t ended) {
    const uint64_t times = between_.load(std::memory_order_relaxed) + 1;
    const bool often = ended - ended_.load(std::memory_order_relaxed) < times * kOften && ended - since < kOften;
    before_.store(static_cast<uint32_t>(began - since), std::memory_order_relaxed);
    took_.store(static_cast<uint32_t>(ended - began), std::memory_order_relaxed);
    ended_.store(ended, std::memory_order_relaxed);
    between_.store(often ? kBetween : 0, std::memory_order_relaxed);
    left_.store(often ? kBetween : 0, std::memory_order_relaxed);
  }

 private:
  static constexpr uint64_t kOften = 1 << 15;  // ticks from one time to the next: about ten microseconds
  static constexpr uint32_t kBetween = 15;

  std::atomic<uint64_t> ended_{0};
  std::atomic<uint32_t> before_{0}, took_{0}, left_{0}, between_{0};
};

// A Scope of an open part, for work that has a Pace.
class PacedScope {
 public:
  PacedScope(Part part, Pace& pace) {
    detail::ThreadState& s = detail::state;
    if (!s.active || s.closed || s.part == part) [[likely]]
      return;
    if (s.part != Part::read && pace.goes_on(s, part)) return;
    pace_ = &pace;
    before_ = s.part == Part::read ? Part::host : s.part;
    began_ = ticks();
    since_ = s.part == Part::read ? began_ : std::min(s.since, began_);
    detail::switch_to(s, part, began_);
  }
  ~PacedScope() {
    if (!pace_) return;
    const uint64_t now = ticks();
    pace_->timed(since_, began_, now);
    detail::ThreadState& s = detail::state;
    if (s.active) detail::switch_to(s, before_, now);
  }
  PacedScope(const PacedScope&) = delete;
  PacedScope& operator=(const PacedScope&) = delete;

 private:
  Pace* pace_ = nullptr;  // null: it is not timed
  Part before_ = Part::host;
  uint64_t since_ = 0, began_ = 0;
};

// fit(): the trainer says where steps end.
class FitScope {
 public:
  FitScope(const void* model, uint64_t epochs);
  ~FitScope();
  FitScope(const FitScope&) = delete;
  FitScope& operator=(const FitScope&) = delete;
  // A step waits for its batch, then computes on it: two stamps. The epoch's time around its steps is host.
  void begin_epoch(uint64_t steps);  // 0: not known
  void input_begins();
  void input_ends();
  void end_step(uint64_t rows);
  void end_epoch();
  void settle();  // adds what followed the last step, such as an evaluation, to the run
  void count_evaluation();
  void set_trials(const Trials& trials);
  bool records() const { return run_; }

 private:
  Run* run_ = nullptr;  // null: nothing is recorded
};

// Loops of the program.
void tape_opened();
void gradient_taken();
void eager_step_ended(const void* optimizer);
// The line of the program where its steps end; `file` must stay valid.
inline void step_ends_at(const char* file, uint32_t line) {
  detail::state.file = file;
  detail::state.line = line;
}
void function_step_ended(const void* function, uint64_t rows);
void value_read();
inline bool is_recording_steps() { return detail::state.active && !detail::state.closed; }
void ops_recorded(uint64_t n);

// Counts optimizer steps that were traced: shows whether a function that is being traced has one.
uint64_t optimizer_steps_traced();
void optimizer_step_traced();

// ---- the doctor, in a room that this one may not include

// `prints`: fit(doctor = true) asks; otherwise a program under BRIO_DOCTOR, which reports at its end.
using Verdict = void (*)(bool prints, bool at_end);
void set_verdict(Verdict verdict);
void tell_verdict(bool prints, bool at_end);  // throws nothing; does nothing if no doctor is linked
void want_trials(bool wanted);                // at the end of every fit()
bool trials_wanted();

// ---- asking

// A model, optimizer or function was destroyed: another one at its address begins a new run.
void forget_key(const void* key);

// The runs that took longest, in their current state.
std::vector<std::unique_ptr<const Run>> runs();
double share_of_recorder();  // share of the runs' time that the stamps cost, estimated from their number
size_t recorder_bytes();

}  // namespace brio::profile
