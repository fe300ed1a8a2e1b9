#include <algorithm>
#include <cstring>

#include "brio/base/error.h"
#include "brio/ops/control/variable.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
#include "brio/profile/op_times.h"
#include "brio/profile/recorder.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/function_state.h"

namespace brio::detail {
namespace {

std::optional<double> number_in(const Plan::Output& output, const std::vector<const void*>& inputs,
                                const std::vector<void*>& fresh) {
  if (output.aval != Aval{Shape(), f32}) return {};
  const void* const memory = output.is_input ? inputs[output.index] : fresh[output.index];
  float number = 0;
  std::memcpy(&number, static_cast<const char*>(memory) + output.offset, sizeof number);
  return number;
}

// What passes make of a node keeps the numbers of the values that are still there, so that a step is known by what it
// makes and by the weight that it reads.
std::vector<TriedStep> tried_steps(const TracedGraph& trace, const Plan& plan,
                                   const std::vector<std::vector<uint64_t>>& ticks_of_rounds) {
  const size_t first_cell = trace.arguments.size() + trace.captured.size(), known = trace.graph.values.size();
  constexpr uint32_t kNoNode = TriedStep::kNoNode;
  std::vector<uint32_t> maker(known, kNoNode), weight_reader(known, kNoNode);
  std::vector<bool> is_weight(known, false);
  for (size_t i = 0; i < trace.cells.size(); ++i) is_weight[trace.graph.inputs[first_cell + i].value] = true;
  for (uint32_t n = 0; n < trace.graph.nodes.size(); ++n) {
    const Node& node = trace.graph.nodes[n];
    for (const ValueId v : node.out) maker[v] = n;
    for (const ValueId v : node.in)
      if (is_weight[v] && weight_reader[v] == kNoNode) weight_reader[v] = n;
    if (node.op == &op::cast && is_weight[node.in[0]]) is_weight[node.out[0]] = true;
  }
  std::vector<TriedStep> steps;
  std::vector<uint64_t> ticks;
  for (const Node* node : plan.step_nodes()) {
    TriedStep& step = steps.emplace_back();
    ticks.clear();
    for (const std::vector<uint64_t>& of_round : ticks_of_rounds) ticks.push_back(of_round[steps.size() - 1]);
    std::ranges::sort(ticks);
    step.seconds = profile::seconds_of(ticks[ticks.size() / 4]);
    Work work;
    add_cost(work, plan.graph(), *node);
    step.flops = work.flops;
    step.bytes = work.bytes;
    for (const ValueId v : node->out)
      if (v < known && maker[v] != kNoNode && step.makes_that_of == kNoNode) step.makes_that_of = maker[v];
    for (const ValueId v : node->in)
      if (v < known && is_weight[v] && step.reads_weight_of == kNoNode) step.reads_weight_of = weight_reader[v];
  }
  return steps;
}

}  // namespace

TracedFunction::Memory TracedFunction::memory_of(const Tensor* arguments, size_t n, size_t arena_limit) {
  const std::lock_guard lock(impl_->mutex);
  std::vector<Size> sizes;
  FunctionTrace& trace = impl_->find(arguments, n, sizes);
  Device& called_on = Impl::called_on(trace, current_recording(), sizes);
  const FunctionTrace::Home* const home = trace.has_places ? &Impl::home(trace, called_on) : nullptr;
  Device& device = home ? *home->device : called_on;
  const auto describe = [&](const Plan& plan, bool is_new) {
    const PlacementReport& placement = plan.placement();
    Memory memory{placement.arena_bytes, 0, placement.repeated, placement.repeated_work, is_new, device.is_host()};
    for (const size_t bytes : plan.fresh_buffers()) memory.results += bytes;
    return memory;
  };
  if (arena_limit != impl_->options.arena_limit)
    return describe(
        *Impl::make(trace, device, home, Impl::donates_all(trace), sizes, {.arena_limit = arena_limit}).plan, true);
  CellLocks locks(trace);
  const uint64_t plans_before = plan_clock();
  const FunctionTrace::Prepared& prepared =
      impl_->prepared(trace, device, home, Impl::donated_cells(trace, device), sizes);
  return describe(prepared.plan->plan(), plan_clock() != plans_before);
}

TracedFunction::Trial TracedFunction::try_alone(const Tensor* arguments, size_t n, double most_seconds, Steps steps) {
  const profile::Scope scope(profile::Part::trial);
  for (size_t i = 0; i < n; ++i) evaluate(*arguments[i].impl());
  const std::lock_guard lock(impl_->mutex);
  FunctionTrace& trace = impl_->find(arguments, n, impl_->sizes_of_call);
  Device& host = registry().host();
  const bool effects = std::ranges::any_of(trace.graph.values, is_token);
  if (trace.has_places || effects || (impl_->last_device && impl_->last_device != &host)) return {};
  CellLocks locks(trace);
  FunctionTrace::Prepared& prepared =
      impl_->prepared(trace, host, nullptr, Impl::donates_all(trace), impl_->sizes_of_call);
  const Plan& plan = prepared.plan->plan();
  // Its inputs, with copies in the place of what is written.
  std::vector<const void*> inputs;
  std::vector<BufferRef> copies;
  std::vector<void*> fresh;
  std::vector<uint64_t> words;
  for (size_t i = 0; i < n; ++i) inputs.push_back(arguments[i].impl()->data());
  for (const Tensor& tensor : trace.captured) inputs.push_back(tensor.impl()->data());
  try {
    for (const TracedGraph::Cell& cell : trace.cells) {
      const TensorImpl* impl = cell.variable->value.impl();
      const size_t bytes = impl->aval().bytes();
      copies.push_back(BufferRef::allocate(std::max<size_t>(bytes, 1), Owner::other));
      std::memcpy(copies.back()->data(), impl->data(), bytes);
      inputs.push_back(copies.back()->data());
    }
    for (const size_t bytes : plan.fresh_buffers()) {
      copies.push_back(BufferRef::allocate(std::max<size_t>(bytes, 1), Owner::other));
      fresh.push_back(copies.back()->data());
    }
  } catch (const ResourceError&) {
    return {};
  }
  for (const TracedGraph::Draw& draw : trace.draws) {
    const Generator::State state = draw.generator->state();
    words.push_back(state.seed);
    words.push_back(state.counter);
  }
  for (const uint64_t& word : words) inputs.push_back(&word);
  std::vector<double> times;
  const double tick = profile::seconds_per_tick();
  Trial trial;
  double spent = 0;
  while (times.size() < 5 || (spent < most_seconds && times.size() < 101)) {
    const uint64_t begin = profile::ticks();
    prepared.plan->run(inputs.data(), fresh.data());
    times.push_back(static_cast<double>(profile::ticks() - begin) * tick);
    if (times.size() == 1 && trace.results > 0) trial.result = number_in(plan.outputs()[0], inputs, fresh);
    spent += times.back();
    if (times.size() == 2 && std::min(times[0], times[1]) > most_seconds) break;
  }
  if (times.size() > 2) times.erase(times.begin());  // it touches new memory
  std::ranges::sort(times);
  const Work work = work_of(plan.graph());
  // Others may take the processor in most of so few runs: what it takes alone is among the quick ones.
  trial.seconds = times[times.size() / 4];
  trial.flops = work.flops;
  trial.bytes = work.bytes;
  if (steps == Steps::each) {
    const auto rounds = static_cast<int>(std::clamp(most_seconds / trial.seconds, 1.0, 20.0));
    std::vector<std::vector<uint64_t>> ticks(static_cast<size_t>(rounds));
    for (std::vector<uint64_t>& of_round : ticks) {
      profile::OpTimes table(of_round);
      const profile::TimeOps timing(&table);
      prepared.plan->run(inputs.data(), fresh.data());
    }
    trial.steps = tried_steps(trace, plan, ticks);
  }
  return trial;
}

}  // namespace brio::detail
