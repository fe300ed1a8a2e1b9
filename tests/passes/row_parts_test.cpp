// Bodies of loops for some of their rows, as text; and what is not made of rows.
#include "brio/passes/row_parts.h"

#include <gtest/gtest.h>

#include "brio/brio.h"
#include "tests/passes/pass_text.h"

namespace brio {
namespace {

// The graph for 4 of 8 rows, or "no".
std::string some(std::string_view text, size_t walked) {
  register_runtime();
  const Graph graph = Graph::parse(text);
  verify(graph, "parsing");
  const std::optional<Graph> part = for_some_rows(graph, walked, 4);
  if (!part) return "no";
  verify(*part, "for_some_rows");
  return part->str();
}

TEST(RowParts, AStepOfALoopIsForFewerRows) {
  const std::string out = some(R"((%0: f32[8,2], %1: f32[8,4], %2: f32[2,4], %3: f32[4]) {
    %4 = matmul %0, %2 {transpose_a=false, transpose_b=false} : f32[8,4]
    %5 = add %4, %1 : f32[8,4]
    %6 = add %5, %3 : f32[8,4]
    %7 = slice %6 {begin=[0,1], size=[8,2], stride=[1,1]} : f32[8,2]
    %8 = concat %7, %0 {axis=1} : f32[8,4]
    %9 = reduce_sum %8 {keepdims=false, axes=[1]} : f32[8]
    %10 = reshape %9 {shape=[8,1]} : f32[8,1]
    %11 = mul %7, %10 : f32[8,2]
    return %11, %8
  })",
                               2);
  expect_has(out, "(%0: f32[4,2], %1: f32[4,4], %2: f32[2,4], %3: f32[4])");
  expect_has(out, "size=[4,2], stride=[1,1]} : f32[4,2]");
  expect_has(out, "{shape=[4,1]} : f32[4,1]");
  EXPECT_EQ(out.find("[8"), std::string::npos) << out;
}

TEST(RowParts, NumbersThatAreSpreadOverAllRowsAreSpreadOverFewer) {
  const std::string out = some(R"((%0: f32[8,2], %1: f32[2], %2: f32[8,8]) {
    %3 = broadcast_to %1 {shape=[8,2]} : f32[8,2]
    %4 = add %0, %3 : f32[8,2]
    return %4, %3
  })",
                               1);
  expect_has(out, "{shape=[4,2]} : f32[4,2]");
}

TEST(RowParts, GatesOfAnLstmAreRowByRow) {
  const std::string out = some(R"((%0: f32[8,2], %1: f32[8,2], %2: f32[8,8], %3: f32[2,8]) {
    %4 = matmul %0, %3 {transpose_a=false, transpose_b=false} : f32[8,8]
    %5, %6 = lstm_gates %2, %4, %1 : f32[8,2], f32[8,2]
    %7, %8 = lstm_gates_grad %2, %4, %1, %5, %6 : f32[8,8], f32[8,2]
    return %5, %6, %7, %8
  })",
                               3);
  expect_has(out, "lstm_gates %2, %4, %1 : f32[4,2], f32[4,2]");
  expect_has(out, ": f32[4,8], f32[4,2]\n");
}

// As many weights as rows: they are the same for all rows, and stay.
TEST(RowParts, WhatIsTheSameForAllRowsStays) {
  const std::string out = some(R"((%0: f32[8,8], %1: f32[8,8]) {
    %2 = mul %1, %1 : f32[8,8]
    %3 = matmul %0, %2 {transpose_a=false, transpose_b=true} : f32[8,8]
    return %3
  })",
                               1);
  expect_has(out, "(%0: f32[4,8], %1: f32[8,8])");
  expect_has(out, "mul %1, %1 : f32[8,8]");
  expect_has(out, ": f32[4,8]\n  return");
}

TEST(RowParts, WhatLooksAtOtherRowsHasNoParts) {
  const char* const bodies[] = {
      // a captured tensor that has a row for each
      "(%0: f32[8,2], %1: f32[8,2]) {\n %2 = add %0, %1 : f32[8,2]\n return %2\n}",
      // sums over the rows, and something for each row from them
      "(%0: f32[8,2]) {\n %1 = reduce_sum %0 {keepdims=true, axes=[0]} : f32[1,2]\n %2 = add %0, %1 : f32[8,2]\n "
      "return %2\n}",
      "(%0: f32[8,8]) {\n %1 = transpose %0 {permutation=[1,0]} : f32[8,8]\n return %1\n}",
      "(%0: f32[8,8]) {\n %1 = matmul %0, %0 {transpose_a=false, transpose_b=false} : f32[8,8]\n return %1\n}",
      "(%0: f32[8,8], %1: f32[8,8]) {\n %2 = matmul %0, %1 {transpose_a=true, transpose_b=false} : f32[8,8]\n "
      "return %2\n}",
      "(%0: f32[8,2]) {\n %1 = slice %0 {begin=[7,0], size=[8,2], stride=[-1,1]} : f32[8,2]\n return %1\n}",
      "(%0: f32[8,2], %1: f32[4,4]) {\n %2 = slice %0 {begin=[0,0], size=[4,2], stride=[2,1]} : f32[4,2]\n return "
      "%2\n}",
      "(%0: f32[8,2]) {\n %1 = reshape %0 {shape=[2,8]} : f32[2,8]\n return %1\n}",
      // a row of the result is the operand's only row
      "(%0: f32[8], %1: f32[8,8]) {\n %2 = mul %0, %1 : f32[8,8]\n return %2\n}",
  };
  for (const char* body : bodies) EXPECT_EQ(some(body, 1), "no") << body;
}

}  // namespace
}  // namespace brio
