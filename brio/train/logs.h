// Logs: named numbers of an epoch or an evaluation. History: those of every epoch of a run.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brio/train/batch_size.h"
#include "brio/train/step_memory.h"

namespace brio::train {

class Logs {
 public:
  using Row = std::pair<std::string, double>;

  void set(std::string_view name, double value);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  double operator[](std::string_view name) const;  // throws InvalidArgument for an unknown name
  double operator[](size_t i) const { return rows_[i].second; }
  size_t size() const { return rows_.size(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

 private:
  const Row* find(std::string_view name) const;
  std::vector<Row> rows_;
};
std::ostream& operator<<(std::ostream& out, const Logs& logs);  // "loss: 0.6931 - accuracy: 0.5000"

struct History {
  std::vector<int64_t> epoch;  // numbers of the epochs, from 0
  using Column = std::pair<std::string, std::vector<double>>;
  std::vector<Column> columns;
  std::optional<BatchChoice> batch_choice;  // for batch_size = "auto"
  std::optional<StepMemory> step_memory;    // of the first step, as it was planned; none: its plan existed already
  int stopped_by = 0;                       // the signal that ended training early

  void append(int64_t number, const Logs& logs);
  bool has(std::string_view name) const;
  const std::vector<double>& operator[](std::string_view name) const;  // throws InvalidArgument
};

// A number as the progress bar shows it: four digits after the point; small ones with an exponent.
std::string shown_number(double value);

}  // namespace brio::train
