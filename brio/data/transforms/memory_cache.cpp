#include "brio/base/error.h"
#include "brio/data/transforms/cache_store.h"

namespace brio::data {
namespace {

class MemoryCache final : public CacheStore {
 public:
  explicit MemoryCache(int64_t budget) : budget_(budget) {}

  int64_t complete() override {
    const std::lock_guard lock(mutex_);
    return filled_ == total_ ? total_ : -1;
  }
  bool load(int64_t index, Element& out) override {
    const std::lock_guard lock(mutex_);
    const auto i = static_cast<size_t>(index);
    if (i >= slots_.size() || !slots_[i]) return false;
    share_parts(*slots_[i], out);
    return true;
  }
  void keep(int64_t index, const Element& element) override {
    auto parts = std::make_unique<Parts>(copy_parts(element, Owner::cache));
    const int64_t bytes = bytes_of(*parts);
    const std::lock_guard lock(mutex_);
    const auto i = static_cast<size_t>(index);
    if (i >= slots_.size()) slots_.resize(std::max(i + 1, slots_.size() * 2));
    if (slots_[i]) return;
    if (budget_ > 0 && bytes_ + bytes > budget_)
      throw ResourceError(cat("[cache] element ", index, " of ", bytes, " bytes does not fit beside ", filled_,
                              " others in the RAM budget of ", budget_,
                              " bytes; cache(file) keeps them on disk, Options::ram_budget sets another budget"));
    slots_[i] = std::move(parts);
    bytes_ += bytes;
    ++filled_;
  }
  void end(int64_t elements) override {
    const std::lock_guard lock(mutex_);
    total_ = elements;
  }
  int64_t bytes() const override {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  const int64_t budget_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Parts>> slots_;
  int64_t filled_ = 0, total_ = -1, bytes_ = 0;
};

}  // namespace

std::unique_ptr<CacheStore> make_memory_cache(int64_t budget) { return std::make_unique<MemoryCache>(budget); }

}  // namespace brio::data
