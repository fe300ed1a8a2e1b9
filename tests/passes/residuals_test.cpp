// The pass `residuals`, as text.
#include <gtest/gtest.h>

#include "brio/brio.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/target.h"
#include "tests/passes/pass_text.h"

namespace brio {
namespace {

TEST(Residuals, AProductAddsWhatGoesAround) {
  const auto text = [](std::string_view reader) {
    return cat("(%0: f32[8,3], %1: f32[3,4], %2: f32[4], %3: f32[2,4,4]) {\n",
               "%4 = linear %0, %1, %2 {activation=none, transpose_a=false, transpose_b=false} : f32[8,4]\n",
               "%5 = reshape %4 {shape=[2,4,4]} : f32[2,4,4]\n%6 = add %3, %5 : f32[2,4,4]\n%7 = ", reader,
               " : f32[2,4,4]\nreturn %7\n}");
  };
  expect_lacks(after(add_residuals, text("softmax %6")), "linear_sum");  // the CPU
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(add_residuals, text("softmax %6"));
  expect_has(out, "= reshape %3 {shape=[8,4]} : f32[8,4]");
  expect_has(out, "= linear_sum %0, %1, ");
  expect_has(out, ", %2 {transpose_a=false, transpose_b=false} : f32[8,4]");
  expect_lacks(out, "= add");
  expect_lacks(out, "= linear %");
  expect_has(after(add_residuals, text("neg %6")), "= add %3, %5");  // a loop adds it on the way
}

TEST(Residuals, GradientsOfOneInputAreAddedByTheirProducts) {
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(add_residuals, R"((%0: f32[8,3], %1: f32[4,3], %2: f32[8,4]) {
    %3 = matmul %0, %1 {transpose_a=false, transpose_b=true} : f32[8,4]
    %4 = matmul %2, %2 {transpose_a=true, transpose_b=false} : f32[4,4]
    %5 = matmul %2, %4 {transpose_a=false, transpose_b=false} : f32[8,4]
    %6 = matmul %0, %1 {transpose_a=false, transpose_b=true} : f32[8,4]
    %7 = add %3, %5 : f32[8,4]
    %8 = add %7, %6 : f32[8,4]
    %9 = softmax %8 : f32[8,4]
    return %4, %9
  })");
  expect_has(out, "= linear_sum %2, %4, %3 {transpose_a=false, transpose_b=false} : f32[8,4]");
  expect_has(out, "{transpose_a=false, transpose_b=true} : f32[8,4]");
  expect_lacks(out, "= add");
}

TEST(Residuals, WhatSomebodyElseReadsStays) {
  const OwnKernels target;
  const TargetScope scope(target);
  expect_lacks(after(add_residuals, R"((%0: f32[8,3], %1: f32[3,4], %2: f32[8,4]) {
    %3 = matmul %0, %1 {transpose_a=false, transpose_b=false} : f32[8,4]
    %4 = add %3, %2 : f32[8,4]
    return %3, %4
  })"),
               "linear_sum");
}

TEST(Residuals, AGradientOfRowsHasTheSumOfItsColumns) {
  const auto text = [](std::string_view axes, std::string_view sum) {
    return cat("(%0: bf16[2,4,8], %1: f32[8], %2: bf16[2,4,8], %3: bf16[2,4,8]) {\n",
               "%4, %5, %6 = row_norm_grad %0, %1, %2 {centered=true, epsilon=0.5} : bf16[2,4,8], f32[8], f32[8]\n",
               "%7 = add %3, %4 : bf16[2,4,8]\n%8 = reduce_sum %7 {keepdims=false, axes=[", axes, "]} : bf16[", sum,
               "]\nreturn %5, %6, %7, %8\n}");
  };
  expect_lacks(after(add_residuals, text("0,1", "8")), "row_norm_grad_sum");  // the CPU
  const OwnKernels target;
  const TargetScope scope(target);
  const std::string out = after(add_residuals, text("0,1", "8"));
  expect_has(out,
             "%7, %5, %6, %8 = row_norm_grad_sum %0, %1, %2, %3 {centered=true, epsilon=0.5} : bf16[2,4,8], "
             "f32[8], f32[8], bf16[8]");
  expect_lacks(out, "reduce_sum");
  expect_has(after(add_residuals, text("0", "4,8")), "= reduce_sum %7");
}

}  // namespace
}  // namespace brio
