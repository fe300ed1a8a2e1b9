// Gradients of looked-up tables, as text: which become rows, and which must stay tables.
#include <gtest/gtest.h>

#include <sstream>

#include "brio/base/error.h"
#include "brio/brio.h"
#include "brio/passes/pipeline.h"
#include "tests/passes/pass_text.h"

namespace brio {
namespace {

std::string indexed(std::string_view text) { return after({keep_indexed}, text); }

// %7 is the gradient of a table of 100 rows that were looked up at 6 places; `rest` goes on from %8.
std::string gradient(std::string_view rest, std::string_view bits = "0") {
  return cat(R"((%0: i32[2,3], %1: f32[2,3,4], %2: f32[100,4] donated, %3: f64[], %4: bool[]) {
    %5 = constant {dtype=f32, bits=)",
             bits, R"(} : f32[]
    %6 = broadcast_to %5 {shape=[100, 4]} : f32[100,4]
    %7 = scatter_add %6, %0, %1 {axis=0} : f32[100,4]
    )",
             rest, "\n}");
}

TEST(Indexed, ScatterIntoZerosBecomesRows) {
  const std::string out = indexed(gradient("%8 = add %2, %7 : f32[100,4]\n return %8"));
  expect_lacks(out, "scatter_add");
  expect_lacks(out, "broadcast_to");
  expect_has(out, "sum_rows %0, %1 {size=100} : i32[6], f32[7,4]");
  expect_has(out, "row_places");
  expect_has(out, "spread_rows");
}

TEST(Indexed, WhatIsComputedOfItAloneIsComputedOfItsRows) {
  const std::string out = indexed(gradient(R"(%8 = cast %3 {dtype=f32} : f32[]
    %9 = mul %7, %8 : f32[100,4]
    %10 = cast %9 {dtype=f64} : f64[100,4]
    %11 = mul %10, %10 : f64[100,4]
    %12 = reduce_sum %11 {keepdims=false, axes=[0,1]} : f64[]
    return %12)"));
  for (const char* step : {"mul %14, %8 : f32[7,4]", "{dtype=f64} : f64[7,4]", "mul %19, %19 : f64[7,4]"})
    expect_has(out, step);
  EXPECT_EQ(out.find("spread_rows"), out.rfind("spread_rows")) << out;
}

TEST(Indexed, PlainDescentTouchesOnlyRows) {
  const std::string update =
      "sgd_update %3, %3, %2, %7 {nesterov=false, has_momentum=false, decays=false, "
      "gated=false, spread=0} : f32[100,4]";
  const std::string out = indexed(gradient(cat("%8 = ", update, "\n return %8")));
  expect_has(out, "subtract_rows %2, ");
  for (const char* gone : {"sgd_update", "spread_rows", "row_places", "scatter_add"}) expect_lacks(out, gone);
}

TEST(Indexed, AGateIsAChangeOfZero) {
  const std::string update =
      "sgd_update %3, %3, %4, %2, %7 {nesterov=false, has_momentum=false, decays=false, "
      "gated=true, spread=0} : f32[100,4]";
  const std::string out = indexed(gradient(cat("%8 = ", update, "\n return %8")));
  expect_has(out, "select %4, ");
  expect_has(out, ": f32[7,4]\n");
  expect_has(out, "subtract_rows %2, ");
  EXPECT_EQ(out.find("subtract_rows"), out.rfind("subtract_rows")) << out;
}

TEST(Indexed, ATableThatIsKeptIsReadByALoop) {
  std::string text = gradient("%8 = sub %2, %7 : f32[100,4]\n return %8");
  text.replace(text.find(" donated"), 8, "");
  const std::string out = indexed(text);
  expect_lacks(out, "subtract_rows");
  expect_has(out, "spread_rows");
}

TEST(Indexed, AnUpdateTakesRowsLast) {
  const std::string out = indexed(gradient(R"(%8 = neg %5 : f32[]
    %9, %10, %11, %12 = sgd_update %3, %3, %2, %5, %7, %8, %2, %5 {nesterov=false, has_momentum=true, decays=false,
                        gated=false, spread=0} : f32[100,4], f32[], f32[100,4], f32[]
    return %9, %10, %11, %12)"));
  expect_has(out, "%10, %9, %12, %11 = sgd_update %3, %3, %5, %2, %8, ");
  expect_has(out, "spread=1");
  expect_lacks(out, "spread_rows");
  expect_lacks(out, "scatter_add");
}

TEST(Indexed, ScattersThatAreAddedAreOne) {
  const std::string out = indexed(R"((%0: i32[2,3], %1: f32[2,3,4], %2: i64[5], %3: f32[5,4]) {
    %4 = constant {dtype=f32, bits=0} : f32[]
    %5 = broadcast_to %4 {shape=[100, 4]} : f32[100,4]
    %6 = scatter_add %5, %0, %1 {axis=0} : f32[100,4]
    %7 = scatter_add %5, %2, %3 {axis=0} : f32[100,4]
    %8 = add %6, %7 : f32[100,4]
    %9 = reduce_max %8 {keepdims=false, axes=[0]} : f32[4]
    return %9
  })");
  expect_has(out, "{size=100} : i32[11], f32[12,4]");
  EXPECT_EQ(out.find("sum_rows"), out.rfind("sum_rows")) << out;
  expect_lacks(out, "scatter_add");
}

TEST(Indexed, KeepsWhatIsNoGradientOfATable) {
  const std::string neg = "%8 = neg %7 : f32[100,4]\n return %8";
  const std::pair<const char*, std::string> cases[] = {
      {"added to ones", gradient(neg, "1065353216")},
      {"a result", gradient("return %7")},
      {"read by a product", gradient("%8 = matmul %7, %2 {transpose_a=false, transpose_b=true} : f32[100,100]\n"
                                     " %9 = neg %7 : f32[100,4]\n return %8, %9")},
      {"another axis", R"((%0: i32[6], %1: f32[4,6]) {
        %2 = constant {dtype=f32, bits=0} : f32[]
        %3 = broadcast_to %2 {shape=[4, 100]} : f32[4,100]
        %4 = scatter_add %3, %0, %1 {axis=1} : f32[4,100]
        %5 = neg %4 : f32[4,100]
        return %5
      })"},
      {"a small table", R"((%0: i32[6], %1: f32[6,4]) {
        %2 = constant {dtype=f32, bits=0} : f32[]
        %3 = broadcast_to %2 {shape=[20, 4]} : f32[20,4]
        %4 = scatter_add %3, %0, %1 {axis=0} : f32[20,4]
        %5 = neg %4 : f32[20,4]
        return %5
      })"},
      {"a vector", R"((%0: i32[6], %1: f32[6]) {
        %2 = constant {dtype=f32, bits=0} : f32[]
        %3 = broadcast_to %2 {shape=[100]} : f32[100]
        %4 = scatter_add %3, %0, %1 {axis=0} : f32[100]
        %5 = neg %4 : f32[100]
        return %5
      })"},
  };
  for (const auto& [what, text] : cases) {
    SCOPED_TRACE(what);
    const std::string out = indexed(text);
    expect_has(out, "scatter_add");
    expect_lacks(out, "sum_rows");
  }
}

TEST(Indexed, LoopsSpreadTheRowsThemselves) {
  const std::string out = after({keep_indexed, fuse_elementwise}, gradient(R"(%8 = add %2, %7 : f32[100,4]
    %9 = reduce_sum %7 {keepdims=false, axes=[0,1]} : f32[]
    %10 = mul %8, %9 : f32[100,4]
    return %10)"));
  // The sum comes first, the product waits for it: two loops, and the rows in both.
  EXPECT_NE(out.find("= spread_rows"), out.rfind("= spread_rows")) << out;
  EXPECT_NE(out.find("= fused"), out.rfind("= fused")) << out;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("= spread_rows") == line.npos) continue;
    EXPECT_EQ(line.rfind("    %", 0), 0u) << "outside of a loop: " << out;
  }
}

TEST(Indexed, ATableThatOthersReadIsMade) {
  const std::string out = after({keep_indexed, fuse_elementwise}, gradient(R"(%8 = neg %7 : f32[100,4]
    %9 = matmul %8, %2 {transpose_a=false, transpose_b=true} : f32[100,100]
    return %9)"));
  expect_lacks(out, "fused");
  expect_has(out, "spread_rows");
}

TEST(Indexed, ALoopHoldsRowsOfItsInputsAlone) {
  EXPECT_THROW(after({}, R"((%0: f32[3,4], %1: i32[9]) {
    %2 = fused %0, %1 (%0: f32[3,4], %1: i32[9]) {
      %2 = neg %0 : f32[3,4]
      %3 = spread_rows %2, %1 : f32[9,4]
      return %3
    } : f32[9,4]
    return %2
  })"),
               std::exception);
}

}  // namespace
}  // namespace brio
