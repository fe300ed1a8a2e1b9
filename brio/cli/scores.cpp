#include "brio/cli/scores.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "brio/base/error.h"

namespace brio::cli {
namespace {

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f%%", 100 * share);
  return text;
}

}  // namespace

Scores score(const std::vector<std::string>& classes, const std::vector<std::vector<float>>& predictions,
             const std::vector<double>& truth) {
  Scores scores{.classes = classes, .samples = static_cast<int64_t>(truth.size())};
  const auto n = static_cast<double>(truth.size());
  if (!classes.empty()) {
    scores.confusion.assign(classes.size(), std::vector<int64_t>(classes.size()));
    int64_t right = 0;
    for (size_t i = 0; i < truth.size(); ++i) {
      const auto is = static_cast<size_t>(truth[i]);
      const auto said = static_cast<size_t>(std::ranges::max_element(predictions[i]) - predictions[i].begin());
      ++scores.confusion[is][said];
      right += is == said ? 1 : 0;
    }
    scores.accuracy = static_cast<double>(right) / n;
    return scores;
  }
  double sum = 0, squares = 0, absolute = 0, spread = 0;
  for (const double value : truth) sum += value;
  for (size_t i = 0; i < truth.size(); ++i) {
    const double error = static_cast<double>(predictions[i][0]) - truth[i];
    absolute += std::abs(error);
    squares += error * error;
    spread += (truth[i] - sum / n) * (truth[i] - sum / n);
  }
  scores.mae = absolute / n;
  scores.rmse = std::sqrt(squares / n);
  scores.r2 = spread > 0 ? 1 - squares / spread : 0;
  return scores;
}

nlohmann::ordered_json Scores::to_json() const {
  if (classes.empty()) return {{"samples", samples}, {"mae", mae}, {"rmse", rmse}, {"r2", r2}};
  return {{"samples", samples}, {"accuracy", accuracy}, {"classes", classes}, {"confusion", confusion}};
}

std::string Scores::str() const {
  if (classes.empty())
    return cat(samples, " samples: mean absolute error ", mae, ", root of the mean square ", rmse, ", R² ", r2, "\n");
  std::string text = cat(samples, " samples: ", percent(accuracy), " right\n");
  size_t widest = 5;
  for (const std::string& name : classes) widest = std::max(widest, name.size());
  for (size_t i = 0; i < classes.size(); ++i) {
    int64_t all = 0, most = 0;
    size_t other = i;
    for (size_t k = 0; k < classes.size(); ++k) {
      all += confusion[i][k];
      if (k != i && confusion[i][k] > most) {
        most = confusion[i][k];
        other = k;
      }
    }
    if (all == 0) continue;
    text += cat("  ", classes[i], std::string(widest + 2 - classes[i].size(), ' '), confusion[i][i], " of ", all);
    if (other != i) text += cat("; ", most, " taken for ", classes[other]);
    text += "\n";
  }
  return text;
}

}  // namespace brio::cli
