// A series of numbers as windows to learn from.
#pragma once

#include <string>
#include <vector>

#include "brio/cli/table_file.h"
#include "brio/ir/tensor.h"

namespace brio::cli {

// The numbers of a column; one that is missing is the one before it. Throws Misuse.
std::vector<float> series_in(const TextTable& table, const std::string& column, std::vector<std::string>& notes);

struct SeriesWindows {
  Tensor x = {}, y = {};  // (count, window), (count, horizon)
  int64_t count = 0;
};
// All windows of the values from `begin` to `end`, each beside what follows it.
SeriesWindows windows_of(const std::vector<float>& values, size_t begin, size_t end, int64_t window, int64_t horizon);

// The mean absolute error of saying that everything stays as it is.
double last_value_error(const SeriesWindows& windows);

}  // namespace brio::cli
