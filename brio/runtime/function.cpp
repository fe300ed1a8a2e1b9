#include "brio/runtime/function.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "brio/base/error.h"
#include "brio/ops/control/variable.h"
#include "brio/ops/random/random.h"
#include "brio/profile/op_times.h"
#include "brio/profile/recorder.h"
#include "brio/runtime/device_steps.h"
#include "brio/runtime/devices.h"
#include "brio/runtime/function_state.h"
#include "brio/runtime/nested_plan.h"

namespace brio::detail {
namespace {

bool has_pending_effects(Recording& recording) {
  std::lock_guard lock(recording.mutex);
  return recording.token.defined();
}

void bind_inputs(FunctionTrace& trace, Device& device, const Tensor* arguments, size_t n) {
  trace.inputs.clear();
  trace.buffers.clear();
  const bool on_host = device.is_host();
  const auto bind = [&](const TensorImpl* impl) {
    if (on_host) return trace.inputs.push_back(impl->data());
    const Array& array = impl->copy_in(device.memory());
    trace.inputs.push_back(array.data());
    trace.buffers.push_back(array.buffer.get());
  };
  for (size_t i = 0; i < n; ++i) bind(arguments[i].impl());
  for (const Tensor& tensor : trace.captured) bind(tensor.impl());
  for (const TracedGraph::Cell& cell : trace.cells) bind(cell.variable->value.impl());
  trace.scalars.clear();
  for (const TracedGraph::Draw& draw : trace.draws) {
    const Generator::State state = draw.generator->advance(draw.drawn);
    trace.scalars.push_back(state.seed);
    trace.scalars.push_back(state.counter);
  }
  const uint64_t* words = trace.scalars.data();
  if (!device.is_host() && !trace.scalars.empty()) {
    const size_t bytes = trace.scalars.size() * sizeof(uint64_t);
    trace.words = BufferRef::allocate(bytes, Owner::other, device.memory());
    device.memory().copy_from_host(*trace.words.get(), words, bytes);
    trace.buffers.push_back(trace.words.get());
    words = static_cast<const uint64_t*>(trace.words->data());
  }
  for (size_t i = 0; i < trace.scalars.size(); ++i) trace.inputs.push_back(words + i);
}

void copy_small(const Lane& lane, const FunctionTrace& trace, const FunctionTrace::Prepared& prepared) {
  for (const FunctionTrace::Prepared::Copy& copy : prepared.copies) {
    const Array& array = trace.cells[copy.cell].variable->value.impl()->array;
    lane.copy(array.data(), prepared.kept_data[copy.fresh], array.aval.bytes());
  }
}

Array output_array(FunctionTrace& trace, Device& device, const Plan::Output& output, const Tensor* arguments,
                   size_t n) {
  Array array{output.aval, {}, output.offset};
  if (!output.is_input) {
    array.buffer = trace.fresh[output.index];
    return array;
  }
  const size_t i = output.index, first_cell = n + trace.captured.size();
  const TensorImpl* source = i < n            ? arguments[i].impl()
                             : i < first_cell ? trace.captured[i - n].impl()
                                              : trace.cells[i - first_cell].variable->value.impl();
  if (device.is_host() && source->is_scalar && !source->array.buffer) {
    array = Array::allocate(output.aval);
    std::memcpy(array.data(), &source->scalar, size_of(output.aval.dtype));
    return array;
  }
  const Array& there = source->copy_in(device.memory());
  array.buffer = there.buffer;
  array.offset += there.offset;
  return array;
}

// Every cell is written where it is, and there are no results.
void run_in_place(FunctionTrace& trace, const FunctionTrace::Prepared& prepared) {
  Device& device = *prepared.device;
  if (device.is_host()) {
    prepared.plan->run(trace.inputs.data(), prepared.kept_data.data());
    copy_small({}, trace, prepared);
  } else {
    for (const BufferRef& kept : prepared.kept) trace.buffers.push_back(kept.get());
    prepared.plan->run(trace.inputs.data(), prepared.kept_data.data(), trace.buffers);
    if (!prepared.copies.empty()) {
      Stream& stream = device.stream();
      BufferUses uses(stream);
      for (const Buffer* buffer : trace.buffers) uses.add(buffer);
      copy_small({&stream}, trace, prepared);
      uses.publish();
    }
  }
  for (const TracedGraph::Cell& cell : trace.cells)
    if (TensorImpl* impl = cell.variable->value.impl(); cell.assigned && impl->copies.load()) impl->drop_copies();
}

void run_for_results(FunctionTrace& trace, const FunctionTrace::Prepared& prepared, const Tensor* arguments, size_t n,
                     std::vector<Tensor>& results) {
  Device& device = *prepared.device;
  const Plan& plan = prepared.plan->plan();
  trace.fresh.clear();
  trace.fresh_data.clear();
  for (size_t bytes : plan.fresh_buffers()) {
    trace.fresh.push_back(BufferRef::allocate(bytes, Owner::other, device.memory()));
    trace.fresh_data.push_back(trace.fresh.back()->data());
    if (!device.is_host()) trace.buffers.push_back(trace.fresh.back().get());
  }
  // Handles are made before the run: afterwards nothing may fail any more.
  trace.outputs.clear();
  for (const Plan::Output& output : plan.outputs())
    trace.outputs.push_back(output_array(trace, device, output, arguments, n));
  results.clear();
  for (size_t i = 0; i < trace.results; ++i) results.push_back(Tensor(trace.outputs[i]));
  std::vector<Tensor> values;
  for (const TracedGraph::Cell& cell : trace.cells)
    if (cell.assigned) values.push_back(Tensor(trace.outputs[cell.output]));
  prepared.plan->run(trace.inputs.data(), trace.fresh_data.data(), trace.buffers);
  size_t next = 0;
  for (const TracedGraph::Cell& cell : trace.cells) {
    if (!cell.assigned) continue;
    cell.variable->value = std::move(values[next++]);
    cell.variable->value.impl()->array.buffer->set_owner(cell.variable->owner);
  }
  trace.outputs.clear();
  trace.fresh.clear();
}

// Tells the recorder of a step of training, where that was one and it did not fail.
class StepEnd {
 public:
  StepEnd(bool trains, const void* function, const Tensor* arguments, size_t n)
      : function_(trains ? function : nullptr), errors_(std::uncaught_exceptions()) {
    if (function_ && n > 0 && arguments[0].rank() > 0)
      rows_ = static_cast<uint64_t>(int64_t{arguments[0].shape()[0]});
  }
  ~StepEnd() {
    if (function_ && std::uncaught_exceptions() == errors_) profile::function_step_ended(function_, rows_);
  }
  StepEnd(const StepEnd&) = delete;

 private:
  const void* function_;
  const int errors_;
  uint64_t rows_ = 0;
};

}  // namespace

TracedFunction::TracedFunction(Body body, Sizes sizes)
    : impl_(std::make_unique<Impl>(std::move(body), sizes, std::vector<Aval>{})) {}
TracedFunction::TracedFunction(Body body, std::vector<Aval> signature)
    : impl_(std::make_unique<Impl>(std::move(body), Sizes::fixed, std::move(signature))) {}
TracedFunction::~TracedFunction() = default;
size_t TracedFunction::traces() const { return impl_->traced; }
void TracedFunction::set_step_key(const void* key) { impl_->step_key = key; }
void TracedFunction::set_name(std::function<std::string()> name) { impl_->name = std::move(name); }
Device* TracedFunction::last_device() const { return impl_->last_device; }
std::vector<TracedGraph> TracedFunction::graphs() const {
  std::lock_guard lock(impl_->mutex);
  std::vector<TracedGraph> graphs;
  for (const auto& trace : impl_->traces) graphs.push_back(*trace);
  return graphs;
}

void TracedFunction::call(const Tensor* arguments, size_t n, std::vector<Tensor>& results) {
  for (size_t i = 0; i < n; ++i)
    if (!arguments[i].defined()) throw InvalidArgument(cat("[function] argument ", i, " is none; give it a tensor"));
  Recording& recording = current_recording();
  if (recording.kind != Recording::Kind::eager) {  // inside another trace: part of it
    results = impl_->body({arguments, arguments + n});
    return;
  }
  if (recording.in_host_call)
    throw InvalidArgument(
        "[function] a host function cannot call a function; call it outside and give it the result");
  if (has_pending_effects(recording)) flush(recording);  // what was recorded before comes first
  if (recording.tapes_active != 0) {
    std::unique_lock lock(impl_->mutex);
    std::vector<Size> sizes;
    const FunctionTrace& trace = impl_->find(arguments, n, sizes);
    if (!trace.own_gradients) {
      results = record_trace(trace, {arguments, n});
      return;
    }
    lock.unlock();
    results = impl_->body({arguments, arguments + n});
    return;
  }
  for (size_t i = 0; i < n; ++i) evaluate(*arguments[i].impl());
  std::lock_guard lock(impl_->mutex);
  impl_->used.store(plan_clock(), std::memory_order_relaxed);
  FunctionTrace& trace = impl_->find(arguments, n, impl_->sizes_of_call);
  Device& called_on = Impl::called_on(trace, recording, impl_->sizes_of_call);
  const FunctionTrace::Home* const home = trace.has_places ? &Impl::home(trace, called_on) : nullptr;
  Device& device = home ? *home->device : called_on;
  impl_->last_device.store(&device, std::memory_order_relaxed);
  CellLocks locks(trace);
  const uint64_t plans_before = plan_clock();
  FunctionTrace::Prepared& prepared =
      impl_->prepared(trace, device, home, Impl::donated_cells(trace, device), impl_->sizes_of_call);
  const bool is_new = plan_clock() != plans_before;
  if (trace.trains && !device.is_host() && ++impl_->steps_on_device % profile::kTimedSteps == 2)
    count_device_step(impl_->step_key, impl_->steps_on_device, device, prepared.plan->plan());
  const StepEnd end(trace.trains, impl_->step_key, arguments, n);
  // The first run of a plan finds its memory: what a plan more costs.
  std::optional<profile::Scope> first_run;
  if (is_new) first_run.emplace(profile::Part::plan, true);
  bind_inputs(trace, device, arguments, n);
  // Some steps of training are timed op by op.
  profile::OpTimes* const timed =
      trace.trains && ++trace.calls % profile::kTimedSteps == 2 ? &profile::training_ops() : nullptr;
  if (timed) timed->begin_round();
  const profile::TimeOps timing(timed);
  if (prepared.only_in_place) run_in_place(trace, prepared);
  else run_for_results(trace, prepared, arguments, n, results);
}

std::optional<TracedGraph> TracedFunction::trace(const std::vector<Aval>& arguments) {
  const std::lock_guard lock(impl_->mutex);
  for (const auto& known : impl_->traces)
    if (known->asked_for == arguments || known->arguments == arguments) return *known;
  const bool open = std::ranges::any_of(arguments, [](const Aval& aval) { return !aval.shape.known(); });
  if (open && (impl_->asks_for_numbers || !symbolic_plans())) return {};
  try {
    FunctionTrace& made = impl_->add([&] { return trace_graph(impl_->body, arguments); }, {});
    made.asked_for = arguments;
    return made;
  } catch (const UnknownSize&) {
    impl_->asks_for_numbers = true;
    return {};
  }
}

void TracedFunction::set_arena_limit(size_t bytes) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->options.arena_limit == bytes) return;
  impl_->options.arena_limit = bytes;
  for (const auto& trace : impl_->traces) trace->plans.clear();
}

}  // namespace brio::detail
