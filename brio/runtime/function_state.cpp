#include "brio/runtime/function_state.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ir/sizes.h"
#include "brio/ops/control/variable.h"
#include "brio/profile/named.h"
#include "brio/profile/recorder.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/device_target.h"
#include "brio/runtime/donation.h"
#include "brio/runtime/placed.h"

namespace brio::detail {
namespace {

constexpr size_t kMostTraces = 64, kMostPlans = 8, kMostSizes = 64, kSmallBytes = 64;

// How arguments differ from those of the previous trace.
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

// Arguments with a symbol for each size in which the two differ, the same symbol for sizes that are equal in both;
// empty if they differ in more than sizes.
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

// If no device was named: decided once for a trace and its sizes. Variables and captured values are copied once and
// stay; arguments come from the host each time.
Device& cheapest(FunctionTrace& trace, std::span<const Size> sizes) {
  for (const FunctionTrace::Cheapest& known : trace.cheapest)
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

bool is_donated(const FunctionTrace& trace, uint64_t donated, size_t cell) {
  return trace.cells.size() <= 63 ? donated >> cell & 1 : donated == ~uint64_t{0};
}

MadePlan plan_for(FunctionTrace& trace, Device& device, Device* called_on, uint64_t donated, Graph graph,
                  std::span<const Size> sizes, PlanOptions options) {
  // Passes for this device see numbers.
  if (device.has_own_kernels()) return make_plan(with_sizes(graph, sizes), device, options);
  auto found = std::ranges::find_if(trace.optimized, [&](const FunctionTrace::Optimized& each) {
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

}  // namespace

CellLocks::CellLocks(FunctionTrace& trace) : trace_(trace) {
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
    pending.array();  // runs what it depends on; earlier eager code runs first
  }
}

void CellLocks::unlock() {
  for (; locked_ > 0; --locked_) trace_.cells[locked_ - 1].variable->mutex.unlock();
}

TracedFunction::Impl::Impl(Body f, Sizes sizes, std::vector<Aval> given)
    : body(std::move(f)), open_sizes(sizes == Sizes::open), signature(std::move(given)) {
  enter();
}

TracedFunction::Impl::~Impl() {
  profile::forget_key(this);
  leave();
}

void TracedFunction::Impl::give_up_plans(GonePlans& gone) {
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) return;
  for (const auto& trace : traces) {
    for (FunctionTrace::Prepared& p : trace->plans) gone.add(std::move(p.plan));
    trace->plans.clear();
  }
}

FunctionTrace& TracedFunction::Impl::find(const Tensor* arguments, size_t n, std::vector<Size>& sizes) {
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
  FunctionTrace& made = add(
      [&] {
        return make_trace({arguments, n});
      },
      traces.empty() ? std::string() : difference(traces.front()->arguments, arguments, n));
  sizes.clear();
  if (made.open) bind_symbols(made.arguments, {arguments, n}, sizes);
  return made;
}

FunctionTrace& TracedFunction::Impl::add(const std::function<TracedGraph()>& make, std::string why) {
  const TraceTimer timer(profile::Part::trace, true, name, std::move(why));
  const uint64_t steps_before = profile::optimizer_steps_traced();
  auto made = std::make_unique<FunctionTrace>();
  static_cast<TracedGraph&>(*made) = make();
  made->trains = profile::optimizer_steps_traced() != steps_before;
  made->on_host = has_strings(made->graph);
  made->has_places = has_places(made->graph);
  traces.insert(traces.begin(), std::move(made));
  if (traces.size() > kMostTraces) traces.pop_back();
  ++traced;
  return *traces.front();
}

// If the function asks for a size as a number, or treats symbols as equal that are not, it is traced for the sizes of
// these arguments.
TracedGraph TracedFunction::Impl::make_trace(std::span<const Tensor> arguments) {
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

// The sizes that the signature leaves open, or in which arguments differ from those of an earlier trace.
std::vector<Aval> TracedFunction::Impl::left_open(const std::vector<Aval>& avals) const {
  if (asks_for_numbers || !symbolic_plans()) return {};
  if (!signature.empty()) return signature;
  for (size_t i = 0; open_sizes && i < traces.size(); ++i)
    if (std::vector<Aval> open = opened(traces[i]->arguments, avals); !open.empty()) return open;
  return {};
}

Device& TracedFunction::Impl::called_on(FunctionTrace& trace, const Recording& recording,
                                        std::span<const Size> sizes) {
  if (trace.on_host) [[unlikely]]
    return registry().host();
  if (recording.device) return *recording.device;
  return brio::chooses_by_cost() ? cheapest(trace, sizes) : default_device();
}

const FunctionTrace::Home& TracedFunction::Impl::home(FunctionTrace& trace, Device& called_on) {
  const auto known = std::ranges::find(trace.homes, &called_on, &FunctionTrace::Home::called_on);
  if (known != trace.homes.end()) return *known;
  FunctionTrace::Home made{&called_on, &called_on, trace.graph};
  if (!trace.on_host) made.device = &main_place(made.graph, called_on);
  return trace.homes.emplace_back(std::move(made));
}

uint64_t TracedFunction::Impl::donated_cells(const FunctionTrace& trace, Device& device) {
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

// Drops plans for other arguments, the longest unused first; they are made again when needed.
void TracedFunction::Impl::make_room(FunctionTrace& wanted) {
  for (auto trace = traces.rbegin(); trace != traces.rend() && plans_over_limit(); ++trace)
    if (trace->get() != &wanted) (*trace)->plans.clear();
  auto& own = wanted.plans;  // the newest is about to run
  while (own.size() > 1 && plans_over_limit()) own.erase(own.begin());
  if (plans_over_limit()) drop_idle_plans(this);
}

FunctionTrace::Prepared& TracedFunction::Impl::prepared(FunctionTrace& trace, Device& device,
                                                        const FunctionTrace::Home* home, uint64_t donated,
                                                        std::span<const Size> sizes) {
  Device* const called_on = home ? home->called_on : &device;
  for (FunctionTrace::Prepared& p : trace.plans)
    if (p.device == &device && p.called_on == called_on && p.donated == donated && std::ranges::equal(p.sizes, sizes))
      return p;
  const TraceTimer timer(profile::Part::plan, false, name, {});
  MadePlan made = make(trace, device, home, donated, sizes, options);
  FunctionTrace::Prepared p{&device,
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

uint64_t TracedFunction::Impl::donates_all(const FunctionTrace& trace) {
  if (trace.cells.size() > 63) return ~uint64_t{0};
  uint64_t mask = 0;
  for (size_t i = 0; i < trace.cells.size(); ++i) mask |= uint64_t{trace.cells[i].assigned} << i;
  return mask;
}

MadePlan TracedFunction::Impl::make(FunctionTrace& trace, Device& device, const FunctionTrace::Home* home,
                                    uint64_t donated, std::span<const Size> sizes, PlanOptions options) {
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

}  // namespace brio::detail
