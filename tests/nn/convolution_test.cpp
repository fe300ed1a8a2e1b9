// Layers of convolution and pooling: Keras' defaults, names and output shapes, and what they say to wrong inputs.
#include "brio/nn/names.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

TEST(Conv2D, ComputesActivationOfConvolutionAndBias) {
  const nn::Conv2D layer(4, {3, 2}, {.padding = "same", .activation = "relu", .bias_initializer = "ones"});
  const Tensor x = random::normal({2, 5, 6, 3}, {.seed = 1});
  const Tensor y = layer(x);
  EXPECT_EQ(layer.kernel().shape(), Shape({3, 2, 3, 4}));
  EXPECT_EQ(layer.kernel().name(), layer.name() + "/kernel");
  EXPECT_EQ(layer.count_params(), 3 * 2 * 3 * 4 + 4);
  EXPECT_EQ(y.to_vector<float>(),
            relu(conv2d(x, layer.kernel(), {.padding = "same"}) + ones({4})).to_vector<float>());
  EXPECT_EQ(layer.module().output_shape(x.shape()), y.shape());
}

TEST(Conv2D, ChannelsFirstIsTheSameTransposed) {
  const Tensor x = random::normal({1, 5, 4, 3}, {.seed = 1});
  const nn::Conv2D last(2, {3},
                        {.strides = {2},
                         .kernel_initializer = nn::random_normal({.seed = 3}),
                         .bias_initializer = nn::random_normal({.seed = 4})});
  const nn::Conv2D first(2, {3},
                         {.strides = {2},
                          .data_format = DataFormat::channels_first,
                          .kernel_initializer = nn::random_normal({.seed = 3}),
                          .bias_initializer = nn::random_normal({.seed = 4})});
  const Tensor turned = transpose(x, {0, 3, 1, 2}), y = first(turned);
  EXPECT_EQ(first.module().output_shape(turned.shape()), y.shape());
  EXPECT_EQ(transpose(y, {0, 2, 3, 1}).to_vector<float>(), last(x).to_vector<float>());
}

TEST(Conv1D, CausalSeesOnlyThePast) {
  const nn::Conv1D layer(1, {3}, {.padding = "causal", .dilation_rate = {2}, .kernel_initializer = "ones"});
  const Tensor x = reshape(Tensor({1, 2, 3, 4, 5, 6}), {1, 6, 1});
  EXPECT_EQ(layer(x).to_vector<float>(), (std::vector<float>{1, 2, 4, 6, 9, 12}));
  EXPECT_EQ(layer.module().output_shape(x.shape()), Shape({1, 6, 1}));
}

TEST(Conv, GroupsAndDepthwise) {
  const nn::Conv2D grouped(6, {3}, {.groups = 2});
  EXPECT_EQ(grouped(zeros({1, 5, 5, 4})).shape(), Shape({1, 3, 3, 6}));
  EXPECT_EQ(grouped.kernel().shape(), Shape({3, 3, 2, 6}));
  const nn::DepthwiseConv2D depthwise({3}, 2, {.strides = {2}, .padding = "same"});
  EXPECT_EQ(depthwise(zeros({1, 5, 5, 4})).shape(), Shape({1, 3, 3, 8}));
  EXPECT_EQ(depthwise.kernel().shape(), Shape({3, 3, 4, 2}));
  EXPECT_EQ(depthwise.module().output_shape(Shape({1, 5, 5, 4})), Shape({1, 3, 3, 8}));
  EXPECT_EQ(nn::DepthwiseConv1D({3})(zeros({1, 5, 2})).shape(), Shape({1, 3, 2}));
  EXPECT_EQ(nn::Conv3D(2, {2}, {.use_bias = false})(zeros({1, 3, 4, 5, 1})).shape(), Shape({1, 2, 3, 4, 2}));
}

TEST(ConvTranspose, ShapesAndWeights) {
  const nn::Conv2DTranspose layer(5, {3}, {.strides = {2}, .padding = "same", .bias_initializer = "ones"});
  const Tensor x = random::normal({1, 4, 3, 2}, {.seed = 1}), y = layer(x);
  EXPECT_EQ(layer.kernel().shape(), Shape({3, 3, 5, 2}));
  EXPECT_EQ(layer.module().kind(), "Conv2DTranspose");
  EXPECT_EQ(y.shape(), Shape({1, 8, 6, 5}));
  EXPECT_EQ(
      y.to_vector<float>(),
      (conv2d_transpose(x, layer.kernel(), {.strides = {2}, .padding = "same"}) + ones({5})).to_vector<float>());
  for (const char* padding : {"valid", "same"})
    for (const std::vector<int64_t>& extra : {std::vector<int64_t>{}, {1}, {0, 1}}) {
      const nn::Conv2DTranspose other(1, {3, 2}, {.strides = {3, 2}, .padding = padding, .output_padding = extra});
      EXPECT_EQ(other.module().output_shape(x.shape()), other(x).shape()) << padding;
    }
  const nn::Conv1DTranspose line(2, {2}, {.strides = {3}, .data_format = DataFormat::channels_first});
  EXPECT_EQ(line(zeros({1, 4, 5})).shape(), Shape({1, 2, 15}));
  EXPECT_EQ(nn::Conv3DTranspose(1, {2})(zeros({1, 2, 3, 4, 2})).shape(), Shape({1, 3, 4, 5, 1}));
  EXPECT_SAYS(golden::invalid([&] { layer(zeros({1, 4, 3, 3})); }), "was built for 2 channels");
  EXPECT_SAYS(golden::invalid([] { nn::Conv1DTranspose(1, {2}, {.padding = "causal"}); }), "causal");
}

TEST(Conv, SaysWhatIsWrong) {
  EXPECT_SAYS(golden::invalid([] { nn::Conv2D(0, {3}); }), "filters is 0");
  EXPECT_SAYS(golden::invalid([] { nn::DepthwiseConv2D({3}, 0); }), "depth_multiplier is 0");
  EXPECT_SAYS(golden::invalid([] { nn::DepthwiseConv2D({3}, 2, {.groups = 2}); }), "groups has no meaning");
  EXPECT_SAYS(golden::invalid([] { nn::Conv2D(3, {3}, {.groups = 2}); }), "3 filters do not make 2 equal groups");
  EXPECT_SAYS(golden::invalid([] { nn::Conv2D(3, {3}, {.dtype = i32}); }), "weights cannot be int32");
  EXPECT_SAYS(golden::invalid([] { nn::Conv2D(3, {3, 3, 3}); }), "kernel_size has 3 values for 2 spatial axes");
  EXPECT_SAYS(golden::invalid([] { nn::Conv2D(3, {0}); }), "must be ≥ 1, but are 0");
  EXPECT_SAYS(golden::invalid([] { nn::Conv2D(3, {3}, {.padding = "causal"}); }), "only Conv1D has causal padding");
  const nn::Conv2D layer(3, {3}, {.groups = 3, .name = "stem"});
  EXPECT_SAYS(golden::invalid([&] { layer(zeros({2, 8, 8})); }), "[stem] takes inputs of rank 4");
  EXPECT_SAYS(golden::invalid([&] { layer(zeros({2, 8, 8, 4})); }), "4 channels, which do not make 3 equal groups");
  EXPECT_SAYS(golden::invalid([&] { layer(zeros({2, 2, 8, 3})); }), "larger than spatial axis 0");
  layer(zeros({1, 8, 8, 3}));
  EXPECT_SAYS(golden::invalid([&] { layer(zeros({2, 8, 8, 6})); }), "[stem] was built for 3 channels");
}

TEST(Pooling, ShapesAndNames) {
  nn::reset_unique_names();
  const Tensor x = random::normal({2, 7, 6, 3}, {.seed = 1});
  const nn::MaxPooling2D max;
  EXPECT_EQ(max.name(), "max_pooling2d");
  EXPECT_EQ(max(x).to_vector<float>(), max_pool2d(x, {2}).to_vector<float>());
  EXPECT_EQ(max.module().output_shape(x.shape()), Shape({2, 3, 3, 3}));
  const nn::AveragePooling2D average({3, 2}, {.strides = {2}, .padding = "same"});
  EXPECT_EQ(average.module().output_shape(x.shape()), average(x).shape());
  EXPECT_EQ(average.module().kind(), "AveragePooling2D");
  const nn::GlobalAveragePooling2D global;
  EXPECT_EQ(global.name(), "global_average_pooling2d");
  EXPECT_EQ(global(x).to_vector<float>(), mean(x, {1, 2}).to_vector<float>());
  EXPECT_EQ(global.module().output_shape(x.shape()), Shape({2, 3}));
  const nn::GlobalMaxPooling2D kept({.data_format = DataFormat::channels_first, .keepdims = true});
  EXPECT_EQ(kept(x).shape(), Shape({2, 7, 1, 1}));
  EXPECT_EQ(kept.module().output_shape(x.shape()), Shape({2, 7, 1, 1}));
  EXPECT_EQ(nn::MaxPooling1D()(zeros({1, 4, 2})).shape(), Shape({1, 2, 2}));
  EXPECT_EQ(nn::AveragePooling3D()(zeros({1, 4, 4, 4, 2})).shape(), Shape({1, 2, 2, 2, 2}));
  EXPECT_SAYS(golden::invalid([] { nn::MaxPooling2D({0}); }), "must be ≥ 1, but are 0");
  EXPECT_SAYS(golden::invalid([&] { nn::MaxPooling1D({2}, {.name = "pool"})(x); }), "[pool] takes inputs of rank 3");
  EXPECT_SAYS(golden::invalid([&] { nn::GlobalMaxPooling1D()(x); }), "takes inputs of rank 3");
}

}  // namespace
}  // namespace brio
