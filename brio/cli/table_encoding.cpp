#include "brio/cli/table_encoding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"

namespace brio::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostCategories = 50;
constexpr size_t kMostWholeClasses = 20;  // whole numbers of more kinds than this are values
constexpr size_t kMostClasses = 1000;
constexpr double kMostlyNumbers = 0.95;  // so many of a column's cells make it one of numbers

// "2014-07-01 12:30:00": days since 1970.
std::optional<double> date_in(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const std::string copy(text);
  int used = 0;
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &used) != 3 || used < 8) return {};
  if (month < 1 || month > 12 || day < 1 || day > 31) return {};
  const std::string rest = copy.substr(static_cast<size_t>(used));
  if (!rest.empty() && (rest[0] == ' ' || rest[0] == 'T')) {
    if (std::sscanf(rest.c_str() + 1, "%2d:%2d:%2d", &hour, &minute, &second) < 2) return {};
  } else if (!rest.empty()) {
    return {};
  }
  const int64_t y = year - (month <= 2 ? 1 : 0), era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
  return static_cast<double>(days) + (hour * 3600 + minute * 60 + second) / 86400.0;
}
int month_of(std::string_view text) { return std::atoi(std::string(text.substr(5, 2)).c_str()); }

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  return values[middle];
}

std::string listed(const std::vector<std::string>& names, size_t most = 8) {
  std::string text;
  for (size_t i = 0; i < std::min(most, names.size()); ++i) text += cat(i > 0 ? ", " : "", names[i]);
  return names.size() > most ? cat(text, ", … (", names.size(), ")") : text;
}

}  // namespace

int64_t TableEncoding::width_of(const Column& column) {
  const int64_t mark = column.marks_missing ? 1 : 0;
  switch (column.kind) {
    case Kind::number: return 1 + mark;
    case Kind::date: return 3 + mark;
    case Kind::category: return static_cast<int64_t>(column.categories.size()) + 1;
  }
  return 0;
}

int64_t TableEncoding::width() const {
  int64_t width = 0;
  for (const Column& column : columns_) width += width_of(column);
  return width;
}

// The classes of the label, or none where it holds values.
std::vector<std::string> TableEncoding::learn_classes(const TextTable& table, size_t label, const Options& options) {
  const std::string& name = table.names[label];
  std::map<std::string, int64_t> kinds;
  bool numbers = true, whole = true;
  for (const std::string& cell : table.columns[label]) {
    if (is_missing(cell)) continue;
    const std::optional<double> value = number_in(cell);
    numbers &= value.has_value();
    whole &= value && std::floor(*value) == *value;
    ++kinds[cell];
  }
  if (kinds.empty()) throw Misuse(cat("the column ", name, " of ", table.path, " holds nothing"));
  const bool classes =
      options.task.empty() ? !numbers || (whole && kinds.size() <= kMostWholeClasses) : options.task == "classes";
  if (!classes && !numbers)
    throw Misuse(cat("--task is values, but the column ", name, " of ", table.path, " holds text"));
  if (!classes) return {};
  std::vector<std::string> all;
  if (kinds.size() > kMostClasses)
    throw Misuse(cat("the column ", name, " of ", table.path, " holds ", kinds.size(),
                     " different texts; brio fit takes up to ", kMostClasses, " classes. Is --label right?"));
  if (kinds.size() < 2)
    throw Misuse(cat("the column ", name, " of ", table.path, " holds one class alone, ", kinds.begin()->first,
                     "; there is nothing to tell apart"));
  for (const auto& [kind, count] : kinds) all.push_back(kind);
  if (numbers) std::ranges::sort(all, {}, [](const std::string& kind) { return *number_in(kind); });
  return all;
}

std::optional<TableEncoding::Column> TableEncoding::learn_column(const TextTable& table, size_t i, Learned& found) {
  Column column{.name = table.names[i]};
  size_t missing = 0, dates = 0, texts = 0;
  std::vector<double> values;
  std::map<std::string, size_t> counts;
  for (const std::string& cell : table.columns[i]) {
    if (is_missing(cell)) {
      ++missing;
      continue;
    }
    ++counts[cell];
    if (const auto value = number_in(cell)) values.push_back(*value);
    else if (date_in(cell)) ++dates;
    else ++texts;
  }
  const size_t given = values.size() + dates + texts;
  // Here and there something else: a number that was written wrong, or a word for "not known".
  if (values.size() < given && static_cast<double>(values.size()) >= kMostlyNumbers * static_cast<double>(given)) {
    std::string example;
    for (const auto& [cell, count] : counts)
      if (!number_in(cell)) example = cell;
    found.notes.push_back(cat("column ", column.name, ": ", given - values.size(), " of ", table.rows(),
                              " cells are no numbers, such as '", example, "'; they count as missing"));
    missing += given - values.size();
    dates = texts = 0;
  }
  const size_t known = values.size() + dates + texts;
  if (given == 0 || (counts.size() == 1 && missing == 0)) {
    found.constant.push_back(column.name);
    return {};
  }
  column.marks_missing = missing > 0;
  if (values.size() == known) {
    column.median = median_of(values);
    if (missing > 0)
      found.notes.push_back(cat("column ", column.name, ": ", missing, " of ", table.rows(),
                                " cells are missing; they count as the median, ", column.median,
                                ", and a column of its own marks them"));
  } else if (dates == known) {
    column.kind = Kind::date;
    std::vector<double> days;
    for (const auto& [cell, count] : counts) days.push_back(*date_in(cell));
    column.median = median_of(days);
    found.notes.push_back(cat("column ", column.name, ": dates, as days, months and days of the week"));
  } else {
    if (counts.size() > kMostCategories && counts.size() * 2 > given) {
      found.left_out.push_back(cat(column.name, " (", counts.size(), " different texts in ", given, " rows)"));
      return {};
    }
    column.kind = Kind::category;
    std::vector<std::pair<size_t, std::string>> common;
    for (const auto& [cell, count] : counts) common.emplace_back(count, cell);
    std::ranges::stable_sort(common, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (size_t k = 0; k < std::min(common.size(), kMostCategories); ++k)
      column.categories.push_back(common[k].second);
    found.notes.push_back(
        cat("column ", column.name, ": categories ", listed(column.categories),
            missing > 0 ? cat("; ", missing, " cells are missing, which is a category too") : std::string(),
            common.size() > kMostCategories ? cat("; ", common.size() - kMostCategories, " rarer ones count as one")
                                            : std::string()));
  }
  return column;
}

TableEncoding TableEncoding::learn(const TextTable& table, const Options& options, std::vector<std::string>& notes) {
  if (table.names.size() < 2)
    throw Misuse(cat(table.path, " has one column, so there is nothing to predict it from"));
  TableEncoding encoding;
  encoding.label_ = options.label.empty() ? table.names.back() : options.label;
  const size_t label = table.find(encoding.label_);
  if (label == table.names.size())
    throw Misuse(
        cat("--label is ", encoding.label_, "; the columns of ", table.path, " are ", listed(table.names, 40)));
  if (std::ranges::count(table.names, encoding.label_) > 1)
    throw Misuse(cat(table.path, " has two columns named ", encoding.label_, "; name them apart"));

  encoding.classes_ = learn_classes(table, label, options);

  Learned found{notes, {}, {}};
  for (size_t i = 0; i < table.names.size(); ++i) {
    if (i == label) continue;
    if (auto column = learn_column(table, i, found)) encoding.columns_.push_back(std::move(*column));
  }
  if (!found.constant.empty()) notes.push_back(cat("left out, as they never change: ", listed(found.constant)));
  if (!found.left_out.empty())
    notes.push_back(cat("left out, as nearly every row has a text of its own: ", listed(found.left_out)));
  if (encoding.columns_.empty())
    throw Misuse(cat(table.path, " has no column that could tell ", encoding.label_,
                     notes.empty() ? std::string() : cat(": ", notes.back())));
  return encoding;
}

Tensor TableEncoding::inputs(const TextTable& table, std::vector<std::string>& notes) const {
  const int64_t rows = table.rows(), wide = width();
  Tensor result(Array::allocate({Shape{rows, wide}, f32}, Owner::input));
  float* to = result.impl()->array.as<float>();
  std::fill_n(to, rows * wide, 0.0F);
  int64_t at = 0;
  for (const Column& column : columns_) {
    const size_t found = table.find(column.name);
    if (found == table.names.size())
      throw InvalidArgument(cat(table.path, " has no column ", column.name,
                                ", which the model was trained with; it has ", listed(table.names, 40)));
    int64_t unknown = 0;
    std::string example;
    for (int64_t row = 0; row < rows; ++row) {
      const std::string& cell = table.columns[found][static_cast<size_t>(row)];
      float* cells = to + row * wide + at;
      const bool missing = is_missing(cell);
      if (column.kind == Kind::category) {
        const auto same = std::ranges::find(column.categories, cell);
        cells[same - column.categories.begin()] = 1;  // behind the last: all others
        if (same == column.categories.end() && !missing && unknown++ == 0) example = cell;
        continue;
      }
      const std::optional<double> value = column.kind == Kind::number ? number_in(cell) : date_in(cell);
      if (!value && !missing && unknown++ == 0) example = cell;
      cells[0] = static_cast<float>(value.value_or(column.median));
      if (column.kind == Kind::date && value) {
        cells[1] = static_cast<float>(month_of(cell));
        cells[2] = static_cast<float>(static_cast<int64_t>(std::floor(*value) + 4) % 7);
      }
      if (column.marks_missing && !value) cells[width_of(column) - 1] = 1;
    }
    if (unknown > 0)
      notes.push_back(cat("column ", column.name, ": ", unknown,
                          " cells hold what was not met in training, such as '", example, "'; they count as ",
                          column.kind == Kind::category ? "another category" : "missing"));
    at += width_of(column);
  }
  return result;
}

std::vector<double> TableEncoding::labels(const TextTable& table) const {
  const size_t found = table.find(label_);
  if (found == table.names.size())
    throw InvalidArgument(cat(table.path, " has no column ", label_, ", which is to be predicted"));
  std::vector<double> labels;
  for (const std::string& cell : table.columns[found]) {
    if (classes_.empty()) {
      labels.push_back(number_in(cell).value_or(std::numeric_limits<double>::quiet_NaN()));
    } else {
      const auto same = std::ranges::find(classes_, cell);
      labels.push_back(same == classes_.end() ? std::numeric_limits<double>::quiet_NaN()
                                              : static_cast<double>(same - classes_.begin()));
    }
  }
  return labels;
}

Json TableEncoding::to_json() const {
  static constexpr const char* kKinds[] = {"number", "category", "date"};
  Json columns = Json::array();
  for (const Column& column : columns_)
    columns.push_back({{"name", column.name},
                       {"kind", kKinds[static_cast<size_t>(column.kind)]},
                       {"median", column.median},
                       {"marks_missing", column.marks_missing},
                       {"categories", column.categories}});
  return {{"label", label_}, {"classes", classes_}, {"columns", columns}};
}

TableEncoding TableEncoding::from_json(const Json& json) {
  TableEncoding encoding;
  encoding.label_ = json.at("label").get<std::string>();
  encoding.classes_ = json.at("classes").get<std::vector<std::string>>();
  for (const Json& each : json.at("columns")) {
    const auto kind = each.at("kind").get<std::string>();
    encoding.columns_.push_back({.name = each.at("name").get<std::string>(),
                                 .kind = kind == "number" ? Kind::number
                                         : kind == "date" ? Kind::date
                                                          : Kind::category,
                                 .median = each.at("median").get<double>(),
                                 .marks_missing = each.at("marks_missing").get<bool>(),
                                 .categories = each.at("categories").get<std::vector<std::string>>()});
  }
  return encoding;
}

}  // namespace brio::cli
