#include "brio/ir/recording.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "brio/base/error.h"
#include "brio/ir/trace.h"

namespace brio {
namespace {

Evaluator evaluator = nullptr;

// Recordings are never freed while the process lives: a handle on another thread may look at the one it was made in.
// A thread that ends runs what is pending and passes its recording on.
std::mutex idle_mutex;
std::vector<Recording*>& idle_recordings() {
  static auto* idle = new std::vector<Recording*>;
  return *idle;
}

constinit thread_local Recording* current = nullptr;

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
    current = recording;
  }
  ~ThreadRecording() {
    if (!recording) return;
    const bool effects = recording->token.defined();
    try {
      flush(*recording);
    } catch (const std::exception& error) {  // handles remember it; a failed assertion may have none
      if (effects) std::fprintf(stderr, "brio: what a thread left pending failed when it ended: %s\n", error.what());
    }
    current = nullptr;
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

// Appends the node and its values; `out` receives a reference to each.
void append(Recording& recording, const OpDef& op, std::span<const int64_t> attrs,
            std::span<const std::shared_ptr<const Graph>> graphs, TensorImpl** out) {
  RecordedNode node{};
  node.op = &op;
  node.input = static_cast<uint32_t>(recording.inputs.size());
  node.n_inputs = static_cast<uint32_t>(recording.input_ids.size());
  uint8_t tracked = 0;
  for (ValueId id : recording.input_ids) {
    recording.inputs.push_back(id);
    tracked |= recording.tracked[id];
  }
  tracked &= recording.tapes_active;
  if (!op.grad) tracked = 0;
  node.attr = static_cast<uint32_t>(recording.attrs.size());
  node.n_attrs = static_cast<uint32_t>(attrs.size());
  recording.attrs.insert(recording.attrs.end(), attrs.begin(), attrs.end());
  node.graph = static_cast<uint32_t>(recording.graphs.size());
  node.n_graphs = static_cast<uint32_t>(graphs.size());
  if (!graphs.empty()) recording.graphs.insert(recording.graphs.end(), graphs.begin(), graphs.end());
  node.value = static_cast<ValueId>(recording.values.size());
  const std::vector<Aval>& inferred = recording.inferred;
  node.n_values = static_cast<uint32_t>(inferred.size());
  const auto index = static_cast<uint32_t>(recording.nodes.size());
  make_room(recording.nodes, 1);
  make_room(recording.values, inferred.size());
  make_room(recording.producers, inferred.size());
  make_room(recording.tracked, inferred.size());
  for (size_t i = 0; i < inferred.size(); ++i) {
    TensorImpl* impl = TensorImpl::create(inferred[i]);
    impl->value = node.value + static_cast<ValueId>(i);
    recording.values.push_back(impl);
    recording.producers.push_back(index);
    recording.tracked.push_back(tracked);
    impl->recording.store(&recording, std::memory_order_release);
    impl->refs.increment();  // one for the recording, one for the handle
    out[i] = impl;
  }
  recording.nodes.push_back(node);
}

// Undoes what a failed append left behind, so that running out of memory while recording costs nothing but the op.
struct AppendGuard {
  Recording& r;
  size_t inputs = r.inputs.size(), attrs = r.attrs.size(), graphs = r.graphs.size(), values = r.values.size();
  bool done = false;
  ~AppendGuard() {
    if (done) return;
    r.inputs.resize(inputs);
    r.attrs.resize(attrs);
    r.graphs.resize(graphs);
    for (; r.values.size() > values;
         r.values.pop_back()) {  // outputs made so far: the recording's reference and ours
      Tensor::adopt(r.values.back()).reset();
      Tensor::adopt(r.values.back()).reset();
    }
    r.producers.resize(values);
    r.tracked.resize(values);
  }
};

void record_into(Recording& recording, const OpDef& op, std::span<TensorImpl* const> in,
                 std::span<const int64_t> attrs, std::span<const std::shared_ptr<const Graph>> graphs,
                 std::vector<Tensor>* many, TensorImpl** one) {
  check_inputs(op, in);
  std::vector<Aval>& inferred = recording.inferred;
  std::vector<const Aval*>& input_avals = recording.input_avals;
  input_avals.clear();
  for (TensorImpl* impl : in) input_avals.push_back(&impl->aval());
  inferred.clear();
  if (graphs.empty()) {
    op.infer({op, input_avals, attrs, {}}, inferred);
  } else {
    std::vector<const Graph*> bodies;
    for (const auto& graph : graphs) bodies.push_back(graph.get());
    op.infer({op, input_avals, attrs, bodies}, inferred);
  }

  std::unique_lock lock(recording.mutex);
  recording.input_ids.clear();
  for (size_t i = 0; i < in.size(); ++i) {
    const ValueId id = number_of(recording, in[i]);
    if (id != kNone) [[likely]] {
      recording.input_ids.push_back(id);
      continue;
    }
    lock.unlock();  // never hold our own recording while another one runs
    evaluate(*in[i]);
    lock.lock();
    recording.input_ids.clear();  // ours may have been run meanwhile: the numbers are new
    i = ~size_t{0};
  }
  if (many) {
    many->reserve(inferred.size());
    recording.output_impls.resize(inferred.size());
  }
  TensorImpl** const out = many ? recording.output_impls.data() : one;
  {
    AppendGuard guard{recording};
    append(recording, op, attrs, graphs, out);
    guard.done = true;
  }
  if (many)
    for (TensorImpl* impl : recording.output_impls) many->push_back(Tensor::adopt(impl));
  const bool full = recording.kind == Recording::Kind::eager && over_limit(recording);
  lock.unlock();
  if (full) flush(recording);
}

}  // namespace

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
  make_room(values, 1);
  make_room(producers, 1);
  make_room(tracked, 1);
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
  values.push_back(listed);
  leaves.emplace_back(impl, id);
  producers.push_back(kNone);
  tracked.push_back(0);
  return id;
}

void Recording::clear() noexcept {
  for (TensorImpl* impl : values) {
    Recording* self = this;  // whatever was not computed loses its home; a live handle then says so when it is read
    impl->recording.compare_exchange_strong(self, nullptr, std::memory_order_acq_rel);
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
  first_pending = 0;
  next_size_check = 64;
  ++epoch;
}

Recording& current_recording() {
  if (!current) [[unlikely]]
    thread_recording.start();
  return *current;
}

Recording* traced_function(Recording& recording) {
  Recording* r = &recording;
  while (r && r->is_body()) r = r->parent;
  return r && r->kind == Recording::Kind::function ? r : nullptr;
}

RecordInto::RecordInto(Recording& recording) : previous_(&current_recording()) { current = &recording; }
RecordInto::~RecordInto() { current = previous_; }

Tensor record(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs) {
  TensorImpl* out[1];
  record_into(current_recording(), op, in, attrs, {}, nullptr, out);
  return Tensor::adopt(out[0]);
}

std::vector<Tensor> record_many(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs,
                                std::span<const std::shared_ptr<const Graph>> graphs) {
  std::vector<Tensor> out;
  record_into(current_recording(), op, in, attrs, graphs, &out, nullptr);
  return out;
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

void set_evaluator(Evaluator function) { evaluator = function; }

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

void flush() {
  Recording& recording = current_recording();
  if (recording.kind == Recording::Kind::eager) flush(recording);
}

void evaluate(TensorImpl& impl) {
  while (!impl.computed.load(std::memory_order_acquire) && !impl.error) {
    Recording* home = impl.recording.load(std::memory_order_acquire);
    if (!home)
      throw InvalidArgument(
          "[tensor] this value was made while a function was traced and has no value outside of it");
    if (home->kind != Recording::Kind::eager)
      throw InvalidArgument(
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
