// What group_by_window and bucket_by_sequence_length share.
#pragma once

#include "brio/data/dataset.h"

namespace brio::data {

struct Grouping {
  KeyFunction key;
  Dataset::WindowReduce reduce;
  std::function<int64_t(int64_t key)> size;  // of a window
  Structure in, out;                         // of an element, and of those of the datasets that reduce makes
};

// The description is what a state is checked against.
Dataset grouped(const Dataset& dataset, Grouping grouping, std::string description);

}  // namespace brio::data
