#include "brio/runtime/symbolic.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "brio/base/error.h"
#include "brio/base/fork_locks.h"
#include "brio/ir/outline.h"
#include "brio/ir/sizes.h"
#include "brio/passes/pipeline.h"
#include "brio/runtime/device_target.h"
#include "brio/runtime/placed.h"
#include "brio/runtime/placement.h"
#include "brio/tensor/equal_sizes.h"

namespace brio {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostOpenings = 8;  // of a family: each costs what a plan costs
constexpr size_t kMostFamilies = 512, kMostBytes = size_t{16} << 20;

// What is fixed in the members of a family so far, and what is open, by the places of an outline.
struct Pattern {
  std::vector<Size> sizes;                       // symbols where they are open
  std::vector<std::optional<uint64_t>> numbers;  // none: open
  uint32_t symbols = 0;

  explicit Pattern(const Outline& outline)
      : sizes(outline.extents.begin(), outline.extents.end()),
        numbers(outline.constants.begin(), outline.constants.end()) {}

  // The size of each symbol; none where something else differs.
  std::optional<std::vector<Size>> match(const Outline& outline) const {
    std::vector<Size> found(symbols, Size(-1));
    for (size_t i = 0; i < sizes.size(); ++i) {
      const Size size = outline.extents[i];
      if (sizes[i].known()) {
        if (sizes[i] != size) return std::nullopt;
        continue;
      }
      Size& known = found[sizes[i].symbols() - 1];
      if (known == -1) known = size;
      else if (known != size) return std::nullopt;
    }
    for (size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] && *numbers[i] != outline.constants[i]) return std::nullopt;
    return found;
  }

  // As much more open as it takes for `outline` to match. What was one, and still is, stays one.
  Pattern opened(const Outline& outline) const {
    Pattern wider = *this;
    std::map<std::pair<int64_t, int64_t>, Size> seen;  // by what it was and what it is
    for (size_t i = 0; i < sizes.size(); ++i) {
      const int64_t now = outline.extents[i];
      if (sizes[i] == now) continue;
      const auto symbol = Size::unknown(static_cast<uint32_t>(seen.size()));
      wider.sizes[i] = seen.try_emplace({sizes[i].word(), now}, symbol).first->second;
    }
    wider.symbols = static_cast<uint32_t>(seen.size());
    for (size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] != outline.constants[i]) wider.numbers[i] = std::nullopt;
    return wider;
  }
};

// A recorded graph with the sizes and numbers of a pattern left open. Goes the way that Outline goes.
class Opening {
 public:
  Opening(const Pattern& pattern, std::span<const Size> sizes) : pattern_(pattern), sizes_(sizes) {}

  struct Number {  // an open one: a constant of the recorded graph
    Node node;
    size_t place;
  };
  std::vector<Number> numbers;  // in the order of the inputs that they became
  Outline::Bodies bodies;       // in the order of the outline

  Graph run(Graph graph) {
    fill(graph, true);
    return graph;
  }

 private:
  void fill(Graph& graph, bool outermost) {
    for_each_given(graph, [&](Aval& aval) {
      for (int i = 0; i < aval.shape.rank(); ++i) aval.shape.set(i, sizes_[next_size_++]);
    });
    std::vector<Node> kept;
    for (Node& node : graph.nodes) {
      const size_t place = next_number_;
      bool open = false;
      for_each_word(
          node, std::span(node.attrs), [](int64_t) {}, [&](int64_t& word) { word = sizes_[next_size_++].word(); },
          [&](int64_t) { open |= outermost && !pattern_.numbers[next_number_++]; });
      if (open) {
        graph.inputs.push_back({.value = node.out[0]});
        numbers.push_back({std::move(node), place});
        continue;
      }
      for (auto& body : node.graphs) body = opened(body);
      const std::vector<Aval> out = infer(graph, node);
      for (size_t i = 0; i < out.size(); ++i) graph.values[node.out[i]] = out[i];
      kept.push_back(std::move(node));
    }
    graph.nodes = std::move(kept);
  }

  std::shared_ptr<const Graph> opened(const std::shared_ptr<const Graph>& body) {
    const auto it = std::ranges::find(recorded_, body);
    const auto index = static_cast<size_t>(it - recorded_.begin());
    if (it != recorded_.end()) return bodies[index];
    recorded_.push_back(body);
    bodies.emplace_back();
    Graph inner = *body;
    fill(inner, false);
    return bodies[index] = std::make_shared<const Graph>(std::move(inner));
  }

  const Pattern& pattern_;
  std::span<const Size> sizes_;
  Outline::Bodies recorded_;
  size_t next_size_ = 0, next_number_ = 0;
};

// What a family knows once it is symbolic.
class SymbolicPlan {
 public:
  // Throws UnknownSize where an op needs the number that a size is.
  SymbolicPlan(Pattern pattern, const Graph& recorded, Device& device) : pattern_(std::move(pattern)) {
    {
      const EqualSizes equal;
      (void)Opening(pattern_, pattern_.sizes).run(recorded);
      equal_ = equal.sizes(pattern_.symbols);
    }
    std::vector<Size> sizes = pattern_.sizes;
    for (Size& size : sizes) size = size.at(equal_);
    Opening opening(pattern_, sizes);
    graph_ = taken_for_equal([&] { return opening.run(recorded); });
    numbers_ = std::move(opening.numbers);
    bodies_ = std::move(opening.bodies);
    shape_ = varying_shape();
    optimize_for(device, graph_);
    drop_unread_numbers();
    folds_ = can_fold();
    bytes_ = pattern_.sizes.size() * sizeof(Size) + pattern_.numbers.size() * sizeof(pattern_.numbers[0]) +
             heap_bytes(graph_);
  }

  // The optimised graph for a member; none where it does not follow to the last number.
  std::optional<Graph> make(const Graph& recorded, const Outline& outline) const {
    const auto sizes = pattern_.match(outline);
    if (!sizes) return std::nullopt;
    for (size_t i = 0; i < sizes->size(); ++i)
      if (equal_[i].at(*sizes) != (*sizes)[i]) return std::nullopt;
    FilledBodies bodies;
    for (size_t i = 0; i < bodies_.size(); ++i) bodies.emplace(bodies_[i].get(), outline.bodies[i]);
    std::optional<Graph> graph = with_sizes(graph_, *sizes, std::move(bodies));
    put_numbers(*graph, outline);
    for (size_t i = 0; i < graph->inputs.size(); ++i) graph->inputs[i].becomes = recorded.inputs[i].becomes;
    for (size_t i = 0; i < graph->outputs.size(); ++i)
      BRIO_CHECK(graph->values[graph->outputs[i]] == recorded.values[recorded.outputs[i]], "a symbolic plan makes ",
                 format_aval(graph->values[graph->outputs[i]]), " of output ", i);
    return graph;
  }

  const Pattern& pattern() const { return pattern_; }
  std::string note() const {
    return shape_.empty() ? "made from the plan for any such position" : cat("made from the plan for ", shape_);
  }
  size_t bytes() const { return bytes_; }

 private:
  // Of the first input that varies.
  std::string varying_shape() const {
    for (const Graph::Input& input : graph_.inputs)
      if (const Shape& shape = graph_.values[input.value].shape; !shape.known()) return shape.str();
    return {};
  }

  size_t first_number() const { return graph_.inputs.size() - numbers_.size(); }

  void drop_unread_numbers() {
    std::vector<bool> read(graph_.values.size());
    for (const Node& node : graph_.nodes)
      for (const ValueId v : node.in) read[v] = true;
    for (const ValueId v : graph_.outputs) read[v] = true;
    for (size_t i = numbers_.size(); i-- > 0;) {
      const auto input = graph_.inputs.begin() + static_cast<std::ptrdiff_t>(first_number() + i);
      if (read[input->value]) continue;
      graph_.inputs.erase(input);
      numbers_.erase(numbers_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  // Does anything follow from numbers alone?
  bool can_fold() const {
    std::vector<bool> number(graph_.values.size());
    for (size_t i = first_number(); i < graph_.inputs.size(); ++i) number[graph_.inputs[i].value] = true;
    for (const Node& node : graph_.nodes) {
      if (node.op->kind == OpKind::constant) number[node.out[0]] = true;
      else if (node.op->kind == OpKind::elementwise &&
               std::ranges::all_of(node.in, [&](ValueId v) { return number[v]; }))
        return true;
    }
    return false;
  }

  // The inputs that stand for numbers become constants again, and what follows from them is computed.
  void put_numbers(Graph& graph, const Outline& outline) const {
    if (numbers_.empty()) return;
    std::vector<Node> nodes;
    for (const Opening::Number& number : numbers_) {
      Node& node = nodes.emplace_back(number.node);
      for (size_t i = 1; i < node.attrs.size(); ++i)
        node.attrs[i] = static_cast<int64_t>(outline.constants[number.place + i - 1]);
    }
    for (size_t i = 0; i < nodes.size(); ++i)
      nodes[i].out = {graph.inputs[graph.inputs.size() - nodes.size() + i].value};
    graph.inputs.resize(graph.inputs.size() - nodes.size());
    graph.nodes.insert(graph.nodes.begin(), std::make_move_iterator(nodes.begin()),
                       std::make_move_iterator(nodes.end()));
    if (!folds_) return;
    fold_constants(graph);
    drop_dead(graph);
  }

  Pattern pattern_;
  std::vector<Size> equal_;  // per symbol: itself, or what it follows from
  Graph graph_;              // optimised; the numbers are its last inputs
  std::vector<Opening::Number> numbers_;
  Outline::Bodies bodies_;  // of the recorded graph: in `graph_` they stand for those of the graph to come
  std::string shape_;
  bool folds_ = false;
  size_t bytes_ = 0;
};

struct Family {
  std::vector<uint64_t> structure;
  uint64_t hash;
  Pattern pattern;  // of the first member, and then of the symbolic plan
  std::shared_ptr<const SymbolicPlan> symbolic = {};
  int openings = 0;
  std::string refused = {};  // why no more is opened
  std::weak_ptr<SharedArena> arena = {};

  size_t bytes() const {
    return (structure.size() + pattern.sizes.size() + pattern.numbers.size() + 32) * sizeof(uint64_t) +
           (symbolic ? symbolic->bytes() : 0);
  }
};

class Families {
 public:
  Families() { hold_over_fork(mutex_, ForkRank::families); }

  struct Found {
    std::shared_ptr<const SymbolicPlan> symbolic;
    std::optional<Pattern> wider;  // to be opened for this member; none: it is the first, or that is refused
    std::string refused;
    std::shared_ptr<SharedArena> arena;
  };
  Found find(const Outline& outline) {
    std::lock_guard lock(mutex_);
    auto [f, is_new] = family(outline);
    Found found{f.symbolic, {}, f.refused, f.arena.lock()};
    if (!found.arena) f.arena = found.arena = std::make_shared<SharedArena>();
    if (!is_new && f.refused.empty() && !f.pattern.match(outline)) found.wider = f.pattern.opened(outline);
    if (is_new) shrink();
    return found;
  }

  void keep(const Outline& outline, std::shared_ptr<const SymbolicPlan> symbolic) {
    std::lock_guard lock(mutex_);
    Family& f = family(outline).first;
    f.pattern = symbolic->pattern();
    f.symbolic = std::move(symbolic);
    if (++f.openings == kMostOpenings) f.refused = "its sizes vary in ever more ways";
    shrink();
  }
  void refuse(const Outline& outline, std::string why) {
    std::lock_guard lock(mutex_);
    family(outline).first.refused = std::move(why);
  }

  void count_hit(Clock::time_point start) {
    hits_.fetch_add(1, std::memory_order_relaxed);
    nanoseconds_ += static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count());
  }
  SymbolicStats stats() {
    std::lock_guard lock(mutex_);
    const auto symbolic = std::ranges::count_if(families_, [](const Family& f) { return f.symbolic != nullptr; });
    return {static_cast<size_t>(symbolic), hits_.load(std::memory_order_relaxed),
            static_cast<double>(nanoseconds_.load()) * 1e-9};
  }
  void clear() {
    std::lock_guard lock(mutex_);
    families_.clear();
  }

 private:
  std::pair<Family&, bool> family(const Outline& outline) {
    const uint64_t hash = hash_words(outline.structure);
    for (auto it = families_.begin(); it != families_.end(); ++it) {
      if (it->hash != hash || it->structure != outline.structure) continue;
      families_.splice(families_.begin(), families_, it);
      return {families_.front(), false};
    }
    families_.push_front({outline.structure, hash, Pattern(outline)});
    return {families_.front(), true};
  }

  void shrink() {
    size_t bytes = 0;
    for (const Family& f : families_) bytes += f.bytes();
    while ((bytes > kMostBytes || families_.size() > kMostFamilies) && families_.size() > 1) {
      bytes -= families_.back().bytes();
      families_.pop_back();
    }
  }

  std::mutex mutex_;
  std::list<Family> families_;  // most recently used first
  std::atomic<uint64_t> hits_{0}, nanoseconds_{0};
};

Families& families() {
  static auto* f = new Families;
  return *f;
}

std::atomic<bool>& switched_on() {
  static std::atomic<bool> on = [] {
    const char* setting = std::getenv("BRIO_SYMBOLIC");
    return !setting || std::string_view(setting) != "0";
  }();
  return on;
}

}  // namespace

MadePlan make_plan(Graph graph, Device& device, PlanOptions options) {
  if (!symbolic_plans()) return {Plan::make(std::move(graph), device, options), {}, {}};
  const auto start = Clock::now();
  if (has_places(graph)) set_places_apart(graph, device);
  Outline outline(graph);
  if (!device.is_host()) outline.structure.push_back(reinterpret_cast<uintptr_t>(&device));  // of passes and arena
  Families::Found found = families().find(outline);
  if (device.has_own_kernels()) return {Plan::make(std::move(graph), device, options), {}, std::move(found.arena)};
  if (found.symbolic)
    if (std::optional<Graph> sized = found.symbolic->make(graph, outline)) {
      MadePlan made{Plan::make_unoptimized(std::move(*sized), device, options), found.symbolic->note(), found.arena};
      families().count_hit(start);
      return made;
    }
  std::string why = std::move(found.refused);
  if (why.empty() && found.symbolic) why = "it does not follow the symbolic plan of its structure";
  if (found.wider) {
    try {
      const auto symbolic = std::make_shared<const SymbolicPlan>(std::move(*found.wider), graph, device);
      if (std::optional<Graph> sized = symbolic->make(graph, outline)) {
        families().keep(outline, symbolic);
        return {Plan::make_unoptimized(std::move(*sized), device, options), {}, found.arena};
      }
      why = "sizes that are equal as a rule differ in it";
    } catch (const UnknownSize& error) {
      why = cat("its plan is not made symbolic: ", error.what());
    }
    families().refuse(outline, why);
  }
  return {Plan::make(std::move(graph), device, options), std::move(why), {}};
}

std::shared_ptr<const Plan> make_sized_plan(const Graph& optimized, std::span<const Size> sizes, Device& device,
                                            PlanOptions options) {
  const auto start = Clock::now();
  Graph graph = with_sizes(optimized, sizes);
  fold_constants(graph);
  drop_dead(graph);
  auto plan = Plan::make_unoptimized(std::move(graph), device, options);
  families().count_hit(start);
  return plan;
}

void set_symbolic_plans(bool on) { switched_on().store(on, std::memory_order_relaxed); }
bool symbolic_plans() { return switched_on().load(std::memory_order_relaxed); }
SymbolicStats symbolic_stats() { return families().stats(); }
void clear_symbolic_plans() { families().clear(); }

}  // namespace brio
