// Functions of tf.math against TensorFlow's values and gradients, and by hand where those are not finite.
#include "brio/ops/elementwise/maths.h"

#include <functional>
#include <map>

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using Inputs = std::vector<Tensor>;
using Function = std::function<Tensor(const golden::Case& c, const Inputs& in)>;

Tensor unary(Tensor (*function)(const Tensor&), const Inputs& in) { return function(in[0]); }
Tensor binary(Tensor (*function)(const Tensor&, const Tensor&), const Inputs& in) { return function(in[0], in[1]); }

const std::map<std::string, Function>& functions() {
#define UNARY(name)                                                              \
  {                                                                              \
#name, [](const golden::Case&, const Inputs& in) { return unary(name, in); } \
  }
#define BINARY(name)                                                              \
  {                                                                               \
#name, [](const golden::Case&, const Inputs& in) { return binary(name, in); } \
  }
  static const std::map<std::string, Function> table = {
    UNARY(sinh),
    UNARY(cosh),
    UNARY(erfc),
    UNARY(tan),
    UNARY(atan),
    UNARY(asinh),
    UNARY(rint),
    UNARY(reciprocal_no_nan),
    UNARY(asin),
    UNARY(acos),
    UNARY(atanh),
    UNARY(erfinv),
    UNARY(ndtri),
    UNARY(erfcinv),
    UNARY(acosh),
    UNARY(lgamma),
    UNARY(digamma),
    UNARY(exp2),
    UNARY(deg2rad),
    UNARY(rad2deg),
    UNARY(log2),
    UNARY(log10),
    UNARY(trunc),
    UNARY(bitwise_not),
    BINARY(xlogy),
    BINARY(xlog1py),
    BINARY(xdivy),
    BINARY(multiply_no_nan),
    BINARY(divide_no_nan),
    BINARY(squared_difference),
    BINARY(hypot),
    BINARY(logaddexp),
    BINARY(truncatediv),
    BINARY(truncatemod),
    BINARY(floordiv),
    BINARY(floormod),
    BINARY(nextafter),
    BINARY(left_shift),
    BINARY(right_shift),
    {"polygamma", [](const golden::Case& c, const Inputs& in) { return polygamma(c.number("order"), in[0]); }},
    {"clip_by_value",
     [](const golden::Case&, const Inputs& in) {
       return in.size() == 1 ? clip_by_value(in[0], -1, 1) : clip_by_value(in[0], in[1], in[2]);
     }},
    {"polyval",
     [](const golden::Case&, const Inputs& in) {
       return polyval(std::vector{Tensor(2), Tensor(-1), Tensor(0.5)}, in[0]);
     }},
    {"clip_by_norm",
     [](const golden::Case& c, const Inputs& in) {
       return clip_by_norm(in[0], 2, c.number("rows") != 0 ? Axes(1) : Axes());
     }},
    {"global_norm",
     [](const golden::Case&, const Inputs& in) {
       return global_norm(std::vector{in[0], Tensor(), in[1]});
     }},
    {"clip_by_global_norm",
     [](const golden::Case& c, const Inputs& in) {
       return clip_by_global_norm(in, c.number("norm")).tensors[static_cast<size_t>(c.number("part"))];
     }},
  };
#undef UNARY
#undef BINARY
  return table;
}

TEST(Maths, AgreesWithTensorFlow) {
  for (const golden::Case& c : golden::load("maths.json")) {
    const bool integers =
        golden::contains(c.name, "integers") || golden::contains(c.name, "shift") || c.name == "bitwise_not";
    Inputs in;
    for (const auto& [name, array] : c.inputs)
      in.push_back(integers ? golden::int_tensor(array) : golden::tensor(array));
    GradientTape tape;
    if (!integers)
      for (const Tensor& x : in) tape.watch(x);
    const Tensor value = functions().at(c.text("function"))(c, in);
    golden::expect_close(value, c.output("value"), c.name);
    if (c.outputs.size() == 1) continue;
    std::vector<GradientTape::Source> sources(in.begin(), in.end());
    const Tensor targets[] = {sum(value)};
    const std::vector<Tensor> gradients = tape.gradient(targets, sources);
    for (size_t i = 0; const auto& [name, array] : c.inputs) {
      if (const auto found = c.outputs.find("gradient_" + name); found != c.outputs.end())
        golden::expect_close(gradients[i], found->second, c.name + ", " + found->first);
      ++i;
    }
  }
}

void expect_same(const Tensor& found, const std::vector<float>& expected) {
  const std::vector<float> values = found.to_vector<float>();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_TRUE(values[i] == expected[i] || (std::isnan(values[i]) && std::isnan(expected[i])))
        << "element " << i << " is " << values[i] << " instead of " << expected[i];
}

TEST(Maths, AZeroWinsOverInfinityAndNan) {
  const float inf = INFINITY, nan = NAN;
  const Tensor x({0, 0, 0, 0, 0, 1, 1, nan, inf, 2, -1}), y({0, nan, inf, -inf, -1, 0, nan, 1, 0, -1, inf});
  auto expect = [&](Tensor (*function)(const Tensor&, const Tensor&), const std::vector<float>& values,
                    const std::vector<float>& of_x, const std::vector<float>& of_y) {
    GradientTape tape;
    tape.watch(x);
    tape.watch(y);
    const Tensor z = function(x, y);
    const std::vector<Tensor> gradients = tape.gradient(z, {x, y});
    expect_same(z, values);
    expect_same(gradients[0], of_x);
    expect_same(gradients[1], of_y);
  };
  {
    SCOPED_TRACE("xlogy");  // the gradient of x at NaN is log(y), here 0
    expect(xlogy, {0, 0, 0, 0, 0, -inf, nan, nan, -inf, nan, -inf}, {0, 0, 0, 0, 0, -inf, nan, 0, -inf, nan, inf},
           {0, 0, 0, 0, 0, inf, nan, nan, inf, -2, 0});
  }
  {
    SCOPED_TRACE("xdivy");
    expect(xdivy, {0, 0, 0, 0, 0, inf, nan, nan, inf, -2, 0}, {0, 0, 0, 0, 0, inf, nan, 1, inf, -1, 0},
           {0, 0, 0, 0, 0, -inf, nan, nan, -inf, -2, 0});
  }
  {
    SCOPED_TRACE("divide_no_nan");
    expect(divide_no_nan, {0, nan, 0, 0, 0, 0, nan, nan, 0, -2, 0}, {0, nan, 0, 0, -1, 0, nan, 1, 0, -1, 0},
           {0, nan, 0, 0, 0, 0, nan, nan, 0, -2, 0});
  }
  {
    SCOPED_TRACE("multiply_no_nan");  // ∞ · 0: TensorFlow's gradient of y is infinite there, ours 0
    expect(multiply_no_nan, {0, nan, nan, nan, 0, 0, nan, nan, 0, -2, -inf},
           {0, nan, inf, -inf, -1, 0, nan, 1, 0, -1, inf}, {0, 0, 0, 0, 0, 1, 1, nan, 0, 2, -1});
  }
}

TEST(Maths, Edges) {
  const float inf = INFINITY, nan = NAN;
  expect_same(clip_by_value(Tensor({nan, inf, -inf}), -1, 1), {nan, 1, -1});
  expect_same(hypot(Tensor({inf, inf, 3e38, 0, nan}), Tensor({-inf, 1, 1, 0, 1})), {inf, inf, 3e38f, 0, nan});
  expect_same(logaddexp(Tensor({inf, -inf, inf, nan}), Tensor({inf, -inf, -inf, 1})), {inf, -inf, inf, nan});
  expect_same(nan_to_num(Tensor({nan, inf, -inf, 2}), 7), {7, 3.40282347e38f, -3.40282347e38f, 2});
  expect_same(cast(nan_to_num(Tensor({inf, -inf}, f16)), f32), {65504, -65504});
  expect_same(cast(nan_to_num(Tensor({inf, -inf}, bf16)), f32), {0x1.fep127f, -0x1.fep127f});
  expect_same(erfcinv(Tensor({0, 1, 2, 3})), {inf, 0, -inf, nan});
  expect_same(trunc(Tensor({nan, inf, -inf})), {nan, inf, -inf});
  EXPECT_EQ(trunc(Tensor({3}, i32)).to_vector<int32_t>(), std::vector<int32_t>{3});
  expect_same(polyval({}, Tensor({1, 2})), {0, 0});
  expect_same(clip_by_global_norm(std::vector{Tensor({inf, 1})}, 1).tensors[0], {nan, nan});
  EXPECT_FALSE(clip_by_global_norm(std::vector{Tensor(), Tensor({1})}, 1).tensors[0].defined());
}

TEST(Maths, IntegersOfEveryWidth) {
  EXPECT_EQ(bitwise_not(Tensor({0, 5, 255}, u8)).to_vector<uint8_t>(), (std::vector<uint8_t>{255, 250, 0}));
  EXPECT_EQ(bitwise_not(Tensor({0}, u64)).to_vector<uint64_t>(), (std::vector<uint64_t>{~uint64_t{0}}));
  EXPECT_EQ(bitwise_not(Tensor({0, -1}, i64)).to_vector<int64_t>(), (std::vector<int64_t>{-1, 0}));
  const Tensor least = Tensor::from(std::vector<int32_t>{INT32_MIN, INT32_MIN, INT32_MIN}, {3}), none({0, 0, 0}, i32);
  const Tensor by({2, -1, 0}, i32);
  EXPECT_EQ(truncatediv(least, by + none).to_vector<int32_t>(), (std::vector<int32_t>{INT32_MIN / 2, INT32_MIN, 0}));
  EXPECT_EQ(truncatemod(least, Tensor({3, -1, 0}, i32) + none).to_vector<int32_t>(),
            (std::vector<int32_t>{-2, 0, 0}));
  EXPECT_SAYS(golden::invalid([&] { truncatediv(least, by); }),
              "[truncatediv] an integer is divided by 0, element 2");
  EXPECT_SAYS(golden::invalid([&] { truncatemod(least, by); }),
              "[truncatemod] an integer is divided by 0, element 2");
  EXPECT_EQ(abs(Tensor({3}, u8)).to_vector<uint8_t>(), std::vector<uint8_t>{3});
  EXPECT_EQ(sign(Tensor({3, 0}, u16)).to_vector<uint16_t>(), (std::vector<uint16_t>{1, 0}));
}

TEST(Maths, Refuses) {
  const Tensor x({1, 2}), integers({1, 2}, i32), none;
  EXPECT_SAYS(golden::invalid([&] { xlogy(x, none); }), "[xlogy] input 1 is none; give it a tensor");
  EXPECT_SAYS(golden::invalid([&] { xdivy(integers, integers); }),
              "[xdivy] takes floating-point tensors, but got int32");
  EXPECT_SAYS(golden::invalid([&] { log2(integers); }), "[log2] takes floating-point");
  EXPECT_SAYS(golden::invalid([&] { bitwise_not(x); }), "[bitwise_not] takes integer tensors, but got float32");
  EXPECT_SAYS(golden::invalid([&] { clip_by_value(x, Tensor({{1}, {2}}), x); }), "shapes (2, 1) and (2,)");
  EXPECT_SAYS(golden::invalid([&] { clip_by_norm(integers, 1); }), "[clip_by_norm] takes floating-point");
  EXPECT_SAYS(golden::invalid([&] { global_norm(std::vector<Tensor>{none}); }), "[global_norm] got no tensor");
  EXPECT_SAYS(golden::invalid([&] { clip_by_global_norm({}, 1); }), "[global_norm] got no tensor");
}

}  // namespace
}  // namespace brio
