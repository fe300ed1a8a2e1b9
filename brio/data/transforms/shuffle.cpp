// shuffle(n): where elements are numbered and n covers them all, a permutation that needs no buffer, or one of blocks
// where they lie in files that are slow to read here and there; otherwise TensorFlow's buffer of n places, one of
// which, drawn at random, is given out and refilled. It holds tickets: what is decoded and mapped is made after the
// shuffle, whichever was written first.
#include "brio/data/transforms/shuffle.h"

#include <mutex>
#include <utility>

#include "brio/base/error.h"
#include "brio/base/warning.h"
#include "brio/data/engine/block_order.h"
#include "brio/data/engine/permutation.h"
#include "brio/data/engine/seeds.h"
#include "brio/profile/figures.h"

namespace brio::data {
namespace {

constexpr int64_t kMostPlaces = int64_t{1} << 31;

uint64_t seed_of_epoch(uint64_t seed, uint64_t epoch, bool reshuffle) {
  return reshuffle ? RandomStream{seed, epoch}.u64(0) : seed;
}

struct Chosen {
  std::optional<BlockOrder::Sizes> blocks = {};  // none: in full
  std::string why = {};                          // none: there was no choice
};

// Windows of a sixteenth of the memory that is free, or of 256 blocks of 1 MB.
BlockOrder::Sizes block_sizes(const StoredElements* stored, int64_t ram_budget) {
  constexpr int64_t kElements = 1000, kMostBlocks = 256, kFewestBlocks = 4;
  BlockOrder::Sizes sizes{kElements, kMostBlocks};
  if (!stored || stored->stored() == 0) return sizes;
  const int64_t each = std::max<int64_t>(1, static_cast<int64_t>(stored->stored_bytes()) / stored->stored());
  sizes.block = std::max<int64_t>(1, static_cast<int64_t>(kPieceBytes) / each);
  sizes.window = std::clamp(ram_budget / 4 / (sizes.block * each), kFewestBlocks, kMostBlocks);
  return sizes;
}

// All elements, in an order that is a pure function of seed, epoch and place: any, or one of blocks.
class FullShuffle final : public OrderingStage {
 public:
  FullShuffle(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, uint64_t seed, bool reshuffle,
              Chosen chosen)
      : OrderingStage(pipeline, "shuffle", std::move(inputs)),
        seed_(seed),
        reshuffle_(reshuffle),
        chosen_(std::move(chosen)),
        blocks_(chosen_.blocks) {}

  bool claim(Ticket& ticket) override {
    if (place_.at >= indexed()) return false;
    locate(place_.at++, ticket);
    return true;
  }
  int64_t skip(int64_t n) override { return place_.skip(n, indexed()); }
  void locate(int64_t index, Ticket& ticket) override {
    if (!blocks_) return input().locate(static_cast<int64_t>(order_(static_cast<uint64_t>(index))), ticket);
    announce(block_order_.position(index));
    input().locate(block_order_(index), ticket);
  }
  void reset(uint64_t epoch) override {
    place_.begin(epoch);
    input().reset(epoch);
    blocks_ = chosen_.blocks;
    restored_ = false;
    shuffle();
  }
  // The order goes on as it was, whatever would be chosen here.
  void save(StateWriter& state) const override {
    place_.save(state);
    state.number(seed_);
    state.number(static_cast<uint64_t>(blocks_ ? blocks_->block : 0));
    state.number(static_cast<uint64_t>(blocks_ ? blocks_->window : 0));
    input().save(state);
  }
  void restore(StateReader& state) override {
    place_.restore(state, indexed());
    seed_ = state.number();
    const BlockOrder::Sizes sizes{state.count(kMostPlaces), state.count(kMostPlaces)};
    if ((sizes.block == 0) != (sizes.window == 0)) StateReader::refuse("blocks of a shuffle have no size");
    const auto blocks = sizes.block == 0 ? std::nullopt : std::optional(sizes);
    restored_ = !(blocks == chosen_.blocks);
    blocks_ = blocks;
    input().restore(state);
    shuffle();
  }
  const StoredElements* stored_elements() const override { return nullptr; }  // they are in order no more
  std::string choice() const override {
    if (chosen_.why.empty() && !restored_) return {};
    const std::string what = blocks_ ? cat("blocks of ", blocks_->block, " elements, ", blocks_->window, " at a time")
                                     : std::string("in full");
    return cat(what, ": ", restored_ ? "as in the state that was restored" : chosen_.why);
  }

 private:
  void shuffle() {
    const int64_t n = indexed();
    const uint64_t seed = seed_of_epoch(seed_, place_.epoch, reshuffle_);
    announced_ = 0;
    if (blocks_) block_order_ = BlockOrder(n, *blocks_, seed);
    else order_ = Permutation(static_cast<uint64_t>(n), seed);
  }
  // While a window is read, the next one is on its way, a block for each block.
  void announce(BlockOrder::Position at) {
    const StoredElements* stored = input().stored_elements();
    if (!stored) return;
    const int64_t first = at.window * blocks_->window;
    const int64_t until = std::min(block_order_.blocks(), first + blocks_->window + at.offset / blocks_->block + 1);
    for (announced_ = std::max(announced_, first); announced_ < until; ++announced_) {
      const auto [begin, end] = block_order_.elements(announced_);
      input().locate(begin, from_);
      input().locate(end - 1, to_);  // what lies between may take some of the source's elements, a shard, say
      if (from_.index <= to_.index) stored->announce(from_.index, to_.index + 1);
    }
  }

  uint64_t seed_;
  bool reshuffle_;
  const Chosen chosen_;
  std::optional<BlockOrder::Sizes> blocks_;  // none: in full
  bool restored_ = false;
  Place place_;
  Permutation order_;
  BlockOrder block_order_;
  int64_t announced_ = 0;  // blocks, by their place in the order
  Ticket from_, to_;
};

class BufferShuffle final : public OrderingStage {
 public:
  // kAutotune: as many places as the RAM budget holds. How many those were becomes part of the state.
  BufferShuffle(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, int64_t size, uint64_t seed,
                bool reshuffle)
      : OrderingStage(pipeline, "shuffle", std::move(inputs)),
        wanted_(size),
        size_(size == kAutotune ? kMostPlaces : std::min(size, kMostPlaces)),
        seed_(seed),
        reshuffle_(reshuffle) {}

  bool claim(Ticket& ticket) override {
    while (!ended_ && static_cast<int64_t>(count_) < size_) {
      if (buffer_.size() == count_) buffer_.emplace_back();
      buffer_[count_].count = 0;
      if (input().claim(buffer_[count_])) hold(buffer_[count_++]);
      else ended_ = true;
      check_budget();
    }
    if (count_ == 0) return false;
    const uint64_t drawn = numbers_.u64(static_cast<uint64_t>(given_++)) >> 32;
    const auto place = static_cast<size_t>(drawn * count_ >> 32);  // a buffer has fewer than 2^32 places
    std::swap(ticket, buffer_[place]);
    stats().held_bytes.fetch_sub(static_cast<int64_t>(ticket.element.bytes()), std::memory_order_relaxed);
    // The place is refilled at once, as its position decides what later draws mean.
    if (!ended_) {
      buffer_[place].count = 0;
      if (input().claim(buffer_[place])) {
        hold(buffer_[place]);
        return true;
      }
      ended_ = true;
    }
    std::swap(buffer_[place], buffer_[--count_]);
    return true;
  }
  // One by one, as stages without an order of their own do: the class between them counts places, which a buffer
  // mixes.
  int64_t skip(int64_t n) override { return Stage::skip(n); }  // NOLINT(bugprone-parent-virtual-call)
  int64_t indexed() const override { return -1; }

  void reset(uint64_t epoch) override {
    input().reset(epoch);
    begin(epoch);
  }
  // How many were given out: the claims are made again.
  void save(StateWriter& state) const override {
    state.number(static_cast<uint64_t>(given_));
    state.number(epoch_);
    state.number(seed_);
    state.number(static_cast<uint64_t>(size_));
    state.text(start_);
  }
  void restore(StateReader& state) override {
    const int64_t given = state.count();
    const uint64_t epoch = state.number();
    seed_ = state.number();
    size_ = std::max<int64_t>(1, state.count(wanted_ == kAutotune ? kMostPlaces : std::min(wanted_, kMostPlaces)));
    StateReader start(state.text());
    input().restore(start);
    begin(epoch);
    if (skip(given) != given) StateReader::refuse("it lies behind the last element");
  }

 private:
  void begin(uint64_t epoch) {
    StateWriter start;
    input().save(start);
    start_ = start.bytes();
    epoch_ = epoch;
    numbers_ = {seed_of_epoch(seed_, epoch, reshuffle_), 1};
    count_ = 0;
    given_ = 0;
    ended_ = false;
    stats().held_bytes.store(0, std::memory_order_relaxed);
  }
  void hold(const Ticket& ticket) {
    stats().held_bytes.fetch_add(static_cast<int64_t>(ticket.element.bytes()), std::memory_order_relaxed);
  }
  void check_budget() {
    const int64_t held =
        stats().held_bytes.load(std::memory_order_relaxed) + static_cast<int64_t>(count_ * sizeof(Ticket));
    if (pipeline_.ram_budget <= 0 || held <= pipeline_.ram_budget / 4) return;
    if (!std::exchange(told_, true)) warn_of_size(held);
    if (held <= pipeline_.ram_budget) return;
    if (wanted_ != kAutotune)
      throw InvalidArgument(cat("[shuffle] a buffer of ", wanted_, " elements does not fit the RAM budget of ",
                                pipeline_.ram_budget, " bytes; the largest that fits is ", count_ - 1));
    size_ = static_cast<int64_t>(count_);
  }
  // Before the memory is gone, and while the first batch is waited for.
  void warn_of_size(int64_t held) const {
    const double full = static_cast<double>(held) / static_cast<double>(count_) * static_cast<double>(size_);
    if (wanted_ == kAutotune || full <= static_cast<double>(pipeline_.ram_budget)) return;
    warn(cat("[drift] shuffle buffer too large: ", count_, " of ", wanted_, " elements take ",
             profile::size_text(static_cast<double>(held)), ", all would take ", profile::size_text(full),
             ", and the RAM budget is ", profile::size_text(static_cast<double>(pipeline_.ram_budget)),
             "; the first batch waits until the buffer is full: lower buffer_size, or shuffle before what makes "
             "elements large"));
  }

  int64_t wanted_, size_;
  uint64_t seed_, epoch_ = 0;
  bool reshuffle_;
  std::vector<Ticket> buffer_;  // the first count_ are in use
  size_t count_ = 0;
  int64_t given_ = 0;
  bool ended_ = false, told_ = false;
  RandomStream numbers_;
  std::string start_;
};

class ShuffleNode final : public Transform {
 public:
  ShuffleNode(NodePtr input, int64_t size, ShuffleOptions options, ReadClock clock)
      : Transform(std::move(input)), size_(size), options_(options), clock_(std::move(clock)) {
    options_.seed = seed_or_new(options_.seed);
  }
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto inputs = open_input(pipeline);
    const int64_t n = inputs[0]->indexed();
    if (n >= 0 && (size_ == kAutotune || size_ >= n)) {
      Chosen chosen = choose(inputs[0]->stored_elements(), pipeline.ram_budget);
      return std::make_unique<FullShuffle>(pipeline, std::move(inputs), *options_.seed,
                                           options_.reshuffle_each_iteration, std::move(chosen));
    }
    if (options_.order == ShuffleOrder::blocks)
      throw InvalidArgument(
          "[shuffle] order blocks needs elements that are numbered, and these are not; leave order as it is");
    return std::make_unique<BufferShuffle>(pipeline, std::move(inputs), size_, *options_.seed,
                                           options_.reshuffle_each_iteration);
  }
  std::string describe() const override { return size_ == kAutotune ? "shuffle(all)" : cat("shuffle(", size_, ")"); }
  Keeps keeps() const override { return Keeps::tickets; }

 private:
  Chosen choose(const StoredElements* stored, int64_t ram_budget) const {
    switch (options_.order) {
      case ShuffleOrder::blocks: return {block_sizes(stored, ram_budget), "as asked for"};
      case ShuffleOrder::full: return {{}, stored ? "as asked for" : ""};
      case ShuffleOrder::automatic: break;
    }
    if (!stored) return {};
    // Once: all epochs of a dataset have one kind of order.
    const std::lock_guard lock(mutex_);
    if (!costs_) {
      try {
        costs_ = measure_reads(*stored, clock_);
      } catch (const Error& error) {  // it is for the elements to fail
        return {{}, cat("reads could not be measured: ", error.what())};
      }
    }
    if (!costs_->slow_at_random()) return {{}, costs_->str()};
    return {block_sizes(stored, ram_budget), costs_->str()};
  }

  int64_t size_;
  ShuffleOptions options_;
  ReadClock clock_;
  mutable std::mutex mutex_;
  mutable std::optional<ReadCosts> costs_;
};

}  // namespace

NodePtr shuffled(NodePtr input, int64_t buffer_size, ShuffleOptions options, ReadClock clock) {
  if (buffer_size != kAutotune && buffer_size < 1)
    throw InvalidArgument(
        cat("[shuffle] buffer_size is ", buffer_size, "; it must be 1 or more, or kAutotune for all"));
  if (options.order == ShuffleOrder::blocks && buffer_size != kAutotune)
    throw InvalidArgument(cat("[shuffle] order blocks is a shuffle of all elements, but buffer_size is ", buffer_size,
                              "; give kAutotune"));
  return std::make_shared<ShuffleNode>(std::move(input), buffer_size, options, std::move(clock));
}

Dataset Dataset::shuffle(int64_t buffer_size, ShuffleOptions options) const {
  return Dataset(shuffled(node_, buffer_size, options));
}

}  // namespace brio::data
