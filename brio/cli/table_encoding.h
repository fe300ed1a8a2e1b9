// TableEncoding: how the rows of a table become numbers for a network. It is learnt from the rows to train on, and
// goes with the model, so that other rows are read in the same way.
//
// Numbers are taken as they are; one that is missing is the median, with a column of its own that says so. Texts
// become one column for each that is common. Dates become days, and the month and weekday.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "brio/cli/table_file.h"
#include "brio/ir/tensor.h"

namespace brio::cli {

class TableEncoding {
 public:
  struct Options {
    std::string label = {};  // the last column
    std::string task = {};   // "classes" or "values"; none: as the label looks
  };
  // Adds what it did, and what it leaves out, to the notes. Throws Misuse.
  static TableEncoding learn(const TextTable& table, const Options& options, std::vector<std::string>& notes);
  static TableEncoding from_json(const nlohmann::ordered_json& json);
  nlohmann::ordered_json to_json() const;

  const std::string& label() const { return label_; }
  const std::vector<std::string>& classes() const { return classes_; }  // empty: values
  int64_t width() const;                                                // numbers of a row

  // Rows of float32. A table that lacks a column is an InvalidArgument; texts that were never met are counted.
  Tensor inputs(const TextTable& table, std::vector<std::string>& notes) const;
  // (rows, 1): numbers of classes, or values. -1 or NaN where it is missing or of no class.
  std::vector<double> labels(const TextTable& table) const;

 private:
  enum class Kind : uint8_t { number, category, date };
  struct Column {
    std::string name = {};
    Kind kind = Kind::number;
    double median = 0;                         // in place of a missing number or date
    bool marks_missing = false;                // has a column that says so
    std::vector<std::string> categories = {};  // the common ones
  };
  // What is said of all columns.
  struct Learned {
    std::vector<std::string>& notes;
    std::vector<std::string> left_out, constant;
  };
  static std::vector<std::string> learn_classes(const TextTable& table, size_t label, const Options& options);
  static std::optional<Column> learn_column(const TextTable& table, size_t i, Learned& found);  // none: left out
  static int64_t width_of(const Column& column);

  std::string label_;
  std::vector<Column> columns_;
  std::vector<std::string> classes_;
};

}  // namespace brio::cli
