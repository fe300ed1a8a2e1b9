#include "brio/runtime/symbolic.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <list>
#include <mutex>
#include <optional>
#include <span>

#include "brio/base/error.h"
#include "brio/base/fork_locks.h"
#include "brio/ir/outline.h"
#include "brio/passes/pipeline.h"
#include "brio/runtime/placement.h"
#include "brio/runtime/plan_cache.h"

namespace brio {
namespace {

constexpr size_t kSamples = 3;
constexpr int kMostFailures = 4;  // a sample may be a coincidence (a batch as large as a layer): others get a chance
constexpr size_t kMostFamilies = 512, kMostBytes = size_t{16} << 20;

// Below two a size means something else: 1 broadcasts, 0 is empty. Such sizes get plans of their own.
constexpr int64_t kLeastSize = 2;

using Bodies = Outline::Bodies;

// A size as a function of N.
struct Form {
  int64_t at_zero, slope;
  int64_t at(int64_t n) const { return at_zero + slope * n; }
  std::string str() const {
    if (slope == 0) return cat(at_zero);
    return cat(slope == 1 ? "" : cat(slope), "N", at_zero > 0 ? "+" : "", at_zero == 0 ? "" : cat(at_zero));
  }
};

// The forms that go through one list of sizes per sample.
std::optional<std::vector<Form>> fit_forms(const std::array<const std::vector<int64_t>*, kSamples>& sizes,
                                           const std::array<int64_t, kSamples>& n) {
  std::vector<Form> forms;
  for (size_t i = 0; i < sizes[0]->size(); ++i) {
    const int64_t rise = (*sizes[1])[i] - (*sizes[0])[i], run = n[1] - n[0];
    if (rise % run != 0) return std::nullopt;
    const Form form{(*sizes[0])[i] - rise / run * n[0], rise / run};
    for (size_t k = 0; k < kSamples; ++k)
      if ((*sizes[k])[i] != form.at(n[k]) || (form.slope != 0 && form.at(n[k]) < kLeastSize)) return std::nullopt;
    forms.push_back(form);
  }
  return forms;
}

// What a family knows once it is symbolic.
struct SymbolicPlan {
  size_t symbol = 0;           // the recorded size that is N
  std::vector<Form> recorded;  // of the graph as recorded
  std::vector<Form> optimized;
  Graph graph;    // optimised; its sizes are to be filled in
  Bodies bodies;  // of the recorded graph: in `graph` they stand for those of the graph to come
  // Numbers that follow N (the count of a mean, and what was folded from it). They are taken from the graph to come,
  // so they need no formula.
  std::vector<std::optional<uint64_t>> constants;  // recorded ones; none: follows N
  std::vector<std::optional<uint64_t>> same;       // per recorded value: one number, whatever N is
  std::vector<std::vector<ValueId>> sources;       // per constant of `graph`: recorded values that are equal to it
  bool constants_follow() const { return !same.empty(); }
};

// A member of a family. The optimised graph is the plan's: a plan that was evicted is no sample any more.
struct Sample {
  Outline recorded;
  std::weak_ptr<const Plan> plan;
};

class Fit {
 public:
  // `plans` are those of the samples, `graph` is the recorded graph of the newest.
  Fit(std::span<const Sample> samples, std::span<const std::shared_ptr<const Plan>> plans, const Graph& graph)
      : samples_(samples), plans_(plans), graph_(graph) {}

  std::shared_ptr<const SymbolicPlan> run() {
    return fit_recorded() && fit_optimized() && fit_constants() ? std::move(result_) : nullptr;
  }
  const std::string& failure() const { return failure_; }

 private:
  bool fail(std::string_view why) {
    failure_ = why;
    return false;
  }

  bool fit_recorded() {
    std::array<const std::vector<int64_t>*, kSamples> sizes;
    for (size_t k = 0; k < kSamples; ++k) sizes[k] = &samples_[k].recorded.extents;
    size_t& symbol = result_->symbol;
    while ((*sizes[0])[symbol] == (*sizes[1])[symbol]) ++symbol;  // samples differ somewhere
    for (size_t k = 0; k < kSamples; ++k) n_[k] = (*sizes[k])[symbol];
    auto forms = fit_forms(sizes, n_);
    if (!forms) return fail("its sizes do not follow one that varies, or one of them was 1 or 0");
    result_->recorded = std::move(*forms);
    return true;
  }

  bool fit_optimized() {
    std::array<const std::vector<int64_t>*, kSamples> sizes;
    for (size_t k = 0; k < kSamples; ++k) {
      optimized_.emplace_back(plans_[k]->graph(), samples_[k].recorded.bodies);
      if (optimized_.back().structure != optimized_.front().structure)
        return fail("the passes made different graphs of different sizes");
    }
    for (size_t k = 0; k < kSamples; ++k) sizes[k] = &optimized_[k].extents;
    auto forms = fit_forms(sizes, n_);
    if (!forms) return fail("after the passes its sizes do not follow one that varies");
    result_->optimized = std::move(*forms);
    result_->graph = plans_.back()->graph();
    result_->bodies = samples_.back().recorded.bodies;
    return true;
  }

  bool fit_constants() {
    bool follow = false;
    for (size_t i = 0; i < samples_[0].recorded.constants.size(); ++i) {
      result_->constants.push_back(same_in_all([&](size_t k) { return samples_[k].recorded.constants[i]; }));
      follow |= !result_->constants.back();
    }
    result_->sources.resize(optimized_[0].constants.size());
    if (!follow) return true;
    std::array<std::vector<std::optional<uint64_t>>, kSamples> values;
    for (size_t k = 0; k < kSamples; ++k) values[k] = uniform_values(graph_, samples_[k].recorded.constants);
    for (ValueId v = 0; v < graph_.values.size(); ++v)
      result_->same.push_back(same_in_all([&](size_t k) { return values[k][v]; }));
    for (size_t i = 0; i < result_->sources.size(); ++i) {
      if (same_in_all([&](size_t k) { return optimized_[k].constants[i]; })) continue;
      for (ValueId v = 0; v < graph_.values.size(); ++v) {
        bool equal = true;
        for (size_t k = 0; k < kSamples; ++k) equal &= values[k][v] == optimized_[k].constants[i];
        if (equal) result_->sources[i].push_back(v);
      }
      if (result_->sources[i].empty()) return fail("a number that follows the size cannot be traced");
    }
    return true;
  }
  template <typename Get>
  static std::optional<uint64_t> same_in_all(Get get) {
    std::optional<uint64_t> first = get(0);
    for (size_t k = 1; k < kSamples; ++k)
      if (first != get(k)) return std::nullopt;
    return first;
  }

  std::span<const Sample> samples_;
  std::span<const std::shared_ptr<const Plan>> plans_;
  const Graph& graph_;
  std::array<int64_t, kSamples> n_;
  std::vector<Outline> optimized_;
  std::shared_ptr<SymbolicPlan> result_ = std::make_shared<SymbolicPlan>();
  std::string failure_;
};

// The optimised graph for a recorded one; none where it does not follow the forms to the last number.
class Instance {
 public:
  Instance(const SymbolicPlan& symbolic, const Graph& recorded, const Outline& outline)
      : symbolic_(symbolic), recorded_(recorded), outline_(outline), n_(outline.extents[symbolic.symbol]) {}

  std::optional<Graph> make() {
    if (!sizes_fit() || !find_constants()) return std::nullopt;
    std::optional<Graph> graph = symbolic_.graph;
    for (size_t i = 0; i < graph->inputs.size(); ++i) graph->inputs[i].becomes = recorded_.inputs[i].becomes;
    next_size_ = symbolic_.optimized.data();
    fill(*graph, true);
    for (size_t i = 0; i < graph->outputs.size(); ++i)
      BRIO_CHECK(graph->values[graph->outputs[i]] == recorded_.values[recorded_.outputs[i]], "a symbolic plan makes ",
                 format_aval(graph->values[graph->outputs[i]]), " of output ", i);
    return graph;
  }

  // What the first input whose shape varies looks like.
  std::string note() const {
    const Form* form = symbolic_.recorded.data();
    for (const Graph::Input& input : recorded_.inputs) {
      const auto rank = static_cast<size_t>(recorded_.values[input.value].shape.rank());
      const std::span<const Form> dims(form, rank);
      form += rank;
      if (std::ranges::all_of(dims, [](const Form& dim) { return dim.slope == 0; })) continue;
      std::string text;
      for (const Form& dim : dims) text += cat(text.empty() ? "" : ", ", dim.str());
      return cat("made from the plan for (", text, rank == 1 ? ",)" : ")");
    }
    return "made from the plan for any such position";
  }

 private:
  bool sizes_fit() const {
    for (size_t i = 0; i < outline_.extents.size(); ++i) {
      const Form& form = symbolic_.recorded[i];
      if (outline_.extents[i] != form.at(n_) || (form.slope != 0 && form.at(n_) < kLeastSize)) return false;
    }
    return true;
  }

  bool find_constants() {
    for (size_t i = 0; i < outline_.constants.size(); ++i)
      if (symbolic_.constants[i] && *symbolic_.constants[i] != outline_.constants[i]) return false;
    constants_.resize(symbolic_.sources.size());
    if (!symbolic_.constants_follow()) return true;
    const auto values = uniform_values(recorded_, outline_.constants);
    for (ValueId v = 0; v < values.size(); ++v)
      if (symbolic_.same[v] && symbolic_.same[v] != values[v]) return false;
    for (size_t i = 0; i < constants_.size(); ++i)
      for (ValueId v : symbolic_.sources[i]) {
        if (constants_[i] && constants_[i] != values[v]) return false;  // equal in the samples by chance
        constants_[i] = values[v];
      }
    return true;
  }

  // Mirrors Outline::add. Shapes of values follow from those of the inputs: they need no forms, and cannot be wrong.
  void fill(Graph& graph, bool outermost) {
    for (const Graph::Input& input : graph.inputs) {
      Shape& shape = graph.values[input.value].shape;
      for (int i = 0; i < shape.rank(); ++i) shape.set(i, (next_size_++)->at(n_));
    }
    for (Node& node : graph.nodes) {
      for_each_word(
          node, std::span(node.attrs), [](int64_t) {}, [&](int64_t& size) { size = (next_size_++)->at(n_); },
          [&](int64_t& bits) {
            if (!outermost) return;
            if (const auto& number = constants_[next_constant_++]) bits = static_cast<int64_t>(*number);
          });
      for (auto& body : node.graphs) {
        if (const auto it = std::ranges::find(symbolic_.bodies, body); it != symbolic_.bodies.end()) {
          body = outline_.bodies[static_cast<size_t>(it - symbolic_.bodies.begin())];
          continue;
        }
        Graph filled = *body;
        fill(filled, false);
        body = std::make_shared<const Graph>(std::move(filled));
      }
      const std::vector<Aval> out = infer(graph, node);
      for (size_t i = 0; i < out.size(); ++i) graph.values[node.out[i]] = out[i];
    }
  }

  const SymbolicPlan& symbolic_;
  const Graph& recorded_;
  const Outline& outline_;
  int64_t n_;
  const Form* next_size_ = nullptr;
  std::vector<std::optional<uint64_t>> constants_;  // of the optimised graph; none: as it is there
  size_t next_constant_ = 0;
};

struct Family {
  std::vector<uint64_t> structure;
  uint64_t hash;
  std::vector<Sample> samples = {};
  std::shared_ptr<const SymbolicPlan> symbolic = {};
  int failures = 0;
  std::string refused = {};  // why it will never be symbolic

  size_t bytes() const {
    size_t words = structure.size() + 32;
    for (const Sample& sample : samples) words += sample.recorded.extents.size() + sample.recorded.constants.size();
    if (symbolic) words += 2 * (symbolic->recorded.size() + symbolic->optimized.size()) + 2 * symbolic->same.size();
    return words * sizeof(uint64_t) + (symbolic ? symbolic->graph.nodes.size() * 2 * sizeof(Node) : 0);
  }
};

class Families {
 public:
  Families() { hold_over_fork(mutex_, ForkRank::families); }
  struct Found {
    std::shared_ptr<const SymbolicPlan> symbolic;
    bool one_short;  // one more sample, and the family may become symbolic
  };
  Found find(const Outline& outline) {
    std::lock_guard lock(mutex_);
    const Family& f = family(outline);
    return {f.symbolic, f.samples.size() + 1 == kSamples};
  }

  // Takes in one more plan that was made by the passes; says why that will go on. `graph` was not kept: null.
  std::string learn(Outline outline, const Graph* graph, const std::shared_ptr<const Plan>& plan) {
    std::lock_guard lock(mutex_);
    Family& f = family(outline);
    if (f.symbolic) return "it does not follow the symbolic plan of its structure";
    if (!f.refused.empty()) return f.refused;
    std::erase_if(f.samples, [&](const Sample& sample) {
      return sample.plan.expired() || sample.recorded.extents == outline.extents;
    });
    if (f.samples.size() + 1 < kSamples || graph) {
      outline.structure.clear();  // the family's
      f.samples.push_back({std::move(outline), plan});
      if (graph) try_fit(f, *graph);
    }
    shrink();
    return f.refused;
  }

  void count_hit() { hits_.fetch_add(1, std::memory_order_relaxed); }
  SymbolicStats stats() {
    std::lock_guard lock(mutex_);
    const auto symbolic = std::ranges::count_if(families_, [](const Family& f) { return f.symbolic != nullptr; });
    return {static_cast<size_t>(symbolic), hits_.load(std::memory_order_relaxed)};
  }
  void clear() {
    std::lock_guard lock(mutex_);
    families_.clear();
  }

 private:
  Family& family(const Outline& outline) {
    const uint64_t hash = hash_words(outline.structure);
    for (auto it = families_.begin(); it != families_.end(); ++it) {
      if (it->hash != hash || it->structure != outline.structure) continue;
      families_.splice(families_.begin(), families_, it);
      return families_.front();
    }
    families_.push_front({outline.structure, hash});
    return families_.front();
  }

  static void try_fit(Family& f, const Graph& graph) {
    std::vector<std::shared_ptr<const Plan>> plans;
    for (const Sample& sample : f.samples)
      if (auto plan = sample.plan.lock()) plans.push_back(std::move(plan));
    if (plans.size() < kSamples) return;
    Fit fit(f.samples, plans, graph);
    f.symbolic = fit.run();
    if (!f.symbolic && ++f.failures < kMostFailures) {
      f.samples.erase(f.samples.begin());
      return;
    }
    if (!f.symbolic) f.refused = cat("its plan is not made symbolic: ", fit.failure());
    f.samples.clear();
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
  std::atomic<uint64_t> hits_{0};
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

MadePlan make_plan(Graph graph, Device& device) {
  if (!switched_on().load(std::memory_order_relaxed)) return {Plan::make(std::move(graph), device), {}};
  Outline outline(graph);
  const Families::Found found = families().find(outline);
  if (found.symbolic) {
    Instance instance(*found.symbolic, graph, outline);
    if (std::optional<Graph> filled = instance.make()) {
      MadePlan made{Plan::make_unoptimized(std::move(*filled), device), instance.note()};
      families().count_hit();
      return made;
    }
  }
  if (!found.one_short) {
    auto plan = Plan::make(std::move(graph), device);
    return {plan, families().learn(std::move(outline), nullptr, plan)};
  }
  auto plan = Plan::make(graph, device);
  return {plan, families().learn(std::move(outline), &graph, plan)};
}

void set_symbolic_plans(bool on) { switched_on().store(on, std::memory_order_relaxed); }
SymbolicStats symbolic_stats() { return families().stats(); }
void clear_symbolic_plans() { families().clear(); }

}  // namespace brio
