// group_by_window: elements of equal key are gathered; so many of them are a window, of which a function makes a
// dataset.
#include "brio/data/transforms/group_by_window.h"

#include <map>

#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/data/engine/nested.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/parts.h"
#include "brio/data/engine/seeds.h"

namespace brio::data {
namespace {

using ElementWindow = std::vector<Parts>;

// Elements that are there already.
class HeldStage final : public IndexedStage {
 public:
  HeldStage(Pipeline& pipeline, const ElementWindow& elements)
      : IndexedStage(pipeline, "window"), elements_(elements) {}
  int64_t indexed() const override { return static_cast<int64_t>(elements_.size()); }
  void compute(Ticket& ticket, Element& out, Worker&) override {
    share_parts(elements_[static_cast<size_t>(ticket.index)], out);
  }

 private:
  const ElementWindow& elements_;
};

class HeldNode final : public Node {
 public:
  HeldNode(ElementWindow elements, Structure structure)
      : elements_(std::move(elements)), structure_(std::move(structure)) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<HeldStage>(pipeline, elements_);
  }
  std::string describe() const override { return cat("window of ", elements_.size(), " elements"); }
  Structure structure() const override { return structure_; }
  int64_t cardinality() const override { return static_cast<int64_t>(elements_.size()); }
  const ElementWindow& elements() const { return elements_; }

 private:
  ElementWindow elements_;
  Structure structure_;
};

class GroupStage final : public NestedStage {
 public:
  GroupStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const Grouping& grouping, uint64_t seed)
      : NestedStage(pipeline, "group_by_window", std::move(inputs)),
        grouping_(grouping),
        in_(std::make_shared<Structure>(grouping.in)),
        seed_(seed) {}

  bool claim(Ticket& ticket) override {
    try {
      for (;;) {
        if (nested_) {
          if (claim_from(nested_, ticket)) return true;
          nested_ = nullptr;
        }
        if (!next_window()) return false;
      }
    } catch (const Interrupted&) {
      throw;
    } catch (...) {
      nested_ = nullptr;
      fail(ticket);
      return true;
    }
  }
  void reset(uint64_t epoch) override {
    place_.begin(epoch);
    clear();
    input().reset(epoch);
  }
  // With all elements that are held.
  void save(StateWriter& state) const override {
    place_.save(state);
    state.number(seed_);
    state.number(windows_);
    state.number(ended_);
    state.number(groups_.size());
    for (const auto& [key, window] : groups_) {
      state.number(static_cast<uint64_t>(key));
      write(*window, state);
    }
    state.number(nested_ != nullptr);
    if (nested_) {
      state.number(static_cast<uint64_t>(key_));
      write(window_->elements(), state);
      StateWriter own;
      nested_->stage->save(own);
      state.text(own.bytes());
    }
    input().save(state);
  }
  void restore(StateReader& state) override {
    place_.restore(state);
    clear();
    seed_ = state.number();
    windows_ = state.number();
    ended_ = state.count(1) != 0;
    for (int64_t left = state.count(); left > 0; --left) {
      const auto key = static_cast<int64_t>(state.number());
      groups_[key] = std::make_unique<ElementWindow>(read(state));
    }
    if (state.count(1) != 0) {
      const auto key = static_cast<int64_t>(state.number());
      open(key, read(state));
      StateReader own(state.text());
      nested_->stage->restore(own);
      if (!own.done()) StateReader::refuse("a stage left a part of it unread");
    }
    input().restore(state);
    count_bytes();
  }

 private:
  // Reads until a window is full; at the end those that are left follow, by key. False: there are none.
  bool next_window() {
    while (!ended_) {
      outer_.count = 0;
      if (!input().claim(outer_)) {
        ended_ = true;
        break;
      }
      if (outer_.error) std::rethrow_exception(outer_.error);
      const int64_t key = grouping_.key(Item(outer_.element, in_));
      auto& group = groups_[key];
      if (!group) group = std::make_unique<ElementWindow>();
      group->push_back(parts_of(outer_.element));
      held_ += bytes_of(group->back());
      stats().held_bytes.store(held_, std::memory_order_relaxed);
      const int64_t size = grouping_.size(key);
      if (size < 1)
        throw InvalidArgument(
            cat("[group_by_window] the window size of key ", key, " is ", size, "; it must be 1 or more"));
      if (static_cast<int64_t>(group->size()) >= size) return close(groups_.find(key));
    }
    return !groups_.empty() && close(groups_.begin());
  }
  bool close(std::map<int64_t, std::unique_ptr<ElementWindow>>::iterator group) {
    const int64_t key = group->first;
    ElementWindow window = std::move(*group->second);
    groups_.erase(group);
    count_bytes();
    ++windows_;
    open(key, std::move(window));
    return true;
  }
  void open(int64_t key, ElementWindow window) {
    key_ = key;
    window_ = std::make_shared<HeldNode>(std::move(window), grouping_.in);
    const SeededScope scope(stream_of(seed_, place_.epoch, windows_).u64(0));
    nested_ = Nested::open("group_by_window", grouping_.reduce(key, Dataset(window_)), grouping_.out, pipeline_,
                           place_.epoch, totals_);
  }
  void clear() {
    groups_.clear();
    nested_ = nullptr;
    window_ = nullptr;
    windows_ = 0;
    ended_ = false;
    count_bytes();
  }
  void count_bytes() {
    held_ = 0;
    for (const auto& [key, window] : groups_)
      for (const Parts& each : *window) held_ += bytes_of(each);
    stats().held_bytes.store(held_, std::memory_order_relaxed);
  }
  static void write(const ElementWindow& window, StateWriter& state) {
    state.number(window.size());
    for (const Parts& each : window) write_parts(each, state);
  }
  ElementWindow read(StateReader& state) const {
    ElementWindow window;
    for (int64_t left = state.count(); left > 0; --left) window.push_back(read_parts(state, grouping_.in.parts()));
    return window;
  }

  const Grouping& grouping_;
  std::shared_ptr<const Structure> in_;
  std::map<int64_t, std::unique_ptr<ElementWindow>> groups_;
  std::shared_ptr<const HeldNode> window_;
  std::shared_ptr<Nested> nested_;  // the dataset of window_, and the key of both
  int64_t key_ = 0, held_ = 0;
  uint64_t seed_, windows_ = 0;  // windows so far
  Ticket outer_;
  bool ended_ = false;
};

class GroupNode final : public Transform {
 public:
  GroupNode(NodePtr input, Grouping grouping, std::string description)
      : Transform(std::move(input)),
        grouping_(std::move(grouping)),
        description_(std::move(description)),
        seed_(seed_or_new({})) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto ahead = std::make_unique<ParallelStage>(pipeline, input().open(pipeline), ParallelOptions{});
    return std::make_unique<GroupStage>(pipeline, list(std::move(ahead)), grouping_, seed_);
  }
  std::string describe() const override { return description_; }
  Structure structure() const override { return grouping_.out; }
  int64_t cardinality() const override { return input().cardinality() == 0 ? 0 : kUnknown; }

 private:
  Grouping grouping_;
  std::string description_;
  uint64_t seed_;
};

}  // namespace

Dataset grouped(const Dataset& dataset, Grouping grouping, std::string description) {
  if (!grouping.key || !grouping.reduce || !grouping.size)
    throw InvalidArgument(cat("[group_by_window] the ",
                              !grouping.key      ? "key"
                              : !grouping.reduce ? "reduce"
                                                 : "window_size",
                              " function is empty"));
  return Dataset(std::make_shared<GroupNode>(dataset.node(), std::move(grouping), std::move(description)));
}

Dataset Dataset::group_by_window(KeyFunction key, WindowReduce reduce, std::function<int64_t(int64_t)> window_size,
                                 GroupOptions options) const {
  return grouped(*this,
                 {std::move(key), std::move(reduce), std::move(window_size), structure(),
                  options.structure.value_or(structure())},
                 "group_by_window");
}

Dataset Dataset::group_by_window(KeyFunction key, WindowReduce reduce, int64_t window_size,
                                 GroupOptions options) const {
  if (window_size < 1)
    throw InvalidArgument(cat("[group_by_window] window_size is ", window_size, "; it must be 1 or more"));
  return grouped(*this,
                 {std::move(key), std::move(reduce), [window_size](int64_t) { return window_size; }, structure(),
                  options.structure.value_or(structure())},
                 cat("group_by_window(", window_size, ")"));
}

}  // namespace brio::data
