// What `brio pack` reads: pictures of a folder, rows of CSV files, or records, each as a serialized Example.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brio/data/dataset.h"

namespace brio::cli {

struct PackOptions {
  int64_t height = 0, width = 0;  // that pictures are resized to; 0: they stay as they are
  bool decode = false;            // pictures as pixels, not as files
  int64_t augment = 0;            // changed copies of each picture, beside it
  bool shuffle = false;
  uint64_t seed = 0;

  bool changes_pictures() const { return decode || height > 0 || augment > 0; }
};

struct PackSource {
  std::string kind;  // "pictures", "rows", "records"
  int64_t items = 0;
  uint64_t bytes = 0;
  uint64_t fingerprint = 0;  // of the names and sizes of the files
  std::vector<std::string> class_names;
  data::Dataset examples;  // serialized
  data::Dataset ready;     // the items as training wants them: pixels; to be timed
};

PackSource open_source(const std::string& path, const PackOptions& options);

// Packed records as training wants them: with pixels.
data::Dataset unpacked(const std::vector<std::string>& shards, std::string_view compression, bool pictures);

}  // namespace brio::cli
