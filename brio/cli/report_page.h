// The page that `brio fit` leaves: what was found, the curves, how good the model is. One file, nothing else is
// loaded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brio/cli/scores.h"
#include "brio/train/logs.h"

namespace brio::cli {

struct ReportPage {
  std::string title = {};
  std::vector<std::string> found = {}, warnings = {}, summary = {};
  train::History history = {};
  std::optional<Scores> validation = {}, test = {};
  std::string time = {};   // where the time of the steps went, as HTML
  std::string input = {};  // where the time of the input went

  std::string html() const;
};

}  // namespace brio::cli
