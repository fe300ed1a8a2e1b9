// A stage that threads of its own compute ahead: prefetch, a map with a number of threads, and the input of a stage
// that must see elements to take a place (filter, scan).
#pragma once

#include "brio/data/engine/parallel.h"

namespace brio::data {

class ParallelStage final : public Stage {
 public:
  ParallelStage(Pipeline& pipeline, std::unique_ptr<Stage> input, ParallelOptions options);

  bool claim(Ticket& ticket) override;
  void compute(Ticket& ticket, Element& out, Worker&) override;
  void reset(uint64_t epoch) override;
  void save(StateWriter& state) const override;
  void restore(StateReader& state) override;
  bool has_work() const override { return false; }
  void describe(profile::StageFacts& facts) const override { facts.kind = profile::StageKind::prefetch; }
  ParallelReport report() const { return parallel_.report(); }

 private:
  Parallel parallel_;
  Place place_;
};

}  // namespace brio::data
