// A CSV file as columns of text, plain or .gz: which character parts the fields and whether the first row holds names
// is told by the rows themselves, unless the user says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace brio::cli {

struct TableFileOptions {
  std::optional<bool> header = {};
  char delimiter = 0;  // 0: what parts the first rows best
};

struct TextTable {
  std::string path = {};
  std::vector<std::string> names = {};
  std::vector<std::vector<std::string>> columns = {};  // of equal length
  bool had_header = true;
  std::vector<std::string> notes = {};  // what was guessed, a line each

  int64_t rows() const { return columns.empty() ? 0 : static_cast<int64_t>(columns[0].size()); }
  size_t find(const std::string& name) const;  // names.size(): there is none
};

// Throws formats::DataError, for a row of another number of fields too, and InvalidArgument.
TextTable read_table_file(const std::string& path, const TableFileOptions& options = {});

// Is the text one that stands for "not known"?
bool is_missing(std::string_view text);
std::optional<double> number_in(std::string_view text);  // finite ones

}  // namespace brio::cli
