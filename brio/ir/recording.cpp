#include "brio/ir/recording.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "brio/base/error.h"
#include "brio/base/fork_locks.h"
#include "brio/ir/shapes_only.h"
#include "brio/ir/string_moves.h"
#include "brio/ir/trace.h"

namespace brio {
namespace {

Evaluator evaluator = nullptr;
WorkingMemory memory_of_device = nullptr;

// Recordings are never freed while the process lives: a handle on another thread may look at the one it was made in.
// A thread that ends runs what is pending and passes its recording on.
std::mutex idle_mutex;
std::vector<Recording*>& idle_recordings() {
  static auto* idle = [] {
    hold_over_fork(idle_mutex, ForkRank::recordings);
    return new std::vector<Recording*>;
  }();
  return *idle;
}

struct ThreadRecording {
  Recording* recording = nullptr;

  void start() {
    std::lock_guard lock(idle_mutex);
    auto& idle = idle_recordings();
    if (idle.empty()) {
      recording = new Recording;
    } else {
      recording = idle.back();
      idle.pop_back();
    }
    thread_current_recording = recording;
  }
  ~ThreadRecording() {
    if (!recording) return;
    const bool effects = recording->token.defined();
    try {
      flush(*recording);
    } catch (const std::exception& error) {  // handles remember it; a failed assertion may have none
      if (effects) std::fprintf(stderr, "brio: what a thread left pending failed when it ended: %s\n", error.what());
    }
    thread_current_recording = nullptr;
    try {
      std::lock_guard lock(idle_mutex);
      idle_recordings().push_back(recording);
    } catch (const std::bad_alloc&) {  // not passed on: it stays, empty, for handles that still point to it
    }
  }
};
thread_local ThreadRecording thread_recording;

bool is_ancestor(const Recording* candidate, const Recording* recording) {
  for (const Recording* r = recording->parent; r; r = r->parent)
    if (r == candidate) return true;
  return false;
}

// The number of `impl` in `recording`, which the caller has locked. kNone: it is pending elsewhere and must run
// first.
ValueId number_of(Recording& recording, TensorImpl* impl) {
  Recording* home = impl->recording.load(std::memory_order_acquire);
  if (home == &recording) [[likely]]
    return impl->value;
  if (impl->computed.load(std::memory_order_acquire) || is_ancestor(home, &recording)) return recording.leaf(impl);
  return kNone;
}

void check_inputs(const OpDef& op, std::span<TensorImpl* const> in) {
  for (size_t i = 0; i < in.size(); ++i)
    if (!in[i])
      throw_invalid(op, cat("input ", i, " is none; give it a tensor (a gradient that is none has no value)"));
  for (TensorImpl* impl : in) check_dtype(op, impl->aval().dtype);
  const int n = static_cast<int>(in.size());
  if (n < op.min_inputs || (op.max_inputs >= 0 && n > op.max_inputs))
    throw_invalid(
        op, cat("takes ", op.min_inputs, op.max_inputs == op.min_inputs ? "" : " or more", " inputs, but got ", n));
}

// Values that only the recording keeps alive; measured now and then, not at every op.
size_t kept_bytes(const Recording& recording) {
  size_t bytes = 0;
  for (const auto& [impl, value] : recording.leaves)
    if (impl->refs.load() == 1 && impl->array.buffer) bytes += impl->array.buffer->bytes();
  return bytes;
}

bool over_limit(Recording& recording) {
  const RecordingLimits& limits = recording_limits();
  const auto pending = static_cast<uint32_t>(recording.nodes.size()) - recording.first_pending;
  if (pending >= limits.nodes) return true;
  if (recording.nodes.size() < recording.next_size_check) [[likely]]
    return false;
  recording.next_size_check = static_cast<uint32_t>(recording.nodes.size()) + 64;
  return kept_bytes(recording) > limits.kept_bytes;
}

// Room for n more, so that pushing them cannot fail. Doubles, unlike reserve().
template <typename T>
void make_room(std::vector<T>& list, size_t n) {
  if (list.capacity() - list.size() < n) list.reserve(std::max(2 * list.capacity(), list.size() + n));
}

struct NewNode {
  const OpDef& op;
  std::span<TensorImpl* const> in;
  std::span<const int64_t> attrs;
  std::span<const std::shared_ptr<const Graph>> graphs;
};

std::string (*line_of_call)() = nullptr;

// A mistake in numbers that are known already is told at the line that makes it, not where a result is read. For
// others the line is written down.
[[gnu::cold]] void check_data(Recording& recording, const NewNode& node, std::span<const Aval* const> in) {
  recording.line.clear();
  if (const void* data = node.op.check_second ? known_data(*node.in[1]) : nullptr)
    return node.op.check_second({node.op, in, node.attrs, {}}, data);
  if (line_of_call) recording.line = line_of_call();
}

// Shapes and dtypes of the outputs go to recording.inferred.
[[gnu::always_inline]] inline void infer(Recording& recording, const NewNode& node) {
  check_inputs(node.op, node.in);
  recording.inferred.clear();
  constexpr size_t kFew = 4;
  const Aval* few[kFew];
  std::span<const Aval* const> in(few, node.in.size());
  if (node.in.size() <= kFew) [[likely]] {
    for (size_t i = 0; i < node.in.size(); ++i) few[i] = &node.in[i]->aval();
  } else {
    recording.input_avals.clear();
    for (TensorImpl* impl : node.in) recording.input_avals.push_back(&impl->aval());
    in = recording.input_avals;
  }
  if (node.graphs.empty()) [[likely]] {
    node.op.infer({node.op, in, node.attrs, {}}, recording.inferred);
    if (node.op.may_fail && recording.kind == Recording::Kind::eager) [[unlikely]]
      check_data(recording, node, in);
    return;
  }
  std::vector<const Graph*> bodies;
  for (const auto& graph : node.graphs) bodies.push_back(graph.get());
  node.op.infer({node.op, in, node.attrs, bodies}, recording.inferred);
}

// Appends the number of every input to recording.inputs; one that is pending elsewhere runs first. Numbers that a
// failure or a second try leaves behind belong to no node and go with the next clear().
inline void number_inputs(Recording& recording, const NewNode& node, std::unique_lock<LightLock>& lock) {
  recording.inputs.make_room(node.in.size());
  for (size_t i = 0; i < node.in.size(); ++i) {
    const ValueId id = number_of(recording, node.in[i]);
    if (id != kNone) [[likely]] {
      recording.inputs.push(id);
      continue;
    }
    lock.unlock();  // never hold our own recording while another one runs
    evaluate(*node.in[i]);
    lock.lock();
    recording.inputs.make_room(node.in.size());
    i = ~size_t{0};  // ours may have been run meanwhile: the numbers are new
  }
}

// Makes the outputs, one reference each, and room for the node and them. All that can fail comes first, so running
// out of memory while recording costs nothing but the op.
[[gnu::always_inline]] inline void create_outputs(Recording& recording, std::span<const Aval> avals) {
  recording.nodes.make_room(1);
  recording.values.make_room(avals.size());
  recording.producers.make_room(avals.size());
  recording.tracked.make_room(avals.size());
  recording.outputs.clear();
  recording.outputs.make_room(avals.size());
  try {
    for (const Aval& aval : avals) recording.outputs.push(TensorImpl::create(aval));
  } catch (...) {
    for (TensorImpl* impl : recording.outputs) Tensor::adopt(impl).reset();
    throw;
  }
}

// Appends the node with the outputs that were made for it.
[[gnu::always_inline]] inline void push_node(Recording& recording, const RecordedNode& node, uint8_t tracked) {
  const auto index = static_cast<uint32_t>(recording.nodes.size());
  ValueId value = node.value;
  for (TensorImpl* impl : recording.outputs) {
    impl->value = value++;
    recording.values.push(impl);
    recording.producers.push(index);
    recording.tracked.push(tracked);
    impl->recording.store(&recording, std::memory_order_release);
  }
  recording.nodes.push(node);
}

// Appends the node, whose inputs are numbered; its outputs have a second reference, for the handle.
[[gnu::always_inline]] inline void append(Recording& recording, const NewNode& given) {
  recording.attrs.make_room(given.attrs.size());
  if (!given.graphs.empty()) make_room(recording.graphs, given.graphs.size());
  const bool has_line = given.op.may_fail && !recording.line.empty();
  if (has_line) make_room(recording.lines, 1);
  create_outputs(recording, recording.inferred);
  for (TensorImpl* impl : recording.outputs) impl->refs.increment();

  RecordedNode node;
  node.op = &given.op;
  node.n_inputs = static_cast<uint32_t>(given.in.size());
  node.input = static_cast<uint32_t>(recording.inputs.size()) - node.n_inputs;
  uint8_t tracked = 0;
  for (uint32_t i = 0; i < node.n_inputs; ++i) tracked |= recording.tracked[recording.inputs[node.input + i]];
  tracked &= recording.tapes_active;
  if (!given.op.grad) tracked = 0;
  node.attr = static_cast<uint32_t>(recording.attrs.size());
  node.n_attrs = static_cast<uint32_t>(given.attrs.size());
  for (int64_t word : given.attrs) recording.attrs.push(word);
  node.graph = static_cast<uint32_t>(recording.graphs.size());
  node.n_graphs = static_cast<uint16_t>(given.graphs.size());
  node.place = recording.place;
  for (const auto& graph : given.graphs) recording.graphs.push_back(graph);
  if (has_line) [[unlikely]]
    recording.lines.emplace_back(static_cast<uint32_t>(recording.nodes.size()), std::move(recording.line));
  node.value = static_cast<ValueId>(recording.values.size());
  node.n_values = static_cast<uint32_t>(recording.outputs.size());
  push_node(recording, node, tracked);
}

[[gnu::always_inline]] inline void end_record(Recording& recording, std::unique_lock<LightLock> lock) {
  const bool full = recording.kind == Recording::Kind::eager && over_limit(recording);
  lock.unlock();
  if (full) flush(recording);
}

}  // namespace

uint64_t Recording::first_epoch() {
  static std::atomic<uint64_t> recordings{0};
  return recordings.fetch_add(1, std::memory_order_relaxed) << 32;
}

Recording::~Recording() {
  for (Tape* tape : tapes) tape->recording = nullptr;
  clear();
}

ValueId Recording::find_leaf(const TensorImpl* impl) const {
  if (leaves.size() <= kFewLeaves) {
    for (const auto& [known, id] : leaves)
      if (known == impl) return id;
    return kNone;
  }
  auto it = leaf_index.find(impl);
  return it == leaf_index.end() ? kNone : it->second;
}

ValueId Recording::leaf(TensorImpl* impl) {
  if (const ValueId known = find_leaf(impl); known != kNone) return known;
  // All that can fail comes first.
  values.make_room(1);
  producers.make_room(1);
  tracked.make_room(1);
  make_room(leaves, 1);
  if (parent) make_room(captures, 1);
  const auto id = static_cast<ValueId>(values.size());
  if (leaves.size() == kFewLeaves)
    for (const auto& [other, other_id] : leaves) leaf_index.insert_or_assign(other, other_id);
  if (leaves.size() >= kFewLeaves) leaf_index.insert_or_assign(impl, id);
  TensorImpl* listed = impl;
  if (parent && !impl->computed.load(std::memory_order_acquire)) {
    // A value of an enclosing recording: a parameter here, bound by the control op that is being built there.
    listed = TensorImpl::create(impl->aval());
    listed->value = id;
    listed->recording.store(this, std::memory_order_release);
  } else {
    impl->refs.increment();
  }
  if (parent) {
    impl->refs.increment();
    captures.emplace_back(id, Tensor::adopt(impl));
  }
  values.push(listed);
  leaves.emplace_back(impl, id);
  producers.push(kNone);
  tracked.push(0);
  return id;
}

void Recording::clear() noexcept {
  for (TensorImpl* impl : values) {
    // Values that were not computed lose their recording: reading a live handle then fails. Nothing else writes it.
    if (impl->recording.load(std::memory_order_relaxed) == this)
      impl->recording.store(nullptr, std::memory_order_release);
    Tensor::adopt(impl).reset();
  }
  nodes.clear();
  inputs.clear();
  attrs.clear();
  graphs.clear();
  values.clear();
  producers.clear();
  tracked.clear();
  leaves.clear();
  leaf_index.clear();
  captures.clear();
  custom_gradients.clear();
  rebound.clear();
  cells.clear();
  draws.clear();
  lines.clear();
  first_pending = 0;
  next_size_check = 64;
  ++epoch;
}

constinit thread_local Recording* thread_current_recording = nullptr;

Recording& start_thread_recording() {
  thread_recording.start();
  return *thread_current_recording;
}

const void* known_data(const TensorImpl& impl) {
  constexpr int64_t kFew = 1 << 14;
  if (!impl.computed.load(std::memory_order_acquire) || current_recording().kind != Recording::Kind::eager ||
      impl.aval().shape.elements() > kFew)
    return nullptr;
  if (!impl.is_scalar && (!impl.array.buffer || !impl.array.buffer->on_host())) return nullptr;
  return impl.data();
}

void set_line_of_call(std::string (*line)()) { line_of_call = line; }

Recording* traced_function(Recording& recording) {
  Recording* r = &recording;
  while (r && r->is_body()) r = r->parent;
  return r && r->kind == Recording::Kind::function ? r : nullptr;
}

namespace {

// In a trace for shapes strings are recorded as anything else is.
bool lack_data(std::span<TensorImpl* const> in) {
  return ShapesOnly::active() && std::ranges::any_of(in, [](TensorImpl* impl) {
           impl->refs.increment();
           return ShapesOnly::lacks_data(Tensor::adopt(impl));
         });
}

}  // namespace

RecordInto::RecordInto(Recording& recording) : previous_(&current_recording()) {
  thread_current_recording = &recording;
}
RecordInto::~RecordInto() { thread_current_recording = previous_; }

Tensor record(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs) {
  Recording& recording = current_recording();
  const NewNode node{op, in, attrs, {}};
  infer(recording, node);
  if (recording.inferred[0].dtype == DType::string && !lack_data(in)) [[unlikely]]
    return move_strings(op, in, attrs);
  std::unique_lock lock(recording.mutex);
  number_inputs(recording, node, lock);
  append(recording, node);
  Tensor handle = Tensor::adopt(recording.outputs[0]);
  end_record(recording, std::move(lock));
  return handle;
}

std::vector<Tensor> record_many(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs,
                                std::span<const std::shared_ptr<const Graph>> graphs) {
  Recording& recording = current_recording();
  const NewNode node{op, in, attrs, graphs};
  infer(recording, node);
  std::unique_lock lock(recording.mutex);
  number_inputs(recording, node, lock);
  std::vector<Tensor> handles;
  handles.reserve(recording.inferred.size());
  append(recording, node);
  for (TensorImpl* impl : recording.outputs) handles.push_back(Tensor::adopt(impl));
  end_record(recording, std::move(lock));
  return handles;
}

void append_again(Recording& recording, const RecordedNode& node, std::span<const Aval> outputs, uint8_t tracked) {
  create_outputs(recording, outputs);
  push_node(recording, node, tracked);
}

Tensor current_token() {
  static const auto* first = new Tensor(Array::allocate({Shape{0}, u8}));
  Recording& recording = current_recording();
  std::lock_guard lock(recording.mutex);
  if (recording.token.defined()) return recording.token;
  if (!recording.is_body()) return *first;
  recording.token = add_parameter(recording, first->aval());
  recording.token_parameter = recording.token.impl()->value;
  return recording.token;
}

void set_token(Tensor token) {
  Recording& recording = current_recording();
  std::lock_guard lock(recording.mutex);
  // The effect has run already where the recording was full, or another thread needed a value.
  if (!token.impl()->computed.load(std::memory_order_acquire)) recording.token = std::move(token);
}

Tensor host_scalar(uint64_t bits, DType dtype) {
  TensorImpl* impl = TensorImpl::create({Shape(), dtype});
  impl->is_scalar = true;
  impl->scalar = bits;
  impl->computed.store(true, std::memory_order_release);
  return Tensor::adopt(impl);
}

void set_evaluator(Evaluator function, WorkingMemory memory) {
  evaluator = function;
  memory_of_device = memory;
}
Memory& working_memory() { return memory_of_device ? memory_of_device() : host_memory(); }

void flush(Recording& recording) {
  const std::thread::id self = std::this_thread::get_id();
  if (recording.runner.load(std::memory_order_relaxed) == self)
    throw InvalidArgument(
        "[host_call] a host function reads a tensor of the run that it is part of; give it that tensor as an input");
  std::lock_guard lock(recording.mutex);
  if (recording.nodes.empty() && recording.values.empty()) return;
  BRIO_CHECK(evaluator, "no runtime is linked");
  struct Running {
    std::atomic<std::thread::id>& runner;
    ~Running() { runner.store({}, std::memory_order_relaxed); }
  } running{recording.runner};
  recording.runner.store(self, std::memory_order_relaxed);
  evaluator(recording);
}

Device*& scope_device() {
  constinit thread_local Device* device = nullptr;
  return device;
}

void flush() {
  Recording& recording = current_recording();
  if (recording.kind != Recording::Kind::eager) return;
  flush(recording);
  if (recording.failure) throw InvalidArgument(*std::exchange(recording.failure, nullptr));
}

void evaluate(TensorImpl& impl) {
  while (!impl.computed.load(std::memory_order_acquire) && !impl.error) {
    Recording* home = impl.recording.load(std::memory_order_acquire);
    if (!home)
      throw InvalidArgument(
          "[tensor] this value was made while a function was traced and has no value outside of it");
    if (home->kind != Recording::Kind::eager)
      throw UnknownValue(
          cat("[function] a tensor of shape ", impl.aval().shape,
              " cannot be read while a function or loop body is being "
              "traced: its value exists only when the function runs; return it, or move the read outside"));
    flush(*home);
  }
  if (impl.error) throw InvalidArgument(*impl.error);
  if (impl.is_scalar && !impl.array.buffer) {
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    if (!impl.array.buffer) {
      Array array = Array::allocate(impl.aval());
      std::memcpy(array.data(), &impl.scalar, size_of(impl.aval().dtype));
      impl.array.buffer = std::move(array.buffer);
    }
  }
}

RecordingLimits& recording_limits() {
  static RecordingLimits limits;
  return limits;
}

}  // namespace brio
