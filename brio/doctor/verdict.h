// The verdict: where the time of a step goes, and the findings, largest gain first.
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
  std::string html() const;    // a complete page: findings, a step, the steps over time, memory by owner
  std::string charts() const;  // the part of that page after the findings
};

const char* meaning_of(Part part);  // a short name, for users

Verdict judge();  // from the recorder's current data
Verdict judge(Evidence evidence);

}  // namespace brio::doctor
