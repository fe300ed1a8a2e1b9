// The stage and node of batch(n), which padded_batch and ragged_batch make their elements in another way of.
#pragma once

#include "brio/data/engine/gather.h"

namespace brio::data {

class BatchStage : public GatherStage {
 public:
  BatchStage(Pipeline& pipeline, std::string name, std::vector<std::unique_ptr<Stage>> inputs, Structure structure,
             int64_t size, bool drop_remainder)
      : GatherStage(pipeline, std::move(name), std::move(inputs), std::move(structure)),
        size_(size),
        drop_(drop_remainder) {}

  bool claim(Ticket& ticket) override;
  int64_t skip(int64_t n) override;
  void reset(uint64_t epoch) override;
  void save(StateWriter& state) const override;
  void restore(StateReader& state) override;
  int64_t indexed() const override;
  void locate(int64_t index, Ticket& ticket) override;
  void describe(profile::StageFacts& facts) const override {
    facts.kind = profile::StageKind::batch;
    facts.pure = true;
  }

 protected:
  virtual int64_t wanted_at_once() const { return 1; }  // rows

 private:
  int64_t batches_of(int64_t rows) const { return drop_ ? rows / size_ : rows / size_ + (rows % size_ != 0); }
  static void number_it(Ticket& ticket, int64_t index) {
    ticket.epoch = ticket.inner[0].epoch;
    ticket.index = index;
  }
  int64_t size_, at_ = 0;
  bool drop_;
};

class BatchNode : public Transform {
 public:
  BatchNode(const char* name, NodePtr input, int64_t size, bool drop_remainder);  // throws InvalidArgument
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override;
  std::string describe() const override;
  int64_t cardinality() const override;
  virtual bool is_plain() const { return true; }  // rows of one shape, one after the other

 protected:
  const char* name_;
  int64_t size_;
  bool drop_;
};

}  // namespace brio::data
