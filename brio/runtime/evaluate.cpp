// Runs the pending nodes of a recording: builds the key, finds or makes the plan, binds memory, publishes results.
#include "brio/runtime/evaluate.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/base/fork_locks.h"
#include "brio/ir/device_copy.h"
#include "brio/ir/recording.h"
#include "brio/ir/trace.h"
#include "brio/ops/control/variable.h"
#include "brio/ops/families.h"
#include "brio/passes/pipeline.h"
#include "brio/profile/gauges.h"
#include "brio/profile/recorder.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/donation.h"
#include "brio/runtime/plan_cache.h"

namespace brio {
namespace {

// The working data of a flush. Kept with the recording between flushes, so the steady state allocates nothing.
struct Flush {
  Stack<uint64_t> key;
  std::vector<uint32_t> number;  // per value of the recording: its number in the key
  std::vector<ValueId> inputs;   // in the order of the key
  std::vector<uint8_t> donated;  // per input
  std::vector<ValueId> outputs;
  std::vector<const void*> input_data;
  std::vector<void*> fresh_data;
  std::vector<BufferRef> fresh;
  std::vector<const Buffer*> buffers;  // of inputs and fresh, on a device
  std::vector<Array> results;
};

bool computed(const TensorImpl* impl) { return impl->computed.load(std::memory_order_acquire); }

// Strings are on the host, and so is everything that is computed together with them.
bool has_strings(const Recording& r) {
  const auto is_string = [](const TensorImpl* impl) { return impl->aval().dtype == DType::string; };
  for (uint32_t n = 0; n < r.nodes.size(); ++n) {
    const RecordedNode& node = r.nodes[n];
    for (uint32_t i = 0; i < node.n_inputs; ++i)
      if (is_string(r.values[r.inputs[node.input + i]])) return true;
    for (uint32_t i = 0; i < node.n_values; ++i)
      if (is_string(r.values[node.value + i])) return true;
    for (uint32_t k = 0; k < node.n_graphs; ++k)
      if (has_strings(*r.graphs[node.graph + k])) return true;
  }
  return false;
}
// The device for pending nodes if no device was named.
[[gnu::cold]] Device& cheapest_for(const Recording& r) {
  Work work;
  std::vector<const Aval*> in;
  std::vector<Aval> out;
  std::vector<const Graph*> graphs;
  std::vector<uint8_t> seen(r.values.size(), 0);
  for (uint32_t n = r.first_pending; n < r.nodes.size(); ++n) {
    const RecordedNode& node = r.nodes[n];
    in.clear();
    out.clear();
    graphs.clear();
    for (uint32_t i = 0; i < node.n_inputs; ++i) {
      const ValueId v = r.inputs[node.input + i];
      const TensorImpl* impl = r.values[v];
      in.push_back(&impl->aval());
      if (!computed(impl) || std::exchange(seen[v], 1) != 0 || !impl->array.buffer) continue;
      (impl->array.buffer->on_host() ? work.to_device : work.to_host) += impl->aval().bytes();
    }
    for (uint32_t i = 0; i < node.n_values; ++i) out.push_back(r.values[node.value + i]->aval());
    for (uint32_t i = 0; i < node.n_graphs; ++i) graphs.push_back(r.graphs[node.graph + i].get());
    add_cost(work, *node.op, in, std::span(r.attrs.begin() + node.attr, node.n_attrs), graphs, out);
  }
  return cheapest_device(work);
}

Device& device_of(const Recording& r) {
  Device& device = r.device ? *r.device : default_device();
  const bool by_cost = !r.device && chooses_by_cost();
  if (device.is_host() && !by_cost) [[likely]]
    return device;
  if (has_strings(r)) return registry().host();
  return by_cost ? cheapest_for(r) : device;
}

class Evaluation {
 public:
  // `alone`: the inputs stay, whatever happens to them.
  Evaluation(Recording& recording, NodeRange nodes, Flush& flush, bool alone = false)
      : r_(recording),
        nodes_(nodes),
        alone_(alone),
        f_(flush),
        device_(device_of(recording)),
        memory_(device_.memory()) {}

  void run() {
    choose_outputs();
    if (f_.outputs.empty()) return;
    build_key();
    const PlanKey key(f_.key.begin(), f_.key.size());
    const auto plan = find_or_make_plan(key, hash_words(key), device_, [&] {
      Graph graph = graph_of(r_, nodes_, f_.inputs, f_.outputs);
      for (size_t i = 0; i < f_.inputs.size(); ++i) graph.inputs[i].donated = f_.donated[i];
      return graph;
    });
    bind_and_run(*plan);
  }

 private:
  // The values that must exist afterwards: those with live handles and, under a tape, those that gradient rules read.
  void choose_outputs() {
    f_.outputs.clear();
    for (uint32_t n = nodes_.begin; n < nodes_.end; ++n) {
      const RecordedNode& node = r_.nodes[n];
      for (uint32_t i = 0; i < node.n_values; ++i) {
        TensorImpl* impl = r_.values[node.value + i];
        const bool wanted = impl->refs.load() > 1 || (alone_ && (node.op->may_fail || node.n_graphs != 0));
        if (wanted && !computed(impl)) f_.outputs.push_back(node.value + i);
      }
      if (r_.tapes.empty()) continue;
      if (r_.tracked[node.value]) keep_for_gradient(node);
      if (node.n_graphs != 0) keep_of_effects(node);
    }
    if (r_.tapes.empty()) return;
    std::ranges::sort(f_.outputs);
    f_.outputs.erase(std::unique(f_.outputs.begin(), f_.outputs.end()), f_.outputs.end());
  }

  void keep_for_gradient(const RecordedNode& node) {
    const uint8_t needs = node.op->grad_needs;
    auto keep = [&](ValueId v) {
      if (r_.producers[v] != kNone && !computed(r_.values[v])) f_.outputs.push_back(v);
    };
    for (uint32_t i = 0; i < node.n_inputs; ++i)
      if (needs >> std::min(i, 6u) & 1) keep(r_.inputs[node.input + i]);
    if (needs & kNeedsOutput)
      for (uint32_t i = 0; i < node.n_values; ++i) keep(node.value + i);
  }

  // The results of an effect are never computed again.
  void keep_of_effects(const RecordedNode& node) {
    const auto values = std::span(r_.values).subspan(node.value, node.n_values);
    if (std::ranges::none_of(values, [](const TensorImpl* impl) { return is_token(impl->aval()); })) return;
    for (uint32_t i = 0; i < node.n_values; ++i)
      if (!computed(values[i])) f_.outputs.push_back(node.value + i);
  }

  void build_key() {
    f_.key.clear();
    f_.inputs.clear();
    f_.donated.clear();
    f_.number.assign(r_.values.size(), kNone);
    next_ = 0;
    // Values that an earlier flush under a tape did not keep are computed again: their nodes come first.
    if (nodes_.begin > 0) add_recomputed();
    for (uint32_t n = nodes_.begin; n < nodes_.end; ++n) add_node(n);
    f_.key.make_room(1 + f_.outputs.size());
    f_.key.push(~reinterpret_cast<uintptr_t>(&device_));  // marks the end; no op has this address
    for (ValueId v : f_.outputs) f_.key.push(f_.number[v]);
  }

  void add_recomputed() {
    std::vector<bool> wanted(nodes_.begin, false);
    auto want = [&](ValueId v) {
      const uint32_t n = r_.producers[v];
      if (n != kNone && n < nodes_.begin && !computed(r_.values[v])) wanted[n] = true;
    };
    for (uint32_t n = nodes_.begin; n < nodes_.end; ++n)
      for (uint32_t i = 0; i < r_.nodes[n].n_inputs; ++i) want(r_.inputs[r_.nodes[n].input + i]);
    for (uint32_t n = nodes_.begin; n-- > 0;)
      if (wanted[n])
        for (uint32_t i = 0; i < r_.nodes[n].n_inputs; ++i) want(r_.inputs[r_.nodes[n].input + i]);
    for (uint32_t n = 0; n < nodes_.begin; ++n)
      if (wanted[n]) add_node(n);
  }

  void add_node(uint32_t n) {
    const RecordedNode& node = r_.nodes[n];
    const ValueId* const in = r_.inputs.begin() + node.input;
    uint32_t* const number = f_.number.data();
    for (uint32_t i = 0; i < node.n_inputs; ++i)
      if (number[in[i]] == kNone) add_input(in[i]);
    f_.key.make_room(3 + node.n_inputs / 2 + node.n_attrs + node.n_graphs);
    f_.key.push(reinterpret_cast<uintptr_t>(node.op));
    f_.key.push(node.n_inputs | uint64_t{node.n_attrs} << 20 | uint64_t{node.n_graphs} << 40 |
                uint64_t{node.place} << 56);
    uint32_t i = 0;
    for (; i + 2 <= node.n_inputs; i += 2) f_.key.push(uint64_t{number[in[i]]} << 32 | number[in[i + 1]]);
    if (i < node.n_inputs) f_.key.push(number[in[i]]);
    const int64_t* const attrs = r_.attrs.begin() + node.attr;
    for (uint32_t k = 0; k < node.n_attrs; ++k) f_.key.push(static_cast<uint64_t>(attrs[k]));
    for (uint32_t k = 0; k < node.n_graphs; ++k)
      f_.key.push(reinterpret_cast<uintptr_t>(r_.graphs[node.graph + k].get()));
    for (ValueId v = node.value; v < node.value + node.n_values; ++v, ++next_)
      if (number[v] == kNone) number[v] = next_;
  }

  void add_input(ValueId v) {
    const TensorImpl* impl = r_.values[v];
    BRIO_CHECK(computed(impl), "a leaf of a recording has no value");
    // Only the recording and its roll-back list hold it.
    const bool donated = !alone_ && r_.tapes.empty() && may_overwrite(impl, 1 + impl->rollbacks, memory_);
    f_.number[v] = next_++;
    f_.inputs.push_back(v);
    f_.donated.push_back(donated);
    const Aval& aval = impl->aval();
    f_.key.push_back(uint64_t{1} << 63 | static_cast<uint64_t>(aval.dtype) << 16 |
                     static_cast<uint64_t>(aval.shape.rank()) << 8 | static_cast<uint64_t>(donated));
    for (int64_t dim : aval.shape) f_.key.push_back(static_cast<uint64_t>(dim));
  }

  void bind_and_run(const CachedPlan& cached) {
    const Plan& plan = cached.plan();
    f_.input_data.clear();
    if (device_.is_host())
      for (ValueId v : f_.inputs) f_.input_data.push_back(r_.values[v]->data());
    else bind_to_device();
    f_.fresh.clear();
    f_.fresh_data.clear();
    for (size_t bytes : plan.fresh_buffers()) {
      f_.fresh.push_back(BufferRef::allocate(bytes, Owner::other, memory_));
      f_.fresh_data.push_back(f_.fresh.back()->data());
      if (!device_.is_host()) f_.buffers.push_back(f_.fresh.back().get());
    }
    // From here on nothing can run out of memory, except the plan's own working memory, which is taken before its
    // first kernel.
    std::vector<Array>& results = f_.results;
    results.clear();
    results.reserve(f_.outputs.size());
    prepare_results(plan, results);
    cached.run(f_.input_data.data(), f_.fresh_data.data(), f_.buffers);
    for (size_t k = 0; k < f_.outputs.size(); ++k) {
      TensorImpl* impl = r_.values[f_.outputs[k]];
      impl->array.buffer = std::move(results[k].buffer);
      impl->array.offset = results[k].offset;
      impl->computed.store(true, std::memory_order_release);
    }
    results.clear();
    f_.fresh.clear();
  }

  void bind_to_device() {
    f_.buffers.clear();
    for (ValueId v : f_.inputs) {
      const Array& array = r_.values[v]->copy_in(memory_);
      f_.input_data.push_back(array.data());
      f_.buffers.push_back(array.buffer.get());
    }
  }

  void prepare_results(const Plan& plan, std::vector<Array>& results) {
    for (const Plan::Output& output : plan.outputs()) {
      Array& result = results.emplace_back();
      if (!output.is_input) {
        result.buffer = f_.fresh[output.index];
        result.offset = output.offset;
        continue;
      }
      TensorImpl* source = r_.values[f_.inputs[output.index]];
      if (device_.is_host() && source->is_scalar && !source->array.buffer) {  // a host number that is its own result
        result = Array::allocate(source->aval());
        std::memcpy(result.data(), &source->scalar, size_of(source->aval().dtype));
        continue;
      }
      const bool is_here = source->array.buffer && &source->array.buffer->memory() == &memory_;
      const Array& there = is_here ? source->array : source->copy_in(memory_);
      result.buffer = there.buffer;
      result.offset = there.offset + output.offset;
    }
  }

  Recording& r_;
  NodeRange nodes_;
  bool alone_;
  Flush& f_;
  Device& device_;
  Memory& memory_;
  uint32_t next_ = 0;
};

// Made in advance: when it is needed there is no memory to make it.
const auto out_of_memory = std::make_shared<const std::string>("[run] memory ran out while this value was computed");

// Handles remember the error.
void fail(Recording& r, NodeRange nodes, const std::shared_ptr<const std::string>& error) noexcept {
  for (uint32_t n = nodes.begin; n < nodes.end; ++n)
    for (uint32_t i = 0; i < r.nodes[n].n_values; ++i) {
      TensorImpl* impl = r.values[r.nodes[n].value + i];
      if (!computed(impl)) impl->error = error;
    }
}

void fail_pending(Recording& r, const char* message) noexcept {
  std::shared_ptr<const std::string> error = out_of_memory;
  try {
    error = std::make_shared<const std::string>(message);
  } catch (const std::bad_alloc&) {  // keep the general message
  }
  fail(r, r.pending_nodes(), error);
}

// If an assignment failed, all variables get back the values from before the run. Returns the error, or null if none
// failed.
std::shared_ptr<const std::string> settle_variables(Recording& r) noexcept {
  std::shared_ptr<const std::string> error;
  for (Recording::Rebound& rebound : r.rebound) {
    const std::lock_guard lock(rebound.variable->mutex);
    if (!error) error = rebound.variable->value.impl()->error;
  }
  for (Recording::Rebound& rebound : r.rebound) {
    --rebound.previous.impl()->rollbacks;
    const std::lock_guard lock(rebound.variable->mutex);
    if (error) rebound.variable->value = std::move(rebound.previous);
    TensorImpl* impl = rebound.variable->value.impl();
    if (computed(impl) && impl->array.buffer) impl->array.buffer->set_owner(rebound.variable->owner);
  }
  r.rebound.clear();
  return error;
}

// The error of an input of the node, if that failed.
std::shared_ptr<const std::string> error_before(const Recording& r, const RecordedNode& node) {
  for (uint32_t i = 0; i < node.n_inputs; ++i)
    if (const auto& error = r.values[r.inputs[node.input + i]]->error) return error;
  return nullptr;
}

// After a node refused its data: runs each node alone. So values that do not depend on the failed node are computed,
// and the error names the line of its call.
void run_apart(Recording& r, Flush& flush) {
  for (uint32_t n = r.first_pending; n < r.nodes.size(); ++n) {
    const NodeRange alone{n, n + 1};
    if (const auto error = error_before(r, r.nodes[n])) {
      fail(r, alone, error);
      continue;
    }
    try {
      Evaluation(r, alone, flush, true).run();
    } catch (const InvalidArgument& error) {
      const auto line = std::ranges::find(r.lines, n, &std::pair<uint32_t, std::string>::first);
      const std::string where =
          line == r.lines.end() ? "" : cat(" (", r.nodes[n].op->name, " at ", line->second, ")");
      const auto failure = std::make_shared<const std::string>(error.what() + where);
      fail(r, alone, failure);
      if (!r.failure) r.failure = failure;
    }
  }
}

void finish(Recording& r) noexcept {
  r.token.reset();
  if (r.tapes.empty()) r.clear();
  else r.first_pending = static_cast<uint32_t>(r.nodes.size());
}

void run_pending(Recording& r) {
  r.failure.reset();
  if (!r.evaluation) r.evaluation = std::make_shared<Flush>();
  Flush& flush = *static_cast<Flush*>(r.evaluation.get());
  profile::ops_recorded(r.nodes.size() - r.first_pending);
  if (!r.pending()) return;
  try {
    Evaluation(r, r.pending_nodes(), flush).run();
  } catch (const InvalidArgument&) {
    if (r.token.defined()) throw;  // effects happen once
    run_apart(r, flush);
  }
}

// Throws if an assignment failed or nothing could be computed. Otherwise each value that failed throws when it is
// read.
void evaluate_recording(Recording& r) {
  try {
    run_pending(r);
  } catch (const std::exception& error) {
    fail_pending(r, error.what());
    settle_variables(r);
    finish(r);
    throw;
  }
  const auto error = settle_variables(r);
  finish(r);
  if (!error) return;
  r.failure.reset();  // it has been reported
  throw InvalidArgument(*error);
}

}  // namespace

void register_backends(Registry& registry);  // generated by the build
void copy_on_devices(const Buffer& to, const Buffer& from, size_t offset, size_t bytes);
uint64_t fold_with_kernels(const OpDef& op, std::span<const Aval> in, std::span<const uint64_t> bits,
                           std::span<const int64_t> attrs);

Registry& registry() {
  static constinit MadeOnce<Registry> registry;
  return registry.get([] {
    register_all_ops();
    auto r = std::make_unique<Registry>();
    register_backends(*r);
    register_led_kernels(*r, r->host().name());
    return r.release();
  });
}

template <int kOwner>
int64_t bytes_of_owner() {
  return memory_ledger()[kOwner].bytes;
}
template <int... kOwner>
void add_owners(std::integer_sequence<int, kOwner...>) {
  (profile::add_gauge(name_of(static_cast<Owner>(kOwner)), bytes_of_owner<kOwner>), ...);
}
// Memory figures that the recorder samples.
void add_gauges() {
  add_owners(std::make_integer_sequence<int, kOwnerCount>());
  profile::add_gauge("plans", [] { return static_cast<int64_t>(plan_cache_stats().bytes); });
  profile::add_gauge(profile::kPlanCount, [] { return static_cast<int64_t>(plan_clock()); });
  // In the thread that takes the sample, between two steps: a tape that is left open keeps all that was recorded.
  profile::add_gauge(profile::kRecordedOps, [] {
    return thread_current_recording ? static_cast<int64_t>(thread_current_recording->nodes.size()) : 0;
  });
}

bool register_runtime() {
  static const bool done = [] {
    register_all_ops();
    set_evaluator(evaluate_recording, []() -> Memory& { return current_device().memory(); });
    set_constant_evaluator(fold_with_kernels);
    set_device_copy(copy_on_devices);
    add_gauges();
    return true;
  }();
  return done;
}

}  // namespace brio
