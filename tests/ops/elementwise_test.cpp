#include "brio/ops/elementwise/elementwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "brio/autodiff/tape.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "tests/nn/golden_values.h"
#include "tests/ops/complex_dtypes.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

constexpr int64_t kLarge = int64_t{1} << 22;

// Every fourth case of floats has infinities and NaN among its elements; gradients need finite ones.
Fill fill_for(DType dtype, int i) {
  return !is_floating(dtype) ? Fill::bits : dtype != f64 && i % 4 == 3 ? Fill::special : Fill::uniform;
}

OpTest unary(const OpDef& op, std::vector<DType> dtypes, double low = -3, double high = 3) {
  return {.op = &op,
          .dtypes = std::move(dtypes),
          .make =
              [low, high](Rng& rng, DType dtype, int i) {
                // Sines grow as e^y away from the real axis: differences would see curves there.
                const double most = is_complex(dtype) ? 4 : 1e9;
                return Case{{{{random_shape(rng, i % 9), dtype},
                              std::max(low, -most),
                              std::min(high, most),
                              fill_for(dtype, i)}}};
              },
          .large =
              [low, high](DType dtype) {
                return Case{{{{Shape{kLarge}, dtype}, low, high}}};
              }};
}

// Operands in [low, high) and [low2, high2).
OpTest binary(const OpDef& op, std::vector<DType> dtypes, double low = -3, double high = 3, double low2 = -3,
              double high2 = 3, Fill floats = Fill::special) {
  return {.op = &op,
          .dtypes = std::move(dtypes),
          .make =
              [=](Rng& rng, DType dtype, int i) {
                const Shape shape = random_shape(rng, i % 9);
                const Fill fill = fill_for(dtype, i) == Fill::special ? floats : fill_for(dtype, i);
                const Shape a = i % 3 ? broadcastable(rng, shape) : shape,
                            b = i % 3 == 1 ? shape : broadcastable(rng, shape);
                return Case{{{{a, dtype}, low, high, fill}, {{b, dtype}, low2, high2, fill}}};
              },
          .large =
              [=](DType dtype) {
                return Case{{{{Shape{kLarge}, dtype}, low, high}, {{Shape{kLarge}, dtype}, low2, high2}}};
              }};
}

std::vector<OpTest> tests() {
  const std::vector<DType> bools = {boolean};
  std::vector<OpTest> list = {
      unary(op::neg, with_complex(kSigned)),
      unary(op::abs, with_complex(kNumbers)),
      unary(op::sign, kNumbers),
      unary(op::exp, with_complex(kFloats), -8, 8),
      unary(op::expm1, kFloats),
      unary(op::log, with_complex(kFloats), 0.05, 9),
      unary(op::log1p, kFloats, -0.9, 9),
      unary(op::sqrt, with_complex(kFloats), 0.05, 9),
      unary(op::rsqrt, kFloats, 0.05, 9),
      unary(op::square, with_complex(kNumbers)),
      unary(op::reciprocal, with_complex(kFloats), 0.1, 5),
      unary(op::sin, with_complex(kFloats), -20, 20),
      unary(op::cos, with_complex(kFloats), -20, 20),
      unary(op::tan, kFloats, -1.4, 1.4),
      unary(op::asin, kFloats, -0.95, 0.95),
      unary(op::acos, kFloats, -0.95, 0.95),
      unary(op::atan, kFloats, -9, 9),
      unary(op::sinh, kFloats, -6, 6),
      unary(op::cosh, kFloats, -6, 6),
      unary(op::tanh, with_complex(kFloats), -6, 6),
      unary(op::asinh, kFloats, -9, 9),
      unary(op::acosh, kFloats, 1.1, 9),
      unary(op::atanh, kFloats, -0.95, 0.95),
      unary(op::sigmoid, kFloats, -12, 12),
      unary(op::softplus, kFloats, -12, 12),
      unary(op::erf, kFloats),
      unary(op::erfc, kFloats),
      unary(op::erfinv, kFloats, -0.95, 0.95),
      unary(op::ndtr, kFloats),
      unary(op::ndtri, kFloats, 0.03, 0.97),
      unary(op::bessel_i0, kFloats, -4, 4),
      unary(op::bessel_i1, kFloats, -4, 4),
      unary(op::lgamma, kFloats, 0.2, 9),
      unary(op::digamma, kFloats, 0.2, 9),
      unary(op::relu, kNumbers),
      unary(op::floor, kFloats, -40, 40),
      unary(op::ceil, kFloats, -40, 40),
      unary(op::round, kFloats, -40, 40),
      unary(op::logical_not, bools),
      unary(op::is_nan, kFloats),
      unary(op::is_finite, kFloats),
      unary(op::is_inf, kFloats),
      binary(op::add, with_complex(kNumbers)),
      binary(op::sub, with_complex(kNumbers)),
      binary(op::mul, with_complex(kNumbers)),
      binary(op::div, with_complex(kFloats), -3, 3, 0.2, 3),
      binary(op::floor_div, kNumbers, -30, 30, 0.7, 9),
      binary(op::mod, kNumbers, -30, 30, 0.7, 9, Fill::uniform),
      binary(op::pow, with_complex(kFloats), 0.1, 3, -3, 3, Fill::uniform),
      binary(op::max, kNumbers),
      binary(op::min, kNumbers),
      binary(op::atan2, kFloats, 0.1, 3, 0.1, 3, Fill::uniform),
      binary(op::squared_difference, kNumbers),
      binary(op::equal, with_complex(kAll)),
      binary(op::not_equal, with_complex(kAll)),
      binary(op::less, kNumbers),
      binary(op::less_equal, kNumbers),
      binary(op::greater, kNumbers),
      binary(op::greater_equal, kNumbers),
      binary(op::logical_and, bools),
      binary(op::logical_or, bools),
      binary(op::logical_xor, bools),
      binary(op::bitwise_and, kIntegers),
      binary(op::bitwise_or, kIntegers),
      binary(op::bitwise_xor, kIntegers),
      binary(op::left_shift, kIntegers),
      binary(op::right_shift, kIntegers),
      binary(op::nextafter, {f32, f64}),
  };
  list.push_back({.op = &op::polygamma,
                  .dtypes = kFloats,
                  .make =
                      [](Rng& rng, DType dtype, int i) {
                        const auto n = static_cast<double>(i % 5);  // [n, n] holds one number
                        const Shape shape = random_shape(rng, i % 9);
                        return Case{{{{broadcastable(rng, shape), dtype}, n, n}, {{shape, dtype}, 0.4, 6}}};
                      },
                  .large =
                      [](DType dtype) {
                        return Case{{{{Shape(), dtype}, 1, 1}, {{Shape{kLarge}, dtype}, 0.4, 6}}};
                      },
                  .no_differences = "it has none in its order; Elementwise.PolygammaDiffersInItsArgument"});
  list.push_back({.op = &op::constant,
                  .dtypes = kAll,
                  .make =
                      [](Rng& rng, DType dtype, int) {
                        const int64_t bits = dtype == boolean ? rng.range(0, 1)
                                             : is_floating(dtype)
                                                 ? static_cast<int64_t>(Scalar(rng.uniform(-9, 9)).bits_as(dtype))
                                                 : rng.range(0, 100);
                        return Case{{}, {static_cast<int64_t>(dtype), bits}};
                      },
                  .exact = true});
  list.push_back({.op = &op::select,
                  .dtypes = with_complex(kAll),
                  .make =
                      [](Rng& rng, DType dtype, int i) {
                        const Shape shape = random_shape(rng, i % 9);
                        const Fill fill = fill_for(dtype, i);
                        return Case{{{{broadcastable(rng, shape), boolean}},
                                     {{broadcastable(rng, shape), dtype}, -2, 2, fill},
                                     {{i % 2 ? shape : broadcastable(rng, shape), dtype}, -2, 2, fill}}};
                      },
                  .large =
                      [](DType dtype) {
                        return Case{{{{Shape{kLarge}, boolean}}, {{Shape{kLarge}, dtype}}, {{Shape{kLarge}, dtype}}}};
                      },
                  .exact = true});
  list.push_back({.op = &op::cast,
                  .dtypes = with_complex(kAll),
                  .make =
                      [](Rng& rng, DType dtype, int i) {
                        // Gradients (f64, c128) to these: a narrower dtype has no differences to speak of.
                        const auto any = static_cast<DType>(rng.range(0, static_cast<int64_t>(c128)));
                        const DType to = dtype == f64 || dtype == c128 ? (i % 2 ? c128 : f64) : any;
                        return Case{{{{random_shape(rng, i % 9), dtype}, -300, 300, fill_for(dtype, i)}},
                                    {static_cast<int64_t>(to)}};
                      },
                  .large =
                      [](DType dtype) {
                        return Case{{{{Shape{kLarge}, dtype}}}, {static_cast<int64_t>(dtype == f32 ? bf16 : f32)}};
                      }});
  return list;
}

// What every op of one or two operands refuses: a dtype that it does not take, operands that differ in dtype or do
// not broadcast.
void add_refusals(const OpTest& test, std::vector<Invalid>& list) {
  const OpDef& op = *test.op;
  if (op.min_inputs == 0 || op.min_inputs > 2 || &op == &op::cast) return;
  const DType good = test.dtypes[0], other = good == boolean ? f32 : boolean;
  auto refused = [&](std::string what, std::vector<Tensor> in, std::vector<std::string> fragments) {
    list.push_back({&op, std::move(what),
                    [&op, in] {
                      in.size() == 1 ? call(op, {in[0]}) : call(op, {in[0], in[1]});
                    },
                    std::move(fragments)});
  };
  const bool takes_other = std::ranges::find(test.dtypes, other) != test.dtypes.end();
  if (op.min_inputs == 1) {
    refused("another dtype", {tensor({2}, other)}, {std::string(info(other).name), "cast"});
    return;
  }
  if (!takes_other)
    refused("another dtype", {tensor({2}, other), tensor({2}, other)}, {std::string(info(other).name), "cast"});
  refused("two dtypes", {tensor({2}, good), tensor({2}, other)},
          {std::string(info(good).name), std::string(info(other).name)});
  refused("shapes", {tensor({4, 2}, good), tensor({3, 2}, good)}, {"(4, 2)", "(3, 2)", "broadcast"});
  const int64_t huge = int64_t{1} << 40;
  refused("a huge result", {tensor({huge, 1, 0}, good), tensor({1, huge, 0}, good)}, {"1099511627776", "elements"});
}

std::vector<Invalid> invalid() {
  std::vector<Invalid> list = {
      {&op::exp, "an integer", [] { exp(tensor({2}, i32)); }, {"floating-point", "int32", "cast"}},
      {&op::neg, "an unsigned integer", [] { neg(tensor({2}, u8)); }, {"signed numbers", "uint8"}},
      {&op::square, "a bool", [] { square(tensor({2}, boolean)); }, {"numbers", "bool"}},
      {&op::logical_not, "a number", [] { logical_not(tensor({2})); }, {"bool tensors", "float32"}},
      {&op::bitwise_and, "a float", [] { bitwise_and(tensor({2}), tensor({2})); }, {"integer tensors", "float32"}},
      {&op::add, "two dtypes", [] { add(tensor({2}), tensor({2}, f64)); }, {"float32", "float64", "cast"}},
      {&op::add, "bools", [] { add(tensor({2}, boolean), tensor({2}, boolean)); }, {"numbers", "bool"}},
      {&op::mul,
       "shapes",
       [] {
         mul(tensor({2, 3}), tensor({2, 4}));
       },
       {"(2, 3)", "(2, 4)", "broadcast"}},
      {&op::add, "none", [] { add(Tensor(), tensor({2})); }, {"input 0", "none"}},
      {&op::add, "one input", [] { call(op::add, {tensor({2})}); }, {"2", "got 1"}},
      {&op::select,
       "a condition of numbers",
       [] { select(tensor({2}), tensor({2}), tensor({2})); },
       {"bool", "float32"}},
      {&op::select,
       "branches of two dtypes",
       [] { select(tensor({2}, boolean), tensor({2}), tensor({2}, i32)); },
       {"float32", "int32", "cast"}},
      {&op::select,
       "branches that do not broadcast",
       [] { select(tensor({2}, boolean), tensor({2}), tensor({3})); },
       {"(2,)", "(3,)"}},
      {&op::select,
       "a condition that does not broadcast",
       [] { select(tensor({4}, boolean), tensor({2}), tensor({2})); },
       {"(4,)", "(2,)"}},
      {&op::select,
       "a huge result",
       [] {
         const int64_t huge = int64_t{1} << 40;
         select(tensor({1}, boolean), tensor({huge, 1, 0}), tensor({1, huge, 0}));
       },
       {"1099511627776", "elements"}},
      {&op::cast, "no dtype", [] { call(op::cast, {tensor({2})}, {99}); }, {"99"}},
      {&op::constant,
       "no dtype",
       [] {
         call(op::constant, {}, {-1, 0});
       },
       {"-1"}},
  };
  for (const OpTest& test : tests()) add_refusals(test, list);
  return list;
}

const AddOpTests add_tests(tests, invalid);

// Operands of a dtype that the op takes, and host numbers for either side.
struct Operands {
  explicit Operands(const OpDef& op) {
    const auto test = std::ranges::find(op_tests(), &op, &OpTest::op);
    if (test == op_tests().end()) throw std::out_of_range(cat(op.name, " has no OpTest"));
    const DType dtype = test->dtypes[0];
    if (dtype == boolean) {
      x = Tensor({true, false, true}, boolean);
      y = Tensor({true, true, false}, boolean);
      left = false;
      right = true;
    } else if (is_integer(dtype)) {
      x = cast(Tensor({6, 3, 12}, i32), dtype);
      y = cast(Tensor({3, 5, 10}, i32), dtype);
      left = right = 6;
    }
    lefts = full({3}, left, dtype);
    rights = full({3}, right, dtype);
  }
  Tensor x = Tensor({0.5, 1.5, 0.25}), y = Tensor({2, 1.5, -3});
  Scalar left = 0.5, right = 2;
  Tensor lefts, rights;  // tensors of these numbers
};

// Builders record the op of their row; host numbers take the tensor's dtype, on either side.
TEST(Elementwise, BuildersRecordTheirOp) {
  auto same = [](const Tensor& actual, const Tensor& expected) {
    return difference(actual.array(), expected.array(), true);
  };
  auto unary = [&](const OpDef& op, Tensor (*builder)(const Tensor&)) {
    const Operands o(op);
    EXPECT_EQ(same(builder(o.x), call(op, {o.x})), "") << op.name;
  };
  auto binary = [&](const OpDef& op, auto builder) {
    const Operands o(op);
    EXPECT_EQ(same(builder(o.x, o.y), call(op, {o.x, o.y})), "") << op.name;
    EXPECT_EQ(same(builder(o.x, o.right), call(op, {o.x, o.rights})), "") << op.name;
    EXPECT_EQ(same(builder(o.left, o.y), call(op, {o.lefts, o.y})), "") << op.name;
  };
#define BRIO_UNARY(name, ...) unary(op::name, name);
#include "brio/ops/elementwise/unary_ops.h"
#define BUILDER(name, builder) binary(op::name, [](const auto& a, const auto& b) { return builder(a, b); });
#define BRIO_BINARY(name, builder, ...) BUILDER(name, builder)
#include "brio/ops/elementwise/binary_ops.h"
  BUILDER(add, operator+)
  BUILDER(sub, operator-)
  BUILDER(mul, operator*)
  BUILDER(div, operator/)
  BUILDER(mod, operator%)
  BUILDER(less, operator<)
  BUILDER(less_equal, operator<=)
  BUILDER(greater, operator>)
  BUILDER(greater_equal, operator>=)
#undef BUILDER
  const Tensor x({0.5, 1.5, 0.25});
  EXPECT_EQ(same(-x, neg(x)), "");
}

TEST(Elementwise, IntegersDivideInFloatingPoint) {
  EXPECT_EQ((Tensor({7, 1}, i32) / Tensor({2, 4}, i32)).to_vector<double>(), (std::vector<double>{3.5, 0.25}));
  EXPECT_EQ((Tensor({7, 1}, i8) / 2).to_vector<float>(), (std::vector<float>{3.5, 0.5}));
}

TEST(Elementwise, PythonsDivisionOfIntegers) {
  const Tensor a({7, -7, 7, -7, 5}, i32), b({2, 2, -2, -2, 0}, i32);
  const Tensor computed = b + Tensor({0, 0, 0, 0, 0}, i32);
  EXPECT_EQ(floor_div(a, computed).to_vector<int32_t>(), (std::vector<int32_t>{3, -4, -4, 3, 0}));
  const Tensor again = b + Tensor({0, 0, 0, 0, 0}, i32);
  EXPECT_EQ(mod(a, again).to_vector<int32_t>(), (std::vector<int32_t>{1, 1, -1, -1, 0}));
  EXPECT_SAYS(golden::invalid([&] { floor_div(a, b); }),
              "[floor_div] an integer is divided by 0, element 4 of a divisor of shape (5,)");
  EXPECT_SAYS(golden::invalid([&] { mod(a, b); }),
              "[mod] an integer is divided by 0, element 4 of a divisor of shape (5,)");
  EXPECT_EQ(floor_div(Tensor({}, i32), Tensor({0}, i32)).to_vector<int32_t>(), std::vector<int32_t>{});
}

TEST(Elementwise, ShiftsAreLimitedToTheBitsThereAre) {
  const Tensor x({1, 1, 1, -8}, i32), by({3, 40, -1, 1}, i32);
  EXPECT_EQ(left_shift(x, by).to_vector<int32_t>(), (std::vector<int32_t>{8, INT32_MIN, 1, -16}));
  EXPECT_EQ(right_shift(x, by).to_vector<int32_t>(), (std::vector<int32_t>{0, 0, 1, -4}));
}

TEST(Elementwise, PolygammaDiffersInItsArgument) {
  const Tensor n = Tensor::from(std::vector<double>{0, 1, 2, 3}, {4}),
               x = Tensor::from(std::vector<double>{0.7, 2.5}, {2, 1});
  GradientTape tape;
  tape.watch(n);
  tape.watch(x);
  const auto gradients = tape.gradient(polygamma(n, x), {n, x});
  EXPECT_FALSE(gradients[0].defined());
  EXPECT_EQ(difference(gradients[1].array(), sum(polygamma(add(n, 1), x), 1, true).array(), true), "");
}

// Where TensorFlow has infinities and NaN, in values and gradients.
TEST(Elementwise, EdgesOfFunctions) {
  const float inf = INFINITY, nan = NAN;
  const Tensor x({0, 1, -1, 2, -2, inf, -inf, nan});
  auto expect = [&](Tensor (*function)(const Tensor&), std::vector<float> values, std::vector<float> gradients) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = function(x);
    EXPECT_EQ(difference(y.array(), Tensor::from(values, {8}).array()), "") << y;
    const Tensor g = tape.gradient(y, {x})[0];
    EXPECT_EQ(difference(g.array(), Tensor::from(gradients, {8}).array()), "") << g << " of " << y;
  };
  const float half_pi = 1.57079633f, e1 = 0.367879441f;
  expect(tan, {0, 1.55740772f, -1.55740772f, -2.18503986f, 2.18503986f, nan, nan, nan},
         {1, 3.42551882f, 3.42551882f, 5.7743992f, 5.7743992f, nan, nan, nan});
  expect(asin, {0, half_pi, -half_pi, nan, nan, nan, nan, nan}, {1, inf, inf, nan, nan, nan, nan, nan});
  expect(acos, {half_pi, 0, 2 * half_pi, nan, nan, nan, nan, nan}, {-1, -inf, -inf, nan, nan, nan, nan, nan});
  expect(atan, {0, half_pi / 2, -half_pi / 2, 1.10714872f, -1.10714872f, half_pi, -half_pi, nan},
         {1, 0.5f, 0.5f, 0.2f, 0.2f, 0, 0, nan});
  expect(asinh, {0, 0.881373587f, -0.881373587f, 1.44363548f, -1.44363548f, inf, -inf, nan},
         {1, 0.707106781f, 0.707106781f, 0.447213595f, 0.447213595f, 0, 0, nan});
  expect(acosh, {nan, 0, nan, 1.3169579f, nan, inf, nan, nan}, {nan, inf, nan, 0.577350269f, nan, 0, nan, nan});
  expect(atanh, {0, inf, -inf, nan, nan, nan, nan, nan}, {1, inf, inf, -1 / 3.f, -1 / 3.f, 0, 0, nan});
  expect(erfc, {1, 0.157299207f, 1.84270079f, 0.00467773498f, 1.99532227f, 0, 2, nan},
         {-1.12837917f, -1.12837917f * e1, -1.12837917f * e1, -0.0206669854f, -0.0206669854f, 0, 0, nan});
  expect(erfinv, {0, inf, -inf, nan, nan, nan, nan, nan}, {0.886226925f, inf, inf, nan, nan, nan, nan, nan});
  const float density = 0.241970725f, at_two = 0.0539909665f;
  expect(ndtr, {0.5f, 0.841344746f, 0.158655254f, 0.977249868f, 0.0227501319f, 1, 0, nan},
         {0.39894228f, density, density, at_two, at_two, 0, 0, nan});
  const float i0 = 1.26606588f, i1 = 0.565159104f, i0_two = 2.2795853f, i1_two = 1.59063685f;
  expect(bessel_i0, {1, i0, i0, i0_two, i0_two, inf, inf, nan}, {0, i1, -i1, i1_two, -i1_two, inf, -inf, nan});
  expect(bessel_i1, {0, i1, -i1, i1_two, -i1_two, inf, -inf, nan},
         {0.5f, i0 - i1, i0 - i1, i0_two - i1_two / 2, i0_two - i1_two / 2, nan, nan, nan});
  expect(ndtri, {-inf, inf, nan, nan, nan, nan, nan, nan}, {inf, inf, nan, nan, nan, nan, nan, nan});
  expect(lgamma, {inf, 0, inf, 0, inf, inf, inf, nan}, {nan, -0.577215665f, nan, 0.422784335f, nan, inf, nan, nan});
  expect(digamma, {nan, -0.577215665f, nan, 0.422784335f, nan, inf, nan, nan},
         {inf, 1.64493407f, inf, 0.644934067f, inf, 0, inf, nan});
}

// One kernel multiplies by its argument, unless somebody else reads the function too.
TEST(Elementwise, GatedFunctionsHaveTheBitsOfTheirSteps) {
  std::vector<float> numbers = {0, -0.f, INFINITY, -INFINITY, NAN};
  for (int i = 0; i < 3000; ++i) numbers.push_back(static_cast<float>(i - 1500) / 100);
  const Tensor x = Tensor::from(numbers, {static_cast<int64_t>(numbers.size())});
  for (auto f : {static_cast<Tensor (*)(const Tensor&)>(sigmoid), static_cast<Tensor (*)(const Tensor&)>(ndtr)}) {
    const Tensor function = f(x);
    (void)function.array();
    const Tensor product = x * function, twice = f(x);
    auto same = [](const Tensor& a, const Tensor& b) {  // any NaN is one
      return std::ranges::equal(a.to_vector<float>(), b.to_vector<float>(), [](float u, float v) {
        return std::isnan(u) ? std::isnan(v) : std::bit_cast<uint32_t>(u) == std::bit_cast<uint32_t>(v);
      });
    };
    EXPECT_TRUE(same(x * f(x), product));
    EXPECT_TRUE(same(f(x) * x, product));
    EXPECT_TRUE(same(twice * (x * twice), function * product));
  }
}

TEST(Elementwise, CastsClampAndWrap) {
  const Tensor x({1e20, -1e20, NAN, -1.9, 255.5});
  EXPECT_EQ(cast(x, u8).to_vector<uint8_t>(), (std::vector<uint8_t>{255, 0, 0, 0, 255}));
  EXPECT_EQ(cast(x, i64).to_vector<int64_t>(), (std::vector<int64_t>{INT64_MAX, INT64_MIN, 0, -1, 255}));
  EXPECT_EQ(cast(Tensor({300, -1}, i32), u8).to_vector<uint8_t>(), (std::vector<uint8_t>{44, 255}));
  EXPECT_EQ(cast(x, boolean).to_vector<bool>(), (std::vector<bool>{true, true, true, true, true}));
  EXPECT_EQ(cast(x, f32).impl(), x.impl());
}

TEST(Elementwise, IntegersAreRaisedBySquaringAndWrap) {
  const Tensor a = Tensor::from(std::vector<int64_t>{2, 3, -2, 0, 2, -1}, {6});
  const Tensor b = Tensor::from(std::vector<int64_t>{10, 5, 3, 0, int64_t{1} << 62, -3}, {6});
  EXPECT_EQ(pow(a, b).to_vector<int64_t>(), (std::vector<int64_t>{1024, 243, -8, 1, 0, -1}));
  const Tensor small = Tensor::from(std::vector<int8_t>{3, -3, 2}, {3}),
               by = Tensor::from(std::vector<int8_t>{5, 5, 7}, {3});
  EXPECT_EQ(pow(small, by).to_vector<int8_t>(), (std::vector<int8_t>{-13, 13, -128}));
}

}  // namespace
}  // namespace brio::testing
