// cache(): elements are made once and kept. What lies below is always its epoch 0, so that the elements are the same
// whichever iterator made them, and in a process that restores a state before the cache is full.
#include "brio/base/error.h"
#include "brio/base/hashes.h"
#include "brio/data/dataset.h"
#include "brio/data/transforms/cache_store.h"

namespace brio::data {
namespace {

class CacheStage final : public Stage {
 public:
  CacheStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, std::shared_ptr<CacheStore> store)
      : Stage(pipeline, "cache", std::move(inputs)), store_(std::move(store)) {
    if (indexed() >= 0) store_->end(indexed());
  }

  bool claim(Ticket& ticket) override {
    if (numbered() >= 0) {
      if (place_.at >= numbered()) return false;
      locate(place_.at++, ticket);
      return true;
    }
    ticket.count = 0;
    if (!input().claim(ticket.add_inner())) {
      store_->end(place_.at);
      return false;
    }
    place_.take(ticket);
    return true;
  }
  int64_t skip(int64_t n) override {
    if (numbered() >= 0) return place_.skip(n, numbered());
    const int64_t passed = input().skip(n);
    place_.at += passed;
    if (passed < n) store_->end(place_.at);
    return passed;
  }
  void reset(uint64_t epoch) override {
    place_.begin(epoch);
    input().reset(0);
    kept_ = store_->complete();
    if (kept_ >= 0 && indexed() >= 0 && kept_ != indexed())
      throw InvalidArgument(cat("[cache] the file holds ", kept_, " elements, but the dataset has ", indexed(),
                                " now; remove it and it is made again"));
  }
  void save(StateWriter& state) const override { place_.save(state); }
  void restore(StateReader& state) override {
    reset(state.number());
    const int64_t passed = state.count();
    if (skip(passed) != passed) StateReader::refuse("it lies behind the last element");
  }
  void describe(profile::StageFacts& facts) const override {
    facts.kind = profile::StageKind::cache;
    facts.pure = true;
  }
  int64_t indexed() const override { return input().indexed(); }
  void locate(int64_t index, Ticket& ticket) override {
    ticket.count = 0;
    if (kept_ < 0) input().locate(index, ticket.add_inner());
    place_.number(ticket, index);
  }

  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    if (store_->load(ticket.index, out)) return;
    BRIO_CHECK(ticket.count == 1, "a cache that was complete has lost an element");
    input().make(ticket.inner[0], out, worker);
    store_->keep(ticket.index, out);
    stats().held_bytes.store(store_->bytes(), std::memory_order_relaxed);
  }

 private:
  // Elements where they can be found by their number: of a cache that is complete, or of what lies below; else -1.
  int64_t numbered() const { return kept_ >= 0 ? kept_ : indexed(); }

  std::shared_ptr<CacheStore> store_;
  int64_t kept_ = -1;  // elements of a cache that was complete when the epoch began
  Place place_;
};

class CacheNode final : public Transform {
 public:
  CacheNode(NodePtr input, std::string file, uint64_t fingerprint)
      : Transform(std::move(input)), file_(std::move(file)), fingerprint_(fingerprint) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto inputs = open_input(pipeline);
    return std::make_unique<CacheStage>(pipeline, std::move(inputs), store(pipeline));
  }
  std::string describe() const override { return file_.empty() ? "cache" : "cache(file)"; }

 private:
  // Memory is kept for the next iterator; a file that is not whole goes with the last iterator that wrote it.
  std::shared_ptr<CacheStore> store(const Pipeline& pipeline) const {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<CacheStore> found = open_.lock();
    if (found) return found;
    if (file_.empty()) found = memory_ = make_memory_cache(pipeline.ram_budget);
    else found = make_file_cache(file_, fingerprint_);
    open_ = found;
    return found;
  }
  std::string file_;
  uint64_t fingerprint_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<CacheStore> memory_;
  mutable std::weak_ptr<CacheStore> open_;
};

}  // namespace

Dataset Dataset::cache(std::string file) const {
  const uint64_t fingerprint = murmur_hash64(describe(), 1);
  return Dataset(std::make_shared<CacheNode>(node_, std::move(file), fingerprint));
}

}  // namespace brio::data
