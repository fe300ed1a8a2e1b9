// Shared by the loops of fit, evaluate and predict: the names of logs and the counting of steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "brio/base/error.h"
#include "brio/profile/recorder.h"
#include "brio/train/batch_source.h"
#include "brio/train/logs.h"

namespace brio::train {

// Keras shows and keeps logs in the order of their names.
inline Logs by_name(const Logs& logs, std::string_view prefix = {}) {
  std::vector<Logs::Row> rows(logs.begin(), logs.end());
  std::ranges::sort(rows, {}, &Logs::Row::first);
  Logs sorted;
  for (const auto& [name, value] : rows) sorted.set(cat(prefix, name), value);
  return sorted;
}

// Callbacks are called once for several steps that run together. As in Keras these are never cut: more steps than
// requested may run, and the number of the last one may be behind the data's end.
inline int64_t whole_executions(std::optional<int64_t> steps, int64_t at_once) {
  return steps ? (*steps + at_once - 1) / at_once * at_once : INT64_MAX;
}
inline int64_t last_step(int64_t steps, int64_t at_once) { return (steps + at_once - 1) / at_once * at_once - 1; }

// The next batch; the time of waiting for it counts as input.
inline bool next_batch(BatchSource& batches, Batch& batch, profile::FitScope& recorded) {
  recorded.input_begins();
  const struct Ends {
    profile::FitScope& recorded;
    ~Ends() { recorded.input_ends(); }
  } ends{recorded};
  return batches.next(batch);
}

}  // namespace brio::train
