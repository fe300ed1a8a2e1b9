// The threads of a pipeline. They compute the elements of a stage ahead of the reader, who gets them in the order of
// their tickets. A ring of `depth` elements bounds the memory; `workers` threads fill it. A reader that waits for an
// element helps to make it, so with no threads this is a plain loop. Threads start when elements turn out to be worth
// it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "brio/data/engine/fork_gate.h"
#include "brio/data/engine/stage.h"
#include "brio/data/engine/tuner.h"

namespace brio::data {

struct ParallelOptions {
  int64_t workers = kAutotune;  // threads; with a fixed number the reader does not help
  int64_t depth = kAutotune;    // elements ahead of the reader
};

class Parallel final : fork_gate::Told {
 public:
  Parallel(Stage& stage, Pipeline& pipeline, ParallelOptions options);
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;
  ~Parallel();  // stops the threads after the part that each is working on

  // The next element; swaps its parts with those of `out`. False at the end. Throws the exception of this element;
  // the next call continues behind the element, or with it if it was interrupted.
  bool next(Element& out);

  // As for a stage; counts what was read, not what was computed ahead.
  void reset(uint64_t epoch);
  void save(StateWriter& state) const;
  void restore(StateReader& state);

  Stage& stage() const { return stage_; }
  ParallelReport report() const;

 private:
  struct Entry {
    Ticket ticket;
    Element out;
    std::exception_ptr error;
    int64_t parts = 0, taken = 0, left = 0, failed = 0;  // of an element that several threads compute
    int64_t cost_ns = 0;
    bool open = false, ready = false, timed = false, interrupted = false;
  };
  // A state of the stage, with the number of elements that had been claimed by then.
  struct Snapshot {
    std::string state;
    int64_t claimed = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  void after_fork_in_child() override;
  static constexpr std::chrono::nanoseconds kForever{-1}, kPatience = std::chrono::milliseconds(50);
  void wait(std::condition_variable& changed, Lock& lock, std::chrono::nanoseconds longest = kForever);
  void ask_whether_to_go_on(Lock& lock, int64_t now);
  bool has_work() const;
  void work(Lock& lock, Worker& worker);
  void claim(Lock& lock, Worker& worker);
  void compute_part(Lock& lock, Entry& entry, Worker& worker);
  void finished(Entry& entry);
  bool spin(Lock& lock, const std::atomic<uint64_t>& changes, bool& spun) const;
  void start_threads(int64_t threads);
  void stop_threads();
  void clear();
  void go_back();
  void tune();
  void count_window(ParallelReport& totals) const;
  // Called with mutex_ held:
  void note_size(const Entry& entry);
  std::unique_ptr<Entry> take_spare();
  void keep_spare(std::unique_ptr<Entry> entry);
  void count_held();
  Entry& entry_at(int64_t i) { return *ring_[static_cast<size_t>(i) % ring_.size()]; }
  Snapshot snapshot() const;

  Stage& stage_;
  Pipeline& pipeline_;
  const ParallelOptions options_;
  const bool helps_;

  mutable std::mutex mutex_;
  std::condition_variable work_, ready_;
  std::vector<std::unique_ptr<Entry>> ring_;   // null except for elements that are claimed and not yet read
  std::vector<std::unique_ptr<Entry>> spare_;  // elements that were read leave their memory here, for the next claims
  int64_t entries_ = 0, held_bytes_ = 0;       // of both lists; their memory, as it was counted
  int64_t head_ = 0, tail_ = 0;                // read, claimed
  int64_t depth_ = 1, workers_ = 0;
  int64_t sleeping_ = 0;
  int64_t busy_ = 0;   // threads that compute
  bool lost_ = false;  // in a child: elements that the parent's threads were computing will never be ready
  bool claiming_ = false, ended_ = false, reader_waits_ = false;
  std::atomic<bool> stopping_{false};
  std::atomic<uint64_t> made_{0}, read_{0};  // change when an element is ready, and when a place becomes free
  int64_t last_cost_ns_ = 0;                 // of an element
  std::vector<std::thread> threads_;
  Worker own_;                // of the reader
  bool interrupted_ = false;  // the reader was interrupted, and the stage is not at the right place
  Snapshot base_, pending_;
  int64_t last_snapshot_ns_ = 0;

  Tuner tuner_;
  TunerWindow window_;
  ParallelReport totals_;
  int64_t window_start_ns_ = 0;
  int64_t asked_ns_ = 0;  // when the reader was last asked whether to go on
};

// The memory of all elements that threads have computed ahead of their readers, or keep for later elements.
int64_t bytes_read_ahead();

}  // namespace brio::data
