// Passes that make forms which a device has kernels for, as text.
#include <gtest/gtest.h>

#include "brio/brio.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/target.h"
#include "brio/runtime/interpret.h"
#include "tests/passes/pass_text.h"

namespace brio {
namespace {

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

TEST(Casts, OfGradientsAreLeftToTheOptimizer) {
  const std::string_view text =
      R"((%0: f64[], %1: f64[], %2: f32[2,3], %3: f32[4], %4: f32[5], %5: bf16[6], %6: f16[4], %7: bf16[5]) {
    %8 = cast %5 {dtype=f32} : f32[6]
    %9 = reshape %8 {shape=[2,3]} : f32[2,3]
    %10 = neg %6 : f16[4]
    %11 = cast %10 {dtype=f32} : f32[4]
    %12 = neg %7 : bf16[5]
    %13 = cast %12 {dtype=f32} : f32[5]
    %14, %15, %16 = sgd_update %0, %1, %2, %3, %4, %9, %11, %13 {nesterov=false, has_momentum=false, decays=false, gated=false, spread=0} : f32[2,3], f32[4], f32[5]
    return %14, %15, %16, %13
  })";
  expect_has(after(merge_casts, text), "= sgd_update %0, %1, %2, %3, %4, %9, %11, %13");  // the CPU
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(merge_casts, text);
  expect_has(out, "%9 = reshape %5 {shape=[2,3]} : bf16[2,3]");
  expect_has(out, "= sgd_update %0, %1, %2, %3, %4, %9, %10, %13");  // the last is read by somebody else too
  expect_has(out, "%13 = cast %12");
  expect_lacks(out, "%11 = cast");
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

}  // namespace
}  // namespace brio
