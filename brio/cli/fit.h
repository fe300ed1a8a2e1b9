// Training as `brio fit` does it, for the commands that train.
#pragma once

#include <nlohmann/json.hpp>

#include "brio/cli/command.h"
#include "brio/train/model.h"

namespace brio::cli {

struct Fitted {
  int code = 0;                       // 128 and more: a signal ended it
  nlohmann::ordered_json found = {};  // what --json prints
  std::optional<nn::Model> model = {};
  std::vector<int64_t> shape = {};  // of one sample
};

struct FitTalk {
  bool quiet = false;            // nothing goes to standard output
  nn::Callbacks callbacks = {};  // where there are any, they tell of the epochs in place of the bar
};

// The words that follow `brio fit`. Throws what that ends with.
Fitted fit(Words words, FitTalk talk = {});

}  // namespace brio::cli
