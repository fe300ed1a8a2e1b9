// What effects print and refuse. When and how often they happen is in tests/runtime/effects_test.cpp.
#include "brio/ops/control/effects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "brio/brio.h"
#include "tests/ops/harness.h"

namespace brio {
namespace {

std::string printed(const std::vector<Printed>& parts, int summarize = 3) {
  std::ostringstream out;
  print(parts, {.to = &out, .summarize = summarize});
  flush();
  return out.str();
}

Tensor range(int64_t n, const Shape& shape, DType dtype) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(i);
  return cast(Tensor::from(values, shape), dtype);
}

template <typename F>
std::string error_of(F f) {
  try {
    f();
    flush();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// What the builders never record, but a text of IR may hold.
std::vector<testing::Invalid> invalid() {
  auto record_bare = [](const OpDef& op, std::vector<Tensor> in) {
    return [&op, in] {
      std::vector<TensorImpl*> impls;
      for (const Tensor& tensor : in) impls.push_back(tensor.impl());
      record_many(op, impls, {}, {});
    };
  };
  const Tensor x({1, 2}), token = zeros({0}, u8);
  auto verdict = [=](const Tensor& value) {
    return [=] {
      Graph body;
      body.host = std::make_shared<const HostCode>(HostCode{"code", {}, true});
      const auto graph = std::make_shared<const Graph>(std::move(body));
      TensorImpl* const in[] = {token.impl(), value.impl()};
      record_many(op::assert_true, in, {}, std::span(&graph, 1));
    };
  };
  auto first_input = [=](const OpDef& op, const Tensor& value) {
    return [&op, value, x] {
      Graph body;
      body.host = std::make_shared<const HostCode>(HostCode{"code", {}, true});
      const auto graph = std::make_shared<const Graph>(std::move(body));
      TensorImpl* const in[] = {value.impl(), x.impl()};
      record_many(op, in, {}, std::span(&graph, 1));
    };
  };
  return {
      {&op::print, "no body", record_bare(op::print, {token}), {"host code", "0 bodies"}},
      {&op::print, "no token", first_input(op::print, x), {"token", "f32[2]"}},
      {&op::print, "none", [] { print(Tensor()); }, {"none"}},
      {&op::assert_true, "no token", first_input(op::assert_true, x), {"token", "f32[2]"}},
      {&op::assert_true, "many verdicts", verdict(cast(x, boolean)), {"bool scalar", "bool[2]"}},
      {&op::assert_true, "a number", verdict(sum(x)), {"bool scalar", "f32[]"}},
      {&op::assert_true, "none", [] { debugging::assert_true(Tensor()); }, {"none"}},
      {&op::assert_true, "no truth", [=] { debugging::assert_true(x); }, {"must be bool", "float32"}},
      {&op::host_call, "no body", record_bare(op::host_call, {token}), {"host code", "0 bodies"}},
      {&op::host_call, "no token", first_input(op::host_call, x), {"token", "f32[2]"}},
      {&op::host_call, "no function", [] { HostFunction("lost", nullptr); }, {"'lost'", "no function"}},
      {&op::pure_host_call, "no body", record_bare(op::pure_host_call, {x}), {"host code", "0 bodies"}},
      {&op::pure_host_call,
       "none",
       [] {
         host_call([](const std::vector<Array>& in) { return in; }, {Tensor()}, {{Shape{2}, f32}},
                   {.stateful = false});
       },
       {"none"}},
  };
}

// A function that gives back what it is given.
testing::Case echoed(testing::Rng& rng, DType dtype, int i) {
  static const HostFunction echo("echo", [](const std::vector<Array>& in) { return in; });
  testing::Case made;
  Graph body;
  for (int64_t n = rng.range(0, 2); n >= 0; --n) {
    made.inputs.push_back({{testing::random_shape(rng, i % 9), dtype}});
    body.outputs.push_back(body.add_value(made.inputs.back().aval));
  }
  body.host = echo.code();
  made.graphs.push_back(std::make_shared<const Graph>(std::move(body)));
  return made;
}

std::vector<testing::OpTest> tests() {
  return {{.op = &op::pure_host_call, .dtypes = testing::kAll, .make = echoed, .exact = true}};
}
const testing::AddOpTests add_tests(tests, invalid);

TEST(Print, WritesPartsWithSpacesAndANewLine) {
  EXPECT_EQ(printed({"loss:", Tensor(Literal(0.5)), "at step", 7}), "loss: 0.5 at step 7\n");
  EXPECT_EQ(printed({}), "\n");
  EXPECT_EQ(printed({Variable(Tensor({1, 2}))}), "[1 2]\n");
  EXPECT_EQ(printed({"{}", Tensor({1.5f}), "{x}"}), "{} [1.5] {x}\n");
}

TEST(Print, NumbersLookAsTensorFlowPrintsThem) {
  EXPECT_EQ(printed({Tensor({1, -2.5f, 1e10f, 1e-5f, 1.f / 3})}, -1), "[1 -2.5 1e+10 1e-05 0.333333343]\n");
  EXPECT_EQ(printed({Tensor({0.1, 1.0 / 3}, f64)}), "[0.1 0.33333333333333331]\n");
  EXPECT_EQ(printed({Tensor({INFINITY, -INFINITY, NAN})}), "[inf -inf nan]\n");
  EXPECT_EQ(printed({Tensor({-3, 4}, i8)}), "[-3 4]\n");
  EXPECT_EQ(printed({Tensor({0.25f, 2}, bf16)}), "[0.25 2]\n");
  EXPECT_EQ(printed({1e-310}), "9.99999999999997e-311\n");  // not flushed to zero
}

TEST(Print, ShowsTheEndsOfLongAxes) {
  EXPECT_EQ(printed({range(10, {10}, i32)}), "[0 1 2 ... 7 8 9]\n");
  EXPECT_EQ(printed({range(10, {10}, f32)}, 1), "[0 ... 9]\n");
  EXPECT_EQ(printed({range(6, {6}, i32)}), "[0 1 2 3 4 5]\n");
  EXPECT_EQ(printed({range(9, {9}, i32)}, -1), "[0 1 2 3 4 5 6 7 8]\n");
  EXPECT_EQ(printed({range(9, {3, 3}, i32)}, 1), "[[0 ... 2]\n ...\n [6 ... 8]]\n");
  EXPECT_EQ(printed({range(8, {2, 2, 2}, i32)}), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n");
  EXPECT_EQ(printed({zeros({0})}), "[]\n");
}

TEST(Print, GoesToTheErrorStreamByDefault) {
  ::testing::internal::CaptureStderr();
  print("x =", Tensor({1, 2}));
  flush();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "x = [1 2]\n");
}

TEST(Assert, NamesTheCheckTheMessageAndTheData) {
  const Tensor a({1, 2, 3, 4}), b({1, 2, 3, 5});
  EXPECT_EQ(error_of([&] { debugging::assert_equal(a, b, "steps differ"); }),
            "[assert_equal] x == y does not hold: steps differ; the data: [1 2 3 4], [1 2 3 5]");
  EXPECT_EQ(error_of([&] { debugging::assert_true(less(a, b), "", {a}); }),
            "[assert_true] the condition does not hold; the data: [1 2 3 4]");
  EXPECT_EQ(error_of([&] { debugging::assert_positive(a - 1.f); }),
            "[assert_positive] x > 0 does not hold; the data: [0 1 2 3]");
  EXPECT_EQ(error_of([&] { debugging::assert_all_finite(log(a - 1.f), "loss"); }),
            "[assert_all_finite] x has NaN or infinite elements: loss; the data: [-inf 0 0.693147182 1.09861231]");
}

TEST(Assert, HoldsSilently) {
  const Tensor a({1, 2}), b({1, 3});
  EXPECT_EQ(error_of([&] {
              debugging::assert_equal(a, a);
              debugging::assert_less(a, b + 1.f);
              debugging::assert_less_equal(a, b);
              debugging::assert_positive(a);
              debugging::assert_non_negative(a - 1.f);
              debugging::assert_all_finite(a);
              debugging::assert_true(zeros({0}, boolean));
            }),
            "no error");
}

TEST(Assert, RefusesAConditionThatIsNoTruthAtOnce) {
  EXPECT_THROW(debugging::assert_true(Tensor({1, 2})), InvalidArgument);
  EXPECT_THROW(debugging::assert_true(Tensor()), InvalidArgument);
}

TEST(HostCall, ComputesOnTheHost) {
  const HostFunction doubled("double", [](const std::vector<Array>& in) {
    Array out = Array::allocate(in[0].aval);
    for (int64_t i = 0; i < out.aval.shape.elements(); ++i) out.as<float>()[i] = 2 * in[0].as<float>()[i];
    return std::vector{out, in[0]};
  });
  const Tensor x = Tensor({1, 2, 3}) + 1.f;
  const auto out = host_call(doubled, {x}, {x.aval(), x.aval()});
  EXPECT_EQ((out[0] + out[1]).to_vector<float>(), (std::vector<float>{6, 9, 12}));
  EXPECT_EQ(host_call(doubled, {x}, {x.aval(), x.aval()}, {.stateful = false})[0].to_vector<float>(),
            (std::vector<float>{4, 6, 8}));
}

TEST(HostCall, ChecksWhatItIsGivenBack) {
  const auto echo = [](const std::vector<Array>& in) { return in; };
  const HostFunction named("echo", echo);
  const Tensor x({1, 2, 3});
  EXPECT_EQ(error_of([&] {
              (void)host_call(named, {x}, {{Shape{4}, f32}});
            }),
            "[host_call] 'echo' returned f32[3] as output 0, but f32[4] was announced");
  EXPECT_EQ(error_of([&] {
              (void)host_call(echo, {x, x}, {x.aval()});
            }),
            "[host_call] 'host function' returned 2 arrays, but 1 were announced");
  EXPECT_EQ(error_of([&] { (void)host_call(named, {Tensor()}, {}); }),
            "[host_call] input 0 is none; give it a tensor");
}

TEST(HostCall, ErrorsReachTheReader) {
  const HostFunction broken("broken", [](const std::vector<Array>& in) -> std::vector<Array> {
    if (in.empty()) throw ResourceError("no such file");
    if (in.size() == 1) throw std::runtime_error("out of luck");
    throw 42;
  });
  const Tensor x({1});
  EXPECT_THROW((void)host_call(broken, {}, {x.aval()})[0].array(), ResourceError);
  EXPECT_EQ(error_of([&] { (void)host_call(broken, {}, {}); }), "no such file");
  EXPECT_EQ(error_of([&] { (void)host_call(broken, {x}, {}); }), "[host_call] 'broken' threw: out of luck");
  EXPECT_EQ(error_of([&] {
              (void)host_call(broken, {x, x}, {});
            }),
            "[host_call] 'broken' threw something that is no std::exception");
}

TEST(HostCall, MayComputeWithTensorsOfItsOwn) {
  const Tensor x({1, 2});
  const auto squared = [](const std::vector<Array>& in) { return std::vector{square(Tensor(in[0])).array()}; };
  EXPECT_EQ(host_call(squared, {x}, {x.aval()})[0].to_vector<float>(), (std::vector<float>{1, 4}));
}

TEST(HostCall, CannotReachIntoTheRunAroundIt) {
  const Tensor x({1, 2}), pending = x + 1.f;
  EXPECT_EQ(
      error_of([&] { (void)host_call([&](const auto&) { return std::vector{pending.array()}; }, {}, {x.aval()}); }),
      "[host_call] a host function reads a tensor of the run that it is part of; give it that tensor as an input");
  Variable v(x, {.name = "v"});
  const std::string uses_variable =
      "[variable] a host function reads or assigns variable 'v'; give it the value as an input, and assign what "
      "it returns";
  EXPECT_EQ(
      error_of([&] { (void)host_call([&](const auto&) { return std::vector{v.value().array()}; }, {}, {x.aval()}); }),
      uses_variable);
  const auto assign = [&](const std::vector<Array>& in) {
    v.assign(Tensor(in[0]));
    return in;
  };
  EXPECT_EQ(error_of([&] { (void)host_call(assign, {x}, {x.aval()}); }), uses_variable);
  auto f = function([](const Tensor& t) { return t + t; });
  EXPECT_NE(error_of([&] {
              (void)host_call([&](const auto&) { return std::vector{f(x).array()}; }, {}, {x.aval()});
            }).find("a host function cannot call a function"),
            std::string::npos);
}

}  // namespace
}  // namespace brio
