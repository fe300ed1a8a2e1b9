// Passes as text: graph in, graph out. Negative cases too: what must stay as it is.
#include <gtest/gtest.h>

#include "brio/brio.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/target.h"
#include "tests/passes/pass_text.h"

namespace brio {
namespace {

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

// Gradients of weights are made where they were recorded, and the update of what was donated comes last.
TEST(Checks, KeepTheOrderOfWhatOverwritesNothing) {
  const std::string out = after(order_checks, R"((%0: f32[9,4] donated, %1: i32[5], %2: f32[5,4], %3: f32[4,4]) {
    %4 = matmul %2, %3 {transpose_a=false, transpose_b=false} : f32[5,4]
    %5 = matmul %2, %2 {transpose_a=true, transpose_b=false} : f32[4,4]
    %6 = neg %0 : f32[9,4]
    %7 = matmul %4, %3 {transpose_a=false, transpose_b=false} : f32[5,4]
    %8 = broadcast_to %3 {shape=[4,4]} : f32[4,4]
    %9 = gather %2, %1 {axis=0} : f32[5,4]
    %10 = add %9, %7 : f32[5,4]
    return %5, %6, %8, %10
  })");
  const auto at = [&](std::string_view what) { return out.find(what); };
  EXPECT_LT(at("%5 ="), at("%7 ="));
  EXPECT_LT(at("%8 ="), at("%9 ="));
  EXPECT_LT(at("%10 ="), at("%6 ="));
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
