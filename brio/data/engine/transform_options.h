// What the transforms of a Dataset can be told, with TensorFlow's names and defaults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brio/data/engine/stage.h"
#include "brio/ir/tensor.h"

namespace brio::data {

// What becomes of an element that cannot be made: a broken picture, a record whose checksum is wrong, a file that is
// gone. skip is ignore_errors() behind the source: it is left out, counted and reported. As only those that are there
// have a number then, a full shuffle behind such a source needs a buffer; where that is too much, put the shuffle
// first and ignore_errors() behind it, as image_folder does.
enum class OnError : uint8_t { fail, skip };

struct BatchOptions {
  bool drop_remainder = false;
};

struct PaddedBatchOptions {
  // For each part of an element, in order; -1: as long as the longest in the batch. None: -1 everywhere.
  std::vector<std::vector<int64_t>> padded_shapes = {};
  std::vector<Tensor> padding_values = {};  // a scalar for each part, or one for all; none: 0, false, ""
  bool drop_remainder = false;
};

struct RaggedBatchOptions {
  bool drop_remainder = false;
  std::vector<size_t> dense_parts = {};  // parts whose shapes are equal: stacked, as batch() does
};

struct WindowOptions {
  int64_t shift = 0;  // from the start of a window to that of the next; 0: size
  int64_t stride = 1;
  bool drop_remainder = false;
};

struct FlatMapOptions {
  Structure structure = {};  // of the elements of the datasets that the function returns
};

struct InterleaveOptions {
  int64_t cycle_length = 4;  // datasets that are open at once; TensorFlow's default depends on the machine
  int64_t block_length = 1;  // elements in a row from each
  // Threads that make elements, theirs alone; kAutotune: those of the reader.
  int64_t num_parallel_calls = kAutotune;
  Structure structure = {};  // of the elements of the datasets that the function returns
};

struct ScanOptions {
  std::optional<Structure> structure = {};  // of the results; default: a tensor, or a tuple
};

struct GroupOptions {
  std::optional<Structure> structure = {};  // of what the reduce function's datasets give; default: the input's
};

struct BucketOptions {
  std::vector<std::vector<int64_t>> padded_shapes = {};
  std::vector<Tensor> padding_values = {};
  bool pad_to_bucket_boundary = false;  // dimensions that are -1 become the bucket's upper boundary less 1
  bool drop_remainder = false;
};

struct SampleFromOptions {
  std::vector<double> weights = {};  // none: all alike
  std::optional<uint64_t> seed = {};
  bool stop_on_empty_dataset = false;
};

struct ChooseFromOptions {
  bool stop_on_empty_dataset = true;
};

}  // namespace brio::data
