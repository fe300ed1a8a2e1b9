// Options of a Dataset's transforms, with TensorFlow's names and defaults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brio/data/engine/stage.h"
#include "brio/ir/tensor.h"

namespace brio::data {

// What to do with an element that cannot be made: a broken picture, a record with a wrong checksum, a missing file.
// skip is ignore_errors() directly after the source: the element is left out, counted and reported. Then only
// existing elements have a number, so a full shuffle after such a source needs a buffer. If that is too much, put the
// shuffle first and ignore_errors() after it, as image_folder does.
enum class OnError : uint8_t { fail, skip };

struct BatchOptions {
  bool drop_remainder = false;
};

struct PaddedBatchOptions {
  // For each part of an element, in order; -1: as long as the longest in the batch. Empty: -1 everywhere.
  std::vector<std::vector<int64_t>> padded_shapes = {};
  std::vector<Tensor> padding_values = {};  // a scalar for each part, or one for all; empty: 0, false, ""
  bool drop_remainder = false;
};

struct RaggedBatchOptions {
  bool drop_remainder = false;
  std::vector<size_t> dense_parts = {};  // parts with equal shapes: stacked, as in batch()
};

struct WindowOptions {
  int64_t shift = 0;  // from the start of a window to the next start; 0: size
  int64_t stride = 1;
  bool drop_remainder = false;
};

struct FlatMapOptions {
  Structure structure = {};  // of the elements of the datasets that the function returns
};

struct InterleaveOptions {
  int64_t cycle_length = 4;  // datasets open at once; TensorFlow's default depends on the machine
  int64_t block_length = 1;  // elements in a row from each
  // Separate threads that make elements; kAutotune: the reader's threads.
  int64_t num_parallel_calls = kAutotune;
  Structure structure = {};  // of the elements of the datasets that the function returns
};

struct ScanOptions {
  std::optional<Structure> structure = {};  // of the results; default: a tensor, or a tuple
};

struct GroupOptions {
  std::optional<Structure> structure = {};  // of the datasets of the reduce function; default: the input's
};

struct BucketOptions {
  std::vector<std::vector<int64_t>> padded_shapes = {};
  std::vector<Tensor> padding_values = {};
  bool pad_to_bucket_boundary = false;  // dimensions that are -1 become the bucket's upper boundary less 1
  bool drop_remainder = false;
};

struct SampleFromOptions {
  std::vector<double> weights = {};  // empty: equal weights
  std::optional<uint64_t> seed = {};
  bool stop_on_empty_dataset = false;
};

struct ChooseFromOptions {
  bool stop_on_empty_dataset = true;
};

}  // namespace brio::data
