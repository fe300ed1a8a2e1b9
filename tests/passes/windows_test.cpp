// Passes over convolutions and pooling, as text.
#include <gtest/gtest.h>

#include "brio/brio.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/target.h"
#include "brio/runtime/interpret.h"
#include "tests/passes/pass_text.h"

namespace brio {
namespace {

TEST(Padding, ZerosAroundAConvolutionAreItsOwn) {
  const std::string out = after(merge_padding, R"((%0: f32[2,5,5,3], %1: f32[3,3,3,4], %2: f32[2,5,5,4]) {
    %3 = constant {dtype=f32, bits=0} : f32[]
    %4 = pad %0, %3 {low=[0,1,1,0], high=[0,1,1,0]} : f32[2,7,7,3]
    %5 = conv %4, %1 {groups=1, stride=[1,1], dilation=[1,1], low=[0,0], high=[0,0]} : f32[2,5,5,4]
    %6 = conv_filter_grad %4, %2 {groups=1, stride=[1,1], dilation=[1,1], low=[0,0], high=[0,0], size=[3,3]} : f32[3,3,3,4]
    %7 = conv_input_grad %1, %2 {groups=1, stride=[1,1], dilation=[1,1], low=[0,0], high=[0,0], size=[7,7]} : f32[2,7,7,3]
    %8 = slice %7 {begin=[0,1,1,0], size=[2,5,5,3], stride=[1,1,1,1]} : f32[2,5,5,3]
    return %5, %6, %8
  })");
  expect_has(out, "= conv %0, %1 {groups=1, stride=[1,1], dilation=[1,1], low=[1,1], high=[1,1]}");
  expect_has(out,
             "= conv_filter_grad %0, %2 {groups=1, stride=[1,1], dilation=[1,1], low=[1,1], high=[1,1], size=[3,3]}");
  expect_has(out,
             "= conv_input_grad %1, %2 {groups=1, stride=[1,1], dilation=[1,1], low=[1,1], high=[1,1], size=[5,5]}");
  expect_lacks(out, "= slice");
}

TEST(Padding, ZerosAroundAReluThatIsPooledAreThePoolings) {
  const auto text = [](std::string_view first, std::string_view pad) {
    return cat("(%0: f32[2,6,6,3], %1: f32[2,3,3,3]) {\n %2 = constant {dtype=f32, bits=0} : f32[]\n %3 = ", first,
               " %0 : f32[2,6,6,3]\n %4 = pad %3, %2 ", pad, " : f32[2,8,8,3]\n",
               " %5 = max_pool %4 {window=[3,3], stride=[2,2], low=[0,0], high=[0,0]} : f32[2,3,3,3]\n",
               " %6 = max_pool_grad %4, %1 {window=[3,3], stride=[2,2], low=[0,0], high=[0,0]} : f32[2,8,8,3]\n",
               " %7 = slice %6 {begin=[0,1,1,0], size=[2,6,6,3], stride=[1,1,1,1]} : f32[2,6,6,3]\n",
               " %8 = greater %3, %2 : bool[2,6,6,3]\n %9 = select %8, %7, %2 : f32[2,6,6,3]\n return %5, %9\n }");
  };
  const auto whole = [](Graph& graph) {
    merge_padding(graph);
    return drop_dead(graph);
  };
  const std::string even = "{low=[0,1,1,0], high=[0,1,1,0]}", out = after(whole, text("relu", even));
  expect_has(out, "= max_pool %3 {window=[3,3], stride=[2,2], low=[1,1], high=[1,1]}");
  expect_has(out, "= max_pool_grad %3, %1 {window=[3,3], stride=[2,2], low=[1,1], high=[1,1]}");
  expect_lacks(out, "= pad");
  expect_lacks(out, "= slice");
  expect_has(after(whole, text("exp", even)), "max_pool %4");
  const std::string shifted = after(whole, text("relu", "{low=[0,0,2,0], high=[0,2,0,0]}"));
  expect_has(shifted, "max_pool_grad %4");  // what is cut out is not what was surrounded

  register_runtime();
  Graph graph = Graph::parse(text("relu", even));
  const std::vector<Array> in = {random::normal({2, 6, 6, 3}, {.seed = 1}).array(),
                                 random::normal({2, 3, 3, 3}, {.seed = 2}).array()};
  const std::vector<Array> plain = interpret(graph, in);
  whole(graph);
  const std::vector<Array> merged = interpret(graph, in);
  for (size_t k = 0; k < plain.size(); ++k)
    for (int64_t i = 0; i < plain[k].aval.shape.elements(); ++i)
      EXPECT_EQ(merged[k].as<float>()[i], plain[k].as<float>()[i]) << "output " << k;
}

TEST(Padding, OfOtherNumbersOrAxesOrWiderThanTheWindowStays) {
  const auto padded = [](std::string bits, std::string paddings, std::string shape, std::string result) {
    return after(merge_padding, "(%0: f32[2,5,5,3], %1: f32[3,3,3,4]) {\n %2 = constant {dtype=f32, bits=" + bits +
                                    "} : f32[]\n %3 = pad %0, %2 " + paddings + " : f32[" + shape +
                                    "]\n %4 = conv %3, %1 {groups=1, stride=[1,1], dilation=[1,1], low=[0,0], "
                                    "high=[0,0]} : f32[" +
                                    result + "]\n return %4\n }");
  };
  expect_has(padded("0", "{low=[0,2,0,0], high=[0,0,0,0]}", "2,7,5,3", "2,5,3,4"), "conv %0");
  expect_has(padded("1065353216", "{low=[0,2,0,0], high=[0,0,0,0]}", "2,7,5,3", "2,5,3,4"), "conv %3");
  expect_has(padded("0", "{low=[1,0,0,0], high=[0,0,0,0]}", "3,5,5,3", "3,3,3,4"), "conv %3");
  expect_has(padded("0", "{low=[0,3,0,0], high=[0,0,0,0]}", "2,8,5,3", "2,6,3,4"), "conv %3");
}

constexpr std::string_view kPooledConvolution =
    R"((%0: f32[2,6,7,3], %1: f32[3,3,3,4], %2: f32[4], %3: f32[2,2,2,4]) {
    %4 = constant {dtype=f32, bits=0} : f32[]
    %5 = conv %0, %1 {groups=1, stride=[1,1], dilation=[1,1], low=[0,0], high=[0,0]} : f32[2,4,5,4]
    %6 = add %5, %2 : f32[2,4,5,4]
    %7 = relu %6 : f32[2,4,5,4]
    %8 = max_pool %7 {window=[2,2], stride=[2,2], low=[0,0], high=[0,0]} : f32[2,2,2,4]
    %9 = max_pool_grad %7, %3 {window=[2,2], stride=[2,2], low=[0,0], high=[0,0]} : f32[2,4,5,4]
    %10 = greater %7, %4 : bool[2,4,5,4]
    %11 = select %10, %9, %4 : f32[2,4,5,4]
    %12 = reduce_sum %11 {keepdims=false, axes=[0,1,2]} : f32[4]
    %13 = conv_filter_grad %0, %11 {groups=1, stride=[1,1], dilation=[1,1], low=[0,0], high=[0,0], size=[3,3]} : f32[3,3,3,4]
    return %8, %12, %13EXTRA
  })";
std::string pooled_convolution(std::string_view extra_nodes, std::string_view extra_results) {
  std::string text(kPooledConvolution);
  text.replace(text.find("EXTRA"), 5, extra_results);
  text.insert(text.find("    return"), extra_nodes);
  return text;
}

TEST(Pooling, AConvolutionWithBiasReluAndPoolingIsOneOpEachWay) {
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(fuse_pooling, pooled_convolution("", ""));
  expect_has(out,
             "= conv_relu_pool %0, %1, %2 {groups=1, stride=[1,1], dilation=[1,1], low=[0,0], high=[0,0], "
             "window=[2,2]} : f32[2,2,2,4], u8[2,2,2,4]");
  expect_has(out, "= conv_relu_pool_grad %0, ");
  expect_has(out, "size=[3,3], window=[2,2]} : f32[3,3,3,4], f32[4]");
  for (const char* gone : {"max_pool", "= relu ", "select", "reduce_sum", "= conv ", "conv_filter_grad", "constant"})
    expect_lacks(out, gone);
}

TEST(Pooling, TheGradientOfTheInputWantsTheWayBackWritten) {
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(
      fuse_pooling, pooled_convolution("    %14 = conv_input_grad %1, %11 {groups=1, stride=[1,1], dilation=[1,1], "
                                       "low=[0,0], high=[0,0], size=[6,7]} : f32[2,6,7,3]\n",
                                       ", %14"));
  expect_has(out, "= conv_relu_pool %0");
  expect_has(out, "= relu_pool_grad ");
  expect_has(out, "{window=[2,2], size=[4,5]} : f32[2,4,5,4]");
  expect_has(out, "= conv_input_grad %1");
  expect_has(out, "= conv_relu_pool_grad %0, ");  // those of filter and bias read the pooled one all the same
  for (const char* gone : {"max_pool", "conv_filter_grad", "reduce_sum"}) expect_lacks(out, gone);
}

TEST(Pooling, WhatSomebodyElseReadsStaysApart) {
  const OwnKernels target;
  const TargetScope scope(target);
  expect_lacks(after(fuse_pooling, pooled_convolution("", ", %7")), "relu_pool");
  expect_lacks(after(fuse_pooling, pooled_convolution("", ", %9")), "relu_pool");
  const std::string out = after(fuse_pooling, pooled_convolution("", ", %5"));  // the convolution alone
  expect_has(out, "= conv %0");
  expect_has(out, "= relu_pool %5, %2");
}

TEST(Pooling, WindowsThatOverlapStayAndSoDoesWhatTheCpuRuns) {
  std::string overlapping(pooled_convolution("", ""));
  for (size_t at = 0; (at = overlapping.find("stride=[2,2]", at)) != std::string::npos;)
    overlapping.replace(at, 12, "stride=[1,2]");
  overlapping.replace(overlapping.find("%3: f32[2,2,2,4]"), 16, "%3: f32[2,3,2,4]");
  overlapping.replace(overlapping.find(": f32[2,2,2,4]"), 14, ": f32[2,3,2,4]");
  expect_lacks(after(fuse_pooling, pooled_convolution("", "")), "relu_pool");
  const OwnKernels target;
  const TargetScope scope(target);
  expect_lacks(after(fuse_pooling, overlapping), "relu_pool");
}

// Windows that overlap, padded, as at the front of a ResNet; what is pooled is `x`.
std::string pooled_with_gradient(std::string_view attributes, std::string_view x = "%0") {
  return cat("(%0: f32[2,6,6,3], %1: f32[2,3,3,3], %2: f32[2,6,6,3]) {\n%3 = max_pool %0 {", attributes,
             "} : f32[2,3,3,3]\n%4 = mul %3, %1 : f32[2,3,3,3]\n%5 = max_pool_grad ", x, ", %4 {", attributes,
             "} : f32[2,6,6,3]\nreturn %3, %5\n}");
}
constexpr std::string_view kOverlapping = "window=[3,3], stride=[2,2], low=[1,1], high=[0,0]";

TEST(Pooling, AMaximumKeepsForItsGradientWhatItTook) {
  expect_lacks(after(fuse_pooling, pooled_with_gradient(kOverlapping)), "taken");  // the CPU
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(fuse_pooling, pooled_with_gradient(kOverlapping));
  expect_has(out, "%3, %6 = max_pool_with_taken %0");
  expect_has(out, "%5 = max_pool_grad_from_taken %6, %4");
  expect_has(out, "size=[6,6]");
  // Of another tensor it would look for other elements.
  expect_lacks(after(fuse_pooling, pooled_with_gradient(kOverlapping, "%2")), "taken");
}

TEST(Pooling, WindowsWhoseElementsHaveNoNumbersOfEightBitsStay) {
  const OwnKernels target;
  const TargetScope scope(target);
  expect_lacks(after(fuse_pooling, R"((%0: f32[2,300,3], %1: f32[2,44,3]) {
    %2 = max_pool %0 {window=[257], stride=[1], low=[0], high=[0]} : f32[2,44,3]
    %3 = max_pool_grad %0, %1 {window=[257], stride=[1], low=[0], high=[0]} : f32[2,300,3]
    return %2, %3
  })"),
               "taken");
}

TEST(Pooling, WhatWasTakenGivesTheSameGradient) {
  register_runtime();
  std::vector<Array> in;
  for (uint64_t i = 0; const Shape& shape : {Shape{2, 6, 6, 3}, Shape{2, 3, 3, 3}, Shape{2, 6, 6, 3}})
    in.push_back(floor(random::normal(shape, {.seed = ++i}) * 2).array());  // some are equal
  Graph graph = Graph::parse(pooled_with_gradient(kOverlapping));
  const std::vector<Array> plain = interpret(graph, in);
  {
    const OwnKernels target;
    const TargetScope scope(target);
    fuse_pooling(graph);
  }
  const std::vector<Array> kept = interpret(graph, in);
  for (size_t k = 0; k < plain.size(); ++k)
    for (int64_t i = 0; i < plain[k].aval.shape.elements(); ++i)
      EXPECT_EQ(kept[k].as<float>()[i], plain[k].as<float>()[i]) << "output " << k;
}

TEST(Pooling, TheNumbersStay) {
  register_runtime();
  std::vector<Array> in;
  for (uint64_t i = 0; const Shape& shape : {Shape{2, 6, 7, 3}, Shape{3, 3, 3, 4}, Shape{4}, Shape{2, 2, 2, 4}})
    in.push_back(random::normal(shape, {.seed = ++i}).array());
  Graph graph = Graph::parse(pooled_convolution("", ""));
  const std::vector<Array> plain = interpret(graph, in);
  {
    const OwnKernels target;
    const TargetScope scope(target);
    fuse_pooling(graph);
  }
  const std::vector<Array> fused = interpret(graph, in);
  for (size_t k = 0; k < plain.size(); ++k)
    for (int64_t i = 0; i < plain[k].aval.shape.elements(); ++i)
      EXPECT_NEAR(fused[k].as<float>()[i], plain[k].as<float>()[i], 1e-5) << "output " << k;
}

}  // namespace
}  // namespace brio
