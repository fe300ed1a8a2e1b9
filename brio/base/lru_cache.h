// Values that are costly to make, kept by key and shared; the least recently used are dropped.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>

namespace brio {

struct LruCacheStats {
  size_t entries = 0, hits = 0, misses = 0;
};

template <typename Key, typename Value>
class LruCache {
 public:
  // `make` returns a std::shared_ptr<const Value>; what it throws goes on to the caller.
  template <typename Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(key); found != entries_.end()) {
      ++stats_.hits;
      order_.splice(order_.begin(), order_, found->second.position);
      return found->second.value;
    }
    ++stats_.misses;
    std::shared_ptr<const Value> value = make();
    order_.push_front(key);
    entries_[key] = {value, order_.begin()};
    if (entries_.size() > kCapacity) {
      entries_.erase(order_.back());
      order_.pop_back();
    }
    return value;
  }

  LruCacheStats stats() {
    std::lock_guard lock(mutex_);
    stats_.entries = entries_.size();
    return stats_;
  }

 private:
  static constexpr size_t kCapacity = 256;
  struct Entry {
    std::shared_ptr<const Value> value;
    typename std::list<Key>::iterator position;
  };
  std::mutex mutex_;
  std::map<Key, Entry> entries_;
  std::list<Key> order_;
  LruCacheStats stats_;
};

}  // namespace brio
