// Datasets out of files. Each takes names of files and patterns (glob.h), and makes its elements as TensorFlow's
// dataset of that name does.
//
//   data::Dataset pictures = data::parse_example(data::tfrecord_dataset({"train-*"}), {{"label", FixedLen{{}, i64}}})
//       .shuffle(data::kAutotune)
//       .batch(64);
//
// A broken part of a file is an error at its element's place; the elements behind it follow, as far as it can be told
// where they begin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brio/data/dataset.h"
#include "brio/formats/compression.h"
#include "brio/formats/csv.h"
#include "brio/formats/example_parser.h"

namespace brio::data {

struct ListFilesOptions {
  bool shuffle = true;
  std::optional<uint64_t> seed = {};
};
// Names of files, each a string. Throws InvalidArgument where nothing matches.
Dataset list_files(const std::vector<std::string>& patterns, ListFilesOptions options = {});

// Can the elements of files be found by their number? It costs a look at where each one begins, or a side index
// (NAME.idx); then a shuffle needs no buffer, a restore no replay, and any thread reads.
enum class ByPlace : uint8_t {
  cheap,  // where there is an index, or making one is quick: judged by the sizes of the files
  always,
  never
};

struct RecordDatasetOptions {
  formats::Compression compression = formats::Compression::none;  // compressed files are read in order
  bool verify = true;                                             // compare the checksums
  uint64_t max_record = uint64_t{1} << 30;                        // bytes; longer ones are errors
  ByPlace by_place = ByPlace::cheap;
};
// The records of TFRecord files, each a string.
Dataset tfrecord_dataset(const std::vector<std::string>& files, RecordDatasetOptions options = {});

// Serialized tf.train.Examples as what the specs say, in named fields: one example, or a batch of them. A VarLen
// feature is a field of values and row_lengths. FixedLen numbers are parsed to where a batch wants them.
Dataset parse_example(const Dataset& strings, std::vector<formats::NamedSpec> specs);

struct TextLineOptions {
  formats::Compression compression = formats::Compression::none;
  ByPlace by_place = ByPlace::cheap;
};
// The lines of text files, each a string without its end.
Dataset text_line_dataset(const std::vector<std::string>& files, TextLineOptions options = {});

struct CsvDatasetOptions {
  formats::CsvOptions csv = {};
  formats::Compression compression = formats::Compression::none;
};
// The rows of CSV files: a tuple of scalars, one for each column.
Dataset csv_dataset(const std::vector<std::string>& files, std::vector<formats::CsvColumn> columns,
                    CsvDatasetOptions options = {});

struct MakeCsvOptions {
  std::vector<std::string> column_names = {};    // default: those of the header
  std::vector<formats::CsvColumn> columns = {};  // of those selected; default: as the first rows look
  std::string label_name = {};                   // that column beside the others: (features, label)
  std::vector<std::string> select_columns = {};  // default: all
  char field_delim = ',';
  bool use_quote_delim = true;
  std::string na_value = {};
  bool header = true;
  int64_t num_epochs = kInfinite;
  bool shuffle = true;
  int64_t shuffle_buffer_size = 10'000;
  std::optional<uint64_t> shuffle_seed = {};
  int64_t prefetch_buffer_size = kAutotune;
  int64_t num_rows_for_inference = 100;  // of the first file
  formats::Compression compression = formats::Compression::none;
};
// Batches of the columns of CSV files, by name, as tf.data.experimental.make_csv_dataset.
Dataset make_csv_dataset(const std::vector<std::string>& files, int64_t batch_size, MakeCsvOptions options = {});

struct ArrayDatasetOptions {
  uint64_t load_below = uint64_t{64} << 20;  // bytes; what is larger stays in its file and is read row by row
};
// The rows of arrays in files: of .npy files and IDX files (a tuple where there are several), and of the arrays of an
// .npz file by name (all of them where none is named).
Dataset npy_dataset(const std::vector<std::string>& files, ArrayDatasetOptions options = {});
Dataset idx_dataset(const std::vector<std::string>& files, ArrayDatasetOptions options = {});
Dataset npz_dataset(const std::string& file, std::vector<std::string> names = {}, ArrayDatasetOptions options = {});

}  // namespace brio::data
