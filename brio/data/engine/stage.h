// What a pipeline is made of. A Node describes a step and never changes; opening it makes a Stage, which has a place
// in the order of elements. Every stage splits its work in two:
//
// - claim takes the next place in the order. It is serial, and cheap: an index, a line of a file, what a filter says.
// - compute makes the element of that place: reading, decoding, mapping, gathering a batch. Any thread may do it, in
//   any order, as it depends on the ticket alone.
//
// So the order and the bits never depend on how many threads compute (parallel.h has the threads), a shuffle buffer
// holds tickets instead of decoded pictures, skipping costs no work, and the state of a pipeline is that of its
// claims.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brio/base/philox.h"
#include "brio/data/engine/element.h"
#include "brio/data/engine/state.h"
#include "brio/data/engine/structure.h"
#include "brio/profile/pipelines.h"

namespace brio::data {

inline constexpr int64_t kAutotune = -1;                 // "choose it while running"
inline constexpr int64_t kInfinite = -1, kUnknown = -2;  // numbers of elements, as TensorFlow writes them

struct RowLayout {
  std::vector<Aval> parts;
};

// A place in the order of elements.
struct Ticket {
  uint64_t epoch = 0;
  int64_t index = 0;          // which element of the source
  Element element;            // what the claim has made already: a record, an element that passed a filter
  std::vector<Ticket> inner;  // of the elements that this one is made of: first `count` of them
  size_t count = 0;
  // The place is taken, but its element could not be made: computing it throws this. A claim that throws by itself
  // ends the order.
  std::exception_ptr error;
  size_t input = 0;              // which of a stage's inputs it came from
  std::shared_ptr<void> source;  // the nested pipeline that it came from
  std::vector<Element> between;  // results of stages below one that is computed in parts
  Element result;                // of a row whose batch had no fitting place for it
  bool has_result = false;
  int64_t rows_at_once = 1;               // that a batch asks its input for
  std::shared_ptr<const RowLayout> rows;  // what a batch expects of its rows

  Ticket& add_inner();
};

// How far a stage has come in its own order.
struct Place {
  uint64_t epoch = 0;
  int64_t at = 0;  // of the next element

  void begin(uint64_t of_epoch) { *this = {of_epoch, 0}; }
  void take(Ticket& ticket) { number(ticket, at++); }  // the next element is this ticket's
  void number(Ticket& ticket, int64_t index) const {
    ticket.index = index;
    ticket.epoch = epoch;
  }
  int64_t skip(int64_t n, int64_t end) {  // of elements that are numbered up to `end`
    n = std::min(n, end - at);
    at += n;
    return n;
  }
  void save(StateWriter& state) const;
  void restore(StateReader& state) {
    epoch = state.number();
    at = state.count();
  }
  void restore(StateReader& state, int64_t end) {
    epoch = state.number();
    at = state.count(end);
  }
};

std::string message_of(const std::exception_ptr& error);  // what() of it

// Where in a file an element comes from.
struct FilePlace {
  std::string file;
  uint64_t offset = 0;
};

// What one thread needs to compute; stages keep their intermediate elements here.
struct Worker {
  std::vector<Element> scratch;                 // one for each stage
  std::vector<std::shared_ptr<void>> private_;  // what a stage keeps for each thread: a decoder, a traced function
  bool timed = false;                           // this element's stages are timed
};

// What a stage reports. Times are of the elements that were timed.
struct StageStats {
  std::atomic<uint64_t> timed{0}, inclusive_ns{0};
  std::atomic<uint64_t> claimed{0}, claim_ns{0};  // of claims that do work: a generator's, a filter's
  std::atomic<uint64_t> passed{0};                // of these, those that gave an element, where not all do
  std::atomic<uint64_t> python_ns{0};             // of the elements that were timed, and of claims
  std::atomic<uint64_t> cpu_ns{0}, cpu_of_ns{0};  // how long the processor worked, and in which time
  std::atomic<uint64_t> out_bytes{0};             // of the largest element
  std::atomic<int64_t> held_bytes{0};             // in a buffer, a cache
};

// Times the work of one claim.
class ClaimTimer {
 public:
  explicit ClaimTimer(StageStats& stats)
      : stats_(stats), python_(profile::python_ticks()), begun_(std::chrono::steady_clock::now()) {}
  ~ClaimTimer() {
    if (const uint64_t python = profile::python_ticks() - python_)
      stats_.python_ns.fetch_add(profile::ns_of(python), std::memory_order_relaxed);
    const auto took = std::chrono::steady_clock::now() - begun_;
    stats_.claim_ns.fetch_add(static_cast<uint64_t>(std::chrono::nanoseconds(took).count()),
                              std::memory_order_relaxed);
    stats_.claimed.fetch_add(1, std::memory_order_relaxed);
  }
  ClaimTimer(const ClaimTimer&) = delete;

 private:
  StageStats& stats_;
  uint64_t python_;
  std::chrono::steady_clock::time_point begun_;
};

class NestedTotals;
class Replay;
class Stage;
class SkipLog;
class StoredElements;

// What the stages of one iterator share.
struct Pipeline {
  std::vector<Stage*> stages;  // by number; inputs before those who use them
  int64_t cpu_budget = 1;
  int64_t ram_budget = 0;
  bool deterministic = true;
  // Nested pipelines share these.
  std::shared_ptr<SkipLog> skipped;
  std::shared_ptr<Replay> replay;
};

class Stage {
 public:
  Stage(Pipeline& pipeline, std::string name, std::vector<std::unique_ptr<Stage>> inputs = {});
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  virtual ~Stage() = default;

  // Serial. False: there are no more.
  virtual bool claim(Ticket& ticket) = 0;
  // Concurrent.
  virtual void compute(Ticket& ticket, Element& out, Worker& worker) = 0;

  // Serial. Passes up to n elements over; returns how many there were.
  virtual int64_t skip(int64_t n);

  // Serial. Starts from the first element of an epoch. Tickets from before may still be computed.
  virtual void reset(uint64_t epoch) = 0;
  virtual void save(StateWriter& state) const = 0;
  virtual void restore(StateReader& state) = 0;

  // Where elements can be found by their number: how many there are in an epoch, and the ticket of one of them.
  // Serial, as claim; -1: they cannot.
  virtual int64_t indexed() const { return -1; }
  virtual void locate(int64_t index, Ticket& ticket);

  // Where elements lie in files, by the numbers of the tickets that locate() gives; none: they do not.
  virtual const StoredElements* stored_elements() const { return nullptr; }

  // For errors; none: it is not known.
  virtual std::optional<FilePlace> origin(const Ticket&) const { return {}; }

  // A stage may let several threads share the work of one element: start(), then each part, then finish().
  virtual int64_t parts(const Ticket&) const { return 1; }
  virtual void start(Ticket&, Element&, Worker&) {}
  virtual void compute_part(Ticket& ticket, int64_t part, Element& out, Worker& worker);
  virtual void finish(Ticket&, Element&, Worker&) {}

  // A stage may make the elements of several tickets at once, along a new first axis, where that takes less than one
  // by one. How many it wants: it may find that out from the first elements.
  virtual int64_t rows_at_once() const { return 1; }
  // True: `block` has them. False: they are not alike, and each is the result of its ticket.
  virtual bool compute_rows(std::span<Ticket> tickets, Element& block, Worker& worker);

  // What it is and does, for the doctor. Times are added by whoever asks.
  virtual void describe(profile::StageFacts&) const {}

  // What it chose by itself, and why, for Report; empty: nothing.
  virtual std::string choice() const { return {}; }

  // Does computing take more than finding memory?
  virtual bool has_work() const;

  // compute(), with the clock where the worker asks for it.
  void make(Ticket& ticket, Element& out, Worker& worker) {
    if (worker.timed) return make_timed(ticket, out, worker);
    compute(ticket, out, worker);
  }
  // The same with compute_rows().
  bool make_rows(std::span<Ticket> tickets, Element& block, Worker& worker);

  const std::string& name() const { return name_; }
  size_t number() const { return number_; }
  StageStats& stats() { return stats_; }
  const StageStats& stats() const { return stats_; }
  virtual const NestedTotals* nested() const { return nullptr; }  // of pipelines that it opens while it runs
  const std::vector<std::unique_ptr<Stage>>& inputs() const { return inputs_; }

 protected:
  Stage& input(size_t i = 0) const { return *inputs_[i]; }
  Element& scratch(Worker& worker) const;
  template <typename T, typename... A>
  T& private_of(Worker& worker, const A&... arguments) const;  // made of the arguments at its first use
  Pipeline& pipeline_;

 private:
  void make_timed(Ticket& ticket, Element& out, Worker& worker);
  void took(size_t elements, int64_t ns);

  std::string name_;
  std::vector<std::unique_ptr<Stage>> inputs_;
  size_t number_;
  StageStats stats_;
};

// A stage whose elements are numbered: its place is a number.
class IndexedStage : public Stage {
 public:
  using Stage::Stage;
  bool claim(Ticket& ticket) final {
    if (place_.at >= indexed()) return false;
    locate(place_.at++, ticket);
    return true;
  }
  int64_t skip(int64_t n) final { return place_.skip(n, indexed()); }
  void locate(int64_t index, Ticket& ticket) override { place_.number(ticket, index); }
  void reset(uint64_t epoch) override { place_.begin(epoch); }
  void save(StateWriter& state) const override { place_.save(state); }
  void restore(StateReader& state) override { place_.restore(state, indexed()); }

 protected:
  uint64_t epoch() const { return place_.epoch; }

 private:
  Place place_;
};

class Node {
 public:
  virtual ~Node() = default;
  virtual std::unique_ptr<Stage> open(Pipeline& pipeline) const = 0;
  virtual std::string describe() const = 0;  // "shuffle(buffer 100, seed 3)": name and what decides its result
  virtual Structure structure() const = 0;
  virtual int64_t cardinality() const = 0;
  virtual std::vector<const Node*> inputs() const { return {}; }

  // How many iterators were made of it: each is an epoch.
  mutable std::atomic<uint64_t> iterations{0};
};
using NodePtr = std::shared_ptr<const Node>;

// A node that changes another's elements one by one, or not at all.
class Transform : public Node {
 public:
  explicit Transform(NodePtr input) : input_(std::move(input)) {}
  Structure structure() const override { return input_->structure(); }
  int64_t cardinality() const override { return input_->cardinality(); }
  std::vector<const Node*> inputs() const override { return {input_.get()}; }

 protected:
  const Node& input() const { return *input_; }
  static std::vector<std::unique_ptr<Stage>> list(std::unique_ptr<Stage> only) {
    std::vector<std::unique_ptr<Stage>> inputs;
    inputs.push_back(std::move(only));
    return inputs;
  }
  std::vector<std::unique_ptr<Stage>> open_input(Pipeline& pipeline) const { return list(input_->open(pipeline)); }
  NodePtr input_;
};

// A stage that leaves its only input's elements and their order as they are; others change one of the two.
class FollowingStage : public Stage {
 public:
  using Stage::Stage;
  bool claim(Ticket& ticket) override { return input().claim(ticket); }
  int64_t skip(int64_t n) override { return input().skip(n); }
  void reset(uint64_t epoch) override { input().reset(epoch); }
  void save(StateWriter& state) const override { input().save(state); }
  void restore(StateReader& state) override { input().restore(state); }
  int64_t indexed() const override { return input().indexed(); }
  void locate(int64_t index, Ticket& ticket) override { input().locate(index, ticket); }
  const StoredElements* stored_elements() const override { return input().stored_elements(); }
  std::optional<FilePlace> origin(const Ticket& ticket) const override { return input().origin(ticket); }

  void compute(Ticket& ticket, Element& out, Worker& worker) override { input().make(ticket, out, worker); }
  int64_t parts(const Ticket& ticket) const override { return input().parts(ticket); }
  void start(Ticket& ticket, Element& out, Worker& worker) override { input().start(ticket, out, worker); }
  void compute_part(Ticket& ticket, int64_t part, Element& out, Worker& worker) override {
    input().compute_part(ticket, part, out, worker);
  }
  void finish(Ticket& ticket, Element& out, Worker& worker) override { input().finish(ticket, out, worker); }
};

// A stage that changes the order or the number of elements, and no element.
class OrderingStage : public FollowingStage {
 public:
  using FollowingStage::FollowingStage;
  void compute(Ticket& ticket, Element& out, Worker& worker) final { input().make(ticket, out, worker); }
  int64_t rows_at_once() const final { return input().rows_at_once(); }
  bool compute_rows(std::span<Ticket> tickets, Element& block, Worker& worker) final {
    return input().make_rows(tickets, block, worker);
  }
};

// A stage that makes its element of the whole one below: whatever that is made of, one thread does it.
class WholeStage : public FollowingStage {
 public:
  using FollowingStage::FollowingStage;
  bool has_work() const override { return true; }
  int64_t parts(const Ticket&) const final { return 1; }
  void start(Ticket&, Element&, Worker&) final {}
  void compute_part(Ticket& ticket, int64_t, Element& out, Worker& worker) final { make(ticket, out, worker); }
  void finish(Ticket&, Element&, Worker&) final {}
};

template <typename T, typename... A>
T& Stage::private_of(Worker& worker, const A&... arguments) const {
  if (worker.private_.size() <= number_) worker.private_.resize(number_ + 1);
  std::shared_ptr<void>& mine = worker.private_[number_];
  if (!mine) mine = std::make_shared<T>(arguments...);
  return *static_cast<T*>(mine.get());
}

}  // namespace brio::data
