// batch(n): n elements of equal shapes as one, along a new first axis.
#include "brio/data/transforms/batch.h"

#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/data/pictures/device_batch.h"

namespace brio::data {
namespace {

class PlainBatchStage final : public BatchStage {
 public:
  using BatchStage::BatchStage;

 private:
  int64_t wanted_at_once() const override { return input().rows_at_once(); }
};

}  // namespace

bool BatchStage::claim(Ticket& ticket) {
  ticket.count = 0;
  for (int64_t i = 0; i < size_; ++i) {
    if (input().claim(ticket.add_inner())) continue;
    --ticket.count;
    break;
  }
  if (ticket.count == 0 || (drop_ && static_cast<int64_t>(ticket.count) < size_)) return false;
  number_it(ticket, at_++);
  ticket.rows_at_once = wanted_at_once();
  return true;
}

int64_t BatchStage::skip(int64_t n) {
  const int64_t whole = std::min(n, INT64_MAX / size_);
  const int64_t passed = batches_of(input().skip(whole * size_));
  at_ += passed;
  return passed;
}

void BatchStage::reset(uint64_t epoch) {
  at_ = 0;
  input().reset(epoch);
}

void BatchStage::save(StateWriter& state) const {
  state.number(static_cast<uint64_t>(at_));
  input().save(state);
}

void BatchStage::restore(StateReader& state) {
  at_ = state.count();
  input().restore(state);
}

int64_t BatchStage::indexed() const {
  const int64_t n = input().indexed();
  return n < 0 ? -1 : batches_of(n);
}

void BatchStage::locate(int64_t index, Ticket& ticket) {
  ticket.count = 0;
  const int64_t end = std::min(input().indexed(), (index + 1) * size_);
  for (int64_t i = index * size_; i < end; ++i) input().locate(i, ticket.add_inner());
  number_it(ticket, index);
  ticket.rows_at_once = wanted_at_once();
}

BatchNode::BatchNode(const char* name, NodePtr input, int64_t size, bool drop_remainder)
    : Transform(std::move(input)), name_(name), size_(size), drop_(drop_remainder) {
  if (size < 1) throw InvalidArgument(cat("[", name, "] batch_size is ", size, "; it must be 1 or more"));
}

std::unique_ptr<Stage> BatchNode::open(Pipeline& pipeline) const {
  auto stage =
      std::make_unique<PlainBatchStage>(pipeline, name_, open_input(pipeline), input().structure(), size_, drop_);
  const OnDevice& on = pipeline.on_device;
  if (on.batch != this) return stage;
  return batch_on_device(pipeline, std::move(stage), *on.device, on.about);
}

std::string BatchNode::describe() const { return cat(name_, "(", size_, drop_ ? ", drop_remainder)" : ")"); }

int64_t BatchNode::cardinality() const {
  const int64_t n = input().cardinality();
  if (n < 0) return n;
  return drop_ ? n / size_ : n / size_ + (n % size_ != 0);
}

Dataset Dataset::batch(int64_t batch_size, BatchOptions options) const {
  return Dataset(std::make_shared<BatchNode>("batch", node_, batch_size, options.drop_remainder));
}

}  // namespace brio::data
