// Series: a column of a table in the order of its rows, of which the next values are to be told from the last ones.
#include <algorithm>
#include <cmath>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/job.h"
#include "brio/cli/series.h"

namespace brio::cli {

std::vector<float> series_in(const TextTable& table, const std::string& column, std::vector<std::string>& notes) {
  const size_t found = table.find(column);
  if (found == table.names.size()) throw Misuse(cat("there is no column ", column, " in ", table.path));
  std::vector<float> values;
  int64_t missing = 0;
  for (const std::string& cell : table.columns[found]) {
    const std::optional<double> value = number_in(cell);
    if (!value && !is_missing(cell))
      throw Misuse(cat("row ", values.size() + 1, " of the column ", column, " of ", table.path, " holds '", cell,
                       "', which is no number"));
    if (!value) ++missing;
    values.push_back(value ? static_cast<float>(*value) : values.empty() ? 0 : values.back());
  }
  if (missing > 0)
    notes.push_back(cat("column ", column, ": ", missing, " cells are missing; they count as the value before"));
  return values;
}

SeriesWindows windows_of(const std::vector<float>& values, size_t begin, size_t end, int64_t window,
                         int64_t horizon) {
  const auto w = static_cast<size_t>(window), h = static_cast<size_t>(horizon);
  SeriesWindows made;
  std::vector<float> x, y;
  for (size_t at = begin; at + w + h <= end; ++at, ++made.count) {
    x.insert(x.end(), values.begin() + static_cast<std::ptrdiff_t>(at),
             values.begin() + static_cast<std::ptrdiff_t>(at + w));
    y.insert(y.end(), values.begin() + static_cast<std::ptrdiff_t>(at + w),
             values.begin() + static_cast<std::ptrdiff_t>(at + w + h));
  }
  if (made.count == 0) return made;
  made.x = Tensor::from(x, {made.count, window});
  made.y = Tensor::from(y, {made.count, horizon});
  return made;
}

double last_value_error(const SeriesWindows& windows) {
  const int64_t window = windows.x.shape()[1], horizon = windows.y.shape()[1];
  const float *x = windows.x.array().as<float>(), *y = windows.y.array().as<float>();
  double sum = 0;
  for (int64_t i = 0; i < windows.count; ++i)
    for (int64_t k = 0; k < horizon; ++k)
      sum += std::abs(static_cast<double>(y[i * horizon + k]) - static_cast<double>(x[i * window + window - 1]));
  return sum / static_cast<double>(windows.count * horizon);
}

Job series_job(const TextTable& table, const JobOptions& options) {
  Job job{.kind = "series", .warnings = table.notes};
  const std::vector<float> values = series_in(table, options.forecast, job.warnings);
  const auto needed = static_cast<size_t>(options.window + options.horizon);
  const size_t first = values.size() - values.size() / 5;  // the last fifth is the future
  if (first < 2 * needed || values.size() - first < 1)
    throw Misuse(cat(table.path, " has ", values.size(), " rows; a window of ", options.window, " and a horizon of ",
                     options.horizon, " need ", 3 * needed, " at least"));
  const SeriesWindows to_train = windows_of(values, 0, first, options.window, options.horizon);
  // What is held out begins where training ends: its windows look back, its targets do not.
  const SeriesWindows to_check =
      windows_of(values, first - static_cast<size_t>(options.window), values.size(), options.window, options.horizon);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < first; ++i) sum += static_cast<double>(values[i]);
  job.mean = sum / static_cast<double>(first);
  for (size_t i = 0; i < first; ++i) squares += std::pow(static_cast<double>(values[i]) - job.mean, 2);
  job.scale = std::sqrt(squares / static_cast<double>(first));
  if (!(job.scale > 0)) throw Misuse(cat("the column ", options.forecast, " of ", table.path, " never changes"));
  job.baseline = last_value_error(to_check);
  job.shape = {options.window};
  job.outputs = options.horizon;
  job.input = {
      {"kind", "series"}, {"column", options.forecast}, {"window", options.window}, {"horizon", options.horizon}};
  job.found = {cat("a series of ", values.size(), " values in the column ", options.forecast, " (mean ", job.mean,
                   ", deviation ", job.scale, ")"),
               cat("to forecast: ", options.horizon, " values from the last ", options.window),
               cat("parts: ", to_train.count, " windows to train, ", to_check.count,
                   " of the last fifth of time to validate; taking the last value for each is off by ", job.baseline,
                   " there (mean absolute error)")};
  job.train = {data::from_tensor_slices({to_train.x, to_train.y})
                   .shuffle(data::kAutotune, {.seed = options.seed})
                   .batch(options.batch),
               to_train.count};
  job.validation = {data::from_tensor_slices({to_check.x, to_check.y}).batch(options.batch), to_check.count};
  return job;
}

}  // namespace brio::cli
