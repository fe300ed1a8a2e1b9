// brio bench gate [NAME…]: steps of fit with the gate against numbers that are not finite, and without, in turns.
#include "brio/cli/gate_bench.h"

#include <algorithm>

#include "brio/brio.h"
#include "brio/cli/command.h"
#include "brio/cli/in_turns.h"

namespace brio::cli {
namespace {

struct GateCase {
  std::string_view name;
  nn::Sequential (*make)();
  Shape row;
  int64_t batch;
  double below;  // what the numbers of x are: of words, their numbers
  const char* optimizer = "adam";
};
constexpr int64_t kWords = 100'000;

nn::Sequential dense_network() {
  return nn::Sequential({nn::Dense(256, {.activation = "relu"}), nn::Dense(256, {.activation = "relu"}),
                         nn::Dense(10, {.activation = "softmax"})});
}
nn::Sequential picture_network() {
  return nn::Sequential({nn::Conv2D(16, {3}, {.activation = "relu"}), nn::MaxPooling2D(),
                         nn::Conv2D(32, {3}, {.activation = "relu"}), nn::MaxPooling2D(), nn::Flatten(),
                         nn::Dense(10, {.activation = "softmax"})});
}

nn::Sequential word_network() {
  return nn::Sequential(
      {nn::Embedding(kWords, 128), nn::GlobalAveragePooling1D(), nn::Dense(10, {.activation = "softmax"})});
}

void run_gate(const GateCase& c, bool json) {
  constexpr int64_t kSteps = 16;
  std::vector<int64_t> dims{kSteps * c.batch};
  for (const Size size : c.row) dims.push_back(size);
  const Tensor numbers = random::uniform(Shape(dims), {.high = c.below, .seed = 1});
  const Tensor x = c.below > 1 ? cast(numbers, i32) : numbers;
  const Tensor y = cast(random::uniform({kSteps * c.batch}, {.seed = 2}) * 10.f, i32);
  const nn::Sequential model = c.make();
  model.compile({.optimizer = c.optimizer, .loss = "sparse_categorical_crossentropy"});
  nn::FitOptions options{.epochs = 1, .batch_size = c.batch, .verbose = 0};
  const auto set = [&](bool on) { options.on_bad_number = on ? train::OnBadNumber::skip : train::OnBadNumber::warn; };
  const auto iterate = [&] {
    model.fit(x, y, options);
    return static_cast<double>(kSteps);
  };
  compare_in_turns(c.name, set, iterate, json);
}

}  // namespace

int bench_gate(std::span<const std::string_view> names, bool json) {
  const GateCase cases[] = {{"mlp-64", dense_network, Shape{784}, 64, 1},
                            {"mlp-256", dense_network, Shape{784}, 256, 1},
                            {"cnn-32", picture_network, Shape{28, 28, 1}, 32, 1},
                            {"cnn-128", picture_network, Shape{28, 28, 1}, 128, 1},
                            {"words-sgd", word_network, Shape{32}, 64, kWords, "sgd"},
                            {"words-adam", word_network, Shape{32}, 64, kWords}};
  for (const std::string_view name : names)
    if (std::ranges::find(cases, name, &GateCase::name) == std::end(cases))
      return misuse("bench", cat("gate has no '", name,
                                 "'; there are mlp-64, mlp-256, cnn-32, cnn-128, words-sgd and words-adam"));
  if (!json) print_turns_header("gate");
  for (const GateCase& each : cases)
    if (names.empty() || std::ranges::find(names, each.name) != names.end()) run_gate(each, json);
  return 0;
}

}  // namespace brio::cli
