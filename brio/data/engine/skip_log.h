// The elements that an iterator's ignore_errors() left out, also in nested pipelines. Any thread may write. Nothing
// is left out silently: what no report has shown is printed when the iterator is destroyed.
#pragma once

#include <mutex>

#include "brio/data/engine/report.h"

namespace brio::data {

class SkipLog {
 public:
  SkipLog() = default;
  SkipLog(const SkipLog&) = delete;
  SkipLog& operator=(const SkipLog&) = delete;
  ~SkipLog();

  void add(const std::string& why);
  void correct(int64_t difference);  // after restoring a state with another count
  Skipped read();                    // what was read counts as reported

 private:
  mutable std::mutex mutex_;
  Skipped skipped_;
  int64_t told_ = 0;
};

}  // namespace brio::data
