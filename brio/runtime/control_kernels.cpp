// Kernels of ops that run other graphs, on any device: the host leads, the bodies are plans.
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/control/control.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/passes/row_parts.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/nested_plan.h"
#include "brio/runtime/symbolic.h"

namespace brio {
namespace {

Support always(const NodeView&) { return Support::can(); }

class ControlKernel : public LedKernel {
 public:
  void run(const KernelArgs& args) const final { run_in({}, args); }
  void lead(const KernelArgs& args, Stream& stream) const final { run_in({&stream}, args); }

 protected:
  virtual void run_in(const Lane& lane, const KernelArgs& args) const = 0;
};

// The body of a fused node, op by op: for a device or dtype that has no fused loop.
class FusedBodyKernel final : public ControlKernel {
 public:
  explicit FusedBodyKernel(const NodeView& node)
      : body_(Plan::make_unoptimized(*node.node.graphs[0], *node.device)) {}
  size_t scratch_bytes() const override { return body_.scratch_bytes(); }
  size_t table_size() const override { return body_.table_size(); }
  void run_in(const Lane& lane, const KernelArgs& args) const override {
    body_.run(args.in, args.out, args.scratch, args.table, lane);
  }
  size_t launches() const override { return body_.plan().launches(); }

 private:
  NestedPlan body_;
};

std::shared_ptr<const Plan> plan_of(const NodeView& node, size_t graph) {
  return make_plan(*node.node.graphs[graph], *node.device).plan;
}

class CondKernel final : public ControlKernel {
 public:
  explicit CondKernel(const NodeView& node)
      : yes_(plan_of(node, 0)), no_(plan_of(node, 1)), first_(node.node.graphs[0]->inputs.size()) {}
  size_t scratch_bytes() const override { return std::max(yes_.scratch_bytes(), no_.scratch_bytes()); }
  size_t table_size() const override { return std::max(yes_.table_size(), no_.table_size()); }
  void run_in(const Lane& lane, const KernelArgs& args) const override {
    if (lane.flag(args.in[0])) yes_.run(args.in + 1, args.out, args.scratch, args.table, lane);
    else no_.run(args.in + 1 + first_, args.out, args.scratch, args.table, lane);
  }

 private:
  NestedPlan yes_, no_;
  size_t first_;
};

// Two sets of buffers that take turns: what a step reads and what it writes.
struct Turns {
  std::vector<size_t> bytes, offsets;
  size_t one_set = 0;

  template <typename Bytes>
  static Turns of(size_t n, Bytes bytes_of) {
    Turns turns;
    for (size_t i = 0; i < n; ++i) {
      turns.bytes.push_back(bytes_of(i));
      turns.offsets.push_back(turns.one_set);
      turns.one_set += align(turns.bytes.back());
    }
    return turns;
  }
  size_t total() const { return 2 * one_set; }
  void* at(void* base, int set, size_t i) const {
    return static_cast<char*>(base) + static_cast<size_t>(set) * one_set + offsets[i];
  }
};

// Shared by the loop and its gradient: calls step(carried inputs) while the condition holds.
class WhileLoop {
 public:
  WhileLoop(const NodeView& node)
      : layout_(WhileLayout::of(node.attrs())),
        condition_(plan_of(node, 0)),
        body_(plan_of(node, 1)),
        carried_(Turns::of(layout_.carried, [&](size_t i) { return node.in(i).bytes(); })),
        body_captured_(node.node.graphs[1]->inputs.size() - layout_.carried) {}

  size_t scratch_bytes() const {
    return carried_.total() + kVerdict + std::max(condition_.scratch_bytes(), body_.scratch_bytes());
  }
  size_t table_size() const { return pointers() + std::max(condition_.table_size(), body_.table_size()); }

  // before_step(values carried into it) is called before each round. Leaves the set that holds the result.
  template <typename BeforeStep>
  int run(const Lane& lane, const KernelArgs& args, BeforeStep before_step) const {
    char* const base = static_cast<char*>(args.scratch);
    const void** const in = const_cast<const void**>(args.table);
    void** const out = args.table + layout_.carried + std::max(layout_.condition_captured, body_captured_);
    void** const table = args.table + pointers();
    void* verdict[] = {base + carried_.total()};
    char* const inner = base + carried_.total() + kVerdict;
    int set = 0;
    for (size_t i = 0; i < layout_.carried; ++i) lane.copy(carried_.at(base, 0, i), args.in[i], carried_.bytes[i]);
    InterruptPoll poll;
    for (int64_t round = 0; layout_.max_iterations < 0 || round < layout_.max_iterations; ++round) {
      poll();
      for (size_t i = 0; i < layout_.carried; ++i) in[i] = carried_.at(base, set, i);
      for (size_t i = 0; i < layout_.condition_captured; ++i) in[layout_.carried + i] = args.in[layout_.carried + i];
      condition_.run(in, verdict, inner, table, lane);
      if (!lane.flag(verdict[0])) break;
      before_step(in);
      for (size_t i = 0; i < body_captured_; ++i)
        in[layout_.carried + i] = args.in[layout_.carried + layout_.condition_captured + i];
      for (size_t i = 0; i < layout_.carried; ++i) out[i] = carried_.at(base, 1 - set, i);
      body_.run(in, out, inner, table, lane);
      set = 1 - set;
    }
    return set;
  }

  const WhileLayout& layout() const { return layout_; }
  const Turns& carried() const { return carried_; }
  size_t body_captured() const { return body_captured_; }

 private:
  static constexpr size_t kVerdict = 64;
  size_t pointers() const { return 2 * layout_.carried + std::max(layout_.condition_captured, body_captured_); }

  WhileLayout layout_;
  NestedPlan condition_, body_;
  Turns carried_;
  size_t body_captured_;
};

class WhileKernel final : public ControlKernel {
 public:
  explicit WhileKernel(const NodeView& node) : loop_(node) {}
  size_t scratch_bytes() const override { return loop_.scratch_bytes(); }
  size_t table_size() const override { return loop_.table_size(); }
  void run_in(const Lane& lane, const KernelArgs& args) const override {
    const int set = loop_.run(lane, args, [](const void* const*) {});
    for (size_t i = 0; i < loop_.layout().carried; ++i)
      lane.copy(args.out[i], loop_.carried().at(args.scratch, set, i), loop_.carried().bytes[i]);
  }

 private:
  WhileLoop loop_;
};

// Runs the loop again, keeping what was carried into each round on a stack, then walks back. The stack grows with the
// number of rounds and is kept for the next run: the one place where running may allocate.
class WhileGradKernel final : public ControlKernel {
 public:
  explicit WhileGradKernel(const NodeView& node)
      : memory_(node.device->memory()),
        loop_(node),
        step_(plan_of(node, 2)),
        results_(Turns::of(node.node.out.size(), [&](size_t i) { return node.out(i).bytes(); })) {
    cotangents_at_ = node.node.graphs[0]->inputs.size() + node.node.graphs[1]->inputs.size() - loop_.layout().carried;
    cotangents_ = node.node.in.size() - cotangents_at_;
  }
  size_t scratch_bytes() const override {
    return align(loop_.scratch_bytes()) + results_.total() + step_.scratch_bytes();
  }
  size_t table_size() const override { return std::max(loop_.table_size(), pointers() + step_.table_size()); }
  void run_in(const Lane& lane, const KernelArgs& args) const override {
    BufferRef stack = take_stack();
    const UsedByTheEnd used{lane, stack};
    size_t rounds = 0;
    const size_t frame = loop_.carried().one_set;
    const auto at = [&](size_t round, size_t i) {
      return static_cast<char*>(stack->data()) + round * frame + loop_.carried().offsets[i];
    };
    loop_.run(lane, args, [&](const void* const* in) {
      const size_t wanted = (rounds + 1) * frame;
      if (!stack || stack->bytes() < wanted) grow(lane, stack, wanted, rounds * frame);
      for (size_t i = 0; i < loop_.layout().carried; ++i) lane.copy(at(rounds, i), in[i], loop_.carried().bytes[i]);
      ++rounds;
    });
    char* const base = static_cast<char*>(args.scratch) + align(loop_.scratch_bytes());
    const void** const in = const_cast<const void**>(args.table);
    const size_t n = loop_.layout().carried + loop_.body_captured();
    void** const out = args.table + n + results_.bytes.size();
    void** const table = args.table + pointers();
    char* const inner = base + results_.total();
    // Cotangents start from what was given, sums from zero.
    for (size_t i = 0; i < results_.bytes.size(); ++i) {
      if (i < cotangents_) lane.copy(results_.at(base, 0, i), args.in[cotangents_at_ + i], results_.bytes[i]);
      else lane.clear(results_.at(base, 0, i), results_.bytes[i]);
    }
    int set = 0;
    InterruptPoll poll;
    while (rounds-- > 0) {
      poll();
      for (size_t i = 0; i < loop_.layout().carried; ++i) in[i] = at(rounds, i);
      for (size_t i = 0; i < loop_.body_captured(); ++i)
        in[loop_.layout().carried + i] = args.in[loop_.layout().carried + loop_.layout().condition_captured + i];
      for (size_t i = 0; i < results_.bytes.size(); ++i) {
        in[n + i] = results_.at(base, set, i);
        out[i] = results_.at(base, 1 - set, i);
      }
      step_.run(in, out, inner, table, lane);
      set = 1 - set;
    }
    for (size_t i = 0; i < results_.bytes.size(); ++i)
      lane.copy(args.out[i], results_.at(base, set, i), results_.bytes[i]);
    used_by(lane, stack);
    give_back(std::move(stack));
  }

 private:
  struct UsedByTheEnd {  // also if the loop fails
    const Lane& lane;
    const BufferRef& stack;
    ~UsedByTheEnd() { used_by(lane, stack); }
  };
  static void used_by(const Lane& lane, const BufferRef& stack) {
    if (lane.stream && stack) BufferUses::publish(*lane.stream, stack.get());
  }
  void grow(const Lane& lane, BufferRef& stack, size_t wanted, size_t filled) const {
    BufferRef larger =
        BufferRef::allocate(std::max(wanted, stack ? 2 * stack->bytes() : 0), Owner::activations, memory_);
    if (filled != 0) lane.copy(larger->data(), stack->data(), filled);
    used_by(lane, stack);
    stack = std::move(larger);
  }
  BufferRef take_stack() const {
    std::lock_guard lock(mutex_);
    return std::exchange(spare_, {});
  }
  void give_back(BufferRef stack) const {
    std::lock_guard lock(mutex_);
    if (stack && (!spare_ || stack->bytes() > spare_->bytes())) std::swap(stack, spare_);
  }
  size_t pointers() const { return loop_.layout().carried + loop_.body_captured() + 2 * results_.bytes.size(); }

  Memory& memory_;
  WhileLoop loop_;
  NestedPlan step_;
  Turns results_;
  size_t cotangents_at_ = 0, cotangents_ = 0;
  mutable std::mutex mutex_;
  mutable BufferRef spare_;
};

// How a scan is shared out: each part walks along the whole sequence with some of the rows of the batch, so that
// threads meet once in a loop and not in every step. What the rows share must fit the cache that each core has for
// itself. By shape alone: 1 where a step is not made of rows, and where they are too few.
struct ScanParts {
  int64_t count = 1;
  std::shared_ptr<const Plan> body;

  ScanParts(const NodeView& node, const ScanLayout& layout) {
    const Graph& graph = *node.node.graphs[0];
    if (node.device == &registry().host())
      if (std::optional<Graph> some = of_some_rows(graph, layout)) body = make_plan(*some, *node.device).plan;
    if (body) return;
    count = 1;
    body = plan_of(node, 0);
  }

 private:
  static constexpr int64_t kRows = 16, kMost = 8;  // rows of a part at least, parts at most
  static constexpr size_t kShared = 1 << 20,
                          kWorth = 4096;  // bytes: what all rows read; what a step carries at least

  std::optional<Graph> of_some_rows(const Graph& graph, const ScanLayout& layout) {
    const size_t walked = layout.carried + layout.elements;
    size_t shared = 0, carried = 0;
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const size_t bytes = graph.values[graph.inputs[i].value].bytes();
      if (i >= walked) shared += bytes;
      else if (i < layout.carried) carried += bytes;
    }
    const Shape& first = graph.values[graph.inputs[0].value].shape;
    if (layout.carried == 0 || first.rank() == 0 || shared > kShared || carried < kWorth) return {};
    const int64_t rows = first[0];
    for (count = kMost; count > 1; --count)
      if (rows % count == 0 && rows / count >= kRows) return for_some_rows(graph, walked, rows / count);
    return {};
  }
};

class ScanKernel final : public ControlKernel {
 public:
  explicit ScanKernel(const NodeView& node)
      : layout_(ScanLayout::of(node.attrs())),
        parts_(node, layout_),
        body_(parts_.body),
        length_(node.in(layout_.carried).shape[0]),
        carried_(Turns::of(layout_.carried, [&](size_t i) { return node.in(i).bytes() / parts(); })),
        inputs_(node.node.in.size()),
        results_(node.node.graphs[0]->outputs.size() - layout_.carried) {
    const Graph& body = *node.node.graphs[0];
    for (size_t i = 0; i < layout_.elements; ++i)
      element_bytes_.push_back(body.values[body.inputs[layout_.carried + i].value].bytes());
    for (size_t i = 0; i < results_; ++i)
      result_bytes_.push_back(body.values[body.outputs[layout_.carried + i]].bytes());
    if (parts() > 1) description = cat("loop, rows in ", parts(), " parts");
  }
  size_t scratch_bytes() const override { return parts() * part_bytes(); }
  size_t table_size() const override { return parts() * part_table(); }
  void run_in(const Lane& lane, const KernelArgs& args) const override {
    if (parts() == 1) return walk(lane, args, 0, true);
    const auto caller = std::this_thread::get_id();
    parallel_for(static_cast<int64_t>(parts()), 1, [&](int64_t part, int64_t) {
      walk(lane, args, static_cast<size_t>(part), std::this_thread::get_id() == caller);
    });
  }
  size_t launches() const override { return static_cast<size_t>(length_) * body_.plan().launches(); }

 private:
  // `asks`: whether to go on is for the thread that was called.
  void walk(const Lane& lane, const KernelArgs& args, size_t part, bool asks) const {
    char* const base = static_cast<char*>(args.scratch) + part * part_bytes();
    void** const own = args.table + part * part_table();
    const void** const in = const_cast<const void**>(own);
    void** const out = own + inputs_;
    void** const table = own + pointers();
    char* const inner = base + carried_.total();
    for (size_t i = layout_.carried + layout_.elements; i < inputs_; ++i) in[i] = args.in[i];
    for (size_t i = 0; i < layout_.carried; ++i)
      in[i] = static_cast<const char*>(args.in[i]) + part * carried_.bytes[i];
    if (length_ == 0)
      for (size_t i = 0; i < layout_.carried; ++i) lane.copy(last(args, i, part), in[i], carried_.bytes[i]);
    else if (layout_.saves)
      for (size_t i = 0; i < layout_.carried; ++i) lane.copy(saved(args, i, 0, part), in[i], carried_.bytes[i]);
    InterruptPoll poll;
    for (int64_t step = 0; step < length_; ++step) {
      if (asks) poll();
      const size_t at = place(step) * parts() + part;
      for (size_t i = 0; i < layout_.elements; ++i)
        in[layout_.carried + i] =
            static_cast<const char*>(args.in[layout_.carried + i]) + at * (element_bytes_[i] / parts());
      for (size_t i = 0; i < results_; ++i)
        out[layout_.carried + i] =
            static_cast<char*>(args.out[layout_.carried + i]) + at * (result_bytes_[i] / parts());
      // A step writes where the next one reads: where it is saved, or in turns; the last where the result belongs.
      for (size_t i = 0; i < layout_.carried; ++i)
        out[i] = step + 1 == length_ ? last(args, i, part)
                 : layout_.saves     ? saved(args, i, step + 1, part)
                                     : carried_.at(base, static_cast<int>(step & 1), i);
      body_.run(in, out, inner, table, lane);
      for (size_t i = 0; i < layout_.carried; ++i) in[i] = out[i];
    }
  }
  size_t parts() const { return static_cast<size_t>(parts_.count); }
  size_t part_bytes() const { return align(carried_.total() + body_.scratch_bytes()); }
  size_t part_table() const { return pointers() + body_.table_size(); }
  size_t place(int64_t step) const { return static_cast<size_t>(layout_.reverse ? length_ - 1 - step : step); }
  void* last(const KernelArgs& args, size_t i, size_t part) const {
    return static_cast<char*>(args.out[i]) + part * carried_.bytes[i];
  }
  // Where the i-th of the values carried into a step is saved.
  char* saved(const KernelArgs& args, size_t i, int64_t step, size_t part) const {
    return static_cast<char*>(args.out[layout_.carried + results_ + i]) +
           (place(step) * parts() + part) * carried_.bytes[i];
  }
  size_t pointers() const { return inputs_ + layout_.carried + results_; }

  ScanLayout layout_;
  ScanParts parts_;
  NestedPlan body_;
  int64_t length_;
  Turns carried_;  // of one part
  size_t inputs_, results_;
  std::vector<size_t> element_bytes_, result_bytes_;  // of all parts
};

template <typename K>
std::unique_ptr<Kernel> prepare(const NodeView& node) {
  return std::make_unique<K>(node);
}

}  // namespace

void register_host_kernels(Registry& registry, std::string_view device);
void register_placed_kernel(Registry& registry, std::string_view device);

void register_led_kernels(Registry& registry, std::string_view device) {
  registry.add(device, op::fused, {"op by op", 0, always, prepare<FusedBodyKernel>});
  registry.add(device, op::cond, {"branch", 0, always, prepare<CondKernel>});
  registry.add(device, op::while_loop, {"loop", 0, always, prepare<WhileKernel>});
  registry.add(device, op::while_grad, {"loop, then backwards", 0, always, prepare<WhileGradKernel>});
  registry.add(device, op::scan, {"loop", 0, always, prepare<ScanKernel>});
  register_host_kernels(registry, device);
  register_placed_kernel(registry, device);
}

uint64_t fold_with_kernels(const OpDef& op, std::span<const Aval> in, std::span<const uint64_t> bits,
                           std::span<const int64_t> attrs) {
  Graph graph;
  std::vector<ValueId> values;
  for (const Aval& aval : in) values.push_back(graph.add_input(aval));
  const Node node = graph.add(op, values, {attrs.begin(), attrs.end()});
  const Choice choice = choose(registry(), registry().host(), {graph, node});
  std::vector<const void*> data;
  for (const uint64_t& word : bits) data.push_back(&word);
  uint64_t result = 0;
  void* out[] = {&result};
  std::vector<std::max_align_t> scratch(choice.kernel->scratch_bytes() / sizeof(std::max_align_t) + 8);
  void* aligned = scratch.data();
  size_t room = scratch.size() * sizeof(std::max_align_t);
  std::align(64, choice.kernel->scratch_bytes(), aligned, room);
  std::vector<void*> table(choice.kernel->table_size());
  choice.kernel->run({data.data(), out, aligned, table.data()});
  return result;
}

}  // namespace brio
