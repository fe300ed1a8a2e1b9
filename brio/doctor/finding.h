// A finding: symptom → evidence → remedy → gain.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "brio/doctor/evidence.h"
#include "brio/profile/figures.h"

namespace brio::doctor {

enum class How : uint8_t { tried, computed, none };

struct Gain {
  double factor = 1, low = 1, high = 1;  // time for the same number of samples, before ÷ after
  How how = How::none;
};

// From seconds of a step, before and after: expected, worst and best.
Gain gain_of(double before, double after, double at_worst, double at_best, How how);

using Figure = std::variant<double, std::string>;

struct Finding {
  std::string id = {}, where = {};
  std::vector<std::pair<std::string, Figure>> evidence = {};
  std::string symptom = {};  // for users, with figures
  std::string remedy = {};   // the line to change
  Gain gain = {};
  double confidence = 0;
};

// A smaller gain is not reported.
inline constexpr double kWorthSaying = 0.05;

using profile::duration;
using profile::percent;
using profile::size_text;
std::string factor_text(double factor);

using Rule = std::optional<Finding> (*)(const Evidence&);

// One file for each.
std::optional<Finding> input_bound(const Evidence&);
std::optional<Finding> callback_bound(const Evidence&);
std::optional<Finding> checkpoint_bound(const Evidence&);
std::optional<Finding> evaluation_bound(const Evidence&);
std::optional<Finding> metric_bound(const Evidence&);
std::optional<Finding> tiny_batch(const Evidence&);
std::optional<Finding> eager_loop(const Evidence&);
std::optional<Finding> retracing(const Evidence&);
std::optional<Finding> shape_churn(const Evidence&);
std::optional<Finding> host_reads(const Evidence&);
std::optional<Finding> host_code(const Evidence&);
std::optional<Finding> growth(const Evidence&);
std::optional<Finding> float64(const Evidence&);
std::optional<Finding> padding_waste(const Evidence&);
std::optional<Finding> memory_pressure(const Evidence&);
std::optional<Finding> cpu_contention(const Evidence&);
std::optional<Finding> optimizer_bound(const Evidence&);
std::optional<Finding> layer_bound(const Evidence&);
std::optional<Finding> precision(const Evidence&);
std::optional<Finding> copy_bound(const Evidence&);
std::optional<Finding> launch_bound(const Evidence&);
std::optional<Finding> small_work_on_device(const Evidence&);
std::optional<Finding> slow_start(const Evidence&);

}  // namespace brio::doctor
