// Tables: rows of numbers, categories and dates, of which one column is to be predicted.
#include <algorithm>
#include <cmath>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/job.h"
#include "brio/cli/table_encoding.h"

namespace brio::cli {
namespace {

// These rows of a table.
TextTable rows_of(const TextTable& table, const std::vector<size_t>& rows) {
  TextTable part{.path = table.path, .names = table.names, .had_header = table.had_header};
  part.columns.resize(table.columns.size());
  for (size_t column = 0; column < table.columns.size(); ++column)
    for (const size_t row : rows) part.columns[column].push_back(table.columns[column][row]);
  return part;
}

Tensor labels_of(const TableEncoding& encoding, const TextTable& table) {
  const std::vector<double> labels = encoding.labels(table);
  const Shape shape{static_cast<int64_t>(labels.size()), 1};
  if (encoding.classes().empty()) return Tensor::from(std::vector<float>(labels.begin(), labels.end()), shape);
  return Tensor::from(std::vector<int32_t>(labels.begin(), labels.end()), shape);
}

}  // namespace

Job table_job(TextTable table, const JobOptions& options) {
  Job job{.kind = "table", .warnings = table.notes};
  std::vector<std::string> notes;
  const TableEncoding encoding = TableEncoding::learn(table, {.label = options.label, .task = options.task}, notes);
  const std::vector<double> labels = encoding.labels(table);
  std::vector<size_t> known;
  for (size_t i = 0; i < labels.size(); ++i)
    if (!std::isnan(labels[i])) known.push_back(i);
  if (known.size() < labels.size()) {
    job.warnings.push_back(cat(labels.size() - known.size(), " of ", labels.size(), " rows have no ",
                               encoding.label(), ", and are left out"));
    table = rows_of(table, known);
  }
  if (table.rows() < 2) throw Misuse(cat(table.path, " has one row; there is nothing to learn from it"));
  const auto [first, last] = held_out(static_cast<size_t>(table.rows()), options.seed);
  const TextTable to_train = rows_of(table, first), to_check = rows_of(table, last);
  std::vector<std::string> ignored;
  job.x = encoding.inputs(to_train, ignored);
  job.y = labels_of(encoding, to_train);
  job.classes = encoding.classes();
  job.shape = {encoding.width()};
  job.input = encoding.to_json();
  job.input["kind"] = "table";
  for (const std::string& note : notes) job.warnings.push_back(note);

  job.found.push_back(cat("a table of ", table.rows(), " rows and ", table.names.size(), " columns",
                          table.had_header ? ", with their names" : "", "; ", encoding.width(),
                          " numbers a row go in"));
  if (job.classes.empty()) {
    const std::vector<double> values = encoding.labels(to_train);
    double sum = 0, squares = 0;
    for (const double value : values) sum += value;
    job.mean = sum / static_cast<double>(values.size());
    for (const double value : values) squares += (value - job.mean) * (value - job.mean);
    job.scale = std::sqrt(squares / static_cast<double>(values.size()));
    if (!(job.scale > 0)) throw Misuse(cat("the column ", encoding.label(), " of ", table.path, " never changes"));
    job.found.push_back(cat("to predict: ", encoding.label(), ", a value (mean ", job.mean, ", deviation ", job.scale,
                            "; --task classes says otherwise)"));
  } else {
    std::vector<int64_t> counts(job.classes.size());
    for (const double label : encoding.labels(table)) ++counts[static_cast<size_t>(label)];
    job.found.push_back(cat("to predict: ", encoding.label(), ", one of ", counted(job.classes, counts)));
  }
  job.found.push_back(
      cat("parts: ", to_train.rows(), " rows to train, ", to_check.rows(), " held out to validate (a fifth)"));
  job.train = {
      data::from_tensor_slices({job.x, job.y}).shuffle(data::kAutotune, {.seed = options.seed}).batch(options.batch),
      to_train.rows()};
  job.validation = {data::from_tensor_slices({encoding.inputs(to_check, ignored), labels_of(encoding, to_check)})
                        .batch(options.batch),
                    to_check.rows()};
  return job;
}

}  // namespace brio::cli
