// A recording holds ops that were called and have not run yet. Each thread has one; tracing a function or a loop body
// pushes a new one. Recording a node costs tens of nanoseconds: flat arrays, no hashing, no graph objects.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
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

struct NodeRange {
  uint32_t begin, end;
};

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

// The user's gradient of a custom_gradient node: cotangents of its outputs → those of its inputs ("none" allowed).
using CustomGradient = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// The device of this thread's innermost DeviceScope; null outside of any scope.
Device*& scope_device();

class Recording {
 public:
  enum class Kind : uint8_t { eager, function, branch, loop };

  Kind kind = Kind::eager;
  Recording* parent = nullptr;          // of a branch or loop body: where captured values live
  LightLock mutex;                      // held while recording and flushing: another thread may need a value of it
  std::atomic<std::thread::id> runner;  // the thread that is flushing it
  Device* device = scope_device();      // where its ops run; null: no device was named
  uint16_t place = 0;                   // place of the ops that follow, as Node::place
  bool in_host_call = false;            // a host function calls its ops, while the run around it holds variables

  Stack<RecordedNode> nodes;
  Stack<ValueId> inputs;
  Stack<int64_t> attrs;
  std::vector<std::shared_ptr<const Graph>> graphs;
  Stack<TensorImpl*> values;   // one reference each
  Stack<uint32_t> producers;   // per value: its node, or kNone for a leaf
  Stack<uint8_t> tracked;      // per value: the tapes that follow it
  uint32_t first_pending = 0;  // nodes before it have run (they stay while a tape needs them)
  uint32_t next_size_check = 0;

  // Leaves by identity, and the values that a body took from its parent (leaf here → value there).
  std::vector<std::pair<TensorImpl*, ValueId>> leaves;
  std::vector<std::pair<ValueId, Tensor>> captures;
  std::vector<std::pair<uint32_t, std::shared_ptr<const CustomGradient>>> custom_gradients;

  // Tapes that keep the recording from being cleared, and the bits of those that follow ops now.
  struct Tape {
    uint8_t bit;
    bool watch_variables;
    std::vector<std::pair<const VariableImpl*, ValueId>> reads;
    Recording* recording;  // null once it is gone
  };
  std::vector<Tape*> tapes;
  uint8_t tapes_active = 0;
  // Counts clears: value numbers are valid for one epoch. No two recordings share an epoch, because a new trace may
  // have the address of an old one.
  uint64_t epoch = first_epoch();

  // Variables that were rebound since the last run, with the value to restore if the run fails.
  struct Rebound {
    std::shared_ptr<VariableImpl> variable;
    Tensor previous;
  };
  std::vector<Rebound> rebound;
  std::shared_ptr<const std::string> failure;  // the error of a value of the last run; null: none failed

  // Effects are ordered by a token that each takes from the effect before it. This is the newest one. In eager code
  // it exists while effects are pending. A branch or loop body takes its first token as a parameter.
  Tensor token;
  ValueId token_parameter = kNone;

  // For tracing functions: parameters that are read from variables at each call.
  struct Cell {
    std::shared_ptr<VariableImpl> variable;
    ValueId leaf;    // kNone if it is assigned before it is read
    Tensor current;  // the traced value
    bool assigned = false;
  };
  std::vector<Cell> cells;
  // Random numbers in a function or loop body: seed and counter are parameters.
  struct Draw {
    Generator* generator;
    ValueId seed, counter;
    uint64_t drawn;  // streams taken so far in the trace; each call or round advances the counter by this number
  };
  std::vector<Draw> draws;

  // In eager code: the line of the call ("train.py:12") of each op that may refuse its data in a run, by node.
  std::vector<std::pair<uint32_t, std::string>> lines;
  std::string line;  // the line of the op that is being recorded

  // Working lists of record(), kept here so that recording an op allocates nothing.
  std::vector<Aval> inferred;
  std::vector<const Aval*> input_avals;
  Stack<TensorImpl*> outputs;
  std::shared_ptr<void> evaluation;         // working lists of the evaluator
  std::shared_ptr<GradientMemo> gradients;  // gradients that tapes recorded before

  ~Recording();
  ValueId leaf(TensorImpl* impl);  // adds it if it is new
  ValueId find_leaf(const TensorImpl* impl) const;
  void clear() noexcept;
  bool pending() const { return first_pending < nodes.size(); }
  NodeRange pending_nodes() const { return {first_pending, static_cast<uint32_t>(nodes.size())}; }
  bool is_body() const { return kind == Kind::branch || kind == Kind::loop; }

 private:
  static uint64_t first_epoch();
  static constexpr size_t kFewLeaves = 16;  // above this number a hash is faster than a search
  std::unordered_map<const TensorImpl*, ValueId> leaf_index;
};

// In eager code: the data of a small tensor if it is computed and on the host, for checks at the call of an op. Null:
// the data would need a run.
const void* known_data(const TensorImpl& impl);
// Sets the function that finds the program line of an op's call. It returns "" if there is none.
void set_line_of_call(std::string (*line)());

// The recording that ops of this thread go to. It is null until the first op. Like other variables that every op
// reads, it has the initial-exec model, so reading it from a library that is loaded late needs no call. (This is an
// attribute and not a compiler flag for all variables, because a flag would include those of libstdc++. A process
// that has loaded libstdc++ before could then not load Brio.)
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Recording* thread_current_recording;
Recording& start_thread_recording();
inline Recording& current_recording() {
  return thread_current_recording ? *thread_current_recording : start_thread_recording();
}

// The function whose trace `recording` is part of; nullptr for eager code. In a function, variables and generators
// are parameters.
Recording* traced_function(Recording& recording);

// Sends ops of this thread to `recording` for a scope.
class RecordInto {
 public:
  explicit RecordInto(Recording& recording);
  ~RecordInto();
  RecordInto(const RecordInto&) = delete;

 private:
  Recording* previous_;
};

// For nodes that are recorded because of other nodes (gradients): each gets the place of the other node, or, if that
// has none, the place that it would have anyway.
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

// Appends one node and returns handles of its outputs.
Tensor record(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs = {});
std::vector<Tensor> record_many(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs,
                                std::span<const std::shared_ptr<const Graph>> graphs = {});
template <typename... T>
Tensor record(const OpDef& op, std::span<const int64_t> attrs, const T&... in) {
  TensorImpl* const impls[] = {in.impl()...};
  return record(op, std::span<TensorImpl* const>(impls), attrs);
}

// Appends a node again that an equal recording had. The caller has locked the recording; inputs and attributes are
// there.
void append_again(Recording& recording, const RecordedNode& node, std::span<const Aval> outputs, uint8_t tracked);

// A token is a value without elements. It orders effects as values order ops, so passes need no rule for it.
inline bool is_token(const Aval& aval) { return aval == Aval{Shape{0}, u8}; }
Tensor current_token();        // the token that the next effect of this thread takes
void set_token(Tensor token);  // the token that it returned

// A host number as a leaf: an input of the plan, not part of its structure.
Tensor host_scalar(uint64_t bits, DType dtype);

// Runs what is pending. `runtime` registers the function; clear() follows unless a tape holds the recording.
using Evaluator = void (*)(Recording& recording);
using WorkingMemory = Memory& (*)();
void set_evaluator(Evaluator evaluator, WorkingMemory memory);
Memory& working_memory();          // of the device on which this thread's ops run
void flush(Recording& recording);  // takes its mutex
void flush();                      // this thread's
void evaluate(TensorImpl& impl);   // until the value is computed; throws the error of its run

// Limits of a pending recording.
struct RecordingLimits {
  uint32_t nodes = 4096;                  // hard
  uint32_t nodes_at_assign = 256;         // an assignment, or a new tape, past this many nodes ends the step
  size_t kept_bytes = size_t{256} << 20;  // computed values that only the recording keeps alive
};
RecordingLimits& recording_limits();

}  // namespace brio
