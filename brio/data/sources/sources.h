// Datasets out of files. Each takes names of files and patterns (glob.h), and makes its elements as TensorFlow's
// dataset of that name does.
//
//   data::Dataset pictures = data::parse_example(data::tfrecord_dataset({"train-*"}), {{"label", FixedLen{{}, i64}}})
//       .shuffle(data::kAutotune)
//       .batch(64);
//
// A broken part of a file is an error at its element's place; the elements behind it follow, as far as it can be told
// where they begin. With on_error = OnError::skip, what is broken is left out, counted and reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brio/data/dataset.h"
#include "brio/data/sources/class_folders.h"
#include "brio/data/sources/image_folder.h"
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
  OnError on_error = OnError::fail;
};
// The records of TFRecord files, each a string.
Dataset tfrecord_dataset(const std::vector<std::string>& files, RecordDatasetOptions options = {});

// Serialized tf.train.Examples as what the specs say, in named fields: one example, or a batch of them. A VarLen
// feature is a field of values and row_lengths. FixedLen numbers are parsed to where a batch wants them.
Dataset parse_example(const Dataset& strings, std::vector<formats::NamedSpec> specs);

struct TextLineOptions {
  formats::Compression compression = formats::Compression::none;
  ByPlace by_place = ByPlace::cheap;
  OnError on_error = OnError::fail;
};
// The lines of text files, each a string without its end.
Dataset text_line_dataset(const std::vector<std::string>& files, TextLineOptions options = {});

struct CsvDatasetOptions {
  formats::CsvOptions csv = {};
  formats::Compression compression = formats::Compression::none;
  OnError on_error = OnError::fail;
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
  bool ignore_errors = false;            // as OnError::skip, by TensorFlow's name
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

struct TextFolderOptions {
  bool inferred = true;              // labels: the subdirectories; otherwise `labels`, or none
  std::vector<int32_t> labels = {};  // in the order of the sorted paths
  LabelMode label_mode = LabelMode::integer;
  std::vector<std::string> class_names = {};
  int64_t batch_size = 32;                 // 0: single texts
  std::optional<int64_t> max_length = {};  // bytes; longer texts are cut
  bool shuffle = true;
  std::optional<uint32_t> seed = {};
  double validation_split = 0;
  Subset subset = Subset::all;
  bool follow_links = false;
  OnError on_error = OnError::fail;
};
struct TextFolder : Dataset {
  TextFolder(Dataset dataset, LabelledFiles files)
      : Dataset(std::move(dataset)), class_names(std::move(files.class_names)), file_paths(std::move(files.paths)) {}
  std::vector<std::string> class_names;
  std::vector<std::string> file_paths;  // before each epoch's shuffle
};
// The .txt files of a directory whose subdirectories are classes, as Keras' function of that name; each epoch
// shuffles all of them.
TextFolder text_dataset_from_directory(const std::string& directory, const TextFolderOptions& options = {});

struct TimeseriesOptions {
  int64_t sequence_stride = 1, sampling_rate = 1;
  int64_t batch_size = 128;  // 0: single sequences
  bool shuffle = false;
  std::optional<uint64_t> seed = {};
  std::optional<int64_t> start_index = {}, end_index = {};
};
// Windows of `sequence_length` rows of `data`, each beside the row of `targets` at its beginning, as Keras' function
// of that name. `targets` may be an undefined tensor: there are none.
Dataset timeseries_dataset_from_array(const Tensor& data, const Tensor& targets, int64_t sequence_length,
                                      TimeseriesOptions options = {});

}  // namespace brio::data
