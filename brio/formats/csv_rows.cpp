// Where rows and fields of a CSV file begin and end.
#include <algorithm>
#include <cstring>
#include <utility>

#include "brio/formats/csv.h"

namespace brio::formats {

CsvRows::CsvRows(ReadSome source, const Origin& origin, const CsvOptions& options)
    : origin_(origin), options_(options), buffer_(std::move(source), options.longest_row) {
  for (const char c : {options.field_delim, '\n', '\r'}) special_[static_cast<unsigned char>(c)] = true;
  if (options.use_quote_delim) special_[static_cast<unsigned char>('"')] = true;
  if (options.field_delim == '"' || options.field_delim == '\n' || options.field_delim == '\r')
    throw InvalidArgument("[csv] field_delim is a quote or ends a line; choose another character, such as ','");
  if (options.longest_row < 2) throw InvalidArgument("[csv] longest_row is less than 2 bytes");
  if (options.header && next())
    for (const std::string_view name : fields_) names_.emplace_back(name);
}

void CsvRows::fail(size_t field, std::string_view why) const {
  const bool known = field < names_.size();
  const uint64_t at = field < raw_.size() ? raw_[field].begin : 0;
  throw DataError(
      origin_, row_at_ + at,
      cat("line ", row_line_, ", column ", field, known ? cat(" ('", names_[field], "')") : "", ": ", why));
}

void CsvRows::fail_row(std::string_view why) const {
  throw DataError(origin_, row_at_, cat("line ", row_line_, ": ", why));
}

bool CsvRows::next() {
  fields_.clear();
  if (lost_) return false;
  buffer_.drop(std::exchange(row_bytes_, 0));
  row_line_ = next_line_;
  row_at_ = buffer_.position();
  while (!split()) {
    if (buffer_.more()) continue;
    lost_ = true;
    fail_row(cat("the row has more than the limit of ", options_.longest_row,
                 " bytes; perhaps a quote is not closed, or CsvOptions::longest_row is to be raised"));
  }
  if (row_bytes_ == 0) return false;
  next_line_ += lines_in_row_;
  if (!problem_.empty()) fail(raw_.size() - 1, problem_);
  take_row();
  return true;
}

// Finds the fields of the row at the buffer's begin. False where more bytes are needed to tell. A row of no bytes is
// the end.
bool CsvRows::split() {
  const char* const row = buffer_.begin();
  const auto size = static_cast<size_t>(buffer_.end() - row);
  const bool at_end = buffer_.at_end();
  raw_.clear();
  problem_ = {};
  lines_in_row_ = 1;
  row_bytes_ = 0;
  if (size == 0) return at_end;
  size_t at = 0;
  for (;;) {
    Raw raw{at, at, false};
    if (options_.use_quote_delim && at < size && row[at] == '"') {
      if (!split_quoted(at, raw)) return false;
    } else {
      for (; at < size && (!special_[static_cast<unsigned char>(row[at])] || row[at] == '"'); ++at) {
        if (row[at] == '"' && options_.use_quote_delim) problem_ = "a quote stands in a field that is not quoted";
      }
      raw.end = at;
    }
    raw_.push_back(raw);
    if (!problem_.empty() && at < size && row[at] != '\n' && row[at] != '\r') {  // the rest is passed over
      while (at < size && row[at] != '\n' && row[at] != '\r') ++at;
    }
    if (at == size) {
      row_bytes_ = size;
      return at_end;
    }
    if (row[at] == options_.field_delim) {
      ++at;
      if (at == size && !at_end) return false;
      continue;
    }
    if (row[at] == '\r') {
      if (at + 1 == size && !at_end) return false;
      if (at + 1 < size && row[at + 1] == '\n') ++at;
    }
    row_bytes_ = at + 1;
    return true;
  }
}

// A field from its quote at `at` on. False where more bytes are needed to tell.
bool CsvRows::split_quoted(size_t& at, Raw& raw) {
  const char* const row = buffer_.begin();
  const auto size = static_cast<size_t>(buffer_.end() - row);
  raw.begin = ++at;
  for (;;) {
    const auto* quote = static_cast<const char*>(at < size ? std::memchr(row + at, '"', size - at) : nullptr);
    const size_t end = quote ? static_cast<size_t>(quote - row) : size;
    lines_in_row_ += static_cast<uint64_t>(std::count(row + at, row + end, '\n'));
    raw.end = end;
    if (!quote) {
      if (!buffer_.at_end()) return false;
      problem_ = "the file ends before the quoted field does";
      at = size;
      return true;
    }
    at = end + 1;
    if (at == size) return buffer_.at_end();
    if (row[at] != '"') break;
    raw.escaped = true;
    ++at;
  }
  if (!special_[static_cast<unsigned char>(row[at])]) problem_ = "something follows the quote that ends the field";
  return true;
}

void CsvRows::take_row() {
  char* row = buffer_.begin();
  for (const Raw& raw : raw_) {
    size_t end = raw.end;
    if (raw.escaped) {  // the row is ours: each pair of quotes becomes one, in place
      end = raw.begin;
      for (size_t i = raw.begin; i < raw.end; ++i) {
        row[end++] = row[i];
        if (row[i] == '"') ++i;
      }
    }
    fields_.emplace_back(row + raw.begin, end - raw.begin);
  }
}

}  // namespace brio::formats
