#include "brio/data/engine/parallel.h"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>
#include <system_error>

#include "brio/base/clock.h"
#include "brio/base/error.h"
#include "brio/base/interrupt.h"

namespace brio::data {
namespace {

constexpr int64_t kTimeEvery = 16;                 // one element of this many is timed, stage by stage
constexpr int64_t kSnapshotEvery = 1'000'000'000;  // ns
constexpr int64_t kFirstWindow = 2'000'000, kLongestWindow = 200'000'000;
constexpr int64_t kMostAhead = 64;
constexpr int64_t kMostAsked = 4096;                // the most elements ahead, whatever number is given
constexpr int64_t kQuick = 20'000, kSpin = 10'000;  // ns

// For a thread of ours: whether its owner wants it to end. Otherwise a stage that finds nothing would never end.
thread_local const std::atomic<bool>* owner_stops = nullptr;

// Signals are for the threads of the program: threads that are started in this scope get none.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// The processor time of timed elements. Reading it is a system call, in which a thread may lose its processor. So it
// is read only around an element that is timed stage by stage, and around long work.
class CpuClock {
 public:
  CpuClock(StageStats& stats, bool asks) : stats_(stats), asks_(asks) {
    if (!asks_) return;
    worked_ = thread_ns();
    began_ = now_ns();
  }
  ~CpuClock() {
    if (!asks_) return;
    stats_.cpu_of_ns.fetch_add(static_cast<uint64_t>(now_ns() - began_), std::memory_order_relaxed);
    stats_.cpu_ns.fetch_add(static_cast<uint64_t>(thread_ns() - worked_), std::memory_order_relaxed);
  }
  CpuClock(const CpuClock&) = delete;
  CpuClock& operator=(const CpuClock&) = delete;

 private:
  static int64_t thread_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  }
  StageStats& stats_;
  bool asks_;
  int64_t worked_ = 0, began_ = 0;
};

// The first element is not timed: it traces functions and fills buffers, so its time differs from the others'.
bool is_timed(int64_t number) { return number == 1 || number == 3 || number % kTimeEvery == 8; }

// The time that this thread has spent in next() of any Parallel: for the Parallel above that is not its own work.
constinit thread_local int64_t time_in_next = 0;

constinit std::atomic<int64_t> read_ahead{0};

}  // namespace

Parallel::Parallel(Stage& stage, Pipeline& pipeline, ParallelOptions options)
    : stage_(stage), pipeline_(pipeline), options_(options), helps_(options.workers == kAutotune) {
  if (options_.depth != kAutotune) depth_ = std::clamp<int64_t>(options_.depth, 1, kMostAsked);
  ring_.resize(static_cast<size_t>(std::max(depth_, kMostAhead) + 1));
  spare_.reserve(ring_.size() + 1);
  totals_.stage = stage.name();
  window_start_ns_ = now_ns();
  base_ = snapshot();
  begin_to_listen();
}

Parallel::~Parallel() {
  stop_listening();
  stop_threads();
  read_ahead.fetch_sub(held_bytes_, std::memory_order_relaxed);
}

Parallel::Snapshot Parallel::snapshot() const {
  StateWriter state;
  stage_.save(state);
  return {state.bytes(), tail_};
}

void Parallel::start_threads(int64_t threads) {
  const NoSignals scope;
  while (static_cast<int64_t>(threads_.size()) < threads) {
    const auto number = static_cast<int64_t>(threads_.size());
    auto body = [this, number] {
      Worker worker;
      owner_stops = &stopping_;
      fork_gate::enter();
      Lock lock(mutex_);
      bool spun = false;
      while (!stopping_) {
        if (fork_gate::fork_waits()) {
          lock.unlock();
          fork_gate::leave();
          fork_gate::enter();
          lock.lock();
          continue;
        }
        if (number < workers_ && has_work()) {
          work(lock, worker);
          spun = false;
          continue;
        }
        if (number < workers_ && !ended_ && tail_ - head_ >= depth_) ++window_.found_full;
        if (number < workers_ && spin(lock, read_, spun)) continue;
        ++sleeping_;
        wait(work_, lock);
        --sleeping_;
        spun = false;
      }
      lock.unlock();
      fork_gate::leave();
    };
    try {
      threads_.emplace_back(body);
    } catch (const std::system_error& error) {
      if (options_.workers == kAutotune) break;  // the existing threads are enough
      throw ResourceError(
          cat("[", stage_.name(), "] of ", threads, " threads only ", number, " could be started: ", error.what()));
    }
  }
  workers_ = static_cast<int64_t>(threads_.size());
}

// A waiting thread does not keep others from forking. It may have to wait for a fork before it continues, and must
// not hold the lock in that time.
void Parallel::wait(std::condition_variable& changed, Lock& lock, std::chrono::nanoseconds longest) {
  const auto wait = [&] {
    if (longest == kForever) changed.wait(lock);
    else changed.wait_for(lock, longest);
  };
  if (!fork_gate::inside()) return wait();
  fork_gate::leave();
  wait();
  lock.unlock();
  fork_gate::enter();
  lock.lock();
}

// The threads do not exist here. What they had finished does; the next read starts new threads.
void Parallel::after_fork_in_child() {
  new (&mutex_) std::mutex;
  new (&work_) std::condition_variable;
  new (&ready_) std::condition_variable;
  new std::vector<std::thread>(std::move(threads_));  // never joined
  threads_.clear();
  sleeping_ = 0;
  reader_waits_ = false;
  stopping_ = false;
  lost_ = busy_ > 0;
  busy_ = 0;
}

void Parallel::stop_threads() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  // The threads that it waits for may have to wait for a fork.
  const bool inside = !threads_.empty() && fork_gate::inside();
  if (inside) fork_gate::leave();
  for (std::thread& thread : threads_) thread.join();
  if (inside) fork_gate::enter();
  threads_.clear();
  stopping_ = false;
}

// Waking a thread costs some microseconds. If an element takes less, waiting awake is cheaper. Only for a short time,
// because the other side may have lost its CPU, and only once: `spun` is then set. Returns true if the lock was
// released in between.
bool Parallel::spin(Lock& lock, const std::atomic<uint64_t>& changes, bool& spun) const {
  if (std::exchange(spun, true) || ended_ || last_cost_ns_ > kQuick) return false;
  const uint64_t before = changes.load(std::memory_order_relaxed);
  lock.unlock();
  const int64_t until = now_ns() + kSpin;
  bool changed = false;
  do {
    for (int i = 0; i < 16; ++i) __builtin_ia32_pause();
    changed = changes.load(std::memory_order_acquire) != before;
  } while (!changed && now_ns() < until);
  lock.lock();
  return true;
}

bool Parallel::has_work() const {
  for (int64_t i = head_; i < tail_; ++i) {
    const Entry& entry = *ring_[static_cast<size_t>(i) % ring_.size()];
    if (entry.open && entry.taken < entry.parts) return true;
  }
  return !claiming_ && !ended_ && tail_ - head_ < depth_;
}

// One piece of work: a part of the oldest element that has parts left, or the next element.
void Parallel::work(Lock& lock, Worker& worker) {
  ++busy_;
  Entry* open = nullptr;
  for (int64_t i = head_; i < tail_ && !open; ++i)
    if (Entry& entry = entry_at(i); entry.open && entry.taken < entry.parts) open = &entry;
  if (open) compute_part(lock, *open, worker);
  else claim(lock, worker);
  --busy_;
}

void Parallel::claim(Lock& lock, Worker& worker) {
  std::unique_ptr<Entry>& slot = ring_[static_cast<size_t>(tail_) % ring_.size()];
  if (!slot) slot = take_spare();
  Entry& entry = *slot;
  entry.ticket.count = 0;
  entry.error = nullptr;
  entry.open = entry.ready = entry.interrupted = false;
  entry.cost_ns = 0;
  entry.timed = is_timed(tail_);
  claiming_ = true;
  const bool wants_snapshot = pending_.state.empty();
  lock.unlock();
  const int64_t began = now_ns(), elsewhere = time_in_next;
  bool there = false;
  int64_t claim_took = 0;
  Snapshot taken;
  try {
    if (wants_snapshot && began - last_snapshot_ns_ > kSnapshotEvery) {
      taken = snapshot();
      last_snapshot_ns_ = began;
    }
    const int64_t claim_began = now_ns(), claim_elsewhere = time_in_next;
    there = stage_.claim(entry.ticket);
    claim_took = now_ns() - claim_began - (time_in_next - claim_elsewhere);
  } catch (const Interrupted&) {
    entry.error = std::current_exception();
    entry.interrupted = true;
  } catch (...) {
    entry.error = std::current_exception();
  }
  lock.lock();
  claiming_ = false;
  if (!taken.state.empty()) pending_ = std::move(taken);
  if (entry.error) {  // the order cannot continue behind a place that could not be taken
    ended_ = true;
    ++tail_;
    return finished(entry);
  }
  if (!there) {
    ended_ = true;
    if (reader_waits_) ready_.notify_one();
    return;
  }
  ++tail_;
  window_.claimed_ns += claim_took;
  const bool asks_cpu = last_cost_ns_ > kQuick;
  if (sleeping_ > 0 && has_work()) work_.notify_one();
  lock.unlock();
  worker.timed = entry.timed;
  try {
    const CpuClock clock(stage_.stats(), entry.timed && asks_cpu);
    entry.parts = stage_.parts(entry.ticket);
    if (entry.parts > 1) stage_.start(entry.ticket, entry.out, worker);
    else stage_.make(entry.ticket, entry.out, worker);
  } catch (...) {
    entry.error = std::current_exception();
  }
  const int64_t took = now_ns() - began - (time_in_next - elsewhere);
  lock.lock();
  entry.cost_ns = took;
  if (entry.parts <= 1 || entry.error) return finished(entry);
  entry.taken = 0;
  entry.left = entry.parts;
  entry.open = true;
  if (sleeping_ > 0) work_.notify_all();
  if (reader_waits_) ready_.notify_one();  // it may help
}

void Parallel::compute_part(Lock& lock, Entry& entry, Worker& worker) {
  const int64_t part = entry.taken++;
  const bool asks_cpu = entry.timed && last_cost_ns_ > kQuick;
  lock.unlock();
  std::optional<CpuClock> clock(std::in_place, stage_.stats(), asks_cpu);
  const int64_t began = now_ns();
  worker.timed = entry.timed;
  std::exception_ptr error;
  try {
    stage_.compute_part(entry.ticket, part, entry.out, worker);
  } catch (...) {
    error = std::current_exception();
  }
  int64_t took = now_ns() - began;
  clock.reset();
  lock.lock();
  entry.cost_ns += took;
  // Keeps the error of the lowest part that failed, whichever thread was first.
  if (error && (!entry.error || part < entry.failed)) {
    entry.error = error;
    entry.failed = part;
  }
  if (entry.timed) stage_.stats().inclusive_ns.fetch_add(static_cast<uint64_t>(took), std::memory_order_relaxed);
  if (--entry.left > 0) return;
  if (!entry.error) {
    lock.unlock();
    try {
      stage_.finish(entry.ticket, entry.out, worker);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    entry.error = error;
    if (entry.timed) stage_.stats().timed.fetch_add(1, std::memory_order_relaxed);
  }
  finished(entry);
}

void Parallel::finished(Entry& entry) {
  if (!entry.error) note_size(entry);
  entry.open = false;
  entry.ready = true;
  last_cost_ns_ = entry.cost_ns;
  window_.computed_ns += entry.cost_ns;
  window_.cheapest_ns = std::min(window_.cheapest_ns, entry.cost_ns);
  made_.fetch_add(1, std::memory_order_release);
  if (reader_waits_) ready_.notify_one();
}

void Parallel::ask_whether_to_go_on(Lock& lock, int64_t now) {
  if (owner_stops) {  // a thread of ours asks its owner
    if (*owner_stops) throw Interrupted();
    return;
  }
  if (now - asked_ns_ < kPatience.count()) return;
  asked_ns_ = now;
  lock.unlock();
  check_interrupt();
  lock.lock();
}

bool Parallel::next(Element& out) {
  if (interrupted_) go_back();
  Lock lock(mutex_);
  if (const int64_t wanted = std::max(options_.workers, workers_); wanted > 0 && threads_.empty())
    start_threads(wanted);
  int64_t began = 0;
  const int64_t outer = time_in_next;
  bool spun = false;
  for (;;) {
    if (lost_)
      throw ResourceError(cat("[", stage_.name(),
                              "] this iterator was made before a fork, and its threads were in the "
                              "middle of an element; make another one in the child, or reset() it"));
    if (head_ < tail_ && entry_at(head_).ready) break;
    if (!pipeline_.deterministic) {
      int64_t any = head_;
      while (any < tail_ && !entry_at(any).ready) ++any;
      if (any < tail_) {
        std::swap(ring_[static_cast<size_t>(any) % ring_.size()], ring_[static_cast<size_t>(head_) % ring_.size()]);
        break;
      }
    }
    if (head_ == tail_ && ended_ && !claiming_) return false;
    if (began == 0) {
      began = now_ns();
      ++window_.found_empty;
    }
    if ((helps_ || threads_.empty()) && has_work()) {
      work(lock, own_);
      continue;
    }
    if (!threads_.empty() && spin(lock, made_, spun)) continue;
    reader_waits_ = true;
    wait(ready_, lock, kPatience);
    reader_waits_ = false;
    ask_whether_to_go_on(lock, now_ns());
  }
  if (entry_at(head_).interrupted) {
    interrupted_ = true;
    std::rethrow_exception(entry_at(head_).error);
  }
  const int64_t now = now_ns();
  ask_whether_to_go_on(lock, now);
  if (began != 0) {
    window_.waited_ns += now - began;
    time_in_next = outer + now - began;
  }
  Entry& entry = entry_at(head_);
  ++head_;
  read_.fetch_add(1, std::memory_order_release);
  ++window_.elements;
  if (began == 0) window_.found_ahead += tail_ - head_ + 1;
  if (!pending_.state.empty() && head_ >= pending_.claimed) base_ = std::exchange(pending_, {});
  entry.ready = false;
  const std::exception_ptr error = std::exchange(entry.error, nullptr);
  if (!error) std::swap(out, entry.out);
  keep_spare(std::move(ring_[static_cast<size_t>(head_ - 1) % ring_.size()]));
  window_.wall_ns = now - window_start_ns_;
  tune();
  if (sleeping_ > 0 && has_work()) work_.notify_one();
  lock.unlock();
  if (error) std::rethrow_exception(error);
  return true;
}

// As many as were asked for are made ahead, or as many as fit the memory.
void Parallel::note_size(const Entry& entry) {
  const auto bytes = static_cast<int64_t>(entry.out.bytes());
  if (bytes <= totals_.bytes) return;
  totals_.bytes = bytes;
  count_held();
  if (options_.depth != kAutotune && pipeline_.ram_budget > 0)
    depth_ = std::clamp<int64_t>(pipeline_.ram_budget / bytes, 1, depth_);
}

std::unique_ptr<Parallel::Entry> Parallel::take_spare() {
  if (spare_.empty()) {
    ++entries_;
    count_held();
    return std::make_unique<Entry>();
  }
  // The oldest: the reader of the newest may still hold it.
  std::unique_ptr<Entry> entry = std::move(spare_.front());
  spare_.erase(spare_.begin());
  return entry;
}

// As many as may be ahead at once, and one that the reader may still hold: for large elements each counts.
void Parallel::keep_spare(std::unique_ptr<Entry> entry) {
  entry->open = entry->ready = false;
  if (tail_ - head_ + static_cast<int64_t>(spare_.size()) <= depth_ + 1) return spare_.push_back(std::move(entry));
  --entries_;
  count_held();
}

void Parallel::count_held() {
  const int64_t bytes = entries_ * totals_.bytes;
  read_ahead.fetch_add(bytes - held_bytes_, std::memory_order_relaxed);
  held_bytes_ = bytes;
}

void Parallel::tune() {
  const int64_t length = std::min(kLongestWindow, kFirstWindow << std::min<size_t>(7, tuner_.log().size() * 2));
  if (window_.wall_ns < length) return;
  TunerLimits limits;
  limits.workers = pipeline_.cpu_budget;
  limits.depth = kMostAhead;
  if (totals_.bytes > 0 && pipeline_.ram_budget > 0)
    limits.depth = std::clamp<int64_t>(pipeline_.ram_budget / totals_.bytes, 1, kMostAhead);
  limits.may_change_workers = options_.workers == kAutotune;
  limits.may_change_depth = options_.depth == kAutotune;
  const double seconds = static_cast<double>(totals_.wall_ns + window_.wall_ns) * 1e-9;
  const TunerSetting next = tuner_.decide(window_, {workers_, depth_}, limits, seconds, stage_.name());
  count_window(totals_);
  window_start_ns_ += window_.wall_ns;
  window_ = {};
  depth_ = next.depth;
  workers_ = next.workers;
  if (workers_ > static_cast<int64_t>(threads_.size())) start_threads(workers_);
}

void Parallel::count_window(ParallelReport& totals) const {
  totals.elements += window_.elements;
  totals.wall_ns += window_.wall_ns;
  totals.waited_ns += window_.waited_ns;
  totals.computed_ns += window_.computed_ns;
  totals.found_ahead += window_.found_ahead;
  totals.found_empty += window_.found_empty;
  totals.found_full += window_.found_full;
}

void Parallel::clear() {
  stop_threads();                      // the next read starts them again
  const std::lock_guard lock(mutex_);  // the doctor calls from its own thread
  count_window(totals_);
  head_ = tail_ = 0;
  claiming_ = ended_ = lost_ = false;
  busy_ = 0;
  for (auto& entry : ring_)
    if (entry) keep_spare(std::move(entry));
  pending_ = {};
  last_snapshot_ns_ = now_ns();
  window_start_ns_ = now_ns();
  window_ = {};
}

void Parallel::reset(uint64_t epoch) {
  clear();
  stage_.reset(epoch);
  base_ = snapshot();
  interrupted_ = false;
}

void Parallel::save(StateWriter& state) const {
  std::lock_guard lock(mutex_);
  state.text(base_.state);
  state.number(static_cast<uint64_t>(head_ - base_.claimed));
}

void Parallel::restore(StateReader& state) {
  clear();
  base_.state = state.text();
  const int64_t passed = state.count();
  base_.claimed = -passed;
  interrupted_ = true;  // until it is back, because the next steps may wait, too
  StateReader base(base_.state);
  stage_.restore(base);
  if (!base.done()) StateReader::refuse("a stage left a part of it unread");
  if (stage_.skip(passed) != passed) StateReader::refuse("it lies behind the last element");
  interrupted_ = false;
}

// Stages that were interrupted have lost the part of an element that they had read: they read it again.
void Parallel::go_back() {
  StateWriter written;
  save(written);
  StateReader state(written.bytes());
  restore(state);
}

ParallelReport Parallel::report() const {
  std::lock_guard lock(mutex_);
  ParallelReport report = totals_;
  count_window(report);
  report.workers = workers_;
  report.depth = depth_;
  report.fixed_workers = options_.workers != kAutotune;
  report.fixed_depth = options_.depth != kAutotune;
  report.filled = tail_ - head_;
  report.decisions = tuner_.log();
  return report;
}

int64_t bytes_read_ahead() { return read_ahead.load(std::memory_order_relaxed); }

}  // namespace brio::data
