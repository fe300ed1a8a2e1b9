// Functional models, configs, cloning, freezing, masks, policies: what modules have in common.
#include "brio/nn/functional.h"

#include <random>

#include "brio/nn/config.h"
#include "brio/nn/layers/convolution.h"
#include "brio/nn/names.h"
#include "brio/train/model.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;

struct TwoTowers {
  nn::Symbol a = nn::Input({4}, {.name = "a"}), b = nn::Input({5}, {.name = "b"});
  nn::Dense first{8, {.activation = "relu", .name = "first"}}, second{8, {.name = "second"}};
  nn::Lambda join{[](const nn::Tensors& in) { return in[0] + in[1]; }, {.name = "join"}};
  nn::Dense left{1, {.name = "left"}}, right{2, {.name = "right"}};
  nn::Symbol joined = join(std::vector{first(a), second(b)});
  nn::Model model{{a, b}, {left(joined), right(joined)}, "two"};
};

TEST(Functional, HasSeveralInputsAndOutputs) {
  TwoTowers t;
  EXPECT_EQ(t.joined.spec().str(), "(None, 8)");
  EXPECT_EQ(t.model.count_params(), 40 + 48 + 9 + 18);
  const Tensor x = random::normal({3, 4}, {.seed = 1}), z = random::normal({3, 5}, {.seed = 2});
  const nn::Tensors y = t.model.call({x, z});
  ASSERT_EQ(y.size(), 2u);
  const Tensor joined = t.first(x) + t.second(z);
  EXPECT_EQ(y[0].to_vector<float>(), t.left(joined).to_vector<float>());
  EXPECT_EQ(y[1].to_vector<float>(), t.right(joined).to_vector<float>());
}

TEST(Functional, PrintsWhatGoesWhere) {
  nn::reset_unique_names();
  TwoTowers t;
  EXPECT_EQ(t.model.summary_text(), R"(Model: "two"
┏━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┓
┃ Layer (type)        ┃ Output Shape      ┃    Param # ┃ Connected to      ┃
┡━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━┩
│ a (InputLayer)      │ (None, 4)         │          0 │ -                 │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ b (InputLayer)      │ (None, 5)         │          0 │ -                 │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ first (Dense)       │ (None, 8)         │         40 │ a[0][0]           │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ second (Dense)      │ (None, 8)         │         48 │ b[0][0]           │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ join (Lambda)       │ (None, 8)         │          0 │ first[0][0],      │
│                     │                   │            │ second[0][0]      │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ left (Dense)        │ (None, 1)         │          9 │ join[0][0]        │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ right (Dense)       │ (None, 2)         │         18 │ join[0][0]        │
└─────────────────────┴───────────────────┴────────────┴───────────────────┘
 Total params: 115 (460.00 B)
 Trainable params: 115 (460.00 B)
 Non-trainable params: 0 (0.00 B)
)");
}

// Keras 3.15's order, of which that of weights and of an optimizer's slots follows.
TEST(Functional, ListsLayersByTheirDistanceFromTheOutputs) {
  const nn::Symbol x = nn::Input({130}, {.name = "x"});
  const nn::Dense shared(120, {.name = "shared"});
  const nn::Symbol near = nn::Dense(120, {.name = "near"})(x);
  const nn::Symbol far = nn::Dense(130, {.name = "far_2"})(nn::Dense(110, {.name = "far_1"})(x));
  const nn::Lambda join([](const nn::Tensors& in) { return in[0] + in[1] + in[2]; }, {.name = "join"});
  const nn::Model model(x, join(std::vector{near, shared(x), shared(far)}));
  std::string order;
  for (const nn::Layer& layer : model.module().modules()) order += layer.name() + " ";
  EXPECT_EQ(order, "x far_1 far_2 near shared join ");
  std::string weights;
  for (const Variable& weight : model.variables()) weights += weight.name() + " ";
  EXPECT_EQ(weights,
            "far_1/kernel far_1/bias far_2/kernel far_2/bias near/kernel near/bias shared/kernel shared/bias ");
}

TEST(Functional, SharedLayersAndNestedModels) {
  const nn::Symbol in = nn::Input({4});
  const nn::Dense shared(4, {.activation = "tanh"});
  const nn::Model inner(in, shared(shared(in)));
  const nn::Symbol outer_in = nn::Input({4});
  const nn::Model outer(outer_in, nn::Dense(2)(inner(outer_in)));
  EXPECT_EQ(outer.trainable_variables().size(), 4u);
  const Tensor x = random::normal({2, 4}, {.seed = 1});
  EXPECT_EQ(inner(x).to_vector<float>(), shared(shared(x)).to_vector<float>());
  EXPECT_EQ(outer(x).shape(), Shape({2, 2}));
  EXPECT_NE(inner.summary_text().find("Connected to"), std::string::npos);  // one layer, called twice
  EXPECT_EQ(outer.summary_text().find("Connected to"), std::string::npos);  // a line
}

TEST(Functional, BeginsInTheMiddleOfAnother) {
  const nn::Symbol in = nn::Input({4});
  const nn::Symbol middle = nn::Dense(3)(in);
  const nn::Dense last(2);
  const nn::Model tail(middle, last(middle));
  EXPECT_EQ(tail.variables().size(), 2u);
  const Tensor x = random::normal({5, 3}, {.seed = 1});
  EXPECT_EQ(tail(x).to_vector<float>(), last(x).to_vector<float>());
  EXPECT_SAYS(invalid([&] { nn::to_json(tail); }), "begins in the middle of another model");
}

TEST(Functional, TakesAnAxisOfOneMoreOrLess) {
  const nn::Symbol pictures = nn::Input({28, 28, 1});
  const nn::Model model(pictures, nn::Conv2D(101, {3})(pictures));
  EXPECT_EQ(model(zeros({2, 28, 28})).shape(), Shape({2, 26, 26, 101}));
  const nn::Symbol rows = nn::Input({120}, {.batch_size = 8});
  const nn::Model other(rows, nn::Dense(103)(rows));
  EXPECT_EQ(other(zeros({8, 120, 1})).shape(), Shape({8, 103}));
  EXPECT_EQ(other(zeros({3, 120})).shape(), Shape({3, 103}));  // of another batch than the input's
}

TEST(Functional, SaysWhatIsWrong) {
  const nn::Symbol a = nn::Input({4}, {.name = "a"}), b = nn::Input({5}, {.name = "b"});
  const nn::Symbol y = nn::Dense(2)(a);
  EXPECT_SAYS(invalid([&] { nn::Model(b, y); }), "depends on the input 'a', which is not among the inputs");
  EXPECT_SAYS(invalid([&] { nn::Model({a, a}, {y}); }), "the input 'a' is given twice");
  EXPECT_SAYS(invalid([&] { nn::Model(std::vector<nn::Symbol>{}, {y}); }), "needs inputs and outputs");
  EXPECT_SAYS(invalid([&] { nn::Model(nn::Symbol(), y); }), "this symbol is none");
  const nn::Symbol same = nn::Dense(2, {.name = "x"})(nn::Dense(2, {.name = "x"})(a));
  EXPECT_SAYS(invalid([&] { nn::Model(a, same); }), "two layers named 'x'");
  const nn::Model model(a, y);
  EXPECT_SAYS(invalid([&] { model(zeros({2, 5})); }), "input 0, 'a', takes the shape (None, 4), but got (2, 5)");
  EXPECT_SAYS(invalid([&] { model.call({zeros({2, 4}), zeros({2, 4})}); }), "takes 1 inputs, but got 2");
  EXPECT_SAYS(invalid([&] { nn::Input({-2}); }), "the size -2");
  EXPECT_SAYS(invalid([&] { nn::Dense(2)(nn::Input({nn::kUnknown})); }), "depends on a size that is not known yet");
  EXPECT_SAYS(invalid([&] { nn::Flatten()({a, b}); }), "takes one input, but got 2");
  EXPECT_SAYS(invalid([&] { nn::Dense(1)(a, {.masks = {Tensor({true}, boolean)}}); }),
              "a mask is given beside symbols");
  EXPECT_SAYS(invalid([&] { nn::Lambda(std::function<Tensor(const Tensor&)>()); }), "the function is none");
  EXPECT_SAYS(invalid([&] {
                nn::Lambda([](const Tensor& t) { return t; })({zeros({1, 1}), zeros({1, 1})});
              }),
              "takes one input, but got 2");
  EXPECT_SAYS(invalid([&] { nn::Dense(1)(nn::Tensors{}); }), "is called without inputs");
  EXPECT_SAYS(invalid([&] { nn::Dense(1)(nn::Tensors{Tensor(), Tensor()}); }), "input 0 is none");
}

TEST(Functional, KeepsUnknownSizes) {
  const nn::Symbol text = nn::Input({nn::kUnknown, 8});
  const nn::Symbol y = nn::Dense(3)(text);
  EXPECT_EQ(y.spec().str(), "(None, None, 3)");
  EXPECT_EQ(nn::GlobalAveragePooling1D()(y).spec().str(), "(None, 3)");
  EXPECT_EQ(nn::MaxPooling2D()(nn::Input({nn::kUnknown, 28, 1})).spec().str(), "(None, None, 14, 1)");
  const nn::Model model(text, y);
  EXPECT_EQ(model(zeros({2, 7, 8})).shape(), Shape({2, 7, 3}));
}

TEST(Functional, TrainsOnSeveralOutputs) {
  set_random_seed(3);
  TwoTowers t;
  t.model.compile({.optimizer = nn::Adam(0.02),
                   .outputs = {{.loss = "mse", .metrics = {"mse"}}, {.loss = "mse", .loss_weight = 0.5}}});
  const Tensor x = random::normal({64, 4}, {.seed = 1}), z = random::normal({64, 5}, {.seed = 2});
  const Tensor u = sum(x, 1, true), v = slice(z, {{0, 64}, {0, 2}});
  const train::History h = t.model.fit({x, z}, {u, v}, {.epochs = 60, .verbose = 0});
  EXPECT_NEAR(h["loss"].back(), h["left_loss"].back() + 0.5 * h["right_loss"].back(), 1e-4);
  EXPECT_NEAR(h["left_mse"].back(), h["left_loss"].back(), 1e-5);
  EXPECT_LT(h["loss"].back(), h["loss"].front() / 10);
  const nn::Tensors predicted = t.model.predict_all({x, z});
  EXPECT_EQ(predicted[1].shape(), Shape({64, 2}));
  EXPECT_SAYS(invalid([&] { t.model.predict({x, z}); }), "has 2 outputs");
  EXPECT_SAYS(invalid([&] {
                t.model.fit({x, z}, u, {.verbose = 0});
              }),
              "options for 2 outputs are given, but y has 1");
  EXPECT_SAYS(invalid([&] { t.model.compile({.loss = "mse", .outputs = {{.loss = "mse"}}}); }), "choose one");
  t.model.compile({.optimizer = "sgd", .loss = "mse"});  // the same for each
  EXPECT_EQ(t.model.evaluate({x, z}, {u, v}, {.verbose = 0}).size(), 3u);
  t.model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mse"}});
  EXPECT_SAYS(invalid([&] { t.model.evaluate({x, z}, {u, v}, {.verbose = 0}); }), "give those of each");
}

TEST(Config, RoundTripsEveryLayer) {
  const nn::Symbol in = nn::Input({16, 16, 4}, {.name = "picture"});
  nn::Symbol x = nn::Conv2D(8, {3, 3},
                            {.strides = {2},
                             .padding = "same",
                             .activation = "relu",
                             .kernel_initializer = nn::random_normal({.stddev = 0.1, .seed = 7}),
                             .kernel_regularizer = nn::l2(1e-3),
                             .kernel_constraint = nn::max_norm(3)})(in);
  x = nn::DepthwiseConv2D({3, 3}, 2, {.padding = "same"})(x);
  x = nn::Conv2DTranspose(4, {2, 2}, {.strides = {2}})(x);
  x = nn::MaxPooling2D()(x);
  x = nn::Dropout(0.5, {.seed = 3})(x);
  x = nn::Activation("gelu")(x);
  x = nn::Sequential({nn::GlobalAveragePooling2D(), nn::Dense(5)})(x);
  const nn::Model model(in, nn::Flatten()(x), "net");
  const std::string json = nn::to_json(model, 1);
  const nn::Model again = nn::model_from_json(json);
  EXPECT_EQ(nn::to_json(again, 1), json);
  ASSERT_EQ(again.variables().size(), model.variables().size());
  again.set_weights(model.get_weights());
  const Tensor picture = random::normal({2, 16, 16, 4}, {.seed = 1});
  EXPECT_EQ(again(picture).to_vector<float>(), model(picture).to_vector<float>());
  EXPECT_EQ(again.losses().size(), 1u);
}

TEST(Config, ClonesWithFreshWeights) {
  const nn::Sequential model({nn::Dense(4), nn::Dense(2)}, {.input_shape = Shape{3}});
  const nn::Model other = nn::clone_model(model);
  ASSERT_EQ(other.variables().size(), 4u);
  EXPECT_NE(other.variables()[0].value().to_vector<float>(), model.variables()[0].value().to_vector<float>());
  EXPECT_EQ(other.get_layer(1).name(), model.get_layer(1).name());
  EXPECT_SAYS(invalid([&] { model.get_layer("dens"); }), "there is no layer 'dens'");
  EXPECT_SAYS(invalid([&] { model.get_layer(2); }), "there is no layer 2");
}

TEST(Config, ReadsWhatKerasWrote) {
  // The words of Keras 3.15's model.to_json() for Dense(2) on an input of 4.
  const nn::Model model = nn::model_from_json(R"({"module": "keras.src.models.functional", "class_name": "Functional",
    "config": {"name": "functional_1", "trainable": true, "layers": [
      {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [null, 4], "dtype": "float32",
       "sparse": false, "ragged": false, "name": "input_layer_1", "optional": false}, "registered_name": null,
       "name": "input_layer_1", "inbound_nodes": []},
      {"module": "keras.layers", "class_name": "Dense", "config": {"name": "dense_3", "trainable": true,
       "dtype": {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}, "registered_name": null},
       "units": 2, "activation": "linear", "use_bias": true,
       "kernel_initializer": {"module": "keras.initializers", "class_name": "GlorotUniform",
         "config": {"seed": null, "input_axes": null, "output_axes": null}, "registered_name": null},
       "bias_initializer": {"module": "keras.initializers", "class_name": "Zeros", "config": {}, "registered_name": null},
       "kernel_regularizer": null, "bias_regularizer": null, "kernel_constraint": null, "bias_constraint": null,
       "quantization_config": null}, "registered_name": null, "build_config": {"input_shape": [null, 4]},
       "name": "dense_3", "inbound_nodes": [{"args": [{"class_name": "__keras_tensor__", "config": {"shape": [null, 4],
         "dtype": "float32", "keras_history": ["input_layer_1", 0, 0]}}], "kwargs": {}}]}],
    "input_layers": ["input_layer_1", 0, 0], "output_layers": ["dense_3", 0, 0]}, "registered_name": "Functional"})");
  EXPECT_EQ(model.count_params(), 10);
  EXPECT_EQ(model(zeros({3, 4})).shape(), Shape({3, 2}));
}

TEST(Config, SequentialMayBeginWithItsInput) {
  const nn::Sequential model({nn::InputLayer({3}), nn::Dense(2)});
  EXPECT_TRUE(model.built());
  EXPECT_EQ(model.layers().size(), 1u);
  const nn::Model keras = nn::model_from_json(R"({"class_name": "Sequential", "config": {"name": "s", "layers": [
    {"class_name": "InputLayer", "config": {"batch_shape": [null, 3], "dtype": "float32", "name": "in"}},
    {"class_name": "Dense", "config": {"name": "d", "units": 2}}], "build_input_shape": [null, 3]}})");
  EXPECT_EQ(keras.count_params(), 8);
  EXPECT_SAYS(invalid([] { nn::layer_from_json(R"({"class_name": "InputLayer", "config": {"name": "in"}})"); }),
              "the input 'in' has no batch_shape");
}

TEST(Config, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::layer_from_json("{"); }), "this is no config of a layer");
  EXPECT_SAYS(invalid([] { nn::layer_from_json("[]"); }), "this is no config of a layer");
  EXPECT_SAYS(invalid([] { nn::layer_from_json(R"({"class_name": "Dens", "config": {}})"); }),
              "did you mean 'Dense'?");
  EXPECT_SAYS(invalid([] { nn::layer_from_json(R"({"class_name": "Dense", "config": {"units": "two"}})"); }),
              "'units' of Dense is \"two\"; it must be a whole number");
  EXPECT_SAYS(
      invalid([] { nn::layer_from_json(R"({"class_name": "Dense", "config": {"units": 2, "use_bias": 1}})"); }),
      "it must be true or false");
  EXPECT_SAYS(
      invalid([] {
        nn::layer_from_json(
            R"({"class_name": "Dense", "config": {"units": 2, "kernel_initializer": {"class_name": "HeNorml"}}})");
      }),
      "HeNorml");
  std::string deep, end;
  for (int i = 0; i < 200; ++i) {
    deep += R"({"class_name": "Sequential", "config": {"layers": [)";
    end += "]}}";
  }
  EXPECT_SAYS(invalid([&] { nn::layer_from_json(deep + end); }), "nested more than 100 deep");
  EXPECT_SAYS(invalid([] { nn::to_json(nn::Lambda([](const Tensor& t) { return t; })); }), "cannot be written");
  EXPECT_SAYS(invalid([] { nn::to_json(nn::Dense(1, {.activation = [](const Tensor& t) { return t; }})); }),
              "function of your own");
  EXPECT_SAYS(invalid([] {
                nn::to_json(nn::Dense(
                    1, {.kernel_regularizer = nn::Regularizer("mine", [](const Tensor& w) { return sum(w); })}));
              }),
              "the regularizer 'mine' is a function of your own");
}

// Whatever stands in a file, reading it ends, in a layer or in an error that names what is wrong.
TEST(Config, NoTextBreaksTheReader) {
  const nn::Symbol in = nn::Input({8, 8, 2});
  nn::Symbol x = nn::Conv2D(3, {3, 3}, {.kernel_regularizer = nn::l2(1e-3)})(in);
  x = nn::BatchNormalization()(nn::MaxPooling2D()(x));
  x = nn::Dense(2, {.kernel_constraint = "max_norm"})(nn::Flatten()(x));
  const std::string json = nn::to_json(nn::Model(in, x));
  std::mt19937_64 random(1);
  auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  constexpr std::string_view kLetters = "{}[]\":,0123456789-.entrufalsDCoZ";
  int read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = json;
    for (size_t n = 1 + below(3); n > 0; --n) {
      const size_t at = below(text.size());
      switch (below(4)) {
        case 0: text.resize(at + 1); break;
        case 1: text.erase(at, 1 + below(12)); break;
        case 2: text.insert(at, 1, kLetters[below(kLetters.size())]); break;
        default: text[at] = kLetters[below(kLetters.size())];
      }
    }
    try {
      nn::layer_from_json(text);
      ++read;
    } catch (const InvalidArgument&) {
    } catch (const ResourceError&) {  // a size that no machine has room for
    }
  }
  EXPECT_GT(read, 50);  // some changes do no harm
}

class Doubled : public nn::Module {
 public:
  explicit Doubled(double by) : Module("doubled"), by_(by) {}
  std::string_view kind() const override { return "Doubled"; }
  void describe(nn::Fields& f) override { f("by", by_); }

 protected:
  Tensor call(const Tensor& x, const nn::Call&) override { return x * constant(by_, x.dtype()); }

 private:
  double by_;
};

TEST(Config, TakesLayersOfOnesOwn) {
  nn::register_layer("Doubled", [](nn::Fields& f) {
    double by = 2;
    f("by", by);
    return nn::layer<Doubled>(by);
  });
  const nn::Layer copy = nn::clone(nn::layer<Doubled>(3));
  EXPECT_EQ(copy(ones({1})).item<float>(), 3);
}

TEST(Module, FreezesLayers) {
  const nn::Dense first(3, {.name = "frozen"});
  const nn::Sequential model({first, nn::Dense(1)}, {.input_shape = Shape{2}});
  first.set_trainable(false);
  EXPECT_EQ(model.trainable_variables().size(), 2u);
  EXPECT_EQ(model.non_trainable_variables().size(), 2u);
  model.compile({.optimizer = nn::SGD(0.1), .loss = "mse"});
  const Tensor x = random::normal({8, 2}, {.seed = 1}), y = ones({8, 1});
  const auto before = model.get_weights();
  model.fit(x, y, {.verbose = 0});
  auto after = model.get_weights();
  EXPECT_EQ(after[0].to_vector<float>(), before[0].to_vector<float>());
  EXPECT_NE(after[2].to_vector<float>(), before[2].to_vector<float>());
  model.set_trainable(true);  // the next fit trains all of them
  model.fit(x, y, {.verbose = 0});
  EXPECT_NE(model.get_weights()[0].to_vector<float>(), before[0].to_vector<float>());
  EXPECT_SAYS(invalid([&] { model.set_weights({before[0]}); }), "1 tensors are given for 4 weights");
  EXPECT_SAYS(invalid([&] { model.set_weights({before[1], before[1], before[2], before[3]}); }), "weight 0 of");
}

TEST(Module, RegularisersAddToTheLoss) {
  const nn::Dense dense(2, {.kernel_initializer = "ones",
                            .kernel_regularizer = nn::l2(0.5),
                            .bias_regularizer = "l1",
                            .activity_regularizer = nn::l1(0.1)});
  const nn::Sequential model({dense}, {.input_shape = Shape{3}});
  model.compile({.optimizer = nn::SGD(0), .loss = "mse"});
  const Tensor x = ones({4, 3});
  // kernel: 0.5 · 6; activity: 0.1 · 2 outputs of 3 in each row.
  EXPECT_NEAR(model.evaluate(x, dense(x), {.batch_size = 4, .verbose = 0})["loss"], 3 + 0.6, 1e-5);
  // What that run added was its own; only what weights cost is left.
  EXPECT_EQ(model.losses().size(), 2u);
  EXPECT_NEAR(model.losses()[0].item<float>(), 3, 1e-6);
  model(x);
  EXPECT_EQ(model.losses().size(), 3u);
  model(x);
  EXPECT_EQ(model.losses().size(), 3u);  // those of the last call alone
}

// A layer that passes the mask on, and one that looks at it.
class Count : public nn::Module {
 public:
  Count() : Module("count") { supports_masking_ = true; }
  std::string_view kind() const override { return "Count"; }
  Tensor seen;

 protected:
  Tensor call(const Tensor& x, const nn::Call& how) override {
    seen = how.mask();
    return x;
  }
};

TEST(Module, MasksGoFromLayerToLayer) {
  auto count = std::make_shared<Count>();
  const nn::Sequential model({nn::Dense(2), nn::Dropout(0.5), nn::Layer(count)});
  const Tensor mask({{true, false, true}}, boolean), x = ones({1, 3, 4});
  Tensor y = model(x, {.masks = {mask}});
  EXPECT_EQ(count->seen.to_vector<bool>(), mask.to_vector<bool>());
  EXPECT_EQ(nn::mask_of(y).to_vector<bool>(), mask.to_vector<bool>());
  EXPECT_FALSE(nn::mask_of(x).defined());
  model(nn::with_mask(x, mask));
  EXPECT_TRUE(count->seen.defined());
  testing::internal::CaptureStderr();
  y = nn::Flatten()(nn::with_mask(ones({1, 3, 4}), mask));
  EXPECT_FALSE(nn::mask_of(y).defined());
  EXPECT_SAYS(testing::internal::GetCapturedStderr(), "Flatten does not know masks");
  EXPECT_SAYS(invalid([&] { nn::with_mask(x, ones({1})); }), "a mask is bool");
  EXPECT_SAYS(invalid([&] { nn::Dense(1)(x, {.masks = {mask, mask}}); }), "got 2 masks");
}

TEST(Module, GlobalAverageLeavesOutMaskedSteps) {
  const Tensor x({{{1, 2}, {3, 4}, {50, 60}}}), mask({{true, true, false}}, boolean);
  EXPECT_EQ(nn::GlobalAveragePooling1D()(x, {.masks = {mask}}).to_vector<float>(), (std::vector<float>{2, 3}));
}

TEST(Policy, ComputesInShortAndKeepsFloat32) {
  const nn::Dense dense(4, {.dtype = "mixed_bfloat16"});
  const Tensor x = random::normal({2, 8}, {.seed = 1});
  GradientTape tape;
  const Tensor y = dense(x);
  EXPECT_EQ(y.dtype(), bf16);
  EXPECT_EQ(dense.kernel().dtype(), f32);
  const nn::Tensors gradients = tape.gradient(sum(cast(y, f32)), {dense.kernel()});
  EXPECT_EQ(gradients[0].dtype(), f32);
  EXPECT_EQ(dense.kernel().value().dtype(), f32);  // outside of the layer it is what it is
}

TEST(Policy, IsGlobalOrOfALayer) {
  EXPECT_EQ(nn::global_policy().name(), "float32");
  nn::set_global_policy("mixed_float16");
  const nn::Dense inner(2), wide(2, {.dtype = "float64"});
  nn::set_global_policy("float32");
  const nn::Sequential model({inner, wide});
  EXPECT_EQ(model(ones({1, 3})).dtype(), f64);
  EXPECT_EQ(inner.kernel().dtype(), f32);
  EXPECT_EQ(inner(ones({1, 3})).dtype(), f16);
  EXPECT_EQ(wide.kernel().dtype(), f64);
  EXPECT_SAYS(invalid([] { nn::Policy("mixed_float32"); }), "there is no dtype policy 'mixed_float32'");
  EXPECT_SAYS(invalid([] { nn::Policy("float31"); }), "did you mean 'float32'?");
  EXPECT_SAYS(invalid([] { nn::set_global_policy(i32); }), "cannot be that of all layers");
  EXPECT_SAYS(invalid([] { nn::Dense(2, {.dtype = i32})(ones({1, 2})); }), "weights cannot be int32");
}

TEST(Policy, TrainsInBfloat16) {
  set_random_seed(1);
  nn::set_global_policy("mixed_bfloat16");
  const nn::Sequential model({nn::Dense(16, {.activation = "relu"}), nn::Dense(1, {.dtype = "float32"})});
  nn::set_global_policy("float32");
  const Tensor x = random::normal({128, 4}, {.seed = 1}), y = sum(x, 1, true);
  model.compile({.optimizer = nn::Adam(0.02), .loss = "mse"});
  const train::History h = model.fit(x, y, {.epochs = 40, .verbose = 0});
  EXPECT_LT(h["loss"].back(), 0.05);
}

}  // namespace
}  // namespace brio
