// What an iterator's ignore_errors() have left out, also those of nested pipelines. Any thread may write.
#pragma once

#include <mutex>

#include "brio/data/report.h"

namespace brio::data {

class SkipLog {
 public:
  void add(const std::string& why) {
    const std::lock_guard lock(mutex_);
    ++skipped_.count;
    if (skipped_.first.size() < kMostListed) skipped_.first.push_back(why);
  }
  void correct(int64_t difference) {  // a state was restored, which had counted others
    const std::lock_guard lock(mutex_);
    skipped_.count += difference;
  }
  Skipped read() const {
    const std::lock_guard lock(mutex_);
    return skipped_;
  }

 private:
  static constexpr size_t kMostListed = 20;
  mutable std::mutex mutex_;
  Skipped skipped_;
};

}  // namespace brio::data
