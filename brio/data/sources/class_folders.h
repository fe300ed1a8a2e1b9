// Files of a directory whose subdirectories are classes, as Keras' *_dataset_from_directory functions find, order,
// shuffle and split them: the same seed gives the same files to training and validation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brio::data {

enum class Subset : uint8_t { all, training, validation };

struct FolderOptions {
  bool inferred = true;                       // labels are the places of the subdirectories among class_names
  std::vector<int32_t> labels = {};           // given instead, in the order of the sorted paths
  std::vector<std::string> class_names = {};  // which subdirectories, in which order; default: all, sorted
  bool shuffle = true;
  std::optional<uint32_t> seed = {};
  double validation_split = 0;
  Subset subset = Subset::all;
  bool follow_links = false;
};

struct LabelledFiles {
  std::vector<std::string> paths;
  std::vector<int32_t> labels;  // empty: none
  std::vector<std::string> class_names;
};

// `extensions` in lower case with their point. Throws InvalidArgument in the name of `who`, ResourceError where the
// directory cannot be read.
LabelledFiles find_files(const char* who, const std::string& directory, const std::vector<std::string>& extensions,
                         const FolderOptions& options);

// The order in which numpy.random.RandomState(seed).shuffle leaves 0 … n-1.
std::vector<size_t> numpy_shuffled(size_t n, uint32_t seed);

}  // namespace brio::data
