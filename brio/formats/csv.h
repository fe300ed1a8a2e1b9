// CSV files as tf.data.experimental.CsvDataset reads them: quoted fields (RFC 4180), any line ends, columns of types.
//
//   CsvReader reader(in_order(ReadAt(path)), {path}, {{f32}, {i32, int64_t{0}}, {DType::string}}, {.header = true});
//   float x[32]; int32_t n[32]; StringWriter names;
//   int64_t rows = reader.read(32, {{{x}, {n}, {&names}}});
#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "brio/formats/byte_stream.h"
#include "brio/tensor/strings.h"

namespace brio::formats {

struct CsvColumn {
  DType dtype = f32;  // f32, f64, i32, i64 or string
  // Of fields that are empty or na_value; without it, those are errors.
  std::optional<std::variant<int64_t, double, std::string>> otherwise = {};
};

struct CsvOptions {
  char field_delim = ',';
  bool use_quote_delim = true;
  bool header = false;  // the first row holds names
  std::string na_value = {};
  std::vector<int64_t> select_cols = {};  // ascending; empty: all
  size_t longest_row = size_t{16} << 20;  // bytes
};

// Where the values of a column go: memory for as many as are read, or a writer of strings.
struct CsvBuffer {
  CsvBuffer(void* memory) : numbers(memory) {}
  CsvBuffer(StringWriter* writer) : strings(writer) {}
  void* numbers = nullptr;
  StringWriter* strings = nullptr;
};

// Rows of fields.
class CsvRows {
 public:
  CsvRows(ReadSome source, const Origin& origin, const CsvOptions& options);

  // Goes to the next row; false at the end. Throws DataError for a quote out of place or a row too long; the call
  // after that goes on behind the row, or at the end where it cannot be told.
  bool next();
  size_t fields() const { return fields_.size(); }
  std::string_view field(size_t i) const { return fields_[i]; }  // without its quotes; valid until next()
  const std::vector<std::string>& names() const { return names_; }

  // Throws DataError that names line and column, and goes by the position of field i.
  [[noreturn]] void fail(size_t field, std::string_view why) const;
  [[noreturn]] void fail_row(std::string_view why) const;

 private:
  struct Raw {
    size_t begin, end;  // from the row's begin on
    bool escaped;       // holds doubled quotes
  };
  bool split();
  bool split_quoted(size_t& at, Raw& raw);
  void take_row();

  Origin origin_;
  CsvOptions options_;
  StreamBuffer buffer_;
  bool special_[256] = {};  // what ends a field, or may not be in one
  std::vector<Raw> raw_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> names_;
  bool lost_ = false;                   // where the next row begins is not known
  std::string_view problem_;            // with the quotes of the row
  size_t row_bytes_ = 0;                // of the row at the buffer's begin, with its end
  uint64_t row_at_ = 0, row_line_ = 1;  // of the row that next() gave
  uint64_t lines_in_row_ = 0, next_line_ = 1;
};

class CsvReader {
 public:
  CsvReader(ReadSome source, const Origin& origin, std::vector<CsvColumn> columns, const CsvOptions& options = {});

  // Up to `rows` rows, one buffer for each column; fewer only at the end. Throws DataError for a field that cannot be
  // read.
  int64_t read(int64_t rows, std::span<const CsvBuffer> columns);
  // One row, its numbers to place `at` of the buffers; false at the end. After a DataError the next call reads the
  // next row, and the strings of the broken one are not written.
  bool read_row(int64_t at, std::span<const CsvBuffer> columns);

  const std::vector<std::string>& names() const { return rows_.names(); }  // of all columns, where there is a header
  const std::vector<CsvColumn>& columns() const { return columns_; }

 private:
  size_t place_of(size_t column) const { return select_.empty() ? column : static_cast<size_t>(select_[column]); }

  std::vector<CsvColumn> columns_;
  std::vector<int64_t> select_;
  std::string na_value_;
  CsvRows rows_;
};

// What tf.data.experimental.make_csv_dataset takes the columns for after `rows` rows: the narrowest of int32, int64,
// float32, float64 and string that holds every value, with a default of 0 or "". select_cols as above.
std::vector<CsvColumn> infer_csv_columns(ReadSome source, const Origin& origin, const CsvOptions& options = {},
                                         int64_t rows = 100);

}  // namespace brio::formats
