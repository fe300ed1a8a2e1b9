// The parts of a pipeline. A Node describes a step and never changes; opening it makes a Stage, which has a position
// in the order of elements. Every stage splits its work in two:
//
// - claim takes the next place in the order. It is serial and cheap: an index, a line of a file, a filter's answer.
// - compute makes the element of that place: reading, decoding, mapping, gathering a batch. Any thread may do it, in
//   any order, because it depends only on the ticket.
//
// So the order and the bits never depend on the number of threads that compute (parallel.h has the threads). A
// shuffle buffer holds tickets instead of decoded pictures, skipping costs no work, and the state of a pipeline is
// that of its claims.
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

namespace brio {
class Device;
}

namespace brio::data {

inline constexpr int64_t kAutotune = -1;                 // "choose it while running"
inline constexpr int64_t kInfinite = -1, kUnknown = -2;  // numbers of elements, with TensorFlow's values

struct RowLayout {
  std::vector<Aval> parts;
};

// A place in the order of elements.
struct Ticket {
  uint64_t epoch = 0;
  int64_t index = 0;          // which element of the source
  Element element;            // made by the claim: a record, an element that passed a filter
  std::vector<Ticket> inner;  // of the elements that this one is made from: the first `count`
  size_t count = 0;
  // The place is taken, but its element could not be made: computing it throws this. If a claim itself throws, the
  // order ends.
  std::exception_ptr error;
  size_t input = 0;              // the number of the stage's input that it came from
  std::shared_ptr<void> source;  // the nested pipeline that it came from
  std::shared_ptr<void> shared;  // common to the threads that make an element in parts
  std::vector<Element> between;  // results of stages below one that is computed in parts
  Element result;                // of a row for which the batch had no fitting place
  bool has_result = false;
  int64_t rows_at_once = 1;               // how many a batch asks its input for
  std::shared_ptr<const RowLayout> rows;  // what a batch expects of its rows

  Ticket& add_inner();
};

// The position of a stage in its own order.
struct Place {
  uint64_t epoch = 0;
  int64_t at = 0;  // of the next element

  void begin(uint64_t of_epoch) { *this = {of_epoch, 0}; }
  void take(Ticket& ticket) { number(ticket, at++); }  // the next element gets this ticket
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

// The position of an element in a file.
struct FilePlace {
  std::string file;
  uint64_t offset = 0;
};

// The memory that one thread needs to compute; stages keep their intermediate elements here.
struct Worker {
  std::vector<Element> scratch;                 // one for each stage
  std::vector<std::shared_ptr<void>> private_;  // data of a stage for each thread: a decoder, a traced function
  bool timed = false;                           // this element's stages are timed
};

// What a stage reports. Times are sums over the timed elements.
struct StageStats {
  std::atomic<uint64_t> timed{0}, inclusive_ns{0};
  std::atomic<uint64_t> claimed{0}, claim_ns{0};  // only for claims that do work: a generator's, a filter's
  std::atomic<uint64_t> passed{0};                // claims that gave an element, if some do not
  std::atomic<uint64_t> python_ns{0};             // of the elements that were timed, and of claims
  std::atomic<uint64_t> cpu_ns{0}, cpu_of_ns{0};  // time on the processor, and the wall time in which it was measured
  std::atomic<uint64_t> out_bytes{0};             // of the largest element
  std::atomic<int64_t> held_bytes{0};             // in a buffer, a cache
};

// Times one claim.
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
class Node;
class Replay;
class Stage;
class SkipLog;
class StoredElements;

// Batches that a device makes (pictures/device_batch.h).
struct OnDevice {
  const Node* batch = nullptr;  // the node that it makes them for
  Device* device = nullptr;
  std::string about;  // why, for Report
};

// State that the stages of one iterator share.
struct Pipeline {
  std::vector<Stage*> stages;  // by number; inputs come before their readers
  int64_t cpu_budget = 1;
  int64_t ram_budget = 0;
  bool deterministic = true;
  // Nested pipelines share these.
  std::shared_ptr<SkipLog> skipped;
  std::shared_ptr<Replay> replay;
  OnDevice on_device;
};

class Stage {
 public:
  Stage(Pipeline& pipeline, std::string name, std::vector<std::unique_ptr<Stage>> inputs = {});
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  virtual ~Stage() = default;

  // Serial. Returns false if there are no more elements.
  virtual bool claim(Ticket& ticket) = 0;
  // Concurrent.
  virtual void compute(Ticket& ticket, Element& out, Worker& worker) = 0;

  // Serial. Skips up to n elements; returns how many there were.
  virtual int64_t skip(int64_t n);

  // Serial. Starts at the first element of an epoch. Older tickets may still be computed.
  virtual void reset(uint64_t epoch) = 0;
  virtual void save(StateWriter& state) const = 0;
  virtual void restore(StateReader& state) = 0;

  // If elements can be found by number: the number of elements in an epoch, and the ticket of one element. Serial,
  // like claim. -1: they cannot.
  virtual int64_t indexed() const { return -1; }
  virtual void locate(int64_t index, Ticket& ticket);

  // If elements are in files: where, by the numbers of the tickets that locate() returns. Null: they are not.
  virtual const StoredElements* stored_elements() const { return nullptr; }

  // For error messages; none: unknown.
  virtual std::optional<FilePlace> origin(const Ticket&) const { return {}; }

  // Several threads may share the work of one element: start(), then each part, then finish().
  virtual int64_t parts(const Ticket&) const { return 1; }
  virtual void start(Ticket&, Element&, Worker&) {}
  virtual void compute_part(Ticket& ticket, int64_t part, Element& out, Worker& worker);
  virtual void finish(Ticket&, Element&, Worker&) {}

  // A stage may make the elements of several tickets at once, along a new first axis, if that is faster than one by
  // one. Returns how many it wants; it may find that out from the first elements.
  virtual int64_t rows_at_once() const { return 1; }
  // True: `block` has them. False: they are not alike, and each ticket has its own result.
  virtual bool compute_rows(std::span<Ticket> tickets, Element& block, Worker& worker);

  // What the stage is and does, for the doctor. The caller adds the times.
  virtual void describe(profile::StageFacts&) const {}

  // What it chose by itself, and why, for Report; empty: nothing.
  virtual std::string choice() const { return {}; }

  // Whether computing takes more than finding memory.
  virtual bool has_work() const;

  // compute(), timed if the worker asks for it.
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
  virtual const NestedTotals* nested() const { return nullptr; }  // for pipelines that it opens while it runs
  const std::vector<std::unique_ptr<Stage>>& inputs() const { return inputs_; }

 protected:
  Stage& input(size_t i = 0) const { return *inputs_[i]; }
  Element& scratch(Worker& worker) const;
  template <typename T, typename... A>
  T& private_of(Worker& worker, const A&... arguments) const;  // made from the arguments at its first use
  Pipeline& pipeline_;

 private:
  void make_timed(Ticket& ticket, Element& out, Worker& worker);
  void took(size_t elements, int64_t ns);

  std::string name_;
  std::vector<std::unique_ptr<Stage>> inputs_;
  size_t number_;
  StageStats stats_;
};

// A stage whose elements are numbered: its position is a number.
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

// What a step does not change about its only input: elements; or also their tickets, which can be computed again.
enum class Keeps : uint8_t { nothing, elements, tickets };

class Node {
 public:
  virtual ~Node() = default;
  virtual std::unique_ptr<Stage> open(Pipeline& pipeline) const = 0;
  virtual std::string describe() const = 0;  // "shuffle(buffer 100, seed 3)": the name and what the result depends on
  virtual Structure structure() const = 0;
  virtual int64_t cardinality() const = 0;
  virtual std::vector<const Node*> inputs() const { return {}; }
  virtual Keeps keeps() const { return Keeps::nothing; }

  // How many iterators were made from it: each is an epoch.
  mutable std::atomic<uint64_t> iterations{0};
};
using NodePtr = std::shared_ptr<const Node>;

// A node that changes the elements of another node one by one, or not at all.
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

// A stage that forwards all calls to its only input. Derived stages change the elements or their order.
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

// A stage that makes its element from a complete element below: one thread makes all of it.
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
