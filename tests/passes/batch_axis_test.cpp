// Graphs over samples as graphs over batches, as text; and what has no rule.
#include <gtest/gtest.h>

#include "brio/brio.h"
#include "brio/passes/batch_axis.h"
#include "tests/passes/pass_text.h"

namespace brio {
namespace {

Graph parsed(std::string_view text) {
  register_runtime();
  Graph graph = Graph::parse(text);
  verify(graph, "parsing");
  return graph;
}
std::string batched(std::string_view text, size_t samples) {
  Graph graph = with_batch_axis(parsed(text), samples, 5);
  verify(graph, "with_batch_axis");
  return graph.str();
}
std::string refused(std::string_view text, size_t samples = 1) {
  try {
    return "no error: " + batched(text, samples);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

TEST(BatchAxis, IsFirstInOperandsOfEveryRank) {
  const std::string out = batched(R"((%0: f32[3,2], %1: f32[], %2: f32[2], %3: f32[2]) {
    %4 = mul %0, %1 : f32[3,2]
    %5 = add %4, %2 : f32[3,2]
    %6 = sub %5, %3 : f32[3,2]
    return %6, %1
  })",
                                  3);
  expect_has(out, "(%0: f32[5,3,2], %1: f32[5], %2: f32[5,2], %3: f32[2])");
  expect_has(out, "{shape=[5,1,1]} : f32[5,1,1]");
  expect_has(out, "{shape=[5,1,2]} : f32[5,1,2]");
  expect_has(out, ": f32[5,3,2]\n  return");
}

TEST(BatchAxis, MovesElementsOfEachSample) {
  expect_has(batched("(%0: f32[3,2]) {\n %1 = transpose %0 {permutation=[1, 0]} : f32[2,3]\n return %1\n}", 1),
             "{permutation=[0,2,1]} : f32[5,2,3]");
  expect_has(batched("(%0: f32[3,2]) {\n %1 = reshape %0 {shape=[6]} : f32[6]\n return %1\n}", 1),
             "{shape=[5,6]} : f32[5,6]");
  expect_has(batched("(%0: f32[2]) {\n %1 = broadcast_to %0 {shape=[4, 2]} : f32[4,2]\n return %1\n}", 1),
             "{shape=[5,4,2]} : f32[5,4,2]");
  expect_has(batched("(%0: f32[9]) {\n %1 = slice %0 {begin=[1], size=[4], stride=[2]} : f32[4]\n return %1\n}", 1),
             "{begin=[0,1], size=[5,4], stride=[1,2]} : f32[5,4]");
  expect_has(batched("(%0: f32[2], %1: f32[]) {\n %2 = pad %0, %1 {low=[1], high=[0]} : f32[3]\n return %2\n}", 1),
             "{low=[0,1], high=[0,0]} : f32[5,3]");
  expect_has(batched("(%0: f32[2], %1: f32[3]) {\n %2 = concat %0, %1 {axis=0} : f32[5]\n return %2\n}", 1),
             "{axis=1} : f32[5,5]");
  expect_has(batched("(%0: i32[]) {\n %1 = one_hot %0 {depth=3, dtype=f32, axis=0} : f32[3]\n return %1\n}", 1),
             "axis=1} : f32[5,3]");
  expect_has(batched("(%0: i32[4,2]) {\n %1 = reduce_sum %0 {keepdims=false, axes=[0]} : i32[2]\n return %1\n}", 1),
             "axes=[1]} : i32[5,2]");
}

TEST(BatchAxis, LeavesAloneWhatIsTheSameForAllSamples) {
  const std::string out = batched(R"((%0: f32[2], %1: f32[2,2], %2: f32[2,2]) {
    %3 = matmul %1, %2 {transpose_a=false, transpose_b=false} : f32[2,2]
    %4 = reduce_sum %3 {keepdims=false, axes=[0]} : f32[2]
    %5 = add %0, %4 : f32[2]
    return %5, %4
  })",
                                  1);
  expect_has(out, "matmul %1, %2");
  expect_has(out, ": f32[5,2]\n");
  expect_has(out, "broadcast_to");  // a result for each sample
}

TEST(BatchAxis, RefusesWhatMayDependOnTheOthers) {
  expect_has(refused("(%0: f32[4,2]) {\n %1 = reduce_sum %0 {keepdims=false, axes=[0]} : f32[2]\n return %1\n}"),
             "reduce_sum of floats");
  expect_has(refused("(%0: f32[4,2], %1: f32[2,2]) {\n %2 = matmul %0, %1 {transpose_a=false, transpose_b=false} : "
                     "f32[4,2]\n return %2\n}"),
             "no rule for matmul");
  expect_has(refused("(%0: f32[4], %1: i32[2]) {\n %2 = gather %0, %1 {axis=0} : f32[2]\n return %2\n}", 2),
             "no rule for gather");
  expect_has(refused("(%0: f32[4], %1: u64[], %2: u64[]) {\n %3 = random_uniform %1, %2 {dtype=f32, offset=0, "
                     "shape=[4]} : f32[4]\n %4 = add %0, %3 : f32[4]\n return %4\n}"),
             "random_uniform is done for each sample");
  expect_has(refused("(%0: f32[2], %1: f32[]) {\n %2 = pad %0, %1 {low=[1], high=[0]} : f32[3]\n return %2\n}", 2),
             "pad with a number of each sample's own");
  expect_has(refused("(%0: f32[1,1,1,1,1,1,1,2]) {\n %1 = neg %0 : f32[1,1,1,1,1,1,1,2]\n return %1\n}"),
             "no room for one more axis");
  expect_has(refused("(%0: c64[2]) {\n %1 = conj %0 : c64[2]\n return %1\n}"), "no rule for complex64");
}

}  // namespace
}  // namespace brio
