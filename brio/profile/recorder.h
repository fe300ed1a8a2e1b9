// The recorder: always on, in fixed memory. It knows for every thread that trains what its time went into, step by
// step, at the price of a time stamp wherever that changes.
//
// A part of a step is what its thread is doing; inner parts take their time out of outer ones. Some parts are closed:
// whatever happens in a callback is the callback's time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "brio/profile/clock.h"
#include "brio/profile/trials.h"

namespace brio::profile {

enum class Part : uint8_t {
  host,        // the program's own code, and ours around the rest
  input,       // waiting for a batch; closed
  record,      // eager code under a tape, up to the end of its step
  trace,       // tracing functions
  plan,        // making plans
  run,         // running plans
  read,        // from a value that the program reads to the next thing that it asks of us
  callbacks,   // closed
  checkpoint,  // callbacks that write weights; closed
  metrics,     // reading losses and metrics for logs and the bar; closed
  evaluation,  // validation within fit; closed
  trial,       // what the doctor tries out; closed
};
inline constexpr size_t kParts = 12;
inline constexpr std::array<std::string_view, kParts> kPartNames{"host",       "input",   "record",     "trace",
                                                                 "plan",       "run",     "read",       "callbacks",
                                                                 "checkpoint", "metrics", "evaluation", "trial"};

using PartTicks = std::array<uint64_t, kParts>;

// One step, or several that are short: when it began and ended, and what the parts of the run had come to by then,
// which costs less to write down than what each took.
struct Step {
  uint64_t began = 0, ended = 0, count = 0;
  PartTicks total{};
};

// Steps of one kind in one thread: those of fit() on a model, or of a loop of the program's own.
enum class RunKind : uint8_t { fit, function_loop, eager_loop };
struct Run {
  static constexpr size_t kRing = 1024;

  RunKind kind{};
  const void* key = nullptr;
  uint64_t id = 0;                // no other has it
  bool in_fit = false;            // it is going on
  uint64_t began = 0, ended = 0;  // the beginning of the first step and the end of the newest
  uint64_t first_step = 0;        // how long that took: tracing, planning, filling buffers
  uint64_t steps = 0;             // the first one included
  uint64_t written = 0;           // entries of the ring so far
  PartTicks total{};              // of all steps but the first
  uint64_t wall = 0;              // of the same
  uint64_t between = 0;           // between calls of fit(), which is no step's time
  uint64_t rows = 0;              // samples of the largest batch
  uint64_t all_rows = 0;          // of all steps but the first
  uint64_t epochs = 0, epochs_asked = 0, steps_an_epoch = 0;
  uint64_t evaluations = 0;
  uint64_t reads = 0;         // values that the host read
  uint64_t recorded_ops = 0;  // by eager code
  Trials trials;
  std::array<Step, kRing> ring{};

  uint64_t steady_steps() const { return steps > 0 ? steps - 1 : 0; }
  // The entries of the ring that are kept with all that is known of them, from here to `written`.
  uint64_t first_kept() const { return written < kRing ? 0 : written - kRing + 1; }
  const Step& step(uint64_t i) const { return ring[i % kRing]; }
  uint64_t ticks_of(uint64_t i, Part part) const {
    const auto p = static_cast<size_t>(part);
    return step(i).total[p] - (i == 0 ? 0 : step(i - 1).total[p]);
  }
};

// Recording may be switched off, to see what it costs.
void set_recording(bool on);
bool recording();

// ---- what happens, told by those who do it

namespace detail {
struct ThreadState {
  bool active = false;  // this thread has a run
  bool closed = false;
  bool in_fit = false;
  bool gradient_taken = false;
  Part part = Part::host;
  uint64_t since = 0;
  PartTicks spent{};                            // since the last step that was written down
  uint64_t step_began = 0;                      // where that ended
  uint64_t steps = 0, rows = 0, most_rows = 0;  // since then
  uint64_t reads = 0, recorded_ops = 0;         // likewise
  bool first = false;                           // no step of the run is written down yet
  // The run that they are added to. Another thread may take its place in the table: the counter tells.
  RunKind kind{};
  const void* key = nullptr;
  uint64_t replaced = 0;
  Run* run = nullptr;
  // Where the program ends its steps; null: not known.
  const char* file = nullptr;
  uint32_t line = 0;
};
extern constinit thread_local ThreadState state;

inline void switch_to(ThreadState& s, Part part, uint64_t now) {
  s.spent[static_cast<size_t>(s.part)] += now - s.since;
  s.since = now;
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

// fit(): steps end where the trainer says.
class FitScope {
 public:
  FitScope(const void* model, uint64_t epochs);
  ~FitScope();
  FitScope(const FitScope&) = delete;
  FitScope& operator=(const FitScope&) = delete;
  // A step is waiting for its batch, then computing on it: two stamps. Before and after its steps an epoch is host.
  void begin_epoch(uint64_t steps);  // 0: not known
  void input_begins();
  void input_ends();
  void end_step(uint64_t rows);
  void end_epoch();
  void settle();  // what followed the last step, an evaluation say, is added to the run
  void count_evaluation();
  void set_trials(const Trials& trials);
  bool records() const { return run_; }

 private:
  Run* run_ = nullptr;  // null: nothing is recorded
};

// Loops of the program's own.
void tape_opened();
void gradient_taken();
void eager_step_ended(const void* optimizer);
// The line of the program at which its steps end; `file` stays as it is.
inline void step_ends_at(const char* file, uint32_t line) {
  detail::state.file = file;
  detail::state.line = line;
}
void function_step_ended(const void* function, uint64_t rows);
void value_read();
inline bool is_recording_steps() { return detail::state.active && !detail::state.closed; }
void ops_recorded(uint64_t n);

// While a function is traced: has it an optimizer's step in it?
uint64_t optimizer_steps_traced();
void optimizer_step_traced();

// ---- the doctor, who stands to the right of those who train

// `prints`: fit(doctor = true) asks; else a program that runs under BRIO_DOCTOR, which reports at its end.
using Verdict = void (*)(bool prints, bool at_end);
void set_verdict(Verdict verdict);
void tell_verdict(bool prints, bool at_end);  // throws nothing; nothing where nobody is to the right
void want_trials(bool wanted);                // at the end of every fit()
bool trials_wanted();

// ---- asking

// A model, optimizer or function is gone: another one at its address begins a run of its own.
void forget_key(const void* key);

// The runs that took longest, as they are now.
std::vector<std::unique_ptr<const Run>> runs();
double share_of_recorder();  // of the time of the runs: what the stamps cost, estimated from their number
size_t recorder_bytes();

}  // namespace brio::profile
