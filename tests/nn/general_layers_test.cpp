// Reshaping, embedding, activation and separable layers, EinsumDense: what the goldens do not show, above all errors.
#include "brio/nn/mask.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;

TEST(Reshape, TakesEmptyBatchesAndUnknownOnes) {
  EXPECT_SAYS(invalid([] {
                nn::Reshape({2000000000, 2000000000, 2000000000}, {.name = "re"});
              }),
              "[re] its result would");
  EXPECT_EQ(nn::Reshape({2, -1})(zeros({0, 6})).shape(), Shape({0, 2, 3}));
  EXPECT_EQ(nn::Reshape({2, -1})(nn::Input({6})).spec().str(), "(None, 2, 3)");
  EXPECT_SAYS(invalid([] { nn::Reshape({-1, -1}, {.name = "re"}); }), "[re] target_shape (-1, -1) may have one -1");
  EXPECT_SAYS(invalid([] { nn::Reshape({-2}, {.name = "re"}); }), "[re] target_shape (-2)");
  EXPECT_SAYS(invalid([] { nn::Reshape({1, 1, 1, 1, 1, 1, 1, 1}, {.name = "re"}); }), "[re] target_shape has 8 axes");
  EXPECT_SAYS(invalid([] {
                nn::Reshape({4}, {.name = "re"})(zeros({2, 6}));
              }),
              "[re] a sample of the input of shape (2, 6) has 6 elements, which do not fill target_shape (4)");
  EXPECT_SAYS(invalid([] { nn::Reshape({-1, 4})(zeros({2, 6})); }), "do not fill target_shape (-1, 4)");
  EXPECT_SAYS(invalid([] { nn::Reshape({-1, 0})(zeros({2, 6})); }), "do not fill target_shape (-1, 0)");
  EXPECT_SAYS(invalid([] { nn::Reshape({})(zeros({2, 6})); }), "do not fill target_shape ()");
}

TEST(Permute, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::Permute({0, 1}, {.name = "turn"}); }), "[turn] dims must hold each of 1 to 2 once");
  EXPECT_SAYS(invalid([] { nn::Permute({1, 1}); }), "each of 1 to 2 once");
  EXPECT_SAYS(invalid([] { nn::Permute({2, 1}, {.name = "turn"})(zeros({2, 3})); }), "[turn] takes inputs of rank 3");
}

TEST(RepeatVector, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::RepeatVector(0, {.name = "again"}); }), "[again] n is 0");
  EXPECT_SAYS(invalid([] {
                nn::RepeatVector(2, {.name = "again"})(zeros({2, 3, 4}));
              }),
              "[again] takes inputs of rank 2");
}

TEST(CroppingAndPadding, TakeOneNumberOrPairs) {
  EXPECT_EQ(nn::Cropping2D()(zeros({1, 4, 5, 2})).shape(), Shape({1, 4, 5, 2}));
  EXPECT_EQ(nn::Cropping2D(1)(zeros({1, 4, 5, 2})).shape(), Shape({1, 2, 3, 2}));
  EXPECT_EQ(nn::Cropping2D({{1, 0}, {2, 2}})(zeros({1, 4, 5, 2})).shape(), Shape({1, 3, 1, 2}));
  EXPECT_EQ(
      nn::ZeroPadding2D({{1, 0}, {2, 2}}, {.data_format = DataFormat::channels_first})(zeros({1, 2, 4, 5})).shape(),
      Shape({1, 2, 5, 9}));
  EXPECT_EQ(nn::Cropping3D()(zeros({1, 3, 4, 5, 2})).shape(), Shape({1, 1, 2, 3, 2}));
  EXPECT_EQ(nn::ZeroPadding1D()(nn::Input({nn::kUnknown, 2})).spec().str(), "(None, None, 2)");
}

TEST(CroppingAndPadding, SayWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::Cropping1D(INT64_MAX)(zeros({1, 4, 2})); }), "nothing would be left of axis 1");
  EXPECT_SAYS(invalid([] { nn::ZeroPadding1D(INT64_MAX)(zeros({1, 4, 2})); }), "[pad]");
  EXPECT_SAYS(invalid([] { nn::Cropping1D(-1, {.name = "crop"}); }), "[crop] the pair {-1, -1} has a number below 0");
  EXPECT_SAYS(invalid([] { nn::ZeroPadding2D({{1, 1}}, {.name = "pad"}); }), "[pad] has 2 spatial axes, but 1 pairs");
  EXPECT_SAYS(invalid([] {
                nn::Cropping2D(2, {.name = "crop"})(zeros({1, 4, 5, 2}));
              }),
              "[crop] nothing would be left of axis 1 of the input of shape (1, 4, 5, 2)");
  EXPECT_SAYS(invalid([] {
                nn::ZeroPadding3D(2, {.name = "pad"})(zeros({1, 4, 5, 2}));
              }),
              "[pad] takes inputs of rank 5");
  EXPECT_SAYS(invalid([] { nn::Cropping1D(1, {.data_format = DataFormat::channels_first}); }), "permute the axes");
  EXPECT_SAYS(
      invalid([] { nn::layer_from_json(R"({"class_name": "Cropping1D", "config": {"cropping": [1, 2, 3]}})"); }),
      "cropping must be a number or a pair");
  EXPECT_SAYS(invalid([] {
                nn::layer_from_json(R"({"class_name": "ZeroPadding2D", "config": {"padding": [[1, 2, 3], 1]}})");
              }),
              "padding must be a list of numbers or pairs");
}

TEST(UpSampling, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::UpSampling2D({int64_t{1} << 40}); }), "size has 1099511627776");
  EXPECT_SAYS(invalid([] { nn::UpSampling2D({0}, {.name = "up"}); }), "[up] size has 0");
  EXPECT_SAYS(invalid([] { nn::UpSampling2D({1, 2, 3}, {.name = "up"}); }), "[up] size");
  EXPECT_SAYS(invalid([] { nn::UpSampling2D({2}, {.interpolation = "bicubic", .name = "up"}); }),
              "[up] has no interpolation 'bicubic'; use \"nearest\" or \"bilinear\"");
  EXPECT_SAYS(invalid([] { nn::UpSampling3D({2}, {.interpolation = "bilinear", .name = "up"}); }),
              "[up] has no interpolation 'bilinear'; use \"nearest\"");
  EXPECT_SAYS(invalid([] { nn::UpSampling1D({2}, {.data_format = DataFormat::channels_first}); }),
              "permute the axes");
  EXPECT_SAYS(invalid([] { nn::UpSampling1D({2}, {.name = "up"})(zeros({1, 2})); }), "[up] takes inputs of rank 3");
  EXPECT_EQ(nn::UpSampling2D({2}, {.interpolation = "bilinear"})(zeros({1, 0, 3, 1})).shape(), Shape({1, 0, 6, 1}));
}

TEST(Embedding, StartsWithGivenWeights) {
  const nn::Embedding layer(2, 3, {.weights = Tensor({{1, 2, 3}, {4, 5, 6}}), .name = "words"});
  EXPECT_TRUE(layer.built());
  EXPECT_EQ(layer(Tensor({{1, 0}}, i32)).to_vector<float>(), (std::vector<float>{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(layer.embeddings().name(), "words/embeddings");
  EXPECT_SAYS(invalid([] {
                nn::Embedding(2, 3, {.weights = zeros({3, 2}), .name = "words"});
              }),
              "[words] weights have shape (3, 2), but the embeddings are (2, 3)");
}

TEST(Embedding, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::Embedding(0, 3, {.name = "words"}); }), "[words] input_dim is 0 and output_dim 3");
  EXPECT_SAYS(invalid([] { nn::Embedding(3, -1); }), "output_dim -1");
  const nn::Embedding layer(4, 2);
  EXPECT_SAYS(invalid([&] { layer(Tensor({{1, 4}}, i32)).to_vector<float>(); }), "[gather]");
  EXPECT_SAYS(invalid([&] { layer(Tensor({{-1}}, i32)).to_vector<float>(); }), "[gather]");
}

TEST(Embedding, LearnsInFitAndPassesItsMaskOn) {
  set_random_seed(2);
  const nn::Sequential model({nn::Embedding(6, 4, {.mask_zero = true}), nn::GlobalAveragePooling1D(),
                              nn::Dense(1, {.activation = "sigmoid"})});
  Tensor x = cast(random::uniform({128, 5}, {.low = 1, .high = 6, .seed = 4}), i32);
  const Tensor y = cast(any(equal(x, Tensor(3, i32)), 1, true), f32);
  model.compile({.optimizer = nn::Adam(0.05), .loss = "binary_crossentropy"});
  const train::History history = model.fit(x, y, {.epochs = 20, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front() / 2);
  // A row with gaps is the row without them.
  const Tensor gaps({{3, 0, 0}}, i32), none({{3, 3, 3}}, i32);
  EXPECT_NEAR(model(gaps).item<float>(), model(none).item<float>(), 1e-6);
}

TEST(Masking, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::Masking({.name = "mask"})(zeros({3})); }), "[mask] takes inputs of rank 2 or more");
}

TEST(ActivationLayers, SayWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::ReLU({.max_value = -1, .name = "r"}); }), "[r] max_value is -1; it must be 0 or more");
  EXPECT_SAYS(invalid([] { nn::ReLU({.negative_slope = -1}); }), "negative_slope is -1");
  EXPECT_SAYS(invalid([] { nn::ReLU({.threshold = std::nan("")}); }), "threshold is nan");
  EXPECT_SAYS(invalid([] { nn::LeakyReLU({.negative_slope = -0.5}); }), "negative_slope is -0.5");
  EXPECT_SAYS(invalid([] {
                nn::PReLU({.shared_axes = {3}, .name = "p"})(zeros({2, 3, 4}));
              }),
              "[p] shared_axes has 3");
  EXPECT_SAYS(invalid([] { nn::PReLU({.shared_axes = {0}})(zeros({2, 3})); }), "shared_axes has 0");
  const nn::PReLU prelu({.name = "p"});
  prelu(zeros({2, 3}));
  EXPECT_SAYS(invalid([&] { prelu(zeros({2, 4})); }), "[p] was built for features of shape (3,)");
  EXPECT_SAYS(invalid([] { nn::Softmax({.axis = {2}, .name = "s"})(zeros({2, 4})); }), "[s] axis 2");
  EXPECT_SAYS(invalid([] {
                nn::Softmax({.name = "s"})(zeros({2, 4}), {.masks = {ones({3}, boolean)}});
              }),
              "[s] a mask of shape (3,) does not broadcast to the input's shape (2, 4)");
  EXPECT_SAYS(invalid([] { nn::Softmax()(zeros({4}), {.masks = {ones({2, 4}, boolean)}}); }), "does not broadcast");
}

TEST(PReLU, BuildsForUnknownSizesThatAreShared) {
  EXPECT_EQ(nn::PReLU({.shared_axes = {1}})(nn::Input({nn::kUnknown, 4})).spec().str(), "(None, None, 4)");
  EXPECT_SAYS(invalid([] { nn::PReLU()(nn::Input({nn::kUnknown, 4})); }), "a size that is not known yet");
}

TEST(SeparableConv, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] {
                nn::SeparableConv1D(1, {int64_t{1} << 40},
                                    {.depth_multiplier = int64_t{1} << 40, .name = "sep"})(zeros({1, 2, 3}));
              }),
              "[sep] its result would");
  EXPECT_SAYS(invalid([] { nn::SeparableConv2D(0, {3}, {.name = "sep"}); }), "[sep] filters is 0");
  EXPECT_SAYS(invalid([] { nn::SeparableConv1D(1, {3}, {.depth_multiplier = 0}); }), "depth_multiplier 0");
  EXPECT_SAYS(invalid([] { nn::SeparableConv1D(1, {0}, {.name = "sep"}); }), "[sep] kernel_size has 0");
  EXPECT_SAYS(invalid([] { nn::SeparableConv1D(1, {1}, {.strides = {0}}); }), "strides has 0");
  EXPECT_SAYS(invalid([] {
                nn::SeparableConv2D(1, {2}, {.name = "sep"})(zeros({1, 2, 3}));
              }),
              "[sep] takes inputs of rank 4");
  const nn::SeparableConv2D layer(1, {1}, {.name = "sep"});
  layer(zeros({1, 2, 2, 3}));
  EXPECT_SAYS(invalid([&] { layer(zeros({1, 2, 2, 4})); }), "[sep] was built for 3 channels");
}

TEST(SeparableConv, ChannelsFirst) {
  const nn::SeparableConvOptions options{.padding = "same", .bias_initializer = "ones"};
  nn::SeparableConvOptions first = options;
  first.data_format = DataFormat::channels_first;
  const nn::SeparableConv2D last_layer(3, {2}, options), first_layer(3, {2}, first);
  const Tensor x = random::normal({1, 4, 5, 2}, {.seed = 1});
  const Tensor y = last_layer(x);
  first_layer.build({1, 2, 4, 5});
  first_layer.set_weights(last_layer.get_weights());
  EXPECT_EQ(transpose(first_layer(transpose(x, {0, 3, 1, 2})), {0, 2, 3, 1}).to_vector<float>(),
            y.to_vector<float>());
}

TEST(EinsumDense, DrawsByTheFansOfItsEquation) {
  // (summed, made) = (2 · 50, 30), wherever the axes stand.
  const nn::EinsumDense layer("abc,bdc->ad", {30},
                              {.kernel_initializer = nn::variance_scaling({.mode = nn::Fan::in, .seed = 3})});
  layer.build({1, 2, 50});
  ASSERT_EQ(layer.kernel().shape(), Shape({2, 30, 50}));
  EXPECT_NEAR(standard_deviation(layer.kernel()).item<float>(), std::sqrt(1.0 / 100), 4e-3);
  const nn::EinsumDense constant("ab,bc->ac", {2}, {.kernel_initializer = "ones"});
  EXPECT_EQ(constant(ones({1, 3})).to_vector<float>(), (std::vector<float>{3, 3}));
}

TEST(EinsumDense, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] {
                nn::EinsumDense("ab,bc->acbcbcbcbcb", {1, 3, 1, 3, 1, 3, 1, 3, 1, 3},
                                {.bias_axes = "c", .name = "e"})(zeros({2, 3}));
              }),
              "[e] its result would");
  for (const char* equation :
       {"ab,bc", "ab->bc", "a b,bc->ac", "...ab,bc->ac", "ab,...bc->ac", "ab,->a", "", "->,", "a1,ab->b"})
    EXPECT_SAYS(invalid([&] { nn::EinsumDense(equation, {1}, {.name = "e"}); }), "must have the form x,kernel->y");
  EXPECT_SAYS(invalid([] { nn::EinsumDense("ab,bc->ad", {1}, {.name = "e"}); }), "[e] the label 'd' of the output");
  EXPECT_SAYS(invalid([] { nn::EinsumDense("ab,bd->a", {}, {.name = "e"}); }), "[e] the label 'd' of the kernel");
  EXPECT_SAYS(invalid([] { nn::EinsumDense("ab,bc->ac", {2}, {.bias_axes = "b", .name = "e"}); }),
              "[e] bias_axes has 'b'");
  const nn::EinsumDense layer("abc,cd->abd", {nn::kUnknown, 2}, {.name = "e"});
  EXPECT_SAYS(invalid([&] {
                layer(zeros({2, 3}));
              }),
              "[e] the equation 'abc,cd->abd' does not fit an input of shape (2, 3)");
  EXPECT_SAYS(invalid([&] { layer(zeros({2, 3, 4, 5})); }), "does not fit");
  layer(zeros({2, 3, 4}));
  EXPECT_SAYS(invalid([&] { layer(zeros({2, 3, 5})); }), "[e] was built for a kernel of shape (4, 2)");
  EXPECT_SAYS(invalid([] { nn::EinsumDense("ab,bc->ac", {2, 2})(zeros({2, 3})); }), "output_shape has 2 sizes");
  EXPECT_SAYS(invalid([] { nn::EinsumDense("abc,cd->abd", {4, 2})(zeros({2, 3, 4})); }), "'b' of 'abc,cd->abd' is 3");
  EXPECT_SAYS(invalid([] {
                nn::EinsumDense("ab,bc->ac", {nn::kUnknown})(zeros({2, 3}));
              }),
              "give its size in output_shape");
}

}  // namespace
}  // namespace brio
