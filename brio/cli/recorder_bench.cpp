// brio bench recorder [NAME…]: workloads with the recorder on and off, in turns.
#include "brio/cli/recorder_bench.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "brio/brio.h"
#include "brio/cli/command.h"
#include "brio/cli/in_turns.h"
#include "brio/cli/workloads.h"
#include "brio/profile/recorder.h"

namespace brio::cli {
namespace {

// Training steps of a small network for pictures, by fit().
Work make_cnn() {
  struct State {
    Tensor x = random::uniform({256, 28, 28, 1}, {.seed = 1});
    Tensor y = cast(random::uniform({256}, {.seed = 2}) * 10.f, i32);
    nn::Sequential model{{nn::Conv2D(16, {3}, {.activation = "relu"}), nn::MaxPooling2D(),
                          nn::Conv2D(32, {3}, {.activation = "relu"}), nn::MaxPooling2D(), nn::Flatten(),
                          nn::Dense(10, {.activation = "softmax"})}};
  };
  auto state = std::make_shared<State>();
  state->model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  return [state] {
    state->model.fit(state->x, state->y, {.epochs = 1, .batch_size = 32, .verbose = 0});
    return 8.0;
  };
}

void compare(std::string_view name, const Work& work, bool json) {
  compare_in_turns(
      name, [](bool on) { profile::set_recording(on); }, work.iterate, json);
  profile::set_recording(true);
}

}  // namespace

int bench_recorder(std::span<const std::string_view> names, bool json) {
  const std::vector<std::string_view> usual{"mlp", "fit", "cnn", "jpeg_train"};
  const std::span<const std::string_view> asked = names.empty() ? std::span(usual) : names;
  const auto wanted = [&](std::string_view name) { return std::ranges::find(asked, name) != asked.end(); };
  for (const std::string_view name : names)
    if (name != "cnn" && std::ranges::find(workloads(), name, &Workload::name) == workloads().end())
      return misuse("bench", cat("no workload is called '", name, "'"));
  if (!json) print_turns_header("recorder");
  for (const Workload& workload : workloads())
    if (wanted(workload.name)) compare(workload.name, workload.make(), json);
  if (wanted("cnn")) compare("cnn", make_cnn(), json);
  return 0;
}

}  // namespace brio::cli
