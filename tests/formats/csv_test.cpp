#include "brio/formats/csv.h"

#include <gtest/gtest.h>

#include "brio/formats/csv_number.h"
#include "tests/formats/picture_golden.h"

namespace brio::formats {
namespace {

ReadSome whole(std::string_view bytes) { return in_order(ReadAt(bytes, Origin{"a.csv"})); }

std::vector<CsvColumn> columns_of(const golden::Case& c) {
  std::vector<CsvColumn> columns;
  for (int i = 0; c.has(cat("dtype_", i)); ++i) {
    CsvColumn column{dtype_from_name(c.text(cat("dtype_", i))), {}};
    const std::string key = cat("default_", i);
    if (c.has(key)) {
      if (column.dtype == DType::string) column.otherwise = c.text(key);
      else if (is_floating(column.dtype)) column.otherwise = c.number(key);
      else column.otherwise = static_cast<int64_t>(c.number(key));
    }
    columns.push_back(column);
  }
  return columns;
}

CsvOptions options_of(const golden::Case& c) {
  CsvOptions options;
  if (c.has("field_delim")) options.field_delim = c.text("field_delim")[0];
  if (c.has("na_value")) options.na_value = c.text("na_value");
  options.use_quote_delim = c.number("use_quote_delim", 1) != 0;
  options.header = c.number("header", 0) != 0;
  if (c.inputs.count("select_cols"))
    for (const double column : c.input("select_cols").data)
      options.select_cols.push_back(static_cast<int64_t>(column));
  return options;
}

TEST(Csv, ReadsAsTensorFlow) {
  size_t cases = 0;
  for (const golden::Case& c : golden::load("files_csv.json")) {
    if (!c.name.starts_with("csv/")) continue;
    SCOPED_TRACE(c.name);
    const std::string file = from_hex(c.text("file"));
    const std::vector<CsvColumn> columns = columns_of(c);
    std::vector<std::vector<uint64_t>> numbers(columns.size(), std::vector<uint64_t>(100));
    std::vector<StringWriter> strings(columns.size());
    std::vector<CsvBuffer> buffers;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].dtype == DType::string) buffers.emplace_back(&strings[i]);
      else buffers.emplace_back(static_cast<void*>(numbers[i].data()));
    }
    CsvReader reader(whole(file), {}, columns, options_of(c));
    std::vector<double> refused;
    int64_t rows = 0;
    for (int tries = 0;; ++tries) {
      try {
        if (!reader.read_row(rows, buffers)) break;
        ++rows;
      } catch (const DataError&) {
        refused.push_back(tries);
      }
    }
    EXPECT_EQ(refused, c.input("refused").data);
    for (size_t i = 0; i < columns.size(); ++i) {
      const golden::Array& want = c.output(cat("column_", i));
      if (columns[i].dtype == DType::string) {
        const Array got = strings[i].finish({strings[i].size()});
        std::vector<std::string> texts;
        for (int64_t r = 0; r < strings[i].size(); ++r) texts.emplace_back(string_at(got, r));
        EXPECT_EQ(texts, want.texts) << "column " << i;
      } else {
        const size_t words = static_cast<size_t>(rows) * size_of(columns[i].dtype) / 4;
        ASSERT_EQ(words, want.data.size()) << "column " << i;
        for (size_t w = 0; w < words; ++w) {
          uint32_t word;
          std::memcpy(&word, reinterpret_cast<const char*>(numbers[i].data()) + 4 * w, 4);
          // Which NaN it is, is nobody's affair.
          const auto expected = static_cast<uint32_t>(want.data[w]);
          const auto nan = [](uint32_t bits) {
            return (bits & 0x7f800000U) == 0x7f800000U && (bits & 0x7fffffU) != 0;
          };
          if (columns[i].dtype == f32 && nan(expected)) EXPECT_TRUE(nan(word));
          else if (columns[i].dtype == f64 && (expected & 0x7fffffffU) == 0x7ff80000U)
            EXPECT_EQ(word & 0x7fffffffU, 0x7ff80000U);
          else EXPECT_EQ(word, expected) << "column " << i << " word " << w;
        }
      }
    }
    ++cases;
  }
  EXPECT_GT(cases, 20U);
}

TEST(Csv, InfersTypesAsTensorFlow) {
  for (const golden::Case& c : golden::load("files_csv.json")) {
    if (!c.name.starts_with("csv_inference/")) continue;
    const std::string file = from_hex(c.text("file"));
    std::vector<std::string> names;
    for (const CsvColumn& column : infer_csv_columns(whole(file), {}, {.header = true, .na_value = "NA"})) {
      names.emplace_back(info(column.dtype).name);
      EXPECT_TRUE(column.otherwise.has_value());
    }
    EXPECT_EQ(names, c.output("dtypes").texts) << c.name;
  }
  const auto types = [](std::string_view text, const CsvOptions& options, int64_t rows) {
    std::string all;
    for (const CsvColumn& column : infer_csv_columns(whole(text), {"f"}, options, rows))
      all += cat(column.dtype, " ");
    return all;
  };
  EXPECT_EQ(types("1,2,3\n4.5,x,6\n", {}, 1), "int32 int32 int32 ");
  EXPECT_EQ(types("1,2,3\n4.5,x,6\n", {}, 100), "float32 string int32 ");
  EXPECT_EQ(types("1,2,3\n4.5,x,6\n", {.select_cols = {0, 2}}, 100), "float32 int32 ");
  EXPECT_EQ(types("a,b\n", {.header = true}, 100), "string string ");
  EXPECT_EQ(types("", {}, 100), "");
  EXPECT_THROW(types("1,2\n3\n", {}, 100), DataError);
  EXPECT_THROW(types("1,2\n", {.select_cols = {2}}, 100), InvalidArgument);
}

// A small buffer cuts rows, quotes and line ends at every place.
TEST(Csv, ReadsTheSameThroughAnyBuffer) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    const std::string some(static_cast<size_t>(i * 7 % 50), 'x');
    text += cat(i, ",\"a \"\"", i, "\"\" \n,", some, "\",", i, ".5\r\n");
  }
  const auto read = [&](size_t longest) {
    std::string all;
    CsvRows rows(whole(text), {}, {.longest_row = longest});
    while (rows.next())
      for (size_t i = 0; i < rows.fields(); ++i) all += cat("[", rows.field(i), "]");
    return all;
  };
  const std::string want = read(size_t{1} << 20);
  EXPECT_NE(want.find("[5][a \"5\" \n,xxx"), std::string::npos);
  for (size_t longest = 80; longest < 180; ++longest) EXPECT_EQ(read(longest), want);
}

std::string csv_refusal(std::string_view text, const std::vector<CsvColumn>& columns,
                        const CsvOptions& options = {}) {
  try {
    CsvReader reader(whole(text), {"a.csv"}, columns, options);
    std::vector<std::vector<double>> numbers(columns.size(), std::vector<double>(100));
    std::vector<StringWriter> strings(columns.size());
    std::vector<CsvBuffer> buffers;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].dtype == DType::string) buffers.emplace_back(&strings[i]);
      else buffers.emplace_back(static_cast<void*>(numbers[i].data()));
    }
    reader.read(100, buffers);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Csv, SaysWhereAndWhat) {
  EXPECT_EQ(csv_refusal("a,b\n1,2\n3,x4\n", {{i32}, {i32}}, {.header = true}),
            "a.csv: at byte 10: line 3, column 1 ('b'): b'x4' is not a valid int32");
  EXPECT_EQ(csv_refusal("\"x\ny\",2\nz,q\n", {{DType::string}, {f64}}),
            "a.csv: at byte 10: line 3, column 1: b'q' is not a valid float64");
  EXPECT_EQ(csv_refusal("1\r\n2\r\n\r\n", {{f32}}),
            "a.csv: at byte 6: line 3, column 0: the field is empty, and the column has no default");
  EXPECT_EQ(csv_refusal("1,2\n3\n", {{i64}, {i64}}),
            "a.csv: at byte 4: line 2: the row has 1 fields, but 2 are expected");
  EXPECT_EQ(csv_refusal("1,2\n3\n", {{i64}}, {.select_cols = {1}}),
            "a.csv: at byte 4: line 2: the row has 1 fields, but at least 2 are expected");
  EXPECT_EQ(csv_refusal("ab\"c\n", {{DType::string}}),
            "a.csv: at byte 0: line 1, column 0: a quote stands in a field that is not quoted");
  EXPECT_EQ(csv_refusal("\"ab\"c\n", {{DType::string}}),
            "a.csv: at byte 1: line 1, column 0: something follows the quote that ends the field");
  EXPECT_EQ(csv_refusal("1,\"ab\n", {{i32}, {DType::string}}),
            "a.csv: at byte 3: line 1, column 1: the file ends before the quoted field does");
  EXPECT_EQ(
      csv_refusal("1\n" + std::string(500, 'x'), {{DType::string}}, {.longest_row = 100}),
      "a.csv: at byte 2: line 2: the row has more than the limit of 100 bytes; perhaps a quote is not closed, or "
      "CsvOptions::longest_row is to be raised");
}

TEST(Csv, GoesOnBehindABrokenRow) {
  CsvReader reader(whole("1,a\nx,b\n\"3\"z,q,\"\n4,d\n"), {}, {{i32}, {DType::string}});
  int32_t numbers[4];
  StringWriter strings;
  const std::vector<CsvBuffer> buffers = {CsvBuffer(static_cast<void*>(numbers)), CsvBuffer(&strings)};
  EXPECT_TRUE(reader.read_row(0, buffers));
  EXPECT_THROW(reader.read_row(1, buffers), DataError);
  EXPECT_THROW(reader.read_row(1, buffers), DataError);
  EXPECT_TRUE(reader.read_row(1, buffers));
  EXPECT_FALSE(reader.read_row(2, buffers));
  EXPECT_EQ(numbers[0] + numbers[1], 5);
  EXPECT_EQ(strings.characters(), "ad");
  // Behind a row that is too long nothing can be told.
  CsvReader lost(whole("123456789\n1\n"), {}, {{i32}}, {.longest_row = 5});
  EXPECT_THROW(lost.read_row(0, std::span(buffers).first(1)), DataError);
  EXPECT_FALSE(lost.read_row(0, std::span(buffers).first(1)));
}

TEST(Csv, RefusesWhatAUserGotWrong) {
  EXPECT_EQ(csv_refusal("", {}), "[csv] no columns are given");
  EXPECT_EQ(csv_refusal("", {{u8}}), "[csv] column 0 is of uint8; it is float32, float64, int32, int64 or string");
  EXPECT_EQ(csv_refusal("", {{i32, "x"}}), "[csv] the default of column 0 is not of its type, int32");
  EXPECT_EQ(csv_refusal("", {{i32, 0.5}}), "[csv] the default of column 0 is not of its type, int32");
  EXPECT_EQ(csv_refusal("", {{DType::string, int64_t{1}}}),
            "[csv] the default of column 0 is not of its type, string");
  EXPECT_EQ(csv_refusal(",\n", {{f32, int64_t{1}}, {f64, 2.5}}), "no error");
  EXPECT_EQ(csv_refusal("", {{i32}}, {.field_delim = '"'}),
            "[csv] field_delim is a quote or ends a line; choose another character, such as ','");
  EXPECT_EQ(csv_refusal("", {{i32}}, {.longest_row = 1}), "[csv] longest_row is less than 2 bytes");
  EXPECT_EQ(csv_refusal("", {{i32}, {i32}}, {.select_cols = {1, 1}}),
            "[csv] select_cols has 1 at place 1; columns are counted from 0 and given in ascending order");
  EXPECT_EQ(csv_refusal("", {{i32}}, {.select_cols = {1, 2}}),
            "[csv] select_cols has 2 columns, but 1 are described; give one type for each that is selected");
  CsvReader reader(whole("1\n"), {}, {{i32}});
  StringWriter strings;
  EXPECT_THROW(reader.read(1, {}), InvalidArgument);
  const CsvBuffer wrong(&strings);
  EXPECT_THROW(reader.read(1, {&wrong, 1}), InvalidArgument);
}

TEST(Csv, ReadsRealFiles) {
  if (!std::filesystem::exists(data_path("nab-timeseries")))
    GTEST_SKIP() << data_path("nab-timeseries") << " is not there";
  const std::string path = data_path("nab-timeseries/nyc_taxi.csv");
  const std::vector<CsvColumn> columns = infer_csv_columns(in_order(ReadAt(path)), {path}, {.header = true});
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0].dtype, DType::string);
  EXPECT_EQ(columns[1].dtype, i32);
  CsvReader reader(in_order(ReadAt(path)), {path}, columns, {.header = true});
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"timestamp", "value"}));
  EXPECT_EQ(reader.columns().size(), 2U);
  std::vector<int32_t> values(20000);
  StringWriter stamps;
  const std::vector<CsvBuffer> buffers = {CsvBuffer(&stamps), CsvBuffer(static_cast<void*>(values.data()))};
  EXPECT_EQ(reader.read(20000, buffers), 10320);
  EXPECT_EQ(values[0], 10844);
  EXPECT_EQ(string_at(stamps.finish({10320}), 1), "2014-07-01 00:30:00");
}

}  // namespace
}  // namespace brio::formats
