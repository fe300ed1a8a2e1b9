#include "brio/runtime/function.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "brio/base/error.h"
#include "brio/ir/sizes.h"
#include "brio/ops/control/variable.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
#include "brio/profile/named.h"
#include "brio/profile/op_times.h"
#include "brio/profile/recorder.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/device_steps.h"
#include "brio/runtime/device_target.h"
#include "brio/runtime/donation.h"
#include "brio/runtime/nested_plan.h"
#include "brio/runtime/placed.h"
#include "brio/runtime/plan_cache.h"
#include "brio/runtime/symbolic.h"

namespace brio::detail {
namespace {

constexpr size_t kMostTraces = 64, kMostPlans = 8, kMostSizes = 64, kSmallBytes = 64;

// One trace, with the plans that were made of it.
struct Trace : TracedGraph {
  struct Prepared {
    Device *device, *called_on;
    uint64_t donated;         // bit i: cell i may be overwritten
    std::vector<Size> sizes;  // of the symbols
    std::shared_ptr<const CachedPlan> plan;
    bool only_in_place = true;  // every cell is written where it is
    // But for small ones that are read after their next value is made (a step count): that waits in a buffer of ours
    // until the run is over.
    struct Copy {
      size_t cell;
      uint32_t fresh;
    };
    std::vector<Copy> copies;
    std::vector<BufferRef> kept;
    std::vector<void*> kept_data;
  };
  std::vector<Prepared> plans;  // the latest last
  // The passes have run, once for all sizes.
  struct Optimized {
    Device *device, *called_on;
    uint64_t donated;
    Graph graph;
  };
  std::vector<Optimized> optimized;
  bool on_host = false;     // whatever the device: it has to do with strings
  bool has_places = false;  // some of its ops stand in a scope of a device
  struct Home {
    Device *called_on, *device;
    Graph graph;  // every op knows its place
  };
  std::vector<Home> homes;  // only where it has places
  struct Cheapest {
    std::vector<Size> sizes;
    Device* device;
  };
  std::vector<Cheapest> cheapest;    // only where the device is chosen by cost
  std::weak_ptr<SharedArena> arena;  // of the plans for its sizes, while there are such
  // Working lists of a call.
  std::vector<const void*> inputs;
  std::vector<const Buffer*> buffers;  // of inputs and fresh, on a device
  std::vector<BufferRef> fresh;
  std::vector<void*> fresh_data;
  std::vector<Array> outputs;
  std::vector<uint64_t> scalars;
  BufferRef words;      // the scalars, on a device
  bool trains = false;  // there is an optimizer's step in it
  uint64_t calls = 0;
};

// How arguments differ from those of the trace before.
std::string difference(const std::vector<Aval>& before, const Tensor* now, size_t n) {
  if (before.size() != n) return cat(n, " arguments, ", before.size(), " before");
  for (size_t i = 0; i < n; ++i) {
    const Aval& aval = now[i].aval();
    if (before[i].dtype != aval.dtype) return cat("argument ", i, " is ", aval.dtype, ", was ", before[i].dtype);
    if (!(before[i] == aval)) return cat("argument ", i, " has shape ", aval.shape, ", had ", before[i].shape);
  }
  return {};
}

// Counts the time of tracing or planning for a function.
class TraceTimer {
 public:
  TraceTimer(profile::Part part, bool counts, const std::function<std::string()>& name, std::string why)
      : scope_(part), counts_(counts), name_(name), why_(std::move(why)) {}
  ~TraceTimer() {
    const uint64_t took = profile::ticks() - begin_;
    profile::NamedRow* row = profile::row_of(profile::NameKind::function, name_ ? name_() : "a function");
    if (!row) return;
    if (counts_) profile::count(row, took);
    else row->ticks.fetch_add(took, std::memory_order_relaxed);
    if (!why_.empty()) profile::set_detail(*row, why_);
  }
  TraceTimer(const TraceTimer&) = delete;

 private:
  profile::Scope scope_;
  const bool counts_;
  const std::function<std::string()>& name_;
  std::string why_;
  uint64_t begin_ = profile::ticks();
};

bool same_avals(const std::vector<Aval>& avals, const Tensor* arguments, size_t n) {
  if (avals.size() != n) return false;
  for (size_t i = 0; i < n; ++i)
    if (!(avals[i] == arguments[i].aval())) return false;
  return true;
}

// Arguments of one kind, with a symbol for each size in which they differ, one for those that are equal in both;
// empty where they differ in more than sizes.
std::vector<Aval> opened(const std::vector<Aval>& before, const std::vector<Aval>& now) {
  if (before.size() != now.size()) return {};
  std::vector<Aval> open = now;
  std::vector<std::pair<Size, Size>> seen;
  for (size_t i = 0; i < now.size(); ++i) {
    if (before[i].dtype != now[i].dtype || before[i].shape.rank() != now[i].shape.rank()) return {};
    for (int axis = 0; axis < now[i].shape.rank(); ++axis) {
      const std::pair pair(before[i].shape[axis], now[i].shape[axis]);
      if (pair.first == pair.second) continue;
      const auto it = std::ranges::find(seen, pair);
      open[i].shape.set(axis, Size::unknown(static_cast<uint32_t>(it - seen.begin())));
      if (it == seen.end()) seen.push_back(pair);
    }
  }
  return seen.empty() ? std::vector<Aval>{} : open;
}

bool has_pending_effects(Recording& recording) {
  std::lock_guard lock(recording.mutex);
  return recording.token.defined();
}

// Locks every variable of a trace, each holding a computed value.
class CellLocks {
 public:
  explicit CellLocks(Trace& trace) : trace_(trace) {
    for (;;) {
      Tensor pending;
      for (const TracedGraph::Cell& cell : trace_.cells) {
        cell.variable->mutex.lock();
        ++locked_;
        if (!cell.variable->value.impl()->computed.load(std::memory_order_acquire)) {
          pending = cell.variable->value;
          break;
        }
      }
      if (!pending.defined()) return;
      unlock();
      pending.array();  // runs what leads to it; eager code before the call comes first
    }
  }
  ~CellLocks() { unlock(); }

 private:
  void unlock() {
    for (; locked_ > 0; --locked_) trace_.cells[locked_ - 1].variable->mutex.unlock();
  }
  Trace& trace_;
  size_t locked_ = 0;
};

}  // namespace

struct TracedFunction::Impl final : PlanKeeper {
  Impl(Body f, Sizes sizes, std::vector<Aval> given)
      : body(std::move(f)), open_sizes(sizes == Sizes::open), signature(std::move(given)) {
    enter();
  }
  ~Impl() {
    profile::forget_key(this);
    leave();
  }
  uint64_t last_used() const override { return used.load(std::memory_order_relaxed); }
  void give_up_plans(GonePlans& gone) override {
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return;
    for (const auto& trace : traces) {
      for (Trace::Prepared& p : trace->plans) gone.add(std::move(p.plan));
      trace->plans.clear();
    }
  }

  Body body;
  const bool open_sizes;
  const std::vector<Aval> signature;  // may be empty
  bool asks_for_numbers = false;      // the body does: it cannot be traced with sizes left open
  std::atomic<uint64_t> used{0};
  std::atomic<Device*> last_device{nullptr};
  std::mutex mutex;                            // one call at a time: the working lists are shared
  std::vector<std::unique_ptr<Trace>> traces;  // most recent first
  size_t traced = 0;
  uint64_t steps_on_device = 0;     // of training
  std::vector<Size> sizes_of_call;  // for its symbols
  PlanOptions options;
  std::function<std::string()> name;
  const void* step_key = this;

  // The trace for such arguments. `sizes` are those of its symbols.
  Trace& find(const Tensor* arguments, size_t n, std::vector<Size>& sizes) {
    for (size_t i = 0; i < traces.size(); ++i) {
      sizes.clear();
      const bool fits = traces[i]->open ? bind_symbols(traces[i]->arguments, {arguments, n}, sizes)
                                        : same_avals(traces[i]->arguments, arguments, n);
      if (!fits) continue;
      if (i != 0)
        std::rotate(traces.begin(), traces.begin() + static_cast<std::ptrdiff_t>(i),
                    traces.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return *traces.front();
    }
    const TraceTimer timer(profile::Part::trace, true, name,
                           traces.empty() ? std::string() : difference(traces.front()->arguments, arguments, n));
    const uint64_t steps_before = profile::optimizer_steps_traced();
    auto made = std::make_unique<Trace>();
    static_cast<TracedGraph&>(*made) = make_trace({arguments, n});
    made->trains = profile::optimizer_steps_traced() != steps_before;
    sizes.clear();
    if (made->open) bind_symbols(made->arguments, {arguments, n}, sizes);
    made->on_host = has_strings(made->graph);
    made->has_places = has_places(made->graph);
    traces.insert(traces.begin(), std::move(made));
    if (traces.size() > kMostTraces) traces.pop_back();
    ++traced;
    return *traces.front();
  }

  // Where the function asks for the number that a size is, or takes symbols for equal that are not, it is traced for
  // the sizes of these arguments.
  TracedGraph make_trace(std::span<const Tensor> arguments) {
    std::vector<Aval> avals;
    for (const Tensor& argument : arguments) avals.push_back(argument.aval());
    if (const std::vector<Aval> open = left_open(avals); !open.empty()) {
      try {
        TracedGraph made = trace_graph(body, open);
        if (bind_symbols(made.arguments, arguments)) return made;
      } catch (const UnknownSize&) {
        asks_for_numbers = true;
      }
    }
    return trace_graph(body, avals);
  }

  // Those of the signature, or sizes in which arguments differ from those of an earlier trace: they may go on to.
  std::vector<Aval> left_open(const std::vector<Aval>& avals) const {
    if (asks_for_numbers || !symbolic_plans()) return {};
    if (!signature.empty()) return signature;
    for (size_t i = 0; open_sizes && i < traces.size(); ++i)
      if (std::vector<Aval> open = opened(traces[i]->arguments, avals); !open.empty()) return open;
    return {};
  }

  // Where nobody said: decided once for a trace and its sizes. Variables and captured values go there once and stay;
  // arguments come from the host each time.
  static Device& cheapest(Trace& trace, std::span<const Size> sizes) {
    for (const Trace::Cheapest& known : trace.cheapest)
      if (std::ranges::equal(known.sizes, sizes)) return *known.device;
    const Graph sized = sizes.empty() ? Graph() : with_sizes(trace.graph, sizes);
    const Graph& graph = sizes.empty() ? trace.graph : sized;
    Work work = work_of(graph);
    for (size_t i = 0; i < trace.arguments.size(); ++i) work.to_device += graph.values[graph.inputs[i].value].bytes();
    for (size_t i = 0; i < trace.results; ++i) work.results += graph.values[graph.outputs[i]].bytes();
    if (trace.cheapest.size() == kMostSizes) trace.cheapest.erase(trace.cheapest.begin());
    trace.cheapest.push_back({{sizes.begin(), sizes.end()}, &cheapest_device(work)});
    return *trace.cheapest.back().device;
  }

  static Device& called_on(Trace& trace, const Recording& recording, std::span<const Size> sizes) {
    if (trace.on_host) [[unlikely]]
      return registry().host();
    if (recording.device) return *recording.device;
    return brio::chooses_by_cost() ? cheapest(trace, sizes) : default_device();
  }

  // Where a call runs, but for parts of it that stand elsewhere.
  static const Trace::Home& home(Trace& trace, Device& called_on) {
    const auto known = std::ranges::find(trace.homes, &called_on, &Trace::Home::called_on);
    if (known != trace.homes.end()) return *known;
    Trace::Home made{&called_on, &called_on, trace.graph};
    if (!trace.on_host) made.device = &main_place(made.graph, called_on);
    return trace.homes.emplace_back(std::move(made));
  }

  // Plans differ by which cells may be overwritten. Beyond 64 cells one bit says "all of them".
  static uint64_t donated_cells(const Trace& trace, Device& device) {
    uint64_t mask = 0;
    bool all = true;
    for (size_t i = 0; i < trace.cells.size(); ++i) {
      if (!trace.cells[i].assigned) continue;
      const bool free = may_overwrite(trace.cells[i].variable->value.impl(), 1, device.memory());
      all &= free;
      if (free && i < 63) mask |= uint64_t{1} << i;
    }
    if (trace.cells.size() <= 63) return mask;
    return all ? ~uint64_t{0} : 0;
  }

  // Plans for other arguments go, the longest unused first; they are made again when they are called for.
  void make_room(Trace& wanted) {
    for (auto trace = traces.rbegin(); trace != traces.rend() && plans_over_limit(); ++trace)
      if (trace->get() != &wanted) (*trace)->plans.clear();
    auto& own = wanted.plans;  // the newest is about to run
    while (own.size() > 1 && plans_over_limit()) own.erase(own.begin());
    if (plans_over_limit()) drop_idle_plans(this);
  }

  Trace::Prepared& prepared(Trace& trace, Device& device, const Trace::Home* home, uint64_t donated,
                            std::span<const Size> sizes) {
    Device* const called_on = home ? home->called_on : &device;
    for (Trace::Prepared& p : trace.plans)
      if (p.device == &device && p.called_on == called_on && p.donated == donated &&
          std::ranges::equal(p.sizes, sizes))
        return p;
    const TraceTimer timer(profile::Part::plan, false, name, {});
    MadePlan made = make(trace, device, home, donated, sizes, options);
    Trace::Prepared p{&device,
                      called_on,
                      donated,
                      {sizes.begin(), sizes.end()},
                      std::make_shared<const CachedPlan>(std::move(made.plan), std::move(made.arena)),
                      trace.results == 0,
                      {},
                      {},
                      {}};
    const Plan& plan = p.plan->plan();
    const size_t first_cell = trace.arguments.size() + trace.captured.size();
    for (size_t i = 0; i < trace.cells.size(); ++i) {
      if (!trace.cells[i].assigned) continue;
      const Plan::Output& output = plan.outputs()[trace.cells[i].output];
      const bool small = !output.is_input && is_donated(trace, donated, i) && output.aval.bytes() <= kSmallBytes;
      if (small) p.copies.push_back({i, output.index});
      p.only_in_place &= small || (output.is_input && output.index == first_cell + i);
      p.only_in_place &= output.offset == 0;
    }
    for (size_t k = 0; p.only_in_place && k < plan.fresh_buffers().size(); ++k) {
      p.kept.push_back(BufferRef::allocate(plan.fresh_buffers()[k], Owner::other, device.memory()));
      p.kept_data.push_back(p.kept.back()->data());
    }
    if (trace.plans.size() == (sizes.empty() ? kMostPlans : kMostSizes)) trace.plans.erase(trace.plans.begin());
    trace.plans.push_back(std::move(p));
    make_room(trace);
    return trace.plans.back();
  }

  static bool is_donated(const Trace& trace, uint64_t donated, size_t cell) {
    return trace.cells.size() <= 63 ? donated >> cell & 1 : donated == ~uint64_t{0};
  }
  // All that are written.
  static uint64_t donates_all(const Trace& trace) {
    if (trace.cells.size() > 63) return ~uint64_t{0};
    uint64_t mask = 0;
    for (size_t i = 0; i < trace.cells.size(); ++i) mask |= uint64_t{trace.cells[i].assigned} << i;
    return mask;
  }

  static MadePlan make(Trace& trace, Device& device, const Trace::Home* home, uint64_t donated,
                       std::span<const Size> sizes, PlanOptions options) {
    Graph graph = home ? home->graph : trace.graph;
    const size_t first_cell = trace.arguments.size() + trace.captured.size();
    for (size_t i = 0; i < trace.cells.size(); ++i) {
      if (!trace.cells[i].assigned) continue;
      graph.inputs[first_cell + i].donated = is_donated(trace, donated, i);
      graph.inputs[first_cell + i].becomes = trace.cells[i].output;
    }
    if (sizes.empty()) return make_plan(std::move(graph), device, options);
    return plan_for(trace, device, home ? home->called_on : &device, donated, std::move(graph), sizes, options);
  }

  static MadePlan plan_for(Trace& trace, Device& device, Device* called_on, uint64_t donated, Graph graph,
                           std::span<const Size> sizes, PlanOptions options) {
    // Its passes see numbers.
    if (device.has_own_kernels()) return make_plan(with_sizes(graph, sizes), device, options);
    auto found = std::ranges::find_if(trace.optimized, [&](const Trace::Optimized& each) {
      return each.device == &device && each.called_on == called_on && each.donated == donated;
    });
    if (found == trace.optimized.end()) {
      optimize_for(device, graph);
      if (trace.optimized.size() == kMostPlans) trace.optimized.erase(trace.optimized.begin());
      found = trace.optimized.insert(trace.optimized.end(), {&device, called_on, donated, std::move(graph)});
    }
    std::shared_ptr<SharedArena> arena = trace.arena.lock();
    if (!arena) trace.arena = arena = std::make_shared<SharedArena>();
    return {make_sized_plan(found->graph, sizes, device, options), {}, std::move(arena)};
  }

  void bind_inputs(Trace& trace, Device& device, const Tensor* arguments, size_t n) {
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

  static void copy_small(const Lane& lane, const Trace& trace, const Trace::Prepared& prepared) {
    for (const Trace::Prepared::Copy& copy : prepared.copies) {
      const Array& array = trace.cells[copy.cell].variable->value.impl()->array;
      lane.copy(array.data(), prepared.kept_data[copy.fresh], array.aval.bytes());
    }
  }

  Array output_array(Trace& trace, Device& device, const Plan::Output& output, const Tensor* arguments, size_t n) {
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
};

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
    const Trace& trace = impl_->find(arguments, n, sizes);
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
  Trace& trace = impl_->find(arguments, n, impl_->sizes_of_call);
  Device& called_on = Impl::called_on(trace, recording, impl_->sizes_of_call);
  const Trace::Home* const home = trace.has_places ? &Impl::home(trace, called_on) : nullptr;
  Device& device = home ? *home->device : called_on;
  impl_->last_device.store(&device, std::memory_order_relaxed);
  CellLocks locks(trace);
  const uint64_t plans_before = plan_clock();
  Trace::Prepared& prepared =
      impl_->prepared(trace, device, home, Impl::donated_cells(trace, device), impl_->sizes_of_call);
  const bool is_new = plan_clock() != plans_before;
  if (trace.trains && !device.is_host() && ++impl_->steps_on_device % profile::kTimedSteps == 2)
    count_device_step(impl_->step_key, impl_->steps_on_device, device, prepared.plan->plan());
  const StepEnd end(trace.trains, impl_->step_key, arguments, n);
  // The first run of a plan finds its memory: what a plan more costs.
  std::optional<profile::Scope> first_run;
  if (is_new) first_run.emplace(profile::Part::plan, true);
  const Plan& plan = prepared.plan->plan();
  impl_->bind_inputs(trace, device, arguments, n);
  // Some steps of training are timed op by op.
  profile::OpTimes* const timed =
      trace.trains && ++trace.calls % profile::kTimedSteps == 2 ? &profile::training_ops() : nullptr;
  if (timed) timed->begin_round();
  const profile::TimeOps timing(timed);
  if (prepared.only_in_place) {
    if (device.is_host()) {
      prepared.plan->run(trace.inputs.data(), prepared.kept_data.data());
      impl_->copy_small({}, trace, prepared);
    } else {
      for (const BufferRef& kept : prepared.kept) trace.buffers.push_back(kept.get());
      prepared.plan->run(trace.inputs.data(), prepared.kept_data.data(), trace.buffers);
      if (!prepared.copies.empty()) {
        Stream& stream = device.stream();
        BufferUses uses(stream);
        for (const Buffer* buffer : trace.buffers) uses.add(buffer);
        impl_->copy_small({&stream}, trace, prepared);
        uses.publish();
      }
    }
    for (const TracedGraph::Cell& cell : trace.cells)
      if (TensorImpl* impl = cell.variable->value.impl(); cell.assigned && impl->copies.load()) impl->drop_copies();
    return;
  }
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
    trace.outputs.push_back(impl_->output_array(trace, device, output, arguments, n));
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

void TracedFunction::set_arena_limit(size_t bytes) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->options.arena_limit == bytes) return;
  impl_->options.arena_limit = bytes;
  for (const auto& trace : impl_->traces) trace->plans.clear();
}

TracedFunction::Memory TracedFunction::memory_of(const Tensor* arguments, size_t n, size_t arena_limit) {
  const std::lock_guard lock(impl_->mutex);
  std::vector<Size> sizes;
  Trace& trace = impl_->find(arguments, n, sizes);
  Device& called_on = Impl::called_on(trace, current_recording(), sizes);
  const Trace::Home* const home = trace.has_places ? &Impl::home(trace, called_on) : nullptr;
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
  const Trace::Prepared& prepared = impl_->prepared(trace, device, home, Impl::donated_cells(trace, device), sizes);
  return describe(prepared.plan->plan(), plan_clock() != plans_before);
}

TracedFunction::Trial TracedFunction::try_alone(const Tensor* arguments, size_t n, double most_seconds, Steps steps) {
  const profile::Scope scope(profile::Part::trial);
  for (size_t i = 0; i < n; ++i) evaluate(*arguments[i].impl());
  const std::lock_guard lock(impl_->mutex);
  Trace& trace = impl_->find(arguments, n, impl_->sizes_of_call);
  Device& host = registry().host();
  const bool effects = std::ranges::any_of(trace.graph.values, is_token);
  if (trace.has_places || effects || (impl_->last_device && impl_->last_device != &host)) return {};
  CellLocks locks(trace);
  Trace::Prepared& prepared = impl_->prepared(trace, host, nullptr, Impl::donates_all(trace), impl_->sizes_of_call);
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
