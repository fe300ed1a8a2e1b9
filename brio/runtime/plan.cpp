#include "brio/runtime/plan.h"

#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "brio/base/error.h"
#include "brio/base/float_mode.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/profile/clock.h"
#include "brio/profile/op_times.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/device_target.h"
#include "brio/runtime/devices.h"
#include "brio/runtime/explain.h"
#include "brio/runtime/host_kernel.h"
#include "brio/runtime/placed.h"
#include "brio/runtime/placement.h"
#include "brio/runtime/recompute.h"

namespace brio {
namespace {

std::atomic<bool> profiling_on{false};

}  // namespace

void set_profiling(bool on) { profiling_on.store(on, std::memory_order_relaxed); }
bool profiling() { return profiling_on.load(std::memory_order_relaxed); }

class PlanBuilder {
 public:
  PlanBuilder(Graph graph, Device& device) {
    plan_->device_ = &device;
    own_constant_outputs(graph);
    plan_->graph_ = std::move(graph);
  }

  void note(const Recomputed& done) { recomputed_ = done; }

  std::shared_ptr<const Plan> build() {
    choose_kernels();
    const Placement placement = place(plan_->graph_, kernels_);
    plan_->placement_ = placement.report;
    plan_->placement_.repeated = recomputed_.nodes;
    plan_->placement_.repeated_work = recomputed_.work;
    plan_->fresh_ = placement.fresh_bytes;
    copy_constants(placement.constants);
    size_t step_index = 0;
    for (const Node& node : plan_->graph_.nodes) {
      if (is_constant(node)) continue;
      if (is_alias(plan_->graph_, node)) continue;
      Plan::Step& step = plan_->steps_[step_index];
      step.in = static_cast<uint32_t>(plan_->slots_.size());
      for (ValueId v : node.in) plan_->slots_.push_back(slot(placement, v));
      step.out = static_cast<uint32_t>(plan_->slots_.size());
      for (ValueId v : node.out) plan_->slots_.push_back(slot(placement, v));
      step.end = static_cast<uint32_t>(plan_->slots_.size());
      step.scratch = placement.scratch_offset;
      ++step_index;
      if (may_fail(node)) plan_->last_to_fail_ = step_index;
    }
    if (!plan_->device_->is_host()) {
      find_input_checks();
      divide_into_parts();
    }
    for (uint32_t i = 0; i < plan_->slots_.size(); ++i)
      if (plan_->slots_[i].base == Plan::Base::input || plan_->slots_[i].base == Plan::Base::fresh)
        plan_->outside_slots_.push_back(i);
    for (ValueId v : plan_->graph_.outputs) {
      const Location& at = placement.locations[v];
      BRIO_CHECK(at.kind == Location::Kind::input || at.kind == Location::Kind::fresh, "an output lies in the arena");
      plan_->outputs_.push_back({at.kind == Location::Kind::input, at.index, at.offset, plan_->graph_.values[v]});
    }
    plan_->graph_.values.shrink_to_fit();  // passes leave many unused values
    plan_->graph_.nodes.shrink_to_fit();
    count_bytes();
    if (explains(Explain::kernels)) std::fputs((plan_->explain_kernels() + "\n").c_str(), stderr);
    if (explains(Explain::plans)) std::fputs((plan_->graph_.str() + "\n").c_str(), stderr);
    if (explains(Explain::placement) || log_placement())
      if (const std::string text = plan_->explain_placement(); !text.empty()) std::fputs(text.c_str(), stderr);
    return plan_;
  }

 private:
  // A constant is stored in the plan; a constant that is an output needs its own memory, which a copy fills.
  static void own_constant_outputs(Graph& graph) {
    std::vector<bool> constant(graph.values.size(), false);
    for (const Node& node : graph.nodes) {
      if (is_constant(node)) constant[node.out[0]] = true;
      else if (is_alias(graph, node)) constant[node.out[0]] = constant[node.in.back()];
    }
    for (ValueId& v : graph.outputs) {
      if (v >= constant.size() || !constant[v]) continue;
      std::vector<int64_t> attrs{graph.values[v].shape.rank()};
      for (int64_t dim : graph.values[v].shape) attrs.push_back(dim);
      v = graph.add(op::broadcast_to, {v}, std::move(attrs)).out[0];
    }
  }

  void copy_constants(const std::vector<uint64_t>& constants) {
    if (constants.empty()) return;
    const size_t bytes = constants.size() * sizeof(uint64_t);
    Memory& memory = plan_->device_->memory();
    plan_->constants_ = BufferRef::allocate(bytes, Owner::cache, memory);
    memory.copy_from_host(*plan_->constants_.get(), constants.data(), bytes);
  }

  void choose_kernels() {
    for (const Node& node : plan_->graph_.nodes) {
      if (is_constant(node) || is_alias(plan_->graph_, node)) {
        kernels_.push_back(nullptr);
        continue;
      }
      Choice choice = choose(registry(), *plan_->device_, {plan_->graph_, node});
      Plan::Step& step = plan_->steps_.emplace_back();
      kernels_.push_back(choice.kernel.get());
      step.label = std::string(node.op->name);
      for (const ValueId v : node.out) {
        const Aval& made = plan_->graph_.values[v];
        step.wide |= made.dtype == f64 && made.bytes() > 128;
      }
      step.choice =
          cat(choice.implementation, choice.kernel->description.empty() ? "" : ": ", choice.kernel->description);
      for (const auto& [name, reason] : choice.skipped) step.choice += cat("\n      not ", name, ": ", reason);
      step.kernel = std::move(choice.kernel);
      step.led = dynamic_cast<const LedKernel*>(step.kernel.get());
      plan_->table_size_ = std::max(plan_->table_size_, step.kernel->table_size());
    }
  }

  Plan::Slot slot(const Placement& placement, ValueId value) {
    const Location& at = placement.locations[value];
    switch (at.kind) {
      case Location::Kind::arena: return {Plan::Base::arena, 0, at.offset};
      case Location::Kind::input: return {Plan::Base::input, at.index, at.offset};
      case Location::Kind::fresh: return {Plan::Base::fresh, at.index, at.offset};
      case Location::Kind::constant: return {Plan::Base::constant, 0, at.index * sizeof(uint64_t)};
      case Location::Kind::none: return {Plan::Base::none, 0, 0};
    }
    return {};
  }

  // If inputs alone decide what may be refused, they are checked before anything is handed over.
  void find_input_checks() {
    std::vector<Plan::InputCheck> checks;
    size_t step_index = 0;
    for (const Node& node : plan_->graph_.nodes) {
      if (is_constant(node) || is_alias(plan_->graph_, node)) continue;
      const Plan::Step& step = plan_->steps_[step_index++];
      if (!may_fail(node)) continue;
      const Kernel::Check check = step.kernel->input_check();
      const Plan::Slot slot = check.kernel ? plan_->slots_[step.in + check.input] : Plan::Slot{};
      if (!check.kernel || slot.base != Plan::Base::input) return;
      checks.push_back({check.kernel, slot.index, slot.offset, !plan_->graph_.inputs[slot.index].donated});
    }
    plan_->input_checks_ = std::move(checks);
    plan_->last_to_fail_ = 0;
  }

  // A device keeps a section as one object: loops with more rounds than this are not part of it.
  static constexpr size_t kMostLaunches = 4096;
  void divide_into_parts() {
    std::vector<Plan::Part>& parts = plan_->parts_;
    bool open = false;  // whether the last part may take another launch
    for (size_t i = 0; i < plan_->steps_.size(); ++i) {
      const Plan::Step& step = plan_->steps_[i];
      const size_t launches = step.led ? step.led->launches() : 1;
      if (launches == 0 || launches > kMostLaunches) {
        parts.push_back({nullptr, &step});
        open = false;
      } else {
        if (!open) {
          parts.push_back({std::make_unique<Stream::Section>()});
          parts.back().section->table = static_cast<uint32_t>(plan_->slots_.size());
        }
        parts.back().section->launches.push_back(
            {step.kernel.get(), step.in, step.out, step.end, step.scratch, step.led});
        open = true;
      }
      if (i + 1 != plan_->last_to_fail_) continue;
      parts.back().then_wait = true;
      open = false;
    }
  }

  void count_bytes() {
    // The memory of a run that is kept for the next run: the arena and the table of pointers.
    size_t bytes = plan_->arena_bytes() + 256 + plan_->pointer_count() * sizeof(void*);
    bytes += sizeof(Plan) + plan_->slots_.capacity() * sizeof(Plan::Slot) + heap_bytes(plan_->graph_) +
             plan_->steps_.capacity() * sizeof(Plan::Step) + plan_->outputs_.capacity() * sizeof(Plan::Output);
    for (const Plan::Step& step : plan_->steps_) {
      bytes += step.label.capacity() + step.choice.capacity();
      if (step.kernel)
        bytes += malloc_usable_size(dynamic_cast<void*>(step.kernel.get())) + step.kernel->description.capacity() +
                 step.kernel->heap_bytes();
    }
    bytes += plan_->parts_.capacity() * sizeof(Plan::Part);
    for (const Plan::Part& part : plan_->parts_)
      if (part.section) bytes += sizeof(Stream::Section) + part.section->launches.capacity() * sizeof(Stream::Launch);
    plan_->bytes_ = bytes;
  }

  std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
  std::vector<const Kernel*> kernels_;  // per node; null for aliases and constants
  Recomputed recomputed_;
};

std::shared_ptr<const Plan> Plan::make(Graph graph, Device& device, PlanOptions options) {
  optimize_for(device, graph);
  return make_unoptimized(std::move(graph), device, options);
}

std::shared_ptr<const Plan> Plan::make_unoptimized(Graph graph, Device& device, PlanOptions options) {
  const size_t limit = options.arena_limit;
  if (limit == 0) return PlanBuilder(std::move(graph), device).build();
  std::shared_ptr<const Plan> best = PlanBuilder(Graph(graph), device).build();
  // The order of the nodes does not show how much memory kernels need, nor how well buffers fit together. If a plan
  // exceeds its limit, the next attempt aims lower.
  size_t aim = limit;
  for (int i = 0; i < 4 && best->arena_bytes() > limit; ++i) {
    Graph fewer(graph);
    const Recomputed done = recompute_within(fewer, aim);
    if (done.nodes == 0) break;
    verify(fewer, "recompute");
    PlanBuilder builder(std::move(fewer), device);
    builder.note(done);
    std::shared_ptr<const Plan> made = builder.build();
    const size_t over = made->arena_bytes() > limit ? made->arena_bytes() - limit : 0;
    if (made->arena_bytes() < best->arena_bytes()) best = std::move(made);
    if (over >= aim || done.alive_after > aim) break;  // no lower value is possible
    aim -= over;
  }
  return best;
}

void Plan::bind(const Slot& slot, void** argument, const void* const* inputs, void* const* fresh, char* arena) const {
  switch (slot.base) {
    case Base::arena: *argument = arena + slot.offset; break;
    case Base::constant: *argument = static_cast<char*>(constants_->data()) + slot.offset; break;
    // Kernels write only through outputs; an input that is written in place was given up by the caller.
    case Base::input: *argument = static_cast<char*>(const_cast<void*>(inputs[slot.index])) + slot.offset; break;
    case Base::fresh: *argument = static_cast<char*>(fresh[slot.index]) + slot.offset; break;
    case Base::none: *argument = nullptr; break;
  }
}

size_t Plan::launches() const {
  size_t sum = 0;
  for (const Part& part : parts_) {
    if (part.led || part.then_wait || !input_checks_.empty()) return 0;
    for (const Stream::Launch& l : part.section->launches) sum += l.led ? l.led->launches() : 1;
  }
  return sum;
}

void Plan::run_on(Stream& stream, void** pointers, char* arena) const {
  for (const Part& part : parts_) {
    if (part.led) {
      const void* const* in = const_cast<const void* const*>(pointers + part.led->in);
      part.led->led->lead({in, pointers + part.led->out, arena + part.led->scratch, pointers + slots_.size()},
                          stream);
    } else {
      stream.launch_all(*part.section, pointers, arena);
    }
    if (part.then_wait) stream.synchronize();
  }
}

void Plan::check_inputs(const void* const* inputs, Stream& stream) const {
  for (const InputCheck& check : input_checks_) {
    const void* const at = static_cast<const char*>(inputs[check.input]) + check.offset;
    stream.launch(*check.kernel, {&at, 1}, {}, nullptr);
  }
  stream.synchronize();
}

void Plan::run(const void* const* inputs, void* const* fresh, void* arena, void** pointers, bool arena_bound,
               Stream* stream, bool inputs_checked) const {
  char* const base = static_cast<char*>(arena);
  if (arena_bound) {
    for (uint32_t i : outside_slots_) bind(slots_[i], &pointers[i], inputs, fresh, base);
  } else {
    for (size_t i = 0; i < slots_.size(); ++i) bind(slots_[i], &pointers[i], inputs, fresh, base);
  }
  if (stream && !inputs_checked && !input_checks_.empty()) check_inputs(inputs, *stream);
  if (stream) return run_on(*stream, pointers, base);
  FloatMode mode;
  KernelArgs args{nullptr, nullptr, nullptr, pointers + slots_.size()};
  const auto run_step = [&](const Step& step) {
    args.in = const_cast<const void* const*>(pointers + step.in);
    args.out = pointers + step.out;
    args.scratch = base + step.scratch;
    step.kernel->run(args);
  };
  const profile::TakenOpTable asked;
  if (!asked.get() && !profiling()) [[likely]] {
    for (const Step& step : steps_) run_step(step);
    return;
  }
  if (profile::OpTimes* const table = asked.get()) {
    std::vector<uint64_t>* const by_step = table->by_step();
    if (by_step) by_step->resize(steps_.size());
    uint64_t begin = profile::ticks();
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      run_step(step);
      const uint64_t end = profile::ticks();
      if (by_step) (*by_step)[i] += end - begin;
      else if (step.wide) table->add(step.label + " f64", end - begin);
      else table->add(step.label, end - begin);
      begin = end;
    }
    return;
  }
  for (const Step& step : steps_) {
    const auto start = std::chrono::steady_clock::now();
    run_step(step);
    const auto elapsed = std::chrono::steady_clock::now() - start;
    step.calls.fetch_add(1, std::memory_order_relaxed);
    step.nanoseconds.fetch_add(
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count()),
        std::memory_order_relaxed);
  }
}

std::string Plan::explain_kernels() const {
  std::string text = cat("plan of ", steps_.size(), " kernels, arena ", placement_.arena_bytes, " bytes\n");
  size_t i = 0;
  for (const Node* node : step_nodes())
    text += cat("  ", format_node(graph_, *node), "\n    → ", steps_[i++].choice, "\n");
  return text;
}

std::string Plan::explain_placement() const {
  size_t elsewhere = 0;
  std::string rows;
  for (const Step& step : steps_) {
    if (const auto* host = dynamic_cast<const HostKernel*>(step.kernel.get()); host && !device_->is_host()) {
      ++elsewhere;
      rows += cat("  ", step.label, host->is_borrowed() ? ", which it has no kernel for," : ", code of the host,",
                  " runs on the host: ", host->copied_bytes(), " bytes are copied");
      if (const auto [runs, nanoseconds] = host->borrowed(); runs != 0)
        rows += cat(", ", runs, " runs of ", nanoseconds / runs / 1000, " µs");
      else if (host->is_borrowed()) rows += cat(", about ", copy_microseconds(*device_, host->copied_bytes()), " µs");
      rows += "\n";
    } else if (step.label == op::placed.name) {
      ++elsewhere;
      rows += cat("  a part runs ", step.kernel->description, "\n");
    }
  }
  if (device_->is_host() && elsewhere == 0 && !log_placement()) return {};
  std::string text = cat("placement: plan of ", steps_.size(), " steps on ", device_->name());
  if (elsewhere != 0) text += cat(", ", elsewhere, " of them elsewhere");
  text += "\n";
  if (log_placement())
    for (const Step& step : steps_) text += cat("  ", step.label, ": ", full_name(*device_), "\n");
  return text + rows;
}

std::vector<const Node*> Plan::step_nodes() const {
  std::vector<const Node*> nodes;
  for (const Node& node : graph_.nodes)
    if (!is_constant(node) && !is_alias(graph_, node)) nodes.push_back(&node);
  return nodes;
}

std::vector<Plan::StepTime> Plan::times() const {
  std::vector<StepTime> times;
  size_t i = 0;
  for (const Node* node : step_nodes()) {
    const Step& step = steps_[i++];
    times.push_back({step.label,
                     cat(format_node(graph_, *node), " → ", step.choice.substr(0, step.choice.find('\n'))),
                     step.calls.load(), step.nanoseconds.load()});
  }
  return times;
}

}  // namespace brio
