// `fit` on a device:
//
//   BRIO_DEVICE=gpu:0 lab_fit overlap [PICTURES]    does the copy of the next batch hide under the running step?
//   BRIO_DEVICE=gpu:0 lab_fit mnist FOLDER          what a convnet reaches in float32, float16 and bfloat16
//
// `overlap` trains the CNN of page 001 (float16, batch 256) on arrays of the host, in order and shuffled, and by
// steps on one batch that lies on the device: milliseconds a step each. FOLDER has the four files of MNIST, unpacked.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "brio/brio.h"
#include "brio/models/models.h"
#include "brio/runtime/backend.h"

namespace {

using namespace brio;
using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int64_t kBatch = 256;

// ---- overlap

Tensor pictures(int64_t count, DType dtype) {
  const Tensor numbers = random::uniform({count, 224, 224, 3}, {.seed = 1});
  return dtype == f32 ? numbers : cast(numbers * 255.0f, dtype);
}
Tensor labels(int64_t count) { return cast(random::uniform({count}, {.seed = 2}) * 10.0f, i32); }

// Milliseconds a step: the best of a few calls of an epoch each, after one that nobody counts. The first batch of an
// epoch has no step to hide under, so an epoch is not to be short.
double time_fit(const nn::Model& model, const Tensor& x, const Tensor& y, bool shuffle) {
  const int64_t rows = x.shape()[0];
  double best = 1e9;
  for (int round = 0; round < 4; ++round) {
    const auto begin = Clock::now();
    model.fit(x, y, {.epochs = 1, .batch_size = kBatch, .shuffle = shuffle, .verbose = 0});
    if (round > 0) best = std::min(best, 1000 * seconds_since(begin) / static_cast<double>(rows / kBatch));
  }
  return best;
}

// The same on one batch that is there, without fit.
double time_resident(const nn::Model& model, const Tensor& x, const Tensor& y) {
  nn::Adam adam(1e-4);
  const std::vector<Variable> weights = model.trainable_variables();
  auto step = function([&](const Tensor& a, const Tensor& b) {
    GradientTape tape;
    const Tensor loss = mean(softmax_xent(cast(model(a, true), f32), b));
    adam.apply_gradients(tape.gradient(loss, weights), weights);
    return loss;
  });
  double best = 1e9;
  for (int round = 0; round < 6; ++round) {
    constexpr int kSteps = 20;
    const auto begin = Clock::now();
    Tensor loss;
    for (int i = 0; i < kSteps; ++i) loss = step(x, y);
    (void)loss.array();
    if (round > 0) best = std::min(best, 1000 * seconds_since(begin) / kSteps);
  }
  return best;
}

void time_overlap(int64_t count, DType dtype) {
  nn::set_global_policy("mixed_float16");
  const nn::Sequential model({nn::InputLayer({224, 224, 3}, {.dtype = dtype}), nn::Rescaling(1.0 / 255),
                              nn::Conv2D(32, {3}, {.activation = "relu"}), nn::MaxPooling2D(), nn::Flatten(),
                              nn::Dense(10)});
  nn::set_global_policy("float32");
  model.compile({.optimizer = nn::Adam(1e-4), .loss = nn::SparseCategoricalCrossentropy({.from_logits = true})});
  Tensor x, y;
  const Tensor x_there = pictures(kBatch, dtype), y_there = labels(kBatch);
  {
    const DeviceScope host("cpu:0");
    x = pictures(count, dtype);
    y = labels(count);
    (void)x.array();
    (void)y.array();
  }
  const double there = time_resident(model, x_there, y_there);
  const double megabytes = static_cast<double>(x.array().aval.bytes()) / static_cast<double>(count / kBatch) / 1e6;
  for (const bool shuffle : {false, true}) {
    const double host = time_fit(model, x, y, shuffle);
    std::printf("cnn batch %lld, pictures of %s, %.1f MB a batch, %-8s  %.4f ms a step, resident %.4f: %.1f %%\n",
                static_cast<long long>(kBatch), dtype == f32 ? "f32" : "u8", megabytes,
                shuffle ? "shuffled" : "in order", host, there, 100 * there / host);
    std::fflush(stdout);
  }
}

// ---- MNIST

std::vector<uint8_t> read_file(const std::string& path, size_t header) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidArgument(cat("[lab_fit] cannot read ", path, "; unpack the files of MNIST there"));
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(header, bytes.size())));
  return bytes;
}
struct Digits {
  Tensor x, y;
};
Digits read_digits(const std::string& folder, const std::string& part) {
  const std::vector<uint8_t> pixels = read_file(folder + "/" + part + "-images-idx3-ubyte", 16);
  const std::vector<uint8_t> classes = read_file(folder + "/" + part + "-labels-idx1-ubyte", 8);
  const auto rows = static_cast<int64_t>(classes.size());
  const DeviceScope host("cpu:0");
  Digits digits{cast(Tensor::from(pixels, {rows, 28, 28, 1}), f32) / 255.0f,
                cast(Tensor::from(classes, {rows}), i32)};
  (void)digits.x.array();
  (void)digits.y.array();
  return digits;
}

void train_digits(const std::string& folder) {
  const Digits training = read_digits(folder, "train"), test = read_digits(folder, "t10k");
  for (const char* policy : {"float32", "mixed_float16", "mixed_bfloat16"}) {
    set_random_seed(1);
    nn::set_global_policy(policy);
    const nn::Model model = models::small_cnn();
    nn::set_global_policy("float32");
    model.compile({.optimizer = nn::Adam(1e-3), .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
    const auto begin = Clock::now();
    const auto history = model.fit(training.x, training.y, {.epochs = 15, .batch_size = 128, .verbose = 0});
    const double seconds = seconds_since(begin);
    const auto logs = model.evaluate(test.x, test.y, {.verbose = 0});
    std::printf("mnist %-15s 15 epochs in %.2f s, loss %.4f, test accuracy %.2f %%\n", policy, seconds,
                history["loss"].back(), 100 * logs["accuracy"]);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "overlap") {
      const int64_t count = argc > 2 ? std::stoll(argv[2]) : 12288;
      time_overlap(count, DType::u8);
      time_overlap(count / 2, f32);
    } else if (what == "mnist" && argc > 2) {
      train_digits(argv[2]);
    } else {
      std::printf("lab_fit overlap [PICTURES] | lab_fit mnist FOLDER\n");
      return 2;
    }
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return 0;
}
