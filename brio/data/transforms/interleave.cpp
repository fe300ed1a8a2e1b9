// interleave(f): elements of several of the datasets that f makes, in turn. flat_map(f): of one after the other,
// which is a cycle of one.
#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/data/engine/nested.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/seeds.h"

namespace brio::data {
namespace {

class InterleaveStage final : public NestedStage {
 public:
  InterleaveStage(Pipeline& pipeline, const char* name, std::vector<std::unique_ptr<Stage>> inputs, DatasetCall call,
                  const InterleaveOptions& options)
      : NestedStage(pipeline, name, std::move(inputs)),
        call_(std::move(call)),
        block_length_(options.block_length),
        cycle_(static_cast<size_t>(options.cycle_length)) {}

  // A dataset that has ended leaves its place in the cycle empty; the next one is opened when its turn comes again.
  bool claim(Ticket& ticket) override {
    try {
      while (!ended_ || open_ > 0) {
        Slot& slot = cycle_[turn_];
        if (slot.nested) {
          if (claim_from(slot.nested, ticket)) {
            if (++given_ == block_length_) advance();
            return true;
          }
          close(slot);
          advance();
        } else if (!ended_) {
          ended_ = !open_next(slot);
        } else {
          advance();
        }
      }
    } catch (const Interrupted&) {
      throw;
    } catch (...) {
      // Behind a place that could not be taken, the order of that dataset does not go on.
      if (cycle_[turn_].nested) close(cycle_[turn_]);
      fail(ticket);
      return true;
    }
    return false;
  }

  void reset(uint64_t epoch) override {
    place_.begin(epoch);
    clear();
    input().reset(epoch);
  }
  // Of each open dataset: the input's state before the element that it was made of, and its own.
  void save(StateWriter& state) const override {
    place_.save(state);
    call_.save(state);
    state.number(turn_);
    state.number(static_cast<uint64_t>(given_));
    state.number(ended_);
    for (const Slot& slot : cycle_) {
      state.number(slot.nested != nullptr);
      if (!slot.nested) continue;
      state.text(slot.start);
      StateWriter own;
      slot.nested->stage->save(own);
      state.text(own.bytes());
    }
    input().save(state);
  }
  void restore(StateReader& state) override {
    place_.restore(state);
    call_.restore(state);
    clear();
    turn_ = static_cast<size_t>(state.count(static_cast<int64_t>(cycle_.size()) - 1));
    given_ = state.count(block_length_ - 1);
    ended_ = state.count(1) != 0;
    for (Slot& slot : cycle_) {
      if (state.count(1) == 0) continue;
      StateReader start(state.text()), own(state.text());
      input().restore(start);
      if (!open_next(slot)) StateReader::refuse("it lies behind the last element");
      slot.nested->stage->restore(own);
      if (!start.done() || !own.done()) StateReader::refuse("a stage left a part of it unread");
    }
    input().restore(state);
  }

 private:
  struct Slot {
    std::shared_ptr<Nested> nested;
    std::string start;
  };

  bool open_next(Slot& slot) {
    StateWriter before;
    input().save(before);
    outer_.count = 0;
    if (!input().claim(outer_)) return false;
    if (outer_.error) std::rethrow_exception(outer_.error);
    slot.nested = call_(outer_, pipeline_, totals_);
    slot.start = before.bytes();
    ++open_;
    return true;
  }
  // Elements that others still hold may keep the pipeline for long; its threads and files go now.
  void close(Slot& slot) {
    const std::shared_ptr<Nested> ended = std::exchange(slot.nested, nullptr);
    --open_;
    ended->stage->reset(0);
  }
  void advance() {
    turn_ = (turn_ + 1) % cycle_.size();
    given_ = 0;
  }
  void clear() {
    for (Slot& slot : cycle_) slot.nested = nullptr;
    turn_ = 0;
    given_ = open_ = 0;
    ended_ = false;
  }

  DatasetCall call_;
  const int64_t block_length_;
  std::vector<Slot> cycle_;
  Ticket outer_;
  size_t turn_ = 0;
  int64_t given_ = 0, open_ = 0;
  bool ended_ = false;
};

class InterleaveNode final : public Transform {
 public:
  InterleaveNode(const char* name, NodePtr input, DatasetFunction f, InterleaveOptions options)
      : Transform(std::move(input)),
        name_(name),
        f_(std::move(f)),
        options_(std::move(options)),
        seed_(seed_or_new({})) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto ahead = std::make_unique<ParallelStage>(pipeline, input().open(pipeline), ParallelOptions{});
    auto stage = std::make_unique<InterleaveStage>(
        pipeline, name_, list(std::move(ahead)),
        DatasetCall(name_, f_, input().structure(), options_.structure, seed_), options_);
    const int64_t calls = options_.num_parallel_calls;
    if (calls == kAutotune) return stage;
    return std::make_unique<ParallelStage>(pipeline, std::move(stage),
                                           ParallelOptions{.workers = calls, .depth = calls});
  }
  std::string describe() const override {
    if (std::string_view(name_) == "flat_map") return name_;
    return cat(name_, "(cycle ", options_.cycle_length, ", block ", options_.block_length, ")");
  }
  Structure structure() const override { return options_.structure; }
  int64_t cardinality() const override { return input().cardinality() == 0 ? 0 : kUnknown; }

 private:
  const char* name_;
  DatasetFunction f_;
  InterleaveOptions options_;
  uint64_t seed_;
};

}  // namespace

Dataset Dataset::flat_map(DatasetFunction f, FlatMapOptions options) const {
  if (!f) throw InvalidArgument("[flat_map] the function is empty");
  return Dataset(std::make_shared<InterleaveNode>(
      "flat_map", node_, std::move(f),
      InterleaveOptions{.cycle_length = 1, .block_length = 1, .structure = std::move(options.structure)}));
}

Dataset Dataset::interleave(DatasetFunction f, InterleaveOptions options) const {
  if (!f) throw InvalidArgument("[interleave] the function is empty");
  if (options.cycle_length < 1 || options.cycle_length > 65536)
    throw InvalidArgument(cat("[interleave] cycle_length is ", options.cycle_length, "; it must be from 1 to 65536"));
  if (options.block_length < 1)
    throw InvalidArgument(cat("[interleave] block_length is ", options.block_length, "; it must be 1 or more"));
  if (const int64_t calls = options.num_parallel_calls; calls != kAutotune && (calls < 1 || calls > 1024))
    throw InvalidArgument(
        cat("[interleave] num_parallel_calls is ", calls, "; it must be from 1 to 1024, or kAutotune"));
  return Dataset(std::make_shared<InterleaveNode>("interleave", node_, std::move(f), std::move(options)));
}

}  // namespace brio::data
