// The network of `brio demo` in NumPy or TensorFlow, where a Python has one of them: the same layers, batch and
// data, which lie in memory for both.
#pragma once

#include <optional>
#include <string>

#include "brio/train/model.h"

namespace brio::cli {

struct PeerTimes {
  std::string name = {};          // "NumPy 2.4.6"
  double step = 0, own_step = 0;  // seconds for a batch, theirs and Brio's
  int64_t rows = 0;
};

// None: this Python has neither. Files for it lie in `folder`, and are gone afterwards.
std::optional<PeerTimes> time_peer(const std::string& python, const std::string& model_file, const nn::Model& model,
                                   const std::string& folder);

}  // namespace brio::cli
