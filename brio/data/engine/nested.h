// Datasets inside of datasets: those that flat_map, interleave and group_by_window open while they run. Each has its
// own pipeline. The claims of the stage that opened it take places from it; any thread makes its elements, as for
// other stages.
#pragma once

#include "brio/data/dataset.h"
#include "brio/data/engine/measure.h"
#include "brio/ops/random/generator_scope.h"

namespace brio::data {

struct Nested {
  Nested() = default;
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  ~Nested();

  NodePtr node;
  Pipeline pipeline;
  std::unique_ptr<Stage> stage;
  std::shared_ptr<NestedTotals> totals;  // of all pipelines that its owner opens

  // Throws InvalidArgument unless the elements have the structure that was promised to the step called `name`.
  static std::shared_ptr<Nested> open(const char* name, const Dataset& dataset, const Structure& promised,
                                      const Pipeline& outer, uint64_t epoch, std::shared_ptr<NestedTotals> totals);
};

class NestedStage : public Stage {
 public:
  using Stage::Stage;
  void compute(Ticket& ticket, Element& out, Worker& worker) final;
  std::optional<FilePlace> origin(const Ticket& ticket) const final;
  bool has_work() const final { return true; }
  const NestedTotals* nested() const final { return totals_.get(); }

 protected:
  // The next element of the nested pipeline; false at its end.
  bool claim_from(const std::shared_ptr<Nested>& nested, Ticket& ticket);
  // Marks the place of an element that could not be made.
  void fail(Ticket& ticket);  // in a catch block
  Place place_;
  const std::shared_ptr<NestedTotals> totals_ = std::make_shared<NestedTotals>();
};

// While it lives, this thread's random numbers (also seeds of steps that are built) depend only on the seed.
class SeededScope {
 public:
  explicit SeededScope(uint64_t seed) : generator_(0), scope_(generator_) { generator_.restore({seed, 0}); }

 private:
  Generator generator_;
  GeneratorScope scope_;
};

// A function from an element to a dataset. Its random numbers are a pure function of the seed, the epoch and the
// element.
class DatasetCall {
 public:
  DatasetCall(const char* name, const DatasetFunction& f, const Structure& in, const Structure& out, uint64_t seed)
      : name_(name), f_(f), in_(std::make_shared<Structure>(in)), out_(out), seed_(seed) {}
  std::shared_ptr<Nested> operator()(const Ticket& ticket, const Pipeline& outer,
                                     std::shared_ptr<NestedTotals> totals);
  void save(StateWriter& state) const { state.number(seed_); }
  void restore(StateReader& state) { seed_ = state.number(); }

 private:
  const char* name_;
  const DatasetFunction& f_;
  std::shared_ptr<const Structure> in_;
  const Structure& out_;
  uint64_t seed_;
};

}  // namespace brio::data
