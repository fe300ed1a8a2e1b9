// Metrics of yes and no: counts, precision and recall at thresholds, and the best of one where the other is given.
//
//   nn::Metric recall = nn::Recall({.thresholds = {0.3, 0.7}});     // result() has a number for each
//   nn::Metric found = nn::RecallAtPrecision({.precision = 0.9});
#pragma once

#include <limits>
#include <optional>

#include "brio/nn/metrics/metric.h"

namespace brio::nn {

struct CountOptions {
  std::vector<double> thresholds = {};  // in [0, 1]; empty: 0.5. A prediction above one means "positive"
  std::string name = {};
};
class TruePositives : public Metric {
 public:
  explicit TruePositives(CountOptions options = {});
};
class TrueNegatives : public Metric {
 public:
  explicit TrueNegatives(CountOptions options = {});
};
class FalsePositives : public Metric {
 public:
  explicit FalsePositives(CountOptions options = {});
};
class FalseNegatives : public Metric {
 public:
  explicit FalseNegatives(CountOptions options = {});
};

struct PrecisionOptions {
  std::vector<double> thresholds = {};
  std::optional<int64_t> top_k = {};  // the k largest of the last axis are positive, unless thresholds say otherwise
  std::optional<int64_t> class_id = {};  // only this class counts
  std::string name = {};
};
class Precision : public Metric {
 public:
  explicit Precision(PrecisionOptions options = {});
};
class Recall : public Metric {
 public:
  explicit Recall(PrecisionOptions options = {});
};

// The first option of each of these must be given, and lie in [0, 1].
struct SensitivityAtSpecificityOptions {
  double specificity = std::numeric_limits<double>::quiet_NaN();
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};
  std::string name = {};
};
class SensitivityAtSpecificity : public Metric {
 public:
  explicit SensitivityAtSpecificity(SensitivityAtSpecificityOptions options);
};
struct SpecificityAtSensitivityOptions {
  double sensitivity = std::numeric_limits<double>::quiet_NaN();
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};
  std::string name = {};
};
class SpecificityAtSensitivity : public Metric {
 public:
  explicit SpecificityAtSensitivity(SpecificityAtSensitivityOptions options);
};
struct PrecisionAtRecallOptions {
  double recall = std::numeric_limits<double>::quiet_NaN();
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};
  std::string name = {};
};
class PrecisionAtRecall : public Metric {
 public:
  explicit PrecisionAtRecall(PrecisionAtRecallOptions options);
};
struct RecallAtPrecisionOptions {
  double precision = std::numeric_limits<double>::quiet_NaN();
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};
  std::string name = {};
};
class RecallAtPrecision : public Metric {
 public:
  explicit RecallAtPrecision(RecallAtPrecisionOptions options);
};

enum class Curve : uint8_t { roc, pr, pr_gain };
constexpr auto value_names(Curve) {
  return std::to_array<ValueName<Curve>>({{"ROC", Curve::roc}, {"PR", Curve::pr}, {"PRGAIN", Curve::pr_gain}});
}
enum class SummationMethod : uint8_t { interpolation, minoring, majoring };
constexpr auto value_names(SummationMethod) {
  return std::to_array<ValueName<SummationMethod>>({{"interpolation", SummationMethod::interpolation},
                                                    {"minoring", SummationMethod::minoring},
                                                    {"majoring", SummationMethod::majoring}});
}
struct AUCOptions {
  int64_t num_thresholds = 200;
  Curve curve = Curve::roc;
  SummationMethod summation_method = SummationMethod::interpolation;
  std::vector<double> thresholds = {};  // besides 0 and 1, instead of num_thresholds
  bool multi_label = false;             // the mean of the areas of the columns of (batch, labels)
  std::optional<int64_t> num_labels = {};
  std::vector<double> label_weights = {};
  bool from_logits = false;
  std::string name = {};
};
// The area under a curve: of the true over the false positive rate, or of precision over recall.
class AUC : public Metric {
 public:
  explicit AUC(AUCOptions options = {});
};

}  // namespace brio::nn
