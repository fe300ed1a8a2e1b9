#include "brio/data/engine/skip_log.h"

#include <algorithm>
#include <iostream>

#include "brio/base/error.h"

namespace brio::data {

SkipLog::~SkipLog() {
  if (skipped_.count > told_) std::cerr << "brio: [dataset] " << skipped_.str() << std::flush;
}

void SkipLog::add(const std::string& why) {
  constexpr size_t kMostListed = 20;
  const std::lock_guard lock(mutex_);
  ++skipped_.count;
  const auto known = std::find_if(skipped_.first.begin(), skipped_.first.end(),
                                  [&](const SkippedElement& each) { return each.why == why; });
  if (known != skipped_.first.end()) ++known->times;
  else if (skipped_.first.size() < kMostListed) skipped_.first.push_back({why, 1});
}

void SkipLog::correct(int64_t difference) {
  const std::lock_guard lock(mutex_);
  skipped_.count += difference;
  told_ = std::min(told_, skipped_.count);
}

Skipped SkipLog::read() {
  const std::lock_guard lock(mutex_);
  told_ = skipped_.count;
  return skipped_;
}

std::string Skipped::str() const {
  if (count <= 0) return {};
  std::string text = cat("skipped: ", count, count == 1 ? " element" : " elements", " that could not be made\n");
  int64_t more = count;
  for (const SkippedElement& each : first) {
    text += cat("  ", each.why);
    if (each.times > 1) text += cat(" (", each.times, " times)");
    text += "\n";
    more -= each.times;
  }
  if (more > 0) text += cat("  and ", more, " more\n");
  return text;
}

}  // namespace brio::data
