// brio demo: trains on data that it makes itself, and shows the bar, the result, where the time went, the memory by
// owner, and the same work in NumPy when a Python with NumPy is at hand.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "brio/brio.h"
#include "brio/cli/command.h"

namespace brio::cli {
namespace {

constexpr int64_t kRows = 20000, kFeatures = 32;
constexpr int kEpochs = 15;

// Two classes inside and outside of a shell: no straight cut separates them.
struct Data {
  Tensor x, y;
  explicit Data(uint64_t seed) {
    x = random::normal({kRows, kFeatures}, {.seed = seed});
    y = cast(sum(square(x), 1, true) > static_cast<float>(kFeatures), f32);
  }
};

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void show_times(double total) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> by_op;
  uint64_t sum = 0;
  for_each_plan([&](const Plan& plan) {
    for (const Plan::StepTime& step : plan.times()) {
      auto& [calls, nanoseconds] = by_op[step.label];
      calls += step.calls;
      nanoseconds += step.nanoseconds;
      sum += step.nanoseconds;
    }
  });
  std::vector<std::pair<std::string, std::pair<uint64_t, uint64_t>>> rows(by_op.begin(), by_op.end());
  std::ranges::sort(rows, std::greater<>(), [](const auto& row) { return row.second.second; });
  std::printf("\nWhere the time went (one profiled epoch, %.1f ms):\n", total * 1e3);
  for (const auto& [name, row] : rows) {
    if (row.second == 0) continue;
    const double share = static_cast<double>(row.second) / (total * 1e9);
    std::printf("  %-28s %7.2f ms  %5.1f%%  %s\n", name.c_str(), static_cast<double>(row.second) * 1e-6, 100 * share,
                std::string(static_cast<size_t>(std::lround(30 * share)), '#').c_str());
  }
  std::printf("  %-28s %7.2f ms  %5.1f%%\n", "outside of kernels", total * 1e3 - static_cast<double>(sum) * 1e-6,
              100 * (1 - static_cast<double>(sum) / (total * 1e9)));
}

void show_memory() { std::printf("\nMemory by owner:\n%s", memory_report().str().c_str()); }

// The same network, batch size and number of steps, by hand. Prints seconds an epoch.
constexpr const char* kNumpy = R"PY(
import sys, time
try:
    import numpy as np
except ImportError:
    sys.exit(3)
rng = np.random.default_rng(0)
x = rng.standard_normal((20000, 32), dtype=np.float32)
y = ((x * x).sum(1, keepdims=True) > 32).astype(np.float32)
p = [rng.standard_normal((32, 64), dtype=np.float32) * 0.15, np.zeros(64, np.float32),
     rng.standard_normal((64, 1), dtype=np.float32) * 0.15, np.zeros(1, np.float32)]
m = [np.zeros_like(a) for a in p]
v = [np.zeros_like(a) for a in p]
t = 0
best = 1e9
for epoch in range(2):
    start = time.perf_counter()
    order = rng.permutation(len(x))
    for i in range(0, len(x), 32):
        xb, yb = x[order[i:i + 32]], y[order[i:i + 32]]
        h = np.maximum(xb @ p[0] + p[1], 0)
        z = h @ p[2] + p[3]
        dz = (1 / (1 + np.exp(-z)) - yb) / len(xb)
        dh = (dz @ p[2].T) * (h > 0)
        g = [xb.T @ dh, dh.sum(0), h.T @ dz, dz.sum(0)]
        t += 1
        a = 1e-3 * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t)
        for k in range(4):
            m[k] += (g[k] - m[k]) * np.float32(0.1)
            v[k] += (g[k] * g[k] - v[k]) * np.float32(0.001)
            p[k] -= np.float32(a) * m[k] / (np.sqrt(v[k]) + np.float32(1e-7))
    best = min(best, time.perf_counter() - start)
print(best)
)PY";

void compare_with_numpy(double epoch) {
  std::string command = "python3 - 2>/dev/null <<'BRIO_END'";
  command += kNumpy;
  command += "BRIO_END\n";
  std::FILE* pipe = popen(command.c_str(), "r");
  double numpy = 0;
  const bool read = pipe && std::fscanf(pipe, "%lf", &numpy) == 1;
  if (pipe) pclose(pipe);
  if (!read) {
    std::printf("\nNo python3 with NumPy was found, so there is no comparison with it here; `make bench` has one.\n");
    return;
  }
  std::printf("\nThe same network and steps in NumPy: %.1f ms an epoch; Brio: %.1f ms, %.1f times faster.\n",
              numpy * 1e3, epoch * 1e3, numpy / epoch);
}

}  // namespace

int run_demo(Words words) {
  if (!words.empty()) return misuse("demo", "takes no arguments");
  const Data train(1), test(2);
  nn::Sequential model({nn::Dense(64, {.activation = "relu"}), nn::Dense(1, {.activation = "sigmoid"})},
                       {.input_shape = Shape{kFeatures}});
  model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
  model.summary();
  std::printf("Training on %lld made-up rows, batch 32:\n", static_cast<long long>(kRows));
  const double fit = seconds([&] { model.fit(train.x, train.y, {.epochs = kEpochs, .batch_size = 32}); });
  const train::Logs logs = model.evaluate(test.x, test.y, {.batch_size = 512, .verbose = 0});
  std::printf("\nOn %lld rows it has not seen: loss %.4f, accuracy %.2f%%. %d epochs took %.2f s.\n",
              static_cast<long long>(kRows), logs["loss"], 100 * logs["accuracy"], kEpochs, fit);
  set_profiling(true);
  const double profiled =
      seconds([&] { model.fit(train.x, train.y, {.epochs = 1, .batch_size = 32, .verbose = 0}); });
  set_profiling(false);
  show_times(profiled);
  show_memory();
  const double epoch = seconds([&] { model.fit(train.x, train.y, {.epochs = 1, .batch_size = 32, .verbose = 0}); });
  compare_with_numpy(epoch);
  return 0;
}

}  // namespace brio::cli
