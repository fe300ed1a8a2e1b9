// F-scores: the harmonic mean of precision and recall, for each class or over classes.
#pragma once

#include <optional>

#include "brio/nn/metrics/metric.h"

namespace brio::nn {

// Over the classes: a score for each (none), one of all counts together (micro), the mean of the scores (macro), or
// weighed by how often each class occurs.
enum class ClassAverage : uint8_t { none, micro, macro, weighted };
constexpr auto value_names(ClassAverage) {
  return std::to_array<ValueName<ClassAverage>>({{"none", ClassAverage::none},
                                                 {"micro", ClassAverage::micro},
                                                 {"macro", ClassAverage::macro},
                                                 {"weighted", ClassAverage::weighted}});
}

struct F1ScoreOptions {
  ClassAverage average = ClassAverage::none;
  std::optional<double> threshold = {};  // a prediction above it means yes; without one, the largest of a row does
  std::string name = {};
};
// y_true and y_pred are (batch, classes).
class F1Score : public Metric {
 public:
  explicit F1Score(F1ScoreOptions options = {});
};

struct FBetaScoreOptions {
  ClassAverage average = ClassAverage::none;
  double beta = 1;  // how many times as much recall counts as precision
  std::optional<double> threshold = {};
  std::string name = {};
};
class FBetaScore : public Metric {
 public:
  explicit FBetaScore(FBetaScoreOptions options = {});
};

}  // namespace brio::nn
