#include "brio/data/engine/facts.h"

#include <algorithm>

#include "brio/data/engine/measure.h"
#include "brio/data/engine/parallel_stage.h"

namespace brio::data {
namespace {

profile::RingFacts facts_of(const ParallelReport& report) {
  return {.stage = report.stage,
          .elements = report.elements,
          .workers = report.workers,
          .depth = report.depth,
          .waited = static_cast<double>(report.waited_ns) * 1e-9,
          .computed = static_cast<double>(report.computed_ns) * 1e-9,
          .wall = static_cast<double>(report.wall_ns) * 1e-9,
          .found_ahead = report.mean_filled(),
          .found_empty = report.found_empty,
          .found_full = report.found_full,
          .fixed_workers = report.fixed_workers,
          .fixed_depth = report.fixed_depth};
}

class Gatherer {
 public:
  explicit Gatherer(profile::PipelineFacts& facts) : facts_(facts) {}

  // `ring_root`: the last stage that the same threads compute, of which `scale` elements make one of the pipeline.
  void walk(const Stage& stage, int depth, const Stage& ring_root, double scale) {
    if (const auto* ahead = dynamic_cast<const ParallelStage*>(&stage)) {
      const ParallelReport report = ahead->report();
      const double read = std::max<double>(1, static_cast<double>(reader_elements));
      const int outer = ring_;
      const size_t first = facts_.stages.size();
      ring_ = -1;
      walk(*stage.inputs()[0], depth, *stage.inputs()[0], static_cast<double>(report.elements) / read);
      for (size_t i = first; i < facts_.stages.size(); ++i)
        if (facts_.stages[i].ring < 0) facts_.stages[i].ring = static_cast<int>(facts_.rings.size());
      facts_.rings.push_back(facts_of(report));
      ring_ = outer;
      return;
    }
    for (const auto& input : stage.inputs())
      walk(*input, depth + (stage.inputs().size() > 1 ? 1 : 0), ring_root, scale);
    std::vector<StageTotals> rows;
    measure(stage, 0, rows);  // the last row is its own
    const double timed = static_cast<double>(ring_root.stats().timed.load());
    profile::StageFacts row;
    row.name = stage.name();
    row.depth = depth;
    row.ring = ring_;
    stage.describe(row);
    const StageStats& stats = stage.stats();
    if (timed > 0) {
      row.elements = static_cast<double>(stats.timed.load()) / timed * scale;
      row.seconds = std::max(0.0, static_cast<double>(rows.back().own_ns)) * 1e-9 / timed * scale;
    }
    const double claimed = static_cast<double>(stats.claimed.load()),
                 passed = static_cast<double>(stats.passed.load());
    if (claimed > 0) {
      if (row.elements == 0) row.elements = scale;
      row.serial = static_cast<double>(stats.claim_ns.load()) * 1e-9 / (passed > 0 ? passed : claimed) * row.elements;
      row.seconds = std::max(row.seconds, row.serial);
    }
    if (passed > 0) row.kept = passed / claimed;
    // Python's time is counted with what lies below, like all times.
    const auto python_of = [&](const Stage& each) {
      const double per_claim = static_cast<double>(each.stats().claimed.load());
      const double ns = static_cast<double>(each.stats().python_ns.load()) * 1e-9;
      if (per_claim > 0) return ns / per_claim * row.elements;  // claims are timed all
      return timed > 0 ? ns / timed * scale : 0.0;
    };
    double below = 0;
    if (stats.claimed.load() == 0)
      for (const auto& input : stage.inputs())
        if (input->stats().claimed.load() == 0) below += python_of(*input);
    row.python = std::min(row.seconds, std::max(0.0, python_of(stage) - below));
    if (const double of = static_cast<double>(ring_root.stats().cpu_of_ns.load()); of > 0)
      row.cpu = std::min(1.0, static_cast<double>(ring_root.stats().cpu_ns.load()) / of);
    row.bytes = static_cast<int64_t>(stats.out_bytes.load());
    facts_.stages.push_back(std::move(row));
  }

  int64_t reader_elements = 0;

 private:
  profile::PipelineFacts& facts_;
  int ring_ = -1;  // its number is known when its stages are
};

}  // namespace

void add_facts(const Stage& root, const Parallel& reader, profile::PipelineFacts& facts) {
  const ParallelReport report = reader.report();
  facts.read = report.elements;
  facts.bytes = report.bytes;
  Gatherer gatherer(facts);
  gatherer.reader_elements = report.elements;
  gatherer.walk(root, 0, root, 1);
  for (profile::StageFacts& stage : facts.stages)
    if (stage.ring < 0) stage.ring = static_cast<int>(facts.rings.size());
  facts.rings.push_back(facts_of(report));
}

}  // namespace brio::data
