// The IR's text form, literals, printing and the errors of tensors.
#include <gtest/gtest.h>

#include "brio/brio.h"

namespace brio {
namespace {

std::string error_of(std::string_view text) {
  register_runtime();
  try {
    (void)Graph::parse(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(Text, PrintsWhatItParses) {
  register_runtime();
  constexpr std::string_view text = R"((%0: f32[3,2], %1: f32[2] donated) {
  %2 = matmul %0, %1 {transpose_a=false, transpose_b=false} : f32[3]
  %3 = reduce_sum %2 {keepdims=true, axes=[0]} : f32[1]
  %4 = cast %3 {dtype=f64} : f64[1]
  return %4, %2
})";
  EXPECT_EQ(Graph::parse(text).str(), text);
}

TEST(Text, PrintsAndParsesBodies) {
  register_runtime();
  const std::string text = R"((%0: f32[]) {
  %1 = while_loop %0 {carried=1, condition_captured=0, max_iterations=-1} (%0: f32[]) {
    %1 = constant {dtype=f32, bits=1120403456} : f32[]
    %2 = less %0, %1 : bool[]
    return %2
  } (%0: f32[]) {
    %1 = add %0, %0 : f32[]
    return %1
  } : f32[]
  return %1
})";
  EXPECT_EQ(Graph::parse(text).str(), text);
}

TEST(Text, PrintsAndParsesHostCode) {
  register_runtime();
  constexpr std::string_view text = R"((%0: u8[0], %1: f32[3]) {
  %2 = print %0, %1 host "a \"quoted\" \\ {}\n" () : u8[0]
  %3, %4, %5 = host_call %2, %1 host "look up" (f32[3], i32[]) : u8[0], f32[3], i32[]
  return %3, %4, %5
})";
  const Graph graph = Graph::parse(text);
  EXPECT_EQ(graph.str(), text);
  EXPECT_EQ(graph.nodes[0].graphs[0]->host->name, "a \"quoted\" \\ {}\n");
  EXPECT_NE(error_of("(%0: f32[3]) {\n %1 = print %0 host \"x\" () : u8[0]\n return %1\n}").find("must be a token"),
            std::string::npos);
  EXPECT_NE(error_of("(%0: u8[0]) {\n %1 = print %0 : u8[0]\n return %1\n}").find("one body of host code"),
            std::string::npos);
  EXPECT_NE(error_of("(%0: u8[0]) {\n %1 = print %0 host \"x").find("'\"' is expected"), std::string::npos);
}

TEST(Text, ErrorsNameLineAndReason) {
  EXPECT_NE(
      error_of("(%0: f32[3]) {\n %1 = nothing %0 : f32[3]\n return %1\n}").find("line 2: no op is called 'nothing'"),
      std::string::npos);
  EXPECT_NE(error_of("(%0: f32[3]) {\n %1 = exp %7 : f32[3]\n return %1\n}").find("%7 is not defined"),
            std::string::npos);
  EXPECT_NE(error_of("(%0: f32[3]) {\n %1 = exp %0 : f32[4]\n return %1\n}").find("the text says f32[4]"),
            std::string::npos);
  EXPECT_NE(error_of("(%0: f32[3], %1: f32[4]) {\n %2 = add %0, %1 : f32[4]\n return %2\n}").find("do not broadcast"),
            std::string::npos);
  EXPECT_NE(error_of("(%0: f32[3]) {").find("line 1"), std::string::npos);
  EXPECT_NE(error_of("(%0: f32[3]) {\n %1 = reduce_sum %0 : f32[]\n return %1\n}").find("needs attributes"),
            std::string::npos);
  EXPECT_NE(error_of("(%0: f99[3]) {\n return %0\n}").find("f99"), std::string::npos);
}

TEST(Text, BodiesLieOnlySoDeepInEachOther) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "(%0: bool[]) {\n %1 = cond %0 ";
  EXPECT_NE(error_of(text).find("bodies lie in each other more than 100 deep"), std::string::npos);
}

TEST(Text, NoInputCrashesTheParser) {
  register_runtime();
  const std::string text =
      "(%0: f32[3,2], %1: f32[2] donated) {\n  %2 = matmul %0, %1 {transpose_a=false, transpose_b=false} : f32[3]\n  "
      "return %2\n}";
  for (size_t cut = 0; cut < text.size(); ++cut) EXPECT_NE(error_of(text.substr(0, cut)), "no error") << cut;
  for (size_t at = 0; at < text.size(); ++at)
    for (char c : {'%', '{', '9', '-', '\0', 'x'}) {
      std::string changed = text;
      changed[at] = c;
      (void)error_of(changed);
    }
}

TEST(Literals, AreFloat32UnlessADtypeIsGiven) {
  EXPECT_EQ(Tensor({1, 2}).dtype(), f32);
  EXPECT_EQ(Tensor({{1, 2}, {3, 4}}).shape(), Shape({2, 2}));
  EXPECT_EQ(Tensor({1, 2}, i64).to_vector<int64_t>(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(Tensor(5).shape(), Shape());
  EXPECT_EQ(Tensor({2.5}).shape(), Shape({1}));
  EXPECT_THROW(Tensor({{1, 2}, {3}}), InvalidArgument);
  EXPECT_THROW(Tensor({{1, 2}, 3}), InvalidArgument);
  EXPECT_THROW(Tensor({1.5}, i32), InvalidArgument);
  EXPECT_THROW(Tensor({300}, u8), InvalidArgument);
}

TEST(Printing, LooksLikeTensorFlows) {
  EXPECT_EQ(Tensor({{1, 2}, {3, 4}}).str(), "tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)");
  EXPECT_EQ(Tensor({1, -2, 30}, i32).str(), "tf.Tensor([ 1 -2 30], shape=(3,), dtype=int32)");
  EXPECT_EQ(Tensor(2.5).str(), "tf.Tensor(2.5, shape=(), dtype=float32)");
  EXPECT_EQ(Tensor({true, false}, boolean).str(), "tf.Tensor([ True False], shape=(2,), dtype=bool)");
  EXPECT_EQ(zeros({0}).str(), "tf.Tensor([], shape=(0,), dtype=float32)");
  EXPECT_EQ(Tensor({0.1, 0.25}).str(), "tf.Tensor([0.1  0.25], shape=(2,), dtype=float32)");
  EXPECT_NE(zeros({2000}).str().find("..."), std::string::npos);
}

TEST(Tensors, ReadingTheWrongTypeSaysSo) {
  try {
    (void)Tensor({1, 2}).item<double>();
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("float32"), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)Tensor({1, 2}).item<float>(), InvalidArgument);
  EXPECT_THROW((void)Tensor().shape(), InvalidArgument);
  EXPECT_THROW((void)(Tensor() + Tensor({1})), InvalidArgument);
  EXPECT_THROW((void)(Tensor({1, 2}) + Tensor({1, 2}, f64)), InvalidArgument);
  EXPECT_THROW((void)(Tensor({1, 2}, i32) * 2.5), InvalidArgument);
  EXPECT_EQ((Tensor({1, 2}, i32) * 2).to_vector<int32_t>(), (std::vector<int32_t>{2, 4}));
}

}  // namespace
}  // namespace brio
