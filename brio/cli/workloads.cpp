#include "brio/cli/workloads.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "brio/base/thread_pool.h"
#include "brio/brio.h"
#include "brio/cli/input_workloads.h"
#include "brio/cli/network_workloads.h"
#include "brio/ir/trace.h"

namespace brio::cli {
namespace {

// Runs what is pending and keeps the compiler from dropping a result.
void read(const Tensor& t) { (void)t.array(); }

struct GradientDescent {
  Tensor X = Tensor({{1, 2}, {3, 4}, {5, 6}}), y = Tensor({7, 8, 9});
  Variable theta{zeros({2})};
  nn::SGD sgd{0.01};
  void step() {
    GradientTape tape;
    const Tensor loss = mean(square(matvec(X, theta) - y));
    sgd.apply_gradients(tape.gradient(loss, {theta}), {theta});
  }
};

Work make_gd() {
  auto state = std::make_shared<GradientDescent>();
  return [state] {
    state->step();
    return 1.0;
  };
}
Work make_gd_function() {
  auto state = std::make_shared<GradientDescent>();
  return [state, step = function([state] { state->step(); })] {
    step();
    return 1.0;
  };
}

struct Mlp {
  Tensor x = random::uniform({32, 100}, {.seed = 1});
  Tensor y = cast(random::uniform({32, 1}, {.seed = 2}) > 0.5f, f32);
  nn::Sequential model{{nn::Dense(64, {.activation = "relu"}), nn::Dense(1, {.activation = "sigmoid"})}};
  nn::BinaryCrossentropy loss;
  nn::Adam adam;
  std::vector<Variable> weights;
  Mlp() {
    read(model(x));
    weights = model.trainable_variables();
  }
  Tensor step(const Tensor& inputs, const Tensor& labels) {
    GradientTape tape;
    Tensor value = loss(labels, model(inputs, true));
    adam.apply_gradients(tape.gradient(value, weights), weights);
    return value;
  }
};

Work make_mlp() {
  auto state = std::make_shared<Mlp>();
  auto step = function([state](const Tensor& x, const Tensor& y) { return state->step(x, y); });
  return [state, step] {
    read(step(state->x, state->y));
    return 1.0;
  };
}

Work make_fit() {
  struct State {
    Tensor x = random::uniform({10000, 100}, {.seed = 1});
    Tensor y = cast(random::uniform({10000, 1}, {.seed = 2}) > 0.5f, f32);
    nn::Sequential model{{nn::Dense(64, {.activation = "relu"}), nn::Dense(1, {.activation = "sigmoid"})}};
  };
  auto state = std::make_shared<State>();
  state->model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
  return [state] {
    state->model.fit(state->x, state->y, {.epochs = 1, .batch_size = 32, .verbose = 0});
    return 1.0;
  };
}

Work make_wide() {
  struct State {
    Tensor x = random::normal({256, 1024}, {.seed = 1});
    Tensor y = cast(random::uniform({256}, {.seed = 2}) * 10.f, i32);
    nn::Sequential model{
        {nn::Dense(4096, {.activation = "relu"}), nn::Dense(4096, {.activation = "relu"}), nn::Dense(10)}};
    nn::SGD sgd{0.01};
    std::vector<Variable> weights;
    Tensor step(const Tensor& inputs, const Tensor& labels) {
      GradientTape tape;
      Tensor loss = mean(softmax_xent(model(inputs, true), labels));
      sgd.apply_gradients(tape.gradient(loss, weights), weights);
      return loss;
    }
  };
  auto state = std::make_shared<State>();
  read(state->model(state->x));
  state->weights = state->model.trainable_variables();
  auto step = function([state](const Tensor& x, const Tensor& y) { return state->step(x, y); });
  return [state, step] {
    read(step(state->x, state->y));
    return 1.0;
  };
}

Work make_lstm_layer() {
  struct State {
    Tensor x = random::normal({32, 64, 128}, {.seed = 1});
    nn::LSTM layer{128, {.return_sequences = true}};
    std::vector<Tensor> step(const Tensor& inputs) {
      GradientTape tape;
      const Tensor loss = mean(square(layer(inputs, true)));
      return tape.gradient(loss, layer.trainable_variables());
    }
  };
  auto state = std::make_shared<State>();
  read(state->layer(state->x));
  auto step = function([state](const Tensor& x) { return state->step(x); });
  return [state, step] {
    step(state->x);
    return 1.0;
  };
}

// A model that reads sequences of 1,000 lengths, 8 to 1007, in no order.
struct Lengths {
  static constexpr int64_t kShortest = 8, kLengths = 1000;
  Tensor words = cast(random::uniform({8, kShortest + kLengths}, {.seed = 1}) * 1000.f, i32);
  Tensor y = cast(random::uniform({8, 1}, {.seed = 2}) > 0.5f, f32);
  nn::Sequential model{{nn::Embedding(1000, 32), nn::LSTM(64), nn::Dense(1, {.activation = "sigmoid"})}};
  nn::BinaryCrossentropy loss;
  nn::Adam adam;
  std::vector<Variable> weights;
  int64_t next = 0;
  Lengths() {
    read(model(slice(words, {Range{}, Range{0, kShortest}})));
    weights = model.trainable_variables();
  }
  int64_t next_length() { return kShortest + next++ * 73 % kLengths; }
  Tensor step(const Tensor& inputs, const Tensor& labels) {
    GradientTape tape;
    Tensor value = loss(labels, model(inputs, true));
    adam.apply_gradients(tape.gradient(value, weights), weights);
    return value;
  }
};

// A hundred training steps an iteration, so that iterations are alike; what is counted are steps in time, by the
// thousand. Beside it the same work at one length.
Work make_lengths(bool one_length) {
  auto state = std::make_shared<Lengths>();
  auto step = function([state](const Tensor& x, const Tensor& y) { return state->step(x, y); }, Sizes::open);
  return [state, step, one_length] {
    int64_t steps = 0;
    for (int i = 0; i < 100; ++i) {
      const int64_t length = one_length ? Lengths::kShortest + Lengths::kLengths / 2 : state->next_length();
      read(step(slice(state->words, {Range{}, Range{0, length}}), state->y));
      steps += length;
    }
    return static_cast<double>(steps) / 1000;
  };
}

template <typename Optimizer>
Work make_embedding() {
  struct State {
    Tensor x = cast(random::uniform({64, 32}, {.seed = 1}) * 100000.f, i32);
    Tensor y = cast(random::uniform({64, 1}, {.seed = 2}) > 0.5f, f32);
    nn::Embedding embedding{100000, 128};
    nn::Dense dense{1, {.activation = "sigmoid"}};
    nn::BinaryCrossentropy loss;
    Optimizer optimizer;
    std::vector<Variable> weights;
    Tensor predict(const Tensor& words, bool training) {
      return dense(mean(embedding(words, training), 1), training);
    }
    Tensor step(const Tensor& words, const Tensor& labels) {
      GradientTape tape;
      Tensor value = loss(labels, predict(words, true));
      optimizer.apply_gradients(tape.gradient(value, weights), weights);
      return value;
    }
  };
  auto state = std::make_shared<State>();
  read(state->predict(state->x, false));
  state->weights = state->dense.trainable_variables();
  state->weights.push_back(state->embedding.embeddings());
  auto step = function([state](const Tensor& x, const Tensor& y) { return state->step(x, y); });
  return [state, step] {
    read(step(state->x, state->y));
    return 1.0;
  };
}

Work make_chain() {
  const Tensor x = random::normal({16 << 20}, {.seed = 1});
  read(x);
  // A function, as the peers' compiled steps: in eager code the named intermediates have handles, so they would be
  // kept.
  auto chain = function([](const Tensor& in) {
    const Tensor a = in * 1.5f + 0.5f;
    const Tensor b = relu(a);
    const Tensor c = sqrt(b + 1.f);
    const Tensor d = c * in;
    const Tensor e = d - a;
    const Tensor f = abs(e);
    const Tensor g = minimum(f, 10.f);
    return mean(g * g);
  });
  return [x, chain] {
    read(chain(x));
    return 1.0;
  };
}

Work make_xent() {
  const Tensor logits = random::normal({8192, 32000}, {.seed = 1});
  const Tensor labels = cast(random::uniform({8192}, {.seed = 2}) * 32000.f, i32);
  read(logits);
  read(labels);
  auto step = function([](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    tape.watch(x);
    const Tensor loss = mean(softmax_xent(x, y));
    return std::vector<Tensor>{loss, tape.gradient(loss, {x})[0]};
  });
  return [logits, labels, step] {
    step(logits, labels);
    return 1.0;
  };
}

template <int64_t kBatch, int64_t kLength>
Work make_attention() {
  std::vector<Tensor> x;
  for (uint64_t seed : {1, 2, 3, 4}) {
    x.push_back(random::normal({kBatch, kLength, 8, 64}, {.seed = seed}));
    read(x.back());
  }
  auto step = function([](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& weights) {
    GradientTape tape;
    for (const Tensor& t : {q, k, v}) tape.watch(t);
    const Tensor loss = sum(scaled_dot_product_attention(q, k, v, {.causal = true}) * weights);
    return tape.gradient(loss, {q, k, v});
  });
  return [x, step] {
    step(x[0], x[1], x[2], x[3]);
    return 1.0;
  };
}

Work make_adam() {
  struct State {
    std::vector<Variable> weights;
    std::vector<Tensor> gradients;
    nn::Adam adam;
  };
  auto state = std::make_shared<State>();
  for (uint64_t i = 0; i < 50; ++i) {
    state->weights.emplace_back(random::normal({500000}, {.seed = 2 * i}));
    state->gradients.push_back(random::normal({500000}, {.seed = 2 * i + 1}));
    read(state->gradients.back());
  }
  auto step = function([state] { state->adam.apply_gradients(state->gradients, state->weights); });
  return [state, step] {
    step();
    return 1.0;
  };
}

// What memory allows: a plain copy, on every thread, that reads and writes as many bytes together as the workload.
template <size_t kMegabytesMoved>
Work make_copy() {
  static constexpr int64_t kPiece = 1 << 20, kBytes = static_cast<int64_t>(kMegabytesMoved) * 500'000;
  const Aval bytes{Shape{kBytes}, u8};
  const Array from = Array::allocate(bytes), to = Array::allocate(bytes);
  std::memset(from.data(), 1, bytes.bytes());
  return [from, to] {
    const auto* source = from.as<char>();
    auto* target = to.as<char>();
    parallel_for((kBytes + kPiece - 1) / kPiece, 1, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * kPiece, count = std::min(end * kPiece, kBytes) - at;
      std::memcpy(target + at, source + at, static_cast<size_t>(count));
    });
    return 1.0;
  };
}

// Recording alone: a chain and its gradient, dropped before anything runs. Per node.
Work make_record() {
  const Tensor x = random::normal({8}, {.seed = 1});
  read(x);
  return [x] {
    size_t nodes = 0;
    {
      GradientTape tape;
      tape.watch(x);
      Tensor y = x;
      for (int i = 0; i < 50; ++i) y = tanh(y + x);
      const auto gradient = tape.gradient(y, {x});
      nodes = current_recording().nodes.size();
    }
    flush();  // nobody holds a result: nothing runs
    return static_cast<double>(nodes);
  };
}

// One op on four numbers whose plan is known: record it, find the plan, run it, read.
Work make_lookup() {
  const Tensor x({1, 2, 3, 4});
  return [x] {
    read(x + 1.f);
    return 1.0;
  };
}

std::shared_ptr<const Graph> thousand_nodes(int64_t batch) {
  return trace_body(std::vector<Aval>{{Shape{batch, 64}, f32}, {Shape{64, 64}, f32}, {Shape{64}, f32}},
                    [](const std::vector<Tensor>& p) {
                      Tensor y = p[0];
                      std::vector<Tensor> kept;
                      for (int i = 0; i < 125; ++i) {
                        const Tensor h = relu(matmul(y, p[1]) + p[2]);
                        const Tensor mixed = h * sigmoid(y) + y * y;
                        y = tanh(mixed);
                        if (i % 10 == 0) kept.push_back(sum(mixed, 1));
                      }
                      kept.push_back(y);
                      return kept;
                    })
      .graph;
}

// Planning a graph of a thousand nodes: passes, verifier, kernels, placement.
Work make_plan() {
  return [graph = thousand_nodes(32)] {
    (void)Plan::make(*graph, registry().host());
    return static_cast<double>(graph->nodes.size()) / 1000;
  };
}

// The same for a fourth batch size: the symbolic plan of the first three, kernels, placement.
Work make_replan() {
  std::vector<MadePlan> samples;
  for (int64_t batch : {29, 30, 31}) samples.push_back(brio::make_plan(*thousand_nodes(batch), registry().host()));
  return [graph = thousand_nodes(32)] {
    (void)brio::make_plan(*graph, registry().host());
    return static_cast<double>(graph->nodes.size()) / 1000;
  };
}

constexpr Workload kWorkloads[] = {
    {"gd", "us", "gradient descent on 3×2, eager under a tape", make_gd},
    {"gd_function", "us", "the same step as a function", make_gd_function},
    {"mlp", "us", "training step, batch 32, 100→64→1, Adam", make_mlp},
    {"fit", "ms", "an epoch of it over 10,000 rows, with accuracy", make_fit},
    {"wide", "ms", "training step 1024→4096→4096→10, batch 256, SGD", make_wide},
    {"lstm_layer", "ms", "LSTM of 128 units with gradient, batch 32, 64 steps of 128", make_lstm_layer},
    {"cnn", "ms", "training step, 224²×3: convolution of 32, pool, dense; batch 32, Adam",
     [] { return make_network("cnn"); }},
    {"cnn_bf16", "ms", "the same under mixed_bfloat16", [] { return make_network("cnn_bf16"); }},
    {"cnn_16", "ms", "cnn with 16 channels", [] { return make_network("cnn_16"); }},
    {"cnn_64", "ms", "with 64", [] { return make_network("cnn_64"); }},
    {"cnn_5x5", "ms", "with windows of 5×5", [] { return make_network("cnn_5x5"); }},
    {"cnn_stride2", "ms", "with stride 2", [] { return make_network("cnn_stride2"); }},
    {"cnn_160", "ms", "on 160²", [] { return make_network("cnn_160"); }},
    {"separable", "ms", "training step, 224²×3: convolution, pool, depthwise, pointwise, pool, dense; batch 32, Adam",
     [] { return make_network("separable"); }},
    {"separable_bf16", "ms", "the same under mixed_bfloat16", [] { return make_network("separable_bf16"); }},
    {"separable_16", "ms", "separable with 16 channels", [] { return make_network("separable_16"); }},
    {"separable_64", "ms", "with 64", [] { return make_network("separable_64"); }},
    {"separable_5x5", "ms", "with windows of 5×5", [] { return make_network("separable_5x5"); }},
    {"separable_stride2", "ms", "with stride 2", [] { return make_network("separable_stride2"); }},
    {"separable_160", "ms", "on 160²", [] { return make_network("separable_160"); }},
    {"lstm", "ms", "training step, LSTM of 64 units on 48 steps of 1 feature, dense; batch 32, Adam",
     [] { return make_network("lstm"); }},
    {"text_lstm", "ms", "training step, two bidirectional LSTMs of 64 and 32 units on 80 words; batch 32, Adam",
     [] { return make_network("text_lstm"); }},
    {"resnet18", "ms", "training step, ResNet-18 for small pictures at 64²; batch 32, Adam",
     [] { return make_network("resnet18"); }},
    {"mobilenet", "ms", "training step, MobileNetV2 at 96²; batch 32, Adam",
     [] { return make_network("mobilenet"); }},
    {"decoder", "ms", "training step, 6 transformer blocks of 256, context 256; batch 8, Adam",
     [] { return make_network("decoder"); }},
    {"unet", "ms", "training step, U-Net of 16 to 128 channels at 96²; batch 8, Adam",
     [] { return make_network("unet"); }},
    {"lengths", "ms", "training steps of an LSTM of 64 units, batch 8, on 1,000 lengths: 1,000 steps in time",
     [] { return make_lengths(false); }},
    {"lengths_one", "ms", "the same at one length", [] { return make_lengths(true); }},
    {"embedding", "us", "training step, 64×32 looked up in 100,000×128, SGD", make_embedding<nn::SGD>},
    {"embedding_adam", "ms", "the same with Adam", make_embedding<nn::Adam>},
    {"chain", "ms", "ten elementwise ops and a reduction on 64 MB", make_chain},
    {"xent", "ms", "softmax cross-entropy with gradient, 8192×32000", make_xent},
    {"attention", "ms", "causal attention with gradients, 2×1024, 8 heads of 64", make_attention<2, 1024>},
    {"attention_short", "ms", "the same, 8×128", make_attention<8, 128>},
    {"adam", "ms", "Adam over 25 M parameters", make_adam},
    {"chain_copy", "ms", "a plain copy that moves the bytes of chain", make_copy<67>},
    {"xent_copy", "ms", "a plain copy that moves the bytes of xent", make_copy<2097>},
    {"adam_copy", "ms", "a plain copy that moves the bytes of adam", make_copy<700>},
    {"jpeg", "ms", "an epoch of 550 photos from a folder, 224×224, batches of 32", make_jpeg},
    {"jpeg_train", "ms", "the same, half of them mirrored, all normalised", make_jpeg_train},
    {"packed", "ms", "the same photos after `brio pack --resize 224x224 --decode`", make_packed},
    {"packed_copy", "ms", "a plain copy that moves the bytes of packed", make_copy<414>},
    {"rows", "us", "a batch of 32 of 10,000 rows of 100 in memory, shuffled", make_rows},
    {"rows_map", "us", "the same, each row normalised by a function over tensors before its batch", make_rows_map},
    {"shuffle", "ms", "the first batch of 10 million items, shuffled in full", make_shuffle},
    {"tfrecord", "us", "a record of a raw 224×224 picture: read, parsed, shuffled, batched", make_tfrecord},
    {"example", "ns", "parsing an Example of 20 features, in batches of 128", make_example},
    {"cold_full", "us", "a record of 20 kB that is not in memory, shuffled in full", make_cold_full},
    {"cold_blocks", "us", "the same, shuffled by blocks", make_cold_blocks},
    {"overlap", "ms", "a step that sleeps 5 ms, its input computes 5 ms", make_overlap},
    {"overlap_busy", "ms", "the same, the step computes", make_overlap_busy},
    {"record", "ns", "recording a node, gradient nodes included", make_record},
    {"lookup", "ns", "recording one op, finding and running its cached plan", make_lookup},
    {"plan", "ms", "planning a graph of 1,000 nodes", make_plan},
    {"replan", "ms", "planning it for a fourth batch size", make_replan},
};

}  // namespace

std::span<const Workload> workloads() { return kWorkloads; }

double train_one_step() {
  Mlp mlp;
  return static_cast<double>(mlp.step(mlp.x, mlp.y).item<float>());
}

}  // namespace brio::cli
