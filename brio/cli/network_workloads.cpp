#include "brio/cli/network_workloads.h"

#include <memory>
#include <string>
#include <vector>

#include "brio/base/error.h"
#include "brio/brio.h"

namespace brio::cli {
namespace {

using nn::Symbol;

struct Network {
  nn::Model model;
  Tensor x, y;
  Tensor (*loss)(const Tensor& labels, const Tensor& outputs);
};

Tensor of_classes(const Tensor& labels, const Tensor& logits) {
  return mean(softmax_xent(cast(logits, f32), labels));
}
Tensor of_pixels(const Tensor& labels, const Tensor& logits) {
  return nn::BinaryCrossentropy({.from_logits = true})(labels, logits);
}
Tensor of_squares(const Tensor& labels, const Tensor& outputs) { return mean(square(outputs - labels)); }

Tensor numbers_below(const Shape& shape, float bound) {
  return cast(random::uniform(shape, {.seed = 2}) * bound, i32);
}
Tensor pictures(int64_t batch, int64_t side) { return random::uniform({batch, side, side, 3}, {.seed = 1}); }

// How the two networks of pictures are varied: a fast kernel that knows one shape alone would show.
struct Variant {
  std::string_view name;
  int64_t channels = 32, kernel = 3, stride = 1, side = 224;
};
constexpr Variant kVariants[] = {
    {""}, {"_16", 16}, {"_64", 64}, {"_5x5", 32, 5}, {"_stride2", 32, 3, 2}, {"_160", 32, 3, 1, 160},
};

Network cnn(const Variant& v) {
  nn::Sequential model({nn::InputLayer({v.side, v.side, 3}),
                        nn::Conv2D(v.channels, {v.kernel}, {.strides = {v.stride}, .activation = "relu"}),
                        nn::MaxPooling2D(), nn::Flatten(), nn::Dense(10)});
  return {model, pictures(32, v.side), numbers_below({32}, 10), of_classes};
}

Network separable(const Variant& v) {
  nn::Sequential model(
      {nn::InputLayer({v.side, v.side, 3}),
       nn::Conv2D(v.channels, {v.kernel}, {.strides = {v.stride}, .padding = "same", .activation = "relu"}),
       nn::MaxPooling2D(), nn::DepthwiseConv2D({v.kernel}, 1, {.padding = "same", .activation = "relu"}),
       nn::Conv2D(2 * v.channels, {1}, {.activation = "relu"}), nn::MaxPooling2D(), nn::Flatten(), nn::Dense(10)});
  return {model, pictures(32, v.side), numbers_below({32}, 10), of_classes};
}

Network lstm() {
  nn::Sequential model({nn::InputLayer({48, 1}), nn::LSTM(64), nn::Dense(1)});
  return {model, random::uniform({32, 48, 1}, {.seed = 1}), random::uniform({32, 1}, {.seed = 2}), of_squares};
}

Network text_lstm() {
  nn::Sequential model({nn::InputLayer({80}, {.dtype = i32}), nn::Embedding(10000, 64),
                        nn::Bidirectional(nn::LSTM(64, {.return_sequences = true})), nn::Bidirectional(nn::LSTM(32)),
                        nn::Dense(1)});
  return {model, numbers_below({32, 80}, 10000), cast(random::uniform({32, 1}, {.seed = 3}) > 0.5f, f32), of_pixels};
}

Symbol conv_norm(const Symbol& x, int64_t filters, int64_t size, int64_t stride) {
  const Symbol y = nn::Conv2D(filters, {size}, {.strides = {stride}, .padding = "same", .use_bias = false})(x);
  return nn::BatchNormalization({.momentum = 0.9, .epsilon = 1e-5})(y);
}
Symbol relu_of(const Symbol& x) { return nn::Activation("relu")(x); }

// As for small pictures: a first convolution of 3 × 3 without stride, and no pooling after it.
Network resnet18() {
  const Symbol picture = nn::Input({64, 64, 3});
  Symbol x = relu_of(conv_norm(picture, 64, 3, 1));
  for (int64_t filters : {64, 128, 256, 512}) {
    for (int block = 0; block < 2; ++block) {
      const int64_t stride = filters > 64 && block == 0 ? 2 : 1;
      const Symbol y = conv_norm(relu_of(conv_norm(x, filters, 3, stride)), filters, 3, 1);
      const Symbol around = x.spec()[3] == filters ? x : conv_norm(x, filters, 1, stride);
      x = relu_of(nn::add({y, around}));
    }
  }
  const nn::Model model(picture, nn::Dense(10)(nn::GlobalAveragePooling2D()(x)), "resnet18_small");
  return {model, pictures(32, 64), numbers_below({32}, 10), of_classes};
}

Network mobilenet() {
  const nn::Model model = models::mobilenet_v2({.input = {96, 96, 3}});
  return {model, pictures(32, 96), numbers_below({32}, 1000), [](const Tensor& labels, const Tensor& outputs) {
            return nn::SparseCategoricalCrossentropy()(labels, outputs);
          }};
}

Network decoder() {
  const nn::Model model =
      models::gpt2({.vocabulary = 65, .context = 256, .width = 256, .depth = 6, .heads = 4, .dropout = 0});
  return {model, numbers_below({8, 256}, 65), numbers_below({8, 256}, 65), of_classes};
}

Symbol two_convolutions(Symbol x, int64_t filters) {
  for (int i = 0; i < 2; ++i) x = nn::Conv2D(filters, {3}, {.padding = "same", .activation = "relu"})(x);
  return x;
}

Network unet() {
  const Symbol picture = nn::Input({96, 96, 3});
  std::vector<Symbol> kept;
  Symbol x = picture;
  for (int64_t filters : {16, 32, 64}) {
    kept.push_back(two_convolutions(x, filters));
    x = nn::MaxPooling2D()(kept.back());
  }
  x = two_convolutions(x, 128);
  for (int64_t filters : {64, 32, 16}) {
    const Symbol up = nn::Conv2DTranspose(filters, {2}, {.strides = {2}})(x);
    x = two_convolutions(nn::concatenate({kept.back(), up}), filters);
    kept.pop_back();
  }
  const nn::Model model(picture, nn::Conv2D(1, {1})(x), "unet");
  return {model, pictures(8, 96), cast(random::uniform({8, 96, 96, 1}, {.seed = 2}) > 0.5f, f32), of_pixels};
}

Network network(std::string_view name) {
  for (const Variant& v : kVariants) {
    if (name == cat("cnn", v.name)) return cnn(v);
    if (name == cat("separable", v.name)) return separable(v);
  }
  if (name == "lstm") return lstm();
  if (name == "text_lstm") return text_lstm();
  if (name == "resnet18") return resnet18();
  if (name == "mobilenet") return mobilenet();
  if (name == "decoder") return decoder();
  if (name == "unet") return unet();
  throw InvalidArgument(cat("[bench] no network is called '", name, "'"));
}

struct State {
  Network network;
  nn::Adam adam;
  std::vector<Variable> weights;
  explicit State(Network n) : network(std::move(n)), weights(network.model.trainable_variables()) {
    (void)network.x.array();
    (void)network.y.array();
  }
  Tensor step(const Tensor& x, const Tensor& y) {
    GradientTape tape;
    Tensor value = network.loss(y, network.model(x, true));
    adam.apply_gradients(tape.gradient(value, weights), weights);
    return value;
  }
};

}  // namespace

Work make_network(std::string_view name) {
  constexpr std::string_view kShort = "_bf16";
  const nn::Policy before = nn::global_policy();
  const bool is_short = name.ends_with(kShort);
  if (is_short) {
    name.remove_suffix(kShort.size());
    nn::set_global_policy("mixed_bfloat16");
  }
  auto state = std::make_shared<State>(network(name));
  nn::set_global_policy(before);
  auto step = function([state](const Tensor& x, const Tensor& y) { return state->step(x, y); });
  return [state, step] {
    (void)step(state->network.x, state->network.y).array();
    return 1.0;
  };
}

}  // namespace brio::cli
