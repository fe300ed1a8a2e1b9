// shuffle(n): where elements are numbered and n covers them all, a permutation that needs no buffer; otherwise
// TensorFlow's buffer of n places, one of which, drawn at random, is given out and refilled. It holds tickets: what
// is decoded and mapped is made after the shuffle, whichever was written first.
#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/data/permutation.h"
#include "brio/data/seeds.h"

namespace brio::data {
namespace {

constexpr int64_t kMostPlaces = int64_t{1} << 31;

uint64_t seed_of_epoch(uint64_t seed, uint64_t epoch, bool reshuffle) {
  return reshuffle ? RandomStream{seed, epoch}.u64(0) : seed;
}

class FullShuffle final : public OrderingStage {
 public:
  FullShuffle(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, uint64_t seed, bool reshuffle)
      : OrderingStage(pipeline, "shuffle", std::move(inputs)), seed_(seed), reshuffle_(reshuffle) {}

  bool claim(Ticket& ticket) override {
    if (place_.at >= indexed()) return false;
    locate(place_.at++, ticket);
    return true;
  }
  int64_t skip(int64_t n) override { return place_.skip(n, indexed()); }
  void locate(int64_t index, Ticket& ticket) override {
    input().locate(static_cast<int64_t>(order_(static_cast<uint64_t>(index))), ticket);
  }
  void reset(uint64_t epoch) override {
    place_.begin(epoch);
    input().reset(epoch);
    shuffle();
  }
  void save(StateWriter& state) const override {
    place_.save(state);
    state.number(seed_);
    input().save(state);
  }
  void restore(StateReader& state) override {
    place_.restore(state, indexed());
    seed_ = state.number();
    input().restore(state);
    shuffle();
  }

 private:
  void shuffle() {
    order_ = Permutation(static_cast<uint64_t>(indexed()), seed_of_epoch(seed_, place_.epoch, reshuffle_));
  }
  uint64_t seed_;
  bool reshuffle_;
  Place place_;
  Permutation order_;
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
  int64_t skip(int64_t n) override { return Stage::skip(n); }
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
    if (pipeline_.ram_budget <= 0 || held <= pipeline_.ram_budget) return;
    if (wanted_ != kAutotune)
      throw InvalidArgument(cat("[shuffle] a buffer of ", wanted_, " elements does not fit the RAM budget of ",
                                pipeline_.ram_budget, " bytes; the largest that fits is ", count_ - 1));
    size_ = static_cast<int64_t>(count_);
  }

  int64_t wanted_, size_;
  uint64_t seed_, epoch_ = 0;
  bool reshuffle_;
  std::vector<Ticket> buffer_;  // the first count_ are in use
  size_t count_ = 0;
  int64_t given_ = 0;
  bool ended_ = false;
  RandomStream numbers_;
  std::string start_;
};

class ShuffleNode final : public Transform {
 public:
  ShuffleNode(NodePtr input, int64_t size, ShuffleOptions options)
      : Transform(std::move(input)), size_(size), options_(options) {
    options_.seed = seed_or_new(options_.seed);
  }
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto inputs = open_input(pipeline);
    const int64_t n = inputs[0]->indexed();
    if (n >= 0 && (size_ == kAutotune || size_ >= n))
      return std::make_unique<FullShuffle>(pipeline, std::move(inputs), *options_.seed,
                                           options_.reshuffle_each_iteration);
    return std::make_unique<BufferShuffle>(pipeline, std::move(inputs), size_, *options_.seed,
                                           options_.reshuffle_each_iteration);
  }
  std::string describe() const override { return size_ == kAutotune ? "shuffle(all)" : cat("shuffle(", size_, ")"); }

 private:
  int64_t size_;
  ShuffleOptions options_;
};

}  // namespace

Dataset Dataset::shuffle(int64_t buffer_size, ShuffleOptions options) const {
  if (buffer_size != kAutotune && buffer_size < 1)
    throw InvalidArgument(
        cat("[shuffle] buffer_size is ", buffer_size, "; it must be 1 or more, or kAutotune for all"));
  return Dataset(std::make_shared<ShuffleNode>(node_, buffer_size, options));
}

}  // namespace brio::data
