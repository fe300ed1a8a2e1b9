// brio bench recorder [NAME…]: workloads with the recorder on and off, in turns.
#include "brio/cli/recorder_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "brio/brio.h"
#include "brio/cli/command.h"
#include "brio/cli/workloads.h"
#include "brio/profile/recorder.h"

namespace brio::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double median(std::vector<double> list) {
  std::ranges::sort(list);
  return list[list.size() / 2];
}

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
  constexpr double kBlock = 0.1;
  constexpr size_t kRounds = 41;
  for (int i = 0; i < 3; ++i) work.iterate();
  const auto begin = Clock::now();
  work.iterate();
  const auto at_once = std::max<int>(1, static_cast<int>(kBlock / std::max(1e-9, seconds_since(begin))));
  std::vector<double> times[2], ratios;
  for (size_t round = 0; round < kRounds; ++round) {
    double both[2] = {};
    for (const size_t turn : {round % 2, 1 - round % 2}) {
      profile::set_recording(turn == 1);
      double units = 0;
      const auto start = Clock::now();
      for (int i = 0; i < at_once; ++i) units += work.iterate();
      both[turn] = seconds_since(start) / units;
      times[turn].push_back(both[turn]);
    }
    ratios.push_back(both[1] / both[0]);
  }
  profile::set_recording(true);
  const double off = median(times[0]), on = median(times[1]), ratio = median(ratios);
  if (json)
    std::printf("{\"name\": \"%s\", \"off_us\": %.6g, \"on_us\": %.6g, \"share\": %.6g}\n", std::string(name).c_str(),
                off * 1e6, on * 1e6, ratio - 1);
  else
    std::printf("%-12s %12.3f %12.3f µs   %+.2f %%\n", std::string(name).c_str(), off * 1e6, on * 1e6,
                (ratio - 1) * 100);
  std::fflush(stdout);
}

}  // namespace

int bench_recorder(std::span<const std::string_view> names, bool json) {
  const std::vector<std::string_view> usual{"mlp", "fit", "cnn", "jpeg_train"};
  const std::span<const std::string_view> asked = names.empty() ? std::span(usual) : names;
  const auto wanted = [&](std::string_view name) { return std::ranges::find(asked, name) != asked.end(); };
  for (const std::string_view name : names)
    if (name != "cnn" && std::ranges::find(workloads(), name, &Workload::name) == workloads().end())
      return misuse("bench", cat("no workload is called '", name, "'"));
  if (!json) std::printf("%-12s %12s %12s      %s\n", "recorder", "off", "on", "costs");
  for (const Workload& workload : workloads())
    if (wanted(workload.name)) compare(workload.name, workload.make(), json);
  if (wanted("cnn")) compare("cnn", make_cnn(), json);
  return 0;
}

}  // namespace brio::cli
