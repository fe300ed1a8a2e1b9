#include "brio/formats/csv.h"

#include <limits>
#include <utility>

#include "brio/formats/csv_number.h"

namespace brio::formats {

namespace {

void check_select(const std::vector<int64_t>& select) {
  for (size_t i = 0; i < select.size(); ++i)
    if (select[i] < 0 || (i > 0 && select[i] <= select[i - 1]))
      throw InvalidArgument(cat("[csv] select_cols has ", select[i], " at place ", i,
                                "; columns are counted from 0 and given in ascending order"));
}

// The default in the column's type.
void settle_default(CsvColumn& column, size_t place) {
  const bool number = column.dtype == f32 || column.dtype == f64 || column.dtype == i32 || column.dtype == i64;
  if (!number && column.dtype != DType::string)
    throw InvalidArgument(
        cat("[csv] column ", place, " is of ", column.dtype, "; it is float32, float64, int32, int64 or string"));
  if (!column.otherwise) return;
  auto& value = *column.otherwise;
  if (std::holds_alternative<std::string>(value) == number)
    throw InvalidArgument(cat("[csv] the default of column ", place, " is not of its type, ", column.dtype));
  if (number && is_floating(column.dtype) && std::holds_alternative<int64_t>(value))
    value = static_cast<double>(std::get<int64_t>(value));
  if (number && !is_floating(column.dtype) && std::holds_alternative<double>(value))
    throw InvalidArgument(cat("[csv] the default of column ", place, " is not of its type, ", column.dtype));
}

template <typename T>
void store(const CsvColumn& column, std::string_view text, bool missing, void* to, const CsvRows& rows,
           size_t place) {
  T value{};
  if (missing) {
    if constexpr (std::is_integral_v<T>) value = static_cast<T>(std::get<int64_t>(*column.otherwise));
    else value = static_cast<T>(std::get<double>(*column.otherwise));
  } else if (!parse_number(text, value)) {
    rows.fail(place, cat(quoted(text), " is not a valid ", column.dtype));
  }
  *static_cast<T*>(to) = value;
}

// The narrowest type that holds the text.
DType type_of(std::string_view text) {
  int32_t small;
  int64_t large;
  float single;
  double wide;
  if (parse_number(text, small)) return i32;
  if (parse_number(text, large)) return i64;
  // As make_csv_dataset asks: a number that is not below infinity, NaN too, is none.
  if (parse_number(text, single) && single < std::numeric_limits<float>::infinity()) return f32;
  if (parse_number(text, wide) && wide < std::numeric_limits<double>::infinity()) return f64;
  return DType::string;
}

int rank_of(DType dtype) {
  switch (dtype) {
    case DType::i32: return 0;
    case DType::i64: return 1;
    case DType::f32: return 2;
    case DType::f64: return 3;
    default: return 4;
  }
}

}  // namespace

CsvReader::CsvReader(ReadSome source, const Origin& origin, std::vector<CsvColumn> columns, const CsvOptions& options)
    : columns_(std::move(columns)),
      select_(options.select_cols),
      na_value_(options.na_value),
      rows_(std::move(source), origin, options) {
  check_select(select_);
  if (columns_.empty()) throw InvalidArgument("[csv] no columns are given");
  if (!select_.empty() && select_.size() != columns_.size())
    throw InvalidArgument(cat("[csv] select_cols has ", select_.size(), " columns, but ", columns_.size(),
                              " are described; give one type for each that is selected"));
  for (size_t i = 0; i < columns_.size(); ++i) settle_default(columns_[i], i);
}

bool CsvReader::read_row(int64_t at, std::span<const CsvBuffer> buffers) {
  if (buffers.size() != columns_.size())
    throw InvalidArgument(cat("[csv] there are ", buffers.size(), " buffers for ", columns_.size(), " columns"));
  for (size_t i = 0; i < columns_.size(); ++i)
    if ((columns_[i].dtype == DType::string) != (buffers[i].strings != nullptr))
      throw InvalidArgument(cat("[csv] the buffer of column ", i, " is not for ", columns_[i].dtype));
  if (!rows_.next()) return false;
  const size_t wanted = place_of(columns_.size() - 1) + 1;
  if (select_.empty() ? rows_.fields() != wanted : rows_.fields() < wanted)
    rows_.fail_row(cat("the row has ", rows_.fields(), " fields, but ", select_.empty() ? "" : "at least ", wanted,
                       " are expected"));
  const auto missing = [&](std::string_view text) { return text.empty() || text == na_value_; };
  for (size_t i = 0; i < columns_.size(); ++i) {
    const size_t place = place_of(i);
    const std::string_view text = rows_.field(place);
    const CsvColumn& column = columns_[i];
    if (missing(text) && !column.otherwise) rows_.fail(place, "the field is empty, and the column has no default");
    if (column.dtype == DType::string) continue;
    void* to = static_cast<char*>(buffers[i].numbers) + static_cast<size_t>(at) * size_of(column.dtype);
    switch (column.dtype) {
      case DType::i32: store<int32_t>(column, text, missing(text), to, rows_, place); break;
      case DType::i64: store<int64_t>(column, text, missing(text), to, rows_, place); break;
      case DType::f32: store<float>(column, text, missing(text), to, rows_, place); break;
      default: store<double>(column, text, missing(text), to, rows_, place);
    }
  }
  // Only now is it certain that the row is good.
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].dtype != DType::string) continue;
    const std::string_view text = rows_.field(place_of(i));
    buffers[i].strings->add(missing(text) ? std::string_view(std::get<std::string>(*columns_[i].otherwise)) : text);
  }
  return true;
}

int64_t CsvReader::read(int64_t rows, std::span<const CsvBuffer> buffers) {
  int64_t done = 0;
  while (done < rows && read_row(done, buffers)) ++done;
  return done;
}

std::vector<CsvColumn> infer_csv_columns(ReadSome source, const Origin& origin, const CsvOptions& options,
                                         int64_t rows) {
  check_select(options.select_cols);
  CsvRows all(std::move(source), origin, options);
  std::vector<std::optional<DType>> types;
  size_t fields = all.names().size();
  std::vector<int64_t> places = options.select_cols;
  for (int64_t row = 0; row < rows && all.next(); ++row) {
    if (fields == 0) fields = all.fields();
    if (all.fields() != fields)
      all.fail_row(cat("the row has ", all.fields(), " fields, but ", fields, " are expected"));
    if (places.empty())
      for (size_t i = 0; i < fields; ++i) places.push_back(static_cast<int64_t>(i));
    if (static_cast<size_t>(places.back()) >= fields)
      throw InvalidArgument(cat("[csv] select_cols has column ", places.back(), ", but there are ", fields));
    types.resize(places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      const std::string_view text = all.field(static_cast<size_t>(places[i]));
      if (text.empty() || text == options.na_value) continue;
      const DType type = type_of(text);
      if (!types[i] || rank_of(type) > rank_of(*types[i])) types[i] = type;
    }
  }
  types.resize(places.empty() ? fields : places.size());
  std::vector<CsvColumn> columns;
  for (const std::optional<DType>& type : types) {
    CsvColumn column{type.value_or(DType::string), {}};
    if (column.dtype == DType::string) column.otherwise = std::string();
    else column.otherwise = int64_t{0};
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace brio::formats
