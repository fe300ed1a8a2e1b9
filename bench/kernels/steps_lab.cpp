// Training steps of whole networks on one device, without reading anything between them:
//
//   BRIO_DEVICE=gpu:0 lab_steps [--steps N] [NAME[:BATCH[:POLICY]]…]
//
// A line for each: milliseconds a step (best and median of ten stretches; what the host alone takes), the time from
// nothing to the first step done, the most memory of the device that was in use, and the loss before and after, which
// must fall; and a line where time or memory grow on the way. BRIO_PROFILE=1 adds where the time of a step goes,
// kernel by kernel.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "brio/brio.h"
#include "brio/models/models.h"
#include "brio/runtime/backend.h"

namespace {

using namespace brio;
using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

DeviceMemory* device_memory() { return dynamic_cast<DeviceMemory*>(&current_device().memory()); }
double device_megabytes() { return device_memory() ? static_cast<double>(device_memory()->usage().bytes) / 1e6 : 0; }
double peak_megabytes() { return device_memory() ? static_cast<double>(device_memory()->usage().peak) / 1e6 : 0; }

struct Network {
  std::function<Tensor(const Tensor&)> forward;  // logits
  std::vector<Variable> weights;
  Tensor x, y;
};

Tensor classes_of(const Shape& shape, float classes) {
  return cast(random::uniform(shape, {.seed = 2}) * classes, i32);
}

template <typename Model>
Network of_pictures(const Model& model, int64_t batch, int64_t size) {
  return {[model](const Tensor& x) { return model(x, true); }, model.trainable_variables(),
          random::uniform({batch, size, size, 3}, {.seed = 1}), classes_of({batch}, 10)};
}

Network make(const std::string& name, int64_t batch) {
  if (name == "mlp") {
    const nn::Sequential model({nn::InputLayer({100}), nn::Dense(64, {.activation = "relu"}), nn::Dense(10)});
    return {[model](const Tensor& x) { return model(x, true); }, model.trainable_variables(),
            random::uniform({batch, 100}, {.seed = 1}), classes_of({batch}, 10)};
  }
  if (name == "cnn") {
    const nn::Sequential model({nn::InputLayer({224, 224, 3}), nn::Conv2D(32, {3}, {.activation = "relu"}),
                                nn::MaxPooling2D(), nn::Flatten(), nn::Dense(10)});
    return of_pictures(model, batch, 224);
  }
  if (name == "separable") return of_pictures(models::separable_cnn(), batch, 224);
  if (name == "resnet50") return of_pictures(models::resnet50(), batch, 224);
  if (name == "mobilenet_v2") return of_pictures(models::mobilenet_v2(), batch, 224);
  if (name == "lstm") {
    const nn::Sequential model({nn::InputLayer({48, 64}), nn::LSTM(64), nn::Dense(10)});
    return {[model](const Tensor& x) { return model(x, true); }, model.trainable_variables(),
            random::uniform({batch, 48, 64}, {.seed = 1}), classes_of({batch}, 10)};
  }
  if (name == "gpt2") {
    const nn::Model model = models::gpt2({.vocabulary = 50304, .dropout = 0});  // a multiple of 128, as is usual
    return {[model](const Tensor& x) { return model(x, true); }, model.trainable_variables(),
            classes_of({batch, 1024}, 50257), classes_of({batch, 1024}, 50257)};
  }
  throw InvalidArgument(
      cat("no network is called '", name, "'; there are: mlp cnn separable resnet50 mobilenet_v2 lstm gpt2"));
}

void time_steps(const std::string& spec, int steps) {
  std::string name = spec, policy = "float32";
  int64_t batch = 32;
  if (const size_t colon = name.find(':'); colon != std::string::npos) {
    batch = std::stoll(name.substr(colon + 1));
    if (const size_t second = name.find(':', colon + 1); second != std::string::npos)
      policy = name.substr(second + 1);
    name.resize(colon);
  }
  const auto start = Clock::now();
  if (device_memory()) device_memory()->reset_peak();
  nn::set_global_policy(policy);
  const Network network = make(name, batch);
  nn::set_global_policy("float32");
  nn::Adam adam(1e-4);
  auto step = function([&](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor loss = mean(softmax_xent(cast(network.forward(x), f32), y));
    adam.apply_gradients(tape.gradient(loss, network.weights), network.weights);
    return loss;
  });
  const float before = step(network.x, network.y).item<float>();
  const double first = seconds_since(start);
  Tensor loss;
  for (int i = 0; i < 5; ++i) loss = step(network.x, network.y);
  (void)loss.array();
  std::vector<double> each;
  const double held = device_megabytes();
  for (int stretch = 0; stretch < 10; ++stretch) {
    const auto begin = Clock::now();
    for (int i = 0; i < steps; ++i) loss = step(network.x, network.y);
    (void)loss.array();
    each.push_back(1000 * seconds_since(begin) / steps);
  }
  // What the host alone takes for a step: a few of them, while the device is behind.
  double host = 1e9;
  for (int burst = 0; burst < 20; ++burst) {
    constexpr int kFew = 8;
    const auto begin = Clock::now();
    for (int i = 0; i < kFew; ++i) loss = step(network.x, network.y);
    host = std::min(host, 1000 * seconds_since(begin) / kFew);
    (void)loss.array();
  }
  // Many steps must cost what few do, in time and memory.
  if (each.back() > 1.1 * each[1] || device_megabytes() > held)
    std::printf("%s: not flat: %.4f ms a step, then %.4f; %.1f MB on the device, then %.1f\n", name.c_str(), each[1],
                each.back(), held, device_megabytes());
  std::ranges::sort(each);
  std::printf(
      "%-14s batch %-4lld %-15s  best %9.4f ms  median %9.4f ms  host %7.4f ms  first step %6.2f s  peak %8.1f MB  "
      "loss %.4f -> %.4f\n",
      name.c_str(), static_cast<long long>(batch), policy.c_str(), each.front(), each[each.size() / 2], host, first,
      peak_megabytes(), static_cast<double>(before), static_cast<double>(loss.item<float>()));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int steps = 20, failed = 0;
  std::vector<std::string> specs;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--steps" && i + 1 < argc) steps = std::atoi(argv[++i]);
    else specs.emplace_back(argv[i]);
  }
  if (specs.empty()) specs = {"mlp:32"};
  for (const std::string& spec : specs) {
    try {
      time_steps(spec, steps);
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", spec.c_str(), error.what());
      failed = 1;
    }
  }
  return failed;
}
