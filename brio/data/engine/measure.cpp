#include "brio/data/engine/measure.h"

#include <algorithm>

#include "brio/data/engine/parallel_stage.h"

namespace brio::data {
namespace {

constexpr size_t kMostKinds = 8;  // of pipelines that are told apart

bool same_steps(const std::vector<StageTotals>& a, const std::vector<StageTotals>& b) {
  return std::ranges::equal(
      a, b, [](const StageTotals& x, const StageTotals& y) { return x.depth == y.depth && x.name == y.name; });
}

}  // namespace

void measure(const Stage& stage, int depth, std::vector<StageTotals>& rows) {
  const StageStats& stats = stage.stats();
  const auto inclusive = static_cast<int64_t>(stats.inclusive_ns.load());
  int64_t below = 0;
  for (const auto& input : stage.inputs()) {
    measure(*input, depth + (stage.inputs().size() > 1 ? 1 : 0), rows);
    below += static_cast<int64_t>(input->stats().inclusive_ns.load());
  }
  if (const NestedTotals* nested = stage.nested()) below += nested->add_to(rows, depth + 1);
  if (dynamic_cast<const ParallelStage*>(&stage)) below = 0;  // its inputs ran in their own time
  // Claims are timed all, and computing now and then: as much of them is counted as fits what was timed.
  uint64_t timed = stats.timed.load();
  int64_t own = inclusive - below;
  // Of what a filter looks at, some passes.
  if (const uint64_t claimed = stats.passed.load() ? stats.passed.load() : stats.claimed.load()) {
    if (timed == 0) timed = claimed;
    own += static_cast<int64_t>(static_cast<double>(stats.claim_ns.load()) * static_cast<double>(timed) /
                                static_cast<double>(claimed));
  }
  rows.push_back({stage.name(), depth, timed, inclusive, own, stats.held_bytes.load()});
}

void NestedTotals::opened(const Stage& root) {
  const std::lock_guard lock(mutex_);
  open_.push_back(&root);
}

void NestedTotals::closes(const Stage& root) {
  const std::lock_guard lock(mutex_);
  open_.erase(std::ranges::find(open_, &root));
  if (root.stats().timed.load() == 0) return;
  Rows rows;
  measure(root, 0, rows);
  for (StageTotals& row : rows) row.held_bytes = 0;
  merge(std::move(rows), gone_);
}

void NestedTotals::merge(Rows&& rows, std::vector<Rows>& into) {
  auto found = std::ranges::find_if(into, [&](const Rows& known) { return same_steps(known, rows); });
  if (found == into.end()) {
    if (into.size() < kMostKinds) {
      into.push_back(std::move(rows));
      return;
    }
    if (into.size() == kMostKinds) into.push_back({{"others", 0, 0, 0, 0, 0}});
    found = into.end() - 1;
    rows.erase(rows.begin(), rows.end() - 1);
    rows[0].own_ns = rows[0].inclusive_ns;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    StageTotals& sum = (*found)[i];
    sum.timed += rows[i].timed;
    sum.inclusive_ns += rows[i].inclusive_ns;
    sum.own_ns += rows[i].own_ns;
    sum.held_bytes += rows[i].held_bytes;
  }
}

int64_t NestedTotals::add_to(std::vector<StageTotals>& rows, int depth) const {
  const std::lock_guard lock(mutex_);
  std::vector<Rows> all = gone_;
  for (const Stage* root : open_) {
    Rows mine;
    measure(*root, 0, mine);
    merge(std::move(mine), all);
  }
  int64_t inclusive = 0;
  for (Rows& kind : all) {
    inclusive += kind.back().inclusive_ns;
    for (StageTotals& row : kind) {
      row.depth += depth;
      rows.push_back(std::move(row));
    }
  }
  return inclusive;
}

}  // namespace brio::data
