#include "brio/cli/table_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "brio/base/error.h"
#include "brio/formats/compression.h"
#include "brio/formats/csv.h"
#include "brio/formats/data_error.h"

namespace brio::cli {
namespace {

constexpr int64_t kMostCells = 100'000'000;
constexpr std::string_view kDelimiters = ",;\t|";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// The character of which the first lines have the same number, above none.
char delimiter_of(std::string_view text) {
  char best = ',';
  size_t most = 0;
  for (const char candidate : kDelimiters) {
    std::set<size_t> counts;
    size_t lines = 0;
    for (std::string_view rest = text; !rest.empty() && lines < 20; ++lines) {
      const size_t end = rest.find('\n');
      if (end == std::string_view::npos && lines > 0) break;  // perhaps not whole
      const std::string_view line = rest.substr(0, end);
      bool quoted = false;
      size_t count = 0;
      for (const char c : line) {
        quoted ^= c == '"';
        count += c == candidate && !quoted ? 1 : 0;
      }
      counts.insert(count);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    if (counts.size() == 1 && *counts.begin() > most) {
      most = *counts.begin();
      best = candidate;
    }
  }
  return best;
}

// Names, where none of them is a number, and where they differ from what is below them.
bool looks_like_header(const std::vector<std::vector<std::string>>& rows) {
  const std::vector<std::string>& first = rows[0];
  for (const std::string& cell : first)
    if (cell.empty() || number_in(cell) || is_missing(cell)) return false;
  const bool distinct = std::set<std::string>(first.begin(), first.end()).size() == first.size();
  for (size_t column = 0; column < first.size(); ++column) {
    size_t numbers = 0, texts = 0;
    bool again = false;
    for (size_t row = 1; row < rows.size(); ++row) {
      const std::string& cell = rows[row][column];
      if (is_missing(cell)) continue;
      ++(number_in(cell) ? numbers : texts);
      again |= cell == first[column];
    }
    if (numbers > 0 && texts == 0) return true;
    if (again) return false;
  }
  return distinct;
}

// Columns of one name: the later ones get a number.
void tell_apart(std::vector<std::string>& names, std::vector<std::string>& notes) {
  std::set<std::string> taken(names.begin(), names.end()), seen;
  for (std::string& name : names) {
    if (seen.insert(name).second) continue;
    std::string own;
    for (int number = 2; own.empty() || taken.contains(own); ++number) own = cat(name, "_", number);
    notes.push_back(cat("more than one column is called ", name, ": the next one is ", own, " from now on"));
    taken.insert(own);
    seen.insert(own);
    name = own;
  }
}

// Where fields are not parted by commas, "2,5" is a number in much of the world.
void take_decimal_commas(TextTable& table) {
  for (size_t column = 0; column < table.columns.size(); ++column) {
    std::vector<std::string>& cells = table.columns[column];
    const auto with_point = [](std::string cell) {
      if (const size_t comma = cell.find(','); comma != std::string::npos) cell[comma] = '.';
      return cell;
    };
    bool any = false;
    const bool all = std::ranges::all_of(cells, [&](const std::string& cell) {
      if (is_missing(cell) || number_in(cell)) return true;
      any = true;
      return cell.find('.') == std::string::npos && number_in(with_point(cell)).has_value();
    });
    if (!any || !all) continue;
    for (std::string& cell : cells) cell = with_point(cell);
    table.notes.push_back(cat("column ", table.names[column], ": its commas are taken for decimal points"));
  }
}

// scikit-learn's files begin with the numbers of rows and of columns, and the names of the classes.
bool counts_rows(const std::vector<std::string>& first, size_t rows, size_t columns) {
  return first.size() >= 2 && first[0] == std::to_string(rows) && first[1] == std::to_string(columns);
}

// Those names in place of the numbers of the last column, where they fit.
void name_classes(const std::vector<std::string>& names, std::vector<std::vector<std::string>>& rows,
                  std::vector<std::string>& notes) {
  const auto place = [&](const std::string& cell) {
    for (size_t i = 0; i < names.size(); ++i)
      if (cell == std::to_string(i)) return i;
    return names.size();
  };
  for (const auto& row : rows)
    if (place(row.back()) == names.size()) return;
  for (auto& row : rows) row.back() = names[place(row.back())];
  std::string all;
  for (const std::string& name : names) all += cat(all.empty() ? "" : ", ", name);
  notes.push_back(cat("the classes are called as the first row says: ", all));
}

}  // namespace

bool is_missing(std::string_view text) {
  static constexpr std::string_view kMissing[] = {"",     "NA",   "N/A",  "na",   "n/a",      "NaN",      "nan",
                                                  "null", "NULL", "None", "none", "?",        "-",        ".",
                                                  "inf",  "-inf", "Inf",  "-Inf", "Infinity", "-Infinity"};
  return std::ranges::find(kMissing, text) != std::end(kMissing);
}

std::optional<double> number_in(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

size_t TextTable::find(const std::string& name) const {
  return static_cast<size_t>(std::ranges::find(names, name) - names.begin());
}

TextTable read_table_file(const std::string& path, const TableFileOptions& options) {
  const formats::InputFile file(path);
  char first[2] = {};
  const size_t known = file.read_some(0, first, sizeof first);
  const formats::Compression compression = formats::guess_compression({first, known});
  formats::InputStream look(file, compression);
  std::string begin(64 << 10, '\0');
  begin.resize(look.read_some(begin.data(), begin.size()));
  if (begin.find('\0') != std::string::npos)
    throw InvalidArgument(cat(path, " is no table: it holds bytes that are no text"));
  if (begin.starts_with("\xef\xbb\xbf")) begin.erase(0, 3);

  TextTable table;
  table.path = path;
  const char delimiter = options.delimiter ? options.delimiter : delimiter_of(begin);
  formats::InputStream stream(file, compression);
  formats::CsvRows rows([&](void* to, size_t bytes) { return stream.read_some(to, bytes); }, {path},
                        {.field_delim = delimiter});
  std::vector<std::string> preamble;
  std::vector<std::vector<std::string>> cells;  // row by row, until it is known what the first one is
  while (rows.next()) {
    // An empty line; in a table of one column, a cell that is missing.
    const bool empty = rows.fields() == 1 && trimmed(rows.field(0)).empty();
    if (empty && (cells.empty() || cells[0].size() != 1)) continue;
    std::vector<std::string> row;
    for (size_t i = 0; i < rows.fields(); ++i) row.emplace_back(trimmed(rows.field(i)));
    if (cells.size() == 1 && row.size() != cells[0].size()) {
      preamble = std::move(cells[0]);
      table.notes.push_back(
          cat("the first row has ", preamble.size(), " fields and those below it ", row.size(), ": it is left out"));
      cells.clear();
    }
    if (!cells.empty() && row.size() != cells[0].size())
      rows.fail_row(cat("it has ", row.size(), " fields, but the first row has ", cells[0].size()));
    cells.push_back(std::move(row));
    if (static_cast<int64_t>(cells.size() * cells[0].size()) > kMostCells)
      throw InvalidArgument(
          cat(path, " has more than ", kMostCells,
              " cells; brio fit reads a table into memory: write a program over data::csv_dataset"));
  }
  while (!cells.empty() && cells.back().size() == 1 && cells.back()[0].empty()) cells.pop_back();
  if (cells.empty()) throw InvalidArgument(cat(path, " has no rows"));
  if (preamble.empty() && counts_rows(cells[0], cells.size() - 1, cells[0].size() - 1)) {
    preamble = std::move(cells[0]);
    table.notes.push_back(
        "the first row tells the numbers of rows and columns, as scikit-learn writes it: it is left out");
    cells.erase(cells.begin());
  }
  if (preamble.size() > 2 && counts_rows(preamble, cells.size(), cells[0].size() - 1))
    name_classes({preamble.begin() + 2, preamble.end()}, cells, table.notes);
  if (cells[0][0].starts_with("\xef\xbb\xbf")) cells[0][0].erase(0, 3);

  table.had_header = options.header.value_or(looks_like_header(cells));
  for (size_t column = 0; column < cells[0].size(); ++column)
    table.names.push_back(table.had_header ? cells[0][column] : cat("column", column + 1));
  if (table.had_header) tell_apart(table.names, table.notes);
  table.columns.resize(cells[0].size());
  for (size_t row = table.had_header ? 1 : 0; row < cells.size(); ++row)
    for (size_t column = 0; column < table.columns.size(); ++column)
      table.columns[column].push_back(std::move(cells[row][column]));
  if (!options.header && !table.had_header)
    table.notes.push_back(
        "the first row holds values, not names: columns are called column1, column2, … (--header "
        "says otherwise)");
  if (!options.delimiter && delimiter != ',')
    table.notes.push_back(
        cat("fields are parted by ", delimiter == '\t' ? "tabs" : cat("'", std::string(1, delimiter), "'")));
  if (table.rows() == 0) throw InvalidArgument(cat(path, " has names of columns, but no rows"));
  if (delimiter != ',') take_decimal_commas(table);
  return table;
}

}  // namespace brio::cli
