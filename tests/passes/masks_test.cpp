// Masks that loops make again, as text and in numbers.
#include <gtest/gtest.h>

#include <cstring>

#include "brio/brio.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/target.h"
#include "brio/runtime/interpret.h"
#include "tests/passes/pass_text.h"

namespace brio {
namespace {

// What a ReLU gave is in memory, for the product; its mask is made again of the ReLU's input, which the gradient's
// loop reads anyway.
TEST(Fusion, AMaskIsMadeOfWhatALoopReadsAnyway) {
  const std::string_view text = R"((%0: bf16[4,8], %1: bf16[8], %2: bf16[8,4], %3: bf16[4,8], %4: bf16[]) {
    %5 = mul %0, %1 : bf16[4,8]
    %6 = relu %5 : bf16[4,8]
    %7 = greater %6, %4 : bool[4,8]
    %8 = matmul %6, %2 {transpose_a=false, transpose_b=false} : bf16[4,4]
    %9 = matmul %8, %3 {transpose_a=false, transpose_b=false} : bf16[4,8]
    %10 = select %7, %9, %4 : bf16[4,8]
    %11 = mul %10, %0 : bf16[4,8]
    return %11
  })";
  expect_has(after(fuse_elementwise, text), "%6, %7 = fused");  // the CPU writes it
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(fuse_elementwise, text);
  expect_has(out, "%6 = fused");
  expect_has(out, "%11 = fused");
  EXPECT_GT(out.rfind("= relu"), out.find("%9 = matmul")) << out;
  // Where the loop would have to read as many bytes as the mask costs, memory decides.
  std::string other(text);
  other.replace(other.find("%11 = mul %10, %0"), 17, "%11 = mul %10, %9");
  const std::string equal = after(fuse_elementwise, other);
  expect_has(equal, "%6 = fused");
  EXPECT_GT(equal.rfind("= greater"), equal.find("%9 = matmul")) << equal;
  // A device with kernels of its own writes the mask too where arithmetic is as slow beside memory as on the CPU.
  struct SlowArithmetic final : OwnKernels {
    double loop_op_bytes() const override { return kHostLoopOpBytes; }
  } const slow;
  const TargetScope slow_scope(slow);
  expect_has(after(fuse_elementwise, text), "%6, %7 = fused");
}

// Of a normalisation, a ReLU and their gradients, with numbers a channel that are made in small loops of their own.
TEST(Fusion, MasksThatAreMadeAgainKeepTheNumbers) {
  register_runtime();
  const OwnKernels target;
  const TargetScope scope(target);
  Graph plain = Graph::parse(
      R"((%0: bf16[6,8], %1: f32[1,8], %2: f32[1,8], %3: bf16[8,4], %4: bf16[4,8], %5: bf16[], %6: bf16[6,8]) {
    %7 = mul %1, %2 : f32[1,8]
    %8 = sub %2, %7 : f32[1,8]
    %9 = cast %0 {dtype=f32} : f32[6,8]
    %10 = mul %9, %7 : f32[6,8]
    %11 = add %10, %8 : f32[6,8]
    %12 = cast %11 {dtype=bf16} : bf16[6,8]
    %13 = add %12, %6 : bf16[6,8]
    %14 = relu %13 : bf16[6,8]
    %15 = greater %14, %5 : bool[6,8]
    %16 = matmul %14, %3 {transpose_a=false, transpose_b=false} : bf16[6,4]
    %17 = matmul %16, %4 {transpose_a=false, transpose_b=false} : bf16[6,8]
    %18 = select %15, %17, %5 : bf16[6,8]
    %19 = cast %18 {dtype=f32} : f32[6,8]
    %20 = reduce_sum %19 {keepdims=true, axes=[0]} : f32[1,8]
    %21 = mul %19, %9 : f32[6,8]
    %22 = reduce_sum %21 {keepdims=true, axes=[0]} : f32[1,8]
    %23 = mul %20, %22 : f32[1,8]
    %24 = mul %9, %23 : f32[6,8]
    %25 = add %24, %19 : f32[6,8]
    return %16, %25, %20
  })");
  Graph changed = plain;
  fuse_elementwise(changed);
  verify(changed, "fuse");
  expect_lacks(changed.str(), "bool[6,8]\n  %16");  // the mask is not written
  std::vector<Array> inputs;
  for (const Graph::Input& input : plain.inputs) {
    const Aval& aval = plain.values[input.value];
    const Tensor numbers = aval.shape.rank() == 0
                               ? zeros({}, aval.dtype)
                               : cast(random::uniform(aval.shape, {.low = -1, .high = 1, .seed = 3}), aval.dtype);
    inputs.push_back(numbers.array());
  }
  const std::vector<Array> expected = interpret(plain, inputs), actual = interpret(changed, inputs);
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(std::memcmp(expected[i].data(), actual[i].data(), expected[i].aval.bytes()), 0) << i << changed.str();
}

}  // namespace
}  // namespace brio
