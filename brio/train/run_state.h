// RunState: everything that a run of fit is between two steps, and the files it is kept in: NAME.safetensors holds
// the tensors, NAME.json the rest, with the checksums of both. The manifest is written last: a run that is killed at
// any instant leaves a whole checkpoint or none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brio/formats/safetensors.h"
#include "brio/ops/random/random.h"
#include "brio/train/callback.h"

namespace brio::train {

struct RunState {
  int64_t epoch = 0, step = 0;  // the next step to take: number `step` of this epoch
  int64_t steps_done = 0;       // of the whole run
  bool finished = false;        // there is nothing left to do
  int64_t parts = 0;            // that a batch is gone through in; 0: no step was taken yet
  std::optional<Generator::State> order = {};
  std::optional<std::string> position = {};  // of the source of batches; none: batches are counted
  Generator::State random = {};
  std::vector<Generator::State> layer_random = {};
  std::vector<CallbackState> callbacks = {};
  std::optional<double> monitored = {};       // the number that says which is best
  std::optional<std::string> precision = {};  // what layers under the policy "auto" compute in; none: there are none
  std::vector<formats::NamedArray> tensors = {};
};

// Writes both files. `name` is without an ending.
void write_run_state(const std::string& name, const RunState& state);
// Throws formats::DataError for a file that is damaged, half written, or of others.
RunState read_run_state(const std::string& name);

}  // namespace brio::train
