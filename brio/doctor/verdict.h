// The verdict: where the time of a step goes, and the findings, greatest gain first.
#pragma once

#include <string>

#include "brio/doctor/finding.h"

namespace brio::doctor {

struct Verdict {
  Evidence evidence;
  std::vector<Finding> findings;
  size_t recorder_bytes = 0;
  double recorder_share = 0;

  std::string json() const;
  std::string screen() const;  // at most 24 lines of 80 columns
  std::string html() const;    // a page that stands alone: findings, a step, the steps over time, memory by owner
  std::string charts() const;  // of that page, the part behind the findings
};

const char* meaning_of(Part part);  // in a word, for people

Verdict judge();  // of what the recorder has now
Verdict judge(Evidence evidence);

}  // namespace brio::doctor
