// RunState: the complete state of a run of fit between two steps, and its files: NAME.safetensors holds the tensors,
// NAME.json the rest, with the checksums of both. The manifest is written last, so a run that is killed at any
// instant leaves a complete checkpoint or none.
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
  bool finished = false;        // the run is complete
  int64_t parts = 0;            // the number of parts of a batch; 0: no step was taken yet
  std::optional<Generator::State> order = {};
  std::optional<std::string> position = {};  // of the source of batches; none: batches are counted
  Generator::State random = {};
  std::vector<Generator::State> layer_random = {};
  std::vector<CallbackState> callbacks = {};
  std::optional<double> monitored = {};       // the number that decides which one is best
  std::optional<std::string> precision = {};  // the precision of layers under the policy "auto"; none: there are none
  std::vector<formats::NamedArray> tensors = {};
};

// Writes both files. `name` has no ending.
void write_run_state(const std::string& name, const RunState& state);
// Throws formats::DataError for a file that is damaged, incomplete, or not a checkpoint.
RunState read_run_state(const std::string& name);

}  // namespace brio::train
