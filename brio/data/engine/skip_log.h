// What an iterator's ignore_errors() have left out, also those of nested pipelines. Any thread may write. Nothing is
// left out in silence: what no report has shown is printed when the iterator goes.
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
  void correct(int64_t difference);  // a state was restored, which had counted others
  Skipped read();                    // whoever reads it tells it

 private:
  mutable std::mutex mutex_;
  Skipped skipped_;
  int64_t told_ = 0;
};

}  // namespace brio::data
