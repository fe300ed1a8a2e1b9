// A recording: ops that were called and not yet run. Each thread has one; tracing a function or a loop body pushes a
// fresh one. Recording a node costs tens of nanoseconds: flat arrays, no hashing, no graph objects.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "brio/base/light_lock.h"
#include "brio/ir/op.h"
#include "brio/ir/stack.h"
#include "brio/ir/tensor.h"

namespace brio {

struct VariableImpl;
class Generator;
class GradientMemo;
using ValueId = uint32_t;
inline constexpr uint32_t kNone = ~uint32_t{0};

struct RecordedNode {
  const OpDef* op;
  uint32_t input, n_inputs;  // in Recording::inputs
  ValueId value;             // first output
  uint32_t n_values;
  uint32_t attr, n_attrs;  // in Recording::attrs
  uint32_t graph;          // in Recording::graphs
  uint16_t n_graphs;
  uint16_t place;  // as Node::place
};

// The user's gradient of a custom_gradient node: cotangents of its outputs → of its inputs ("none" allowed).
using CustomGradient = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// Of this thread's innermost DeviceScope; null outside of any.
Device*& scope_device();

class Recording {
 public:
  enum class Kind : uint8_t { eager, function, branch, loop };

  Kind kind = Kind::eager;
  Recording* parent = nullptr;          // of a branch or loop body: where captured values live
  LightLock mutex;                      // held while recording and flushing: another thread may need a value of ours
  std::atomic<std::thread::id> runner;  // who is flushing it
  Device* device = scope_device();      // where its ops run; null: where nobody said
  uint16_t place = 0;                   // of the ops that follow: as Node::place
  bool in_host_call = false;  // its ops are called by a host function, while the run around it holds variables

  Stack<RecordedNode> nodes;
  Stack<ValueId> inputs;
  Stack<int64_t> attrs;
  std::vector<std::shared_ptr<const Graph>> graphs;
  Stack<TensorImpl*> values;   // one reference each
  Stack<uint32_t> producers;   // per value: its node, or kNone for a leaf
  Stack<uint8_t> tracked;      // per value: the tapes that follow it
  uint32_t first_pending = 0;  // nodes before it have run (they stay while a tape needs them)
  uint32_t next_size_check = 0;

  // Leaves by identity, and what a body took from its parent (leaf here → value there).
  std::vector<std::pair<TensorImpl*, ValueId>> leaves;
  std::vector<std::pair<ValueId, Tensor>> captures;
  std::vector<std::pair<uint32_t, std::shared_ptr<const CustomGradient>>> custom_gradients;

  // Tapes that hold the recording back from being cleared, and the bits of those that follow ops now.
  struct Tape {
    uint8_t bit;
    bool watch_variables;
    std::vector<std::pair<const VariableImpl*, ValueId>> reads;
    Recording* recording;  // null once it is gone
  };
  std::vector<Tape*> tapes;
  uint8_t tapes_active = 0;
  // Counts clears: value numbers are good for one epoch. No two recordings share one: a trace may lie where another,
  // now gone, lay before it.
  uint64_t epoch = first_epoch();

  // Variables that were rebound since the last run, with the value to return to if the run fails.
  struct Rebound {
    std::shared_ptr<VariableImpl> variable;
    Tensor previous;
  };
  std::vector<Rebound> rebound;

  // Effects are ordered by a token that each takes from the one before: this is the last one's. In eager code it is
  // there while effects are pending. A branch or loop body takes its first one as a parameter.
  Tensor token;
  ValueId token_parameter = kNone;

  // Function tracing: parameters that are read from cells at each call.
  struct Cell {
    std::shared_ptr<VariableImpl> variable;
    ValueId leaf;    // kNone when it is assigned before it is read
    Tensor current;  // the traced value
    bool assigned = false;
  };
  std::vector<Cell> cells;
  // Random numbers in a function or loop body: seed and counter are parameters.
  struct Draw {
    Generator* generator;
    ValueId seed, counter;
    uint64_t drawn;  // streams taken so far in the trace: a call, or a round, advances the counter by as many
  };
  std::vector<Draw> draws;

  // Working lists of record(), kept here so that an op allocates nothing.
  std::vector<Aval> inferred;
  std::vector<const Aval*> input_avals;
  Stack<TensorImpl*> outputs;
  std::shared_ptr<void> evaluation;         // those of the evaluator
  std::shared_ptr<GradientMemo> gradients;  // those that tapes gave before

  ~Recording();
  ValueId leaf(TensorImpl* impl);  // adds it when it is new
  ValueId find_leaf(const TensorImpl* impl) const;
  void clear() noexcept;
  bool pending() const { return first_pending < nodes.size(); }
  bool is_body() const { return kind == Kind::branch || kind == Kind::loop; }

 private:
  static uint64_t first_epoch();
  static constexpr size_t kFewLeaves = 16;  // past this many a search costs more than a hash
  std::unordered_map<const TensorImpl*, ValueId> leaf_index;
};

// The recording that ops of this thread go to.
// Null until the first op. Of the initial-exec model, as other variables that every op asks for: reaching them from a
// library that is loaded late then costs no call. (Not all of ours by a flag: it would include libstdc++'s, and a
// process that has loaded that before us could not load us.)
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Recording* thread_current_recording;
Recording& start_thread_recording();
inline Recording& current_recording() {
  return thread_current_recording ? *thread_current_recording : start_thread_recording();
}

// The function whose trace `recording` is part of, or nullptr for eager code: there, cells and generators are
// parameters.
Recording* traced_function(Recording& recording);

// Redirects ops of this thread into `recording` for a scope.
class RecordInto {
 public:
  explicit RecordInto(Recording& recording);
  ~RecordInto();
  RecordInto(const RecordInto&) = delete;

 private:
  Recording* previous_;
};

// For nodes that are recorded for others: each goes where the other was put, or, if that was nowhere, where it would
// go anyway.
class KeepPlace {
 public:
  explicit KeepPlace(Recording& recording) : recording_(recording), before_(recording.place) {}
  ~KeepPlace() { recording_.place = before_; }
  KeepPlace(const KeepPlace&) = delete;
  void use(uint16_t place) const { recording_.place = place != 0 ? place : before_; }

 private:
  Recording& recording_;
  uint16_t before_;
};

// Appends one node. Outputs come back as handles.
Tensor record(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs = {});
std::vector<Tensor> record_many(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs,
                                std::span<const std::shared_ptr<const Graph>> graphs = {});
template <typename... T>
Tensor record(const OpDef& op, std::span<const int64_t> attrs, const T&... in) {
  TensorImpl* const impls[] = {in.impl()...};
  return record(op, std::span<TensorImpl* const>(impls), attrs);
}

// Appends a node as it once was in an equal recording, which the caller has locked: its inputs and attributes are
// there.
void append_again(Recording& recording, const RecordedNode& node, std::span<const Aval> outputs, uint8_t tracked);

// Tokens order effects as values order other ops, so passes need to know nothing of them: a value without elements.
inline bool is_token(const Aval& aval) { return aval == Aval{Shape{0}, u8}; }
Tensor current_token();        // what the next effect of this thread takes
void set_token(Tensor token);  // what it gave

// A host number as a leaf: an input of the plan, never part of its structure.
Tensor host_scalar(uint64_t bits, DType dtype);

// Runs what is pending. `runtime` registers how; clear() follows unless a tape holds the recording.
using Evaluator = void (*)(Recording& recording);
using WorkingMemory = Memory& (*)();
void set_evaluator(Evaluator evaluator, WorkingMemory memory);
Memory& working_memory();          // of the device that this thread's ops run on
void flush(Recording& recording);  // takes its mutex
void flush();                      // this thread's
void evaluate(TensorImpl& impl);   // until it is computed; throws what its run threw

// Bounds of a pending recording.
struct RecordingLimits {
  uint32_t nodes = 4096;                  // hard
  uint32_t nodes_at_assign = 256;         // an assignment, or a new tape, past this many nodes ends the step
  size_t kept_bytes = size_t{256} << 20;  // computed values that only the recording keeps alive
};
RecordingLimits& recording_limits();

}  // namespace brio
