// range: whole numbers, int64.
#include "brio/base/error.h"
#include "brio/data/dataset.h"

namespace brio::data {
namespace {

struct Range {
  int64_t start, step, count;
};

class RangeStage final : public IndexedStage {
 public:
  RangeStage(Pipeline& pipeline, Range range) : IndexedStage(pipeline, "range"), range_(range) {}
  int64_t indexed() const override { return range_.count; }
  void compute(Ticket& ticket, Element& out, Worker&) override {
    out.resize(1);
    *static_cast<int64_t*>(out.write(0, {{}, i64})) = range_.start + ticket.index * range_.step;
  }

 private:
  Range range_;
};

class RangeNode final : public Node {
 public:
  explicit RangeNode(Range range) : range_(range) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<RangeStage>(pipeline, range_);
  }
  std::string describe() const override {
    return cat("range(", range_.count, " numbers from ", range_.start, " by ", range_.step, ")");
  }
  Structure structure() const override { return {}; }
  int64_t cardinality() const override { return range_.count; }

 private:
  Range range_;
};

}  // namespace

Dataset range(int64_t stop) { return range(0, stop); }

Dataset range(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) throw InvalidArgument("[range] step is 0; it must lead from start to stop");
  uint64_t count = 0;
  if (step > 0 ? start < stop : start > stop) {
    // Unsigned: the distance between two int64 may be no int64.
    const uint64_t distance = step > 0 ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                       : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
    const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
    count = (distance - 1) / stride + 1;
  }
  if (count > INT64_MAX) throw InvalidArgument(cat("[range] from ", start, " to ", stop, " are too many numbers"));
  return Dataset(std::make_shared<RangeNode>(Range{start, step, static_cast<int64_t>(count)}));
}

}  // namespace brio::data
