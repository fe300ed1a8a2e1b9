// Passes as text: graph in, graph out. Negative cases too: what must stay as it is.
#include <gtest/gtest.h>

#include "brio/brio.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/target.h"
#include "brio/runtime/interpret.h"
#include "tests/passes/expect_text.h"

namespace brio {
namespace {

std::string after(bool (*pass)(Graph&), std::string_view text) {
  register_runtime();
  Graph graph = Graph::parse(text);
  verify(graph, "parsing");
  pass(graph);
  verify(graph, "the pass");
  return graph.str();
}

// A device with kernels for all fused ops.
struct OwnKernels : Target {
  bool has_own(const OpDef&) const override { return true; }
  bool prefers(const Graph&, const Node&) const override { return true; }
};

TEST(Expand, SigmoidCrossEntropyBecomesElementwise) {
  const std::string out = after(expand_composites, R"((%0: f32[3], %1: f32[3]) {
    %2 = sigmoid_xent %0, %1 : f32[3]
    %3 = neg %2 : f32[3]
    return %2, %3
  })");
  expect_lacks(out, "sigmoid_xent");
  expect_has(out, "log1p");
}

TEST(Expand, KeepsCompositesWithKernelsOfTheirOwn) {
  expect_has(after(expand_composites, R"((%0: f32[2, 3]) {
    %1 = softmax %0 : f32[2, 3]
    return %1
  })"),
             "softmax");
}

TEST(Simplify, DropsMultiplicationByOne) {
  const std::string out = after(simplify, R"((%0: f32[3]) {
    %1 = constant {dtype=f32, bits=1065353216} : f32[]
    %2 = mul %0, %1 : f32[3]
    return %2
  })");
  expect_lacks(out, "mul");
  expect_has(out, "return %0");
}

TEST(Simplify, KeepsAdditionOfZero) {  // -0 + 0 is +0
  expect_has(after(simplify, R"((%0: f32[3]) {
    %1 = constant {dtype=f32, bits=0} : f32[]
    %2 = add %0, %1 : f32[3]
    return %2
  })"),
             "add");
}

TEST(Simplify, KeepsMultiplicationByOneThatBroadcasts) {
  expect_has(after(simplify, R"((%0: f32[], %1: f32[3]) {
    %2 = constant {dtype=f32, bits=1065353216} : f32[]
    %3 = mul %1, %2 : f32[3]
    %4 = broadcast_to %2 {shape=[3]} : f32[3]
    %5 = mul %0, %4 : f32[3]
    return %3, %5
  })"),
             "mul %0");
}

TEST(Simplify, TurnsAddOfNegIntoSub) {
  const std::string out = after(simplify, R"((%0: f32[3], %1: f32[3]) {
    %2 = neg %1 : f32[3]
    %3 = add %0, %2 : f32[3]
    return %3
  })");
  expect_has(out, "sub %0, %1");
}

TEST(Simplify, FoldsTransposesIntoMatmul) {
  const std::string out = after(simplify, R"((%0: f32[3,2], %1: f32[3,4]) {
    %2 = transpose %0 {permutation=[1,0]} : f32[2,3]
    %3 = matmul %2, %1 {transpose_a=false, transpose_b=false} : f32[2,4]
    return %3
  })");
  expect_has(out, "matmul %0, %1 {transpose_a=true, transpose_b=false}");
}

TEST(Simplify, KeepsTransposesOfBatches) {
  expect_has(after(simplify, R"((%0: f32[3,2,5], %1: f32[2,5,4]) {
    %2 = transpose %0 {permutation=[1,0,2]} : f32[2,3,5]
    %3 = matmul %2, %1 {transpose_a=false, transpose_b=false} : f32[2,3,4]
    return %3
  })"),
             "transpose %0");
}

TEST(Simplify, MergesReshapesAndTransposes) {
  const std::string out = after(simplify, R"((%0: f32[2,6]) {
    %1 = reshape %0 {shape=[3,4]} : f32[3,4]
    %2 = reshape %1 {shape=[12]} : f32[12]
    %3 = transpose %0 {permutation=[1,0]} : f32[6,2]
    %4 = transpose %3 {permutation=[1,0]} : f32[2,6]
    return %2, %4
  })");
  expect_has(out, "reshape %0 {shape=[12]}");
  expect_has(out, ", %0\n");
}

TEST(Fold, ComputesConstants) {
  const std::string out = after(fold_constants, R"(() {
    %0 = constant {dtype=f32, bits=1073741824} : f32[]
    %1 = constant {dtype=f32, bits=1077936128} : f32[]
    %2 = mul %0, %1 : f32[]
    return %2
  })");
  expect_has(out, "bits=1086324736");  // 6
  expect_lacks(out, "mul");
}

TEST(Fold, KeepsWhatDependsOnInputs) {
  expect_has(after(fold_constants, R"((%0: f32[]) {
    %1 = constant {dtype=f32, bits=1073741824} : f32[]
    %2 = mul %0, %1 : f32[]
    return %2
  })"),
             "mul");
}

TEST(Merge, EqualExpressionsBecomeOneInEitherOrder) {
  const std::string out = after(merge_equal, R"((%0: f32[3], %1: f32[3]) {
    %2 = mul %0, %1 : f32[3]
    %3 = mul %1, %0 : f32[3]
    %4 = sub %2, %3 : f32[3]
    return %4
  })");
  expect_has(out, "sub %2, %2");
}

TEST(Merge, KeepsSubtractionsThatDiffer) {
  const std::string out = after(merge_equal, R"((%0: f32[3], %1: f32[3]) {
    %2 = sub %0, %1 : f32[3]
    %3 = sub %1, %0 : f32[3]
    return %2, %3
  })");
  expect_has(out, "sub %0, %1");
  expect_has(out, "sub %1, %0");
}

TEST(Dead, DropsWhatNobodyReads) {
  const std::string out = after(drop_dead, R"((%0: f32[3]) {
    %1 = exp %0 : f32[3]
    %2 = neg %0 : f32[3]
    return %2
  })");
  expect_lacks(out, "exp");
}

TEST(Dead, KeepsOpsThatMayRefuseTheirData) {
  expect_has(after(drop_dead, R"((%0: f32[3], %1: i32[2]) {
    %2 = gather %0, %1 {axis=0} : f32[2]
    %3 = neg %0 : f32[3]
    return %3
  })"),
             "gather");
}

TEST(Epilogue, BiasAndActivationJoinTheProduct) {
  const std::string out = after(fuse_epilogues, R"((%0: f32[3,2], %1: f32[2,4], %2: f32[4]) {
    %3 = matmul %0, %1 {transpose_a=false, transpose_b=false} : f32[3,4]
    %4 = add %3, %2 : f32[3,4]
    %5 = relu %4 : f32[3,4]
    return %5
  })");
  expect_has(out, "linear %0, %1, %2 {activation=relu, transpose_a=false, transpose_b=false}");
  expect_lacks(out, "matmul");
}

TEST(Epilogue, AProductThatOthersReadStaysApart) {
  const std::string out = after(fuse_epilogues, R"((%0: f32[3,2], %1: f32[2,4], %2: f32[4]) {
    %3 = matmul %0, %1 {transpose_a=false, transpose_b=false} : f32[3,4]
    %4 = add %3, %2 : f32[3,4]
    %5 = relu %4 : f32[3,4]
    return %3, %5
  })");
  expect_has(out, "matmul");
  expect_has(out, "relu");
}

TEST(Epilogue, ABiasAlongTheRowsStaysApart) {
  expect_lacks(after(fuse_epilogues, R"((%0: f32[3,2], %1: f32[2,4], %2: f32[3,1]) {
    %3 = matmul %0, %1 {transpose_a=false, transpose_b=false} : f32[3,4]
    %4 = add %3, %2 : f32[3,4]
    return %4
  })"),
               "linear");
}

TEST(Losses, ALossAndItsGradientReadTheLogitsOnce) {
  const std::string out = after(merge_losses, R"((%0: f32[3,5], %1: i32[3], %2: f32[3]) {
    %3 = softmax_xent %0, %1 {sparse=true} : f32[3]
    %4 = exp %3 : f32[3]
    %5 = softmax_xent_grad %0, %1, %2 {sparse=true} : f32[3,5]
    return %4, %5
  })");
  expect_has(out, "softmax_xent_value_and_grad");
  expect_lacks(out, "softmax_xent ");
}

TEST(Losses, AGradientThatDependsOnTheLossStaysApart) {
  expect_lacks(after(merge_losses, R"((%0: f32[3,5], %1: i32[3]) {
    %2 = softmax_xent %0, %1 {sparse=true} : f32[3]
    %3 = exp %2 : f32[3]
    %4 = softmax_xent_grad %0, %1, %3 {sparse=true} : f32[3,5]
    return %2, %4
  })"),
               "value_and_grad");
}

TEST(Attention, KeepsForItsGradientWhatThatWouldComputeAgain) {
  const auto text = [](std::string_view causal) {
    return cat("(%0: f32[2,3,4,8], %1: f32[2,3,4,8]) {\n",
               " %2 = scaled_dot_product_attention_grad %0, %0, %0, %1 {mask=false, bias=false, causal=", causal,
               ", scale=0.5, dropout=0, offset=0} : f32[2,3,4,8], f32[2,3,4,8], f32[2,3,4,8]\n",
               " %5 = scaled_dot_product_attention %0, %0, %0 {mask=false, bias=false, causal=true, scale=0.5, "
               "dropout=0, offset=0} : f32[2,3,4,8]\n return %2, %3, %4, %5\n }");
  };
  std::string given = text("true");
  given.replace(given.find("%2 ="), 4, "%2, %3, %4 =");
  std::string other = text("false");
  other.replace(other.find("%2 ="), 4, "%2, %3, %4 =");
  expect_lacks(after(share_attention, given), "sums");  // the CPU
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(share_attention, given);
  expect_has(out, "= attention_with_sums %0, %0, %0 {causal=true, scale=0.5} : f32[2,3,4,8], f32[2,4,3]");
  expect_has(out, "= attention_grad_from_sums %0, %0, %0, ");
  expect_lacks(out, "scaled_dot_product");
  expect_lacks(after(share_attention, other), "sums");
}

TEST(Moments, MeansAndSpreadsOfChannelsReadATensorOnce) {
  const auto text = [](std::string_view count, std::string_view second) {
    return cat(
        "(%0: bf16[2,4,4,8], %1: f32[2,4,4,8]) {\n %2 = constant {dtype=f32, bits=", count,
        "} : f32[]\n %3 = cast %0 {dtype=f32} : f32[2,4,4,8]\n",
        " %4 = reduce_sum %3 {keepdims=true, axes=[0,1,2]} : f32[1,1,1,8]\n",
        " %5 = div %4, %2 : f32[1,1,1,8]\n %6 = squared_difference ", second,
        ", %5 : f32[2,4,4,8]\n %7 = reduce_sum %6 {keepdims=false, axes=[0,1,2]} : f32[8]\n return %5, %7\n }");
  };
  const std::string_view of_32 = "1107296256";
  expect_lacks(after(merge_moments, text(of_32, "%3")), "column_moments");  // the CPU
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(merge_moments, text(of_32, "%3"));
  expect_has(out, "= column_moments %0 : f32[8], f32[8]");
  expect_lacks(out, "reduce_sum");
  expect_lacks(out, "cast");
  expect_lacks(after(merge_moments, text("1106247680", "%3")), "column_moments");  // around half of something else
  expect_lacks(after(merge_moments, text(of_32, "%1")), "column_moments");
}

TEST(Casts, OfAllWeightsAreOne) {
  std::string text = "(%0: f32[2,3]";
  for (int i = 1; i < 5; ++i) text += cat(", %", i, ": f32[3,", i, "]");
  text += ") {\n";
  for (int i = 0; i < 5; ++i)
    text += cat("  %", 5 + i, " = cast %", i, " {dtype=bf16} : bf16[", i ? cat("3,", i) : std::string("2,3"), "]\n");
  text += "  %10 = matmul %5, %6 {transpose_a=false, transpose_b=false} : bf16[2,1]\n";
  text += "  %11 = cast %10 {dtype=f32} : f32[2,1]\n  return %7, %8, %9, %11\n}";
  expect_lacks(after(merge_casts, text), "cast_many");  // the CPU
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(merge_casts, text);
  expect_has(out, "= cast_many %0, %1, %2, %3, %4 {dtype=bf16} : bf16[2,3], bf16[3,1], bf16[3,2]");
  expect_has(out, "= cast %10 {dtype=f32}");  // of what is computed
}

TEST(Narrow, RowsBetweenCastsAreOfSixteenBits) {
  struct : Target {
    bool has_narrow_rows() const override { return true; }
  } narrow;
  const std::string_view graph = R"((%0: bf16[4,8], %1: f32[8], %2: bf16[4,8]) {
    %3 = cast %0 {dtype=f32} : f32[4,8]
    %4 = row_norm %3, %1, %1 {centered=true, epsilon=0.001} : f32[4,8]
    %5 = cast %4 {dtype=bf16} : bf16[4,8]
    %6 = cast %2 {dtype=f32} : f32[4,8]
    %7, %8, %9 = row_norm_grad %3, %1, %6 {centered=true, epsilon=0.001} : f32[4,8], f32[8], f32[8]
    %10 = cast %7 {dtype=bf16} : bf16[4,8]
    return %5, %8, %9, %10
  })";
  {
    const TargetScope scope(narrow);
    const std::string out = after(narrow_rows, graph);
    expect_has(out, "= row_norm %0, %1, %1 {centered=true, epsilon=0.001} : bf16[4,8]");
    expect_has(out, "= row_norm_grad %0, %1, %2 {centered=true, epsilon=0.001} : bf16[4,8], f32[8], f32[8]");
    expect_lacks(out, "{dtype=bf16}");
    // A wide result that something else reads stays.
    expect_has(after(narrow_rows, R"((%0: bf16[4,8]) {
      %1 = cast %0 {dtype=f32} : f32[4,8]
      %2 = softmax %1 : f32[4,8]
      %3 = cast %2 {dtype=bf16} : bf16[4,8]
      return %2, %3
    })"),
               "= softmax %1 : f32[4,8]");
  }
  expect_has(after(narrow_rows, graph), "= row_norm %3, %1, %1");  // without a word: no kernels for such rows
}

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
  expect_has(out, "= conv_filter_grad %0");
  expect_lacks(out, "max_pool");
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

// A bias gradient beside a product: `made` makes what is reshaped, `sum` is over what it is then.
std::string bias_gradient(std::string_view made, std::string_view sum) {
  return cat("(%0: f32[4,8,3], %1: f32[3,2], %2: f32[4,8,3]) {\n%3 = ", made, " : f32[4,8,3]\n",
             "%4 = reshape %3 {shape=[32,3]} : f32[32,3]\n",
             "%5 = matmul %4, %1 {transpose_a=false, transpose_b=false} : f32[32,2]\n%6 = ", sum,
             "\nreturn %5, %6\n}");
}

TEST(Reshapes, AReductionReadsWhatALoopMadeAndIsAPartOfIt) {
  const std::string text = bias_gradient("mul %0, %2", "reduce_sum %4 {keepdims=false, axes=[0]} : f32[3]");
  expect_has(after(read_before_reshapes, text), "reduce_sum %4 {keepdims=false, axes=[0]}");  // the CPU
  const OwnKernels target;
  const TargetScope scope(target);
  expect_has(after(read_before_reshapes, text), "reduce_sum %3 {keepdims=false, axes=[0,1]} : f32[3]");
  const auto both = [](Graph& graph) {
    read_before_reshapes(graph);
    return fuse_elementwise(graph);
  };
  expect_has(after(both, text), "%3, %6 = fused %0, %2");
  expect_has(
      after(read_before_reshapes, bias_gradient("mul %0, %2", "reduce_max %4 {keepdims=false, axes=[0,1]} : f32[]")),
      "reduce_max %3 {keepdims=false, axes=[0,1,2]} : f32[]");
}

TEST(Reshapes, OtherwiseAReductionStays) {
  const OwnKernels target;
  const TargetScope scope(target);
  // What is kept was reshaped; dims that are kept; nobody's loop.
  for (const std::string& text : {bias_gradient("mul %0, %2", "reduce_sum %4 {keepdims=false, axes=[1]} : f32[32]"),
                                  bias_gradient("mul %0, %2", "reduce_sum %4 {keepdims=true, axes=[0]} : f32[1,3]"),
                                  bias_gradient("softmax %0", "reduce_sum %4 {keepdims=false, axes=[0]} : f32[3]")})
    expect_has(after(read_before_reshapes, text), "reduce_sum %4");
}

TEST(Reshapes, TheNumbersStay) {
  register_runtime();
  const OwnKernels target;
  const TargetScope scope(target);
  Graph plain = Graph::parse(R"((%0: f32[4,1,6,3]) {
    %1 = neg %0 : f32[4,1,6,3]
    %2 = reshape %1 {shape=[24,3]} : f32[24,3]
    %3 = reduce_sum %2 {keepdims=false, axes=[0]} : f32[3]
    %4 = reshape %1 {shape=[4,2,9]} : f32[4,2,9]
    %5 = reduce_sum %4 {keepdims=false, axes=[1,2]} : f32[4]
    return %3, %5
  })");
  Graph changed = plain;
  read_before_reshapes(changed);
  verify(changed, "reshapes");
  expect_has(changed.str(), "axes=[0,1,2]");
  expect_has(changed.str(), "reduce_sum %4");  // the axes of 2 and 9 are not made of whole ones
  const std::vector<Array> in = {random::uniform({4, 1, 6, 3}, {.seed = 3}).array()};
  const std::vector<Array> want = interpret(plain, in), got = interpret(changed, in);
  for (size_t k = 0; k < want.size(); ++k)
    for (int64_t i = 0; i < want[k].aval.shape.elements(); ++i)
      EXPECT_NEAR(got[k].as<float>()[i], want[k].as<float>()[i], 1e-5) << "output " << k;
}

TEST(Fuse, ChainsAndReductionsBecomeOneLoop) {
  const std::string out = after(fuse_elementwise, R"((%0: f32[4,3], %1: f32[3]) {
    %2 = sub %0, %1 : f32[4,3]
    %3 = square %2 : f32[4,3]
    %4 = reduce_sum %3 {keepdims=false, axes=[1]} : f32[4]
    return %4
  })");
  expect_has(out, "= fused %0, %1");
  expect_has(out, "return %4");
}

TEST(Fuse, ARoundTripThroughAProductIsNoLoop) {  // b needs the product of a: one loop for both would be a circle
  const std::string out = after(fuse_elementwise, R"((%0: f32[3,3]) {
    %1 = exp %0 : f32[3,3]
    %2 = matmul %1, %1 {transpose_a=false, transpose_b=false} : f32[3,3]
    %3 = add %1, %2 : f32[3,3]
    return %3
  })");
  expect_lacks(out, "fused");
}

TEST(Fuse, ReductionsOverOtherAxesAreOtherLoops) {
  const std::string out = after(fuse_elementwise, R"((%0: f32[4,3]) {
    %1 = exp %0 : f32[4,3]
    %2 = reduce_sum %1 {keepdims=false, axes=[0]} : f32[3]
    %3 = reduce_sum %1 {keepdims=false, axes=[1]} : f32[4]
    return %2, %3
  })");
  EXPECT_EQ(out.find("fused"), out.rfind("fused")) << out;  // one of the two joins exp, the other stands alone
}

TEST(Fuse, AReductionIsNotReadInItsOwnLoop) {
  const std::string out = after(fuse_elementwise, R"((%0: f32[4]) {
    %1 = exp %0 : f32[4]
    %2 = reduce_sum %1 {keepdims=true, axes=[0]} : f32[1]
    %3 = div %1, %2 : f32[4]
    return %3
  })");
  expect_has(out, "div");
  const size_t body_end = out.find("}");
  EXPECT_GT(out.find("div"), body_end) << out;
}

TEST(Fuse, LoopsReadNarrowValuesAndWidenThemForThemselves) {
  const std::string out = after(fuse_elementwise, R"((%0: bf16[64,3]) {
    %1 = cast %0 {dtype=f32} : f32[64,3]
    %2 = reduce_sum %1 {keepdims=true, axes=[0]} : f32[1,3]
    %3 = sub %1, %2 : f32[64,3]
    %4 = square %3 : f32[64,3]
    %5 = reduce_sum %4 {keepdims=true, axes=[0]} : f32[1,3]
    return %2, %5
  })");
  expect_lacks(out, "\n  } : f32[64,3]");  // no loop leaves the wide values
  expect_has(out, "fused %0, %2");
}

TEST(Fuse, NarrowValuesThatALoopMadeAreWhatItLeaves) {
  const std::string out = after(fuse_elementwise, R"((%0: bf16[64,3]) {
    %1 = exp %0 : bf16[64,3]
    %2 = cast %1 {dtype=f32} : f32[64,3]
    %3 = reduce_sum %2 {keepdims=true, axes=[0]} : f32[1,3]
    %4 = sub %2, %3 : f32[64,3]
    return %4
  })");
  expect_has(out, "%1, %3 = fused %0");
  expect_has(out, "= fused %1, %3");
}

TEST(Fuse, AFewCheapOpsOnFewerBytesAreDoneAgain) {  // the gradient of a batch normalisation behind a ReLU
  const std::string out = after(fuse_elementwise, R"((%0: bool[64,3], %1: bf16[64,3], %2: bf16[], %3: f32[1,3]) {
    %4 = select %0, %1, %2 : bf16[64,3]
    %5 = cast %4 {dtype=f32} : f32[64,3]
    %6 = reduce_sum %5 {keepdims=true, axes=[0]} : f32[1,3]
    %7 = mul %5, %3 : f32[64,3]
    %8 = add %7, %6 : f32[64,3]
    return %8
  })");
  expect_has(out, "%6 = fused %0, %1, %2");  // it leaves the sums alone
  expect_has(out, "%8 = fused %0, %1, %2, %3, %6");
}

TEST(Fuse, ManyOpsOrMoreBytesAreNotDoneAgain) {
  const std::string out = after(fuse_elementwise, R"((%0: f32[64,3], %1: f32[64,3]) {
    %2 = mul %0, %1 : f32[64,3]
    %3 = reduce_sum %2 {keepdims=true, axes=[0]} : f32[1,3]
    %4 = add %2, %3 : f32[64,3]
    return %4
  })");
  expect_has(out, "%2, %3 = fused %0, %1");
}

// A gelu of 16 bits, and its gradient behind a product: a GPU computes the distribution again, which takes less than
// its bytes. In 32 bits, and on the CPU, it is computed once.
TEST(Fuse, ShortFunctionsAreDoneAgainOnAGpu) {
  const auto gelu = [](const std::string& dtype) {
    const std::string t = cat(" : ", dtype, "[64,64]\n");
    return cat("(%0: ", dtype, "[64,64], %1: ", dtype, "[64,64]) {\n%2 = ndtr %0", t, "%3 = mul %0, %2", t,
               "%4 = matmul %3, %1 {transpose_a=false, transpose_b=false}", t, "%5 = mul %4, %2", t,
               "%6 = mul %5, %0", t, "return %6\n}");
  };
  const OwnKernels target;
  {
    const TargetScope scope(target);
    const std::string out = after(fuse_elementwise, gelu("bf16"));
    expect_has(out, "%3 = fused %0 (");
    expect_has(out, "%6 = fused %4, %0 (");
    expect_has(after(fuse_elementwise, gelu("f32")), "%2, %3 = fused %0");
  }
  expect_has(after(fuse_elementwise, gelu("bf16")), "%2, %3 = fused %0");
}

TEST(Fuse, WideValuesThatSomethingElseReadsAreMadeOnce) {
  const std::string out = after(fuse_elementwise, R"((%0: bf16[3,3]) {
    %1 = cast %0 {dtype=f32} : f32[3,3]
    %2 = matmul %1, %1 {transpose_a=false, transpose_b=false} : f32[3,3]
    %3 = add %1, %2 : f32[3,3]
    return %3
  })");
  expect_lacks(out, "fused");
}

TEST(Pipeline, PassesCanBeSwitchedOffAndAreTimed) {
  EXPECT_TRUE(pass_enabled("fuse"));
  set_pass_enabled("fuse", false);
  EXPECT_FALSE(pass_enabled("fuse"));
  set_pass_enabled("fuse", true);
  EXPECT_THROW(set_pass_enabled("fuzz", false), InvalidArgument);
  (void)(exp(zeros({3, 7})) * 2.f).array();
  for (const PassTime& time : pass_times()) EXPECT_GT(time.runs, 0u) << time.name;
}

TEST(Verifier, NamesThePassAndTheFault) {
  register_runtime();
  Graph graph = Graph::parse("(%0: f32[3]) {\n %1 = exp %0 : f32[3]\n return %1\n}");
  graph.values[1].shape = Shape{4};
  try {
    verify(graph, "a test");
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("a test"), std::string::npos) << error.what();
  }
  std::swap(graph.inputs[0].value, graph.nodes[0].out[0]);
  EXPECT_THROW(verify(graph, "a test"), InternalError);
}

// Two equal prints, a host call that nobody reads, and a print after it.
constexpr std::string_view kEffects = R"((%0: u8[0], %1: f32[3]) {
  %2 = exp %1 : f32[3]
  %3 = print %0, %2 host "x {}" () : u8[0]
  %4 = print %3, %2 host "x {}" () : u8[0]
  %5, %6 = host_call %4, %2 host "f" (f32[3]) : u8[0], f32[3]
  %7 = print %5 host "end" () : u8[0]
  return %7
})";

TEST(Effects, EveryPassKeepsThemInOrder) {
  for (const Pass& pass : pipeline()) EXPECT_EQ(after(pass.run, kEffects), kEffects) << pass.name;
}

TEST(Effects, OfATokenThatNobodyTakesAreDead) {  // whoever records an effect keeps its token
  expect_lacks(after(drop_dead, R"((%0: u8[0], %1: f32[3]) {
    %2 = print %0, %1 host "x {}" () : u8[0]
    return %1
  })"),
               "print");
}

TEST(Effects, EqualPureHostCallsAreMerged) {
  const std::string out = after(merge_equal, R"((%0: f32[3]) {
    %1 = pure_host_call %0 host "f" (f32[3]) : f32[3]
    %2 = pure_host_call %0 host "f" (f32[3]) : f32[3]
    return %1, %2
  })");
  expect_has(out, "return %1, %1");
}

TEST(Checks, ComeBeforeWhatMayBeOverwritten) {
  const std::string out = after(order_checks, R"((%0: u8[0], %1: f32[3] donated, %2: bool[]) {
    %3 = exp %1 : f32[3]
    %4 = logical_not %2 : bool[]
    %5 = assert_true %0, %4 host "no" () : u8[0]
    return %3, %5
  })");
  EXPECT_LT(out.find("assert_true"), out.find("exp")) << out;
}

TEST(Checks, StayWhereNothingIsDonated) {
  const std::string out = after(order_checks, R"((%0: u8[0], %1: f32[3], %2: bool[]) {
    %3 = exp %1 : f32[3]
    %4 = assert_true %0, %2 host "no" () : u8[0]
    return %3, %4
  })");
  EXPECT_LT(out.find("exp"), out.find("assert_true")) << out;
}

TEST(Join, ConcatReadsViewsWhereTheyAre) {
  const std::string out = after(join_views, R"((%0: f32[4, 6], %1: f32[2, 4]) {
    %2 = slice %0 {begin=[0, 4], size=[4, 2], stride=[1, 1]} : f32[4, 2]
    %3 = transpose %1 {permutation=[1, 0]} : f32[4, 2]
    %4 = slice %3 {begin=[0, 0], size=[4, 1], stride=[1, 1]} : f32[4, 1]
    %5 = concat %2, %4, %0 {axis=1} : f32[4, 9]
    return %5
  })");
  expect_has(out, "%5 = fused %0, %1");
  expect_lacks(out.substr(out.find("fused")), "(%0: f32[4, 6], %1: f32[2, 4], %2");
}

TEST(Join, KeepsWhatOthersRead) {
  const std::string out = after(join_views, R"((%0: f32[4]) {
    %1 = slice %0 {begin=[1], size=[3], stride=[1]} : f32[3]
    %2 = slice %0 {begin=[0], size=[1], stride=[1]} : f32[1]
    %3 = concat %1, %2 {axis=0} : f32[4]
    return %3, %1
  })");
  expect_has(out, "%1 = slice");
  expect_has(out, "fused %1, %0");
}

}  // namespace
}  // namespace brio
