// How good predictions are: for `brio eval`, and for the report of `brio fit`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "brio/cli/job_files.h"

namespace brio::cli {

struct Scores {
  std::vector<std::string> classes = {};  // empty: values
  int64_t samples = 0;
  double accuracy = 0;                               // of classes
  std::vector<std::vector<int64_t>> confusion = {};  // [true class][predicted class]
  double mae = 0, rmse = 0, r2 = 0;                  // of values

  nlohmann::ordered_json to_json() const;
  std::string str() const;  // a few lines
};

// `truth`: numbers of classes, or values, one for each prediction.
Scores score(const std::vector<std::string>& classes, const std::vector<std::vector<float>>& predictions,
             const std::vector<double>& truth);

}  // namespace brio::cli
