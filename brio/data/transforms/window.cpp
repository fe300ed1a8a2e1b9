// window(size): elements size at a time, stacked, each window `shift` elements behind the one before. Where elements
// are numbered, and windows do not overlap or elements cost nothing, a window is numbers; otherwise each element is
// made once and held while windows need it.
#include <deque>

#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/data/engine/gather.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/parts.h"

namespace brio::data {
namespace {

struct WindowShape {
  int64_t size, shift, stride;
  bool drop;

  int64_t span() const { return (size - 1) * stride + 1; }
  int64_t windows_of(int64_t elements) const {
    if (!drop) return elements / shift + (elements % shift != 0);
    return elements < span() ? 0 : (elements - span()) / shift + 1;
  }
};

class NumberedWindow final : public GatherStage {
 public:
  NumberedWindow(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, Structure structure,
                 WindowShape shape)
      : GatherStage(pipeline, "window", std::move(inputs), std::move(structure)), shape_(shape) {}
  bool claim(Ticket& ticket) override {
    if (place_.at >= indexed()) return false;
    locate(place_.at++, ticket);
    return true;
  }
  int64_t skip(int64_t n) override { return place_.skip(n, indexed()); }
  void reset(uint64_t epoch) override {
    place_.begin(epoch);
    input().reset(epoch);
  }
  void save(StateWriter& state) const override {
    place_.save(state);
    input().save(state);
  }
  void restore(StateReader& state) override {
    place_.restore(state, indexed());
    input().restore(state);
  }
  int64_t indexed() const override { return shape_.windows_of(input().indexed()); }
  void locate(int64_t index, Ticket& ticket) override {
    ticket.count = 0;
    const int64_t first = index * shape_.shift, end = input().indexed();
    for (int64_t i = 0; i < shape_.size && first + i * shape_.stride < end; ++i)
      input().locate(first + i * shape_.stride, ticket.add_inner());
    place_.number(ticket, index);
  }

 private:
  WindowShape shape_;
  Place place_;
};

class HeldWindow final : public GatherStage {
 public:
  HeldWindow(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, Structure structure, WindowShape shape)
      : GatherStage(pipeline, "window", std::move(inputs), std::move(structure)), shape_(shape) {}

  bool claim(Ticket& ticket) override {
    while (!ended_ && static_cast<int64_t>(held_.size()) < shape_.span()) read();
    if (held_.empty() || (shape_.drop && static_cast<int64_t>(held_.size()) < shape_.span())) return false;
    ticket.count = 0;
    for (size_t i = 0; i < held_.size() && static_cast<int64_t>(ticket.count) < shape_.size;
         i += static_cast<size_t>(shape_.stride)) {
      Ticket& row = ticket.add_inner();
      share_parts(held_[i].parts, row.element);
      row.error = held_[i].error;
    }
    place_.take(ticket);
    for (int64_t passed = 0; passed < shape_.shift; ++passed) {
      if (held_.empty() && !ended_) read();
      if (held_.empty()) break;
      held_.pop_front();
    }
    int64_t bytes = 0;
    for (const Held& each : held_) bytes += bytes_of(each.parts);
    stats().held_bytes.store(bytes, std::memory_order_relaxed);
    return true;
  }
  void reset(uint64_t epoch) override {
    held_.clear();
    ended_ = false;
    place_.begin(epoch);
    input().reset(epoch);
  }
  // With the elements that are held. One that could not be made is kept as what it said.
  void save(StateWriter& state) const override {
    place_.save(state);
    state.number(ended_);
    state.number(held_.size());
    for (const Held& each : held_) {
      state.number(each.error != nullptr);
      if (each.error) state.text(each.message);
      else write_parts(each.parts, state);
    }
    input().save(state);
  }
  void restore(StateReader& state) override {
    held_.clear();
    place_.restore(state);
    ended_ = state.count(1) != 0;
    for (int64_t left = state.count(shape_.span()); left > 0; --left) {
      Held& each = held_.emplace_back();
      if (state.count(1) != 0) {
        each.message = state.text();
        each.error = std::make_exception_ptr(Error(each.message));
      } else {
        each.parts = read_parts(state, row_structure().parts());
      }
    }
    input().restore(state);
  }

 private:
  struct Held {
    Parts parts;
    std::exception_ptr error;
    std::string message;
  };
  void read() {
    next_.count = 0;
    if (!input().claim(next_)) {
      ended_ = true;
      return;
    }
    Held& each = held_.emplace_back();
    if (!next_.error) {
      each.parts = parts_of(next_.element);
      return;
    }
    each.error = next_.error;
    each.message = message_of(next_.error);
  }

  WindowShape shape_;
  std::deque<Held> held_;  // from the first element of the next window on
  Ticket next_;
  bool ended_ = false;
  Place place_;
};

class WindowNode final : public Transform {
 public:
  WindowNode(NodePtr input, WindowShape shape) : Transform(std::move(input)), shape_(shape) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto below = input().open(pipeline);
    if (below->indexed() >= 0 && (shape_.shift >= shape_.span() || !below->has_work()))
      return std::make_unique<NumberedWindow>(pipeline, list(std::move(below)), structure(), shape_);
    auto ahead = std::make_unique<ParallelStage>(pipeline, std::move(below), ParallelOptions{});
    return std::make_unique<HeldWindow>(pipeline, list(std::move(ahead)), structure(), shape_);
  }
  std::string describe() const override {
    return cat("window(", shape_.size, ", shift ", shape_.shift, ", stride ", shape_.stride,
               shape_.drop ? ", drop_remainder)" : ")");
  }
  int64_t cardinality() const override {
    const int64_t n = input().cardinality();
    return n < 0 ? n : shape_.windows_of(n);
  }

 private:
  WindowShape shape_;
};

}  // namespace

Dataset Dataset::window(int64_t size, WindowOptions options) const {
  const int64_t shift = options.shift == 0 ? size : options.shift;
  constexpr int64_t kMost = int64_t{1} << 31;
  if (size < 1 || size > kMost)
    throw InvalidArgument(cat("[window] size is ", size, "; it must be from 1 to ", kMost));
  if (shift < 1) throw InvalidArgument(cat("[window] shift is ", shift, "; it must be 1 or more, or 0 for the size"));
  if (options.stride < 1 || options.stride > kMost)
    throw InvalidArgument(cat("[window] stride is ", options.stride, "; it must be from 1 to ", kMost));
  return Dataset(
      std::make_shared<WindowNode>(node_, WindowShape{size, shift, options.stride, options.drop_remainder}));
}

}  // namespace brio::data
