#include "brio/ops/elementwise.h"

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
          .make = [low, high](Rng& rng, DType dtype, int i) {
            return Case{{{{random_shape(rng, i % 9), dtype}, low, high, fill_for(dtype, i)}}};
          },
          .large = [low, high](DType dtype) { return Case{{{{Shape{kLarge}, dtype}, low, high}}}; }};
}

// Operands in [low, high) and [low2, high2).
OpTest binary(const OpDef& op, std::vector<DType> dtypes, double low = -3, double high = 3, double low2 = -3, double high2 = 3,
              Fill floats = Fill::special) {
  return {.op = &op,
          .dtypes = std::move(dtypes),
          .make =
              [=](Rng& rng, DType dtype, int i) {
                const Shape shape = random_shape(rng, i % 9);
                const Fill fill = fill_for(dtype, i) == Fill::special ? floats : fill_for(dtype, i);
                const Shape a = i % 3 ? broadcastable(rng, shape) : shape, b = i % 3 == 1 ? shape : broadcastable(rng, shape);
                return Case{{{{a, dtype}, low, high, fill}, {{b, dtype}, low2, high2, fill}}};
              },
          .large = [=](DType dtype) {
            return Case{{{{Shape{kLarge}, dtype}, low, high}, {{Shape{kLarge}, dtype}, low2, high2}}};
          }};
}

std::vector<OpTest> tests() {
  const std::vector<DType> bools = {boolean};
  std::vector<OpTest> list = {
      unary(op::neg, kSigned),
      unary(op::abs, kSigned),
      unary(op::sign, kSigned),
      unary(op::exp, kFloats, -8, 8),
      unary(op::expm1, kFloats),
      unary(op::log, kFloats, 0.05, 9),
      unary(op::log1p, kFloats, -0.9, 9),
      unary(op::sqrt, kFloats, 0.05, 9),
      unary(op::rsqrt, kFloats, 0.05, 9),
      unary(op::square, kNumbers),
      unary(op::reciprocal, kFloats, 0.1, 5),
      unary(op::sin, kFloats, -20, 20),
      unary(op::cos, kFloats, -20, 20),
      unary(op::tanh, kFloats, -6, 6),
      unary(op::sigmoid, kFloats, -12, 12),
      unary(op::softplus, kFloats, -12, 12),
      unary(op::erf, kFloats),
      unary(op::relu, kNumbers),
      unary(op::floor, kFloats, -40, 40),
      unary(op::ceil, kFloats, -40, 40),
      unary(op::round, kFloats, -40, 40),
      unary(op::logical_not, bools),
      unary(op::is_nan, kFloats),
      unary(op::is_finite, kFloats),
      unary(op::is_inf, kFloats),
      binary(op::add, kNumbers),
      binary(op::sub, kNumbers),
      binary(op::mul, kNumbers),
      binary(op::div, kFloats, -3, 3, 0.2, 3),
      binary(op::floor_div, kNumbers, -30, 30, 0.7, 9),
      binary(op::mod, kNumbers, -30, 30, 0.7, 9, Fill::uniform),
      binary(op::pow, kFloats, 0.1, 3, -3, 3, Fill::uniform),
      binary(op::max, kNumbers),
      binary(op::min, kNumbers),
      binary(op::atan2, kFloats, 0.1, 3, 0.1, 3, Fill::uniform),
      binary(op::squared_difference, kNumbers),
      binary(op::equal, kAll),
      binary(op::not_equal, kAll),
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
  };
  list.push_back({.op = &op::constant,
                  .dtypes = kAll,
                  .make = [](Rng& rng, DType dtype, int) {
                    const int64_t bits = dtype == boolean      ? rng.range(0, 1)
                                         : is_floating(dtype) ? static_cast<int64_t>(Scalar(rng.uniform(-9, 9)).bits_as(dtype))
                                                               : rng.range(0, 100);
                    return Case{{}, {static_cast<int64_t>(dtype), bits}};
                  },
                  .exact = true});
  list.push_back({.op = &op::select,
                  .dtypes = kAll,
                  .make = [](Rng& rng, DType dtype, int i) {
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
                  .dtypes = kAll,
                  .make =
                      [](Rng& rng, DType dtype, int i) {
                        // Gradients (f64) to itself: a narrower dtype has no differences to speak of.
                        const auto to = dtype == f64 ? f64 : static_cast<DType>(rng.range(0, kDTypeCount - 1));
                        return Case{{{{random_shape(rng, i % 9), dtype}, -300, 300, fill_for(dtype, i)}},
                                    {static_cast<int64_t>(to)}};
                      },
                  .large = [](DType dtype) {
                    return Case{{{{Shape{kLarge}, dtype}}}, {static_cast<int64_t>(dtype == f32 ? bf16 : f32)}};
                  }});
  return list;
}

std::vector<Invalid> invalid() {
  return {
      {&op::exp, "an integer", [] { exp(tensor({2}, i32)); }, {"floating-point", "int32", "cast"}},
      {&op::neg, "an unsigned integer", [] { neg(tensor({2}, u8)); }, {"signed numbers", "uint8"}},
      {&op::square, "a bool", [] { square(tensor({2}, boolean)); }, {"numbers", "bool"}},
      {&op::logical_not, "a number", [] { logical_not(tensor({2})); }, {"bool tensors", "float32"}},
      {&op::bitwise_and, "a float", [] { bitwise_and(tensor({2}), tensor({2})); }, {"integer tensors", "float32"}},
      {&op::add, "two dtypes", [] { add(tensor({2}), tensor({2}, f64)); }, {"float32", "float64", "cast"}},
      {&op::add, "bools", [] { add(tensor({2}, boolean), tensor({2}, boolean)); }, {"numbers", "bool"}},
      {&op::mul, "shapes", [] { mul(tensor({2, 3}), tensor({2, 4})); }, {"(2, 3)", "(2, 4)", "broadcast"}},
      {&op::mul, "a huge result",
       [] { mul(tensor({int64_t{1} << 40, 1, 0}), tensor({1, int64_t{1} << 40, 0})); },
       {"1099511627776", "elements"}},
      {&op::add, "none", [] { add(Tensor(), tensor({2})); }, {"input 0", "none"}},
      {&op::add, "one input", [] { call(op::add, {tensor({2})}); }, {"2", "got 1"}},
      {&op::select, "a condition of numbers", [] { select(tensor({2}), tensor({2}), tensor({2})); }, {"bool", "float32"}},
      {&op::select, "branches of two dtypes",
       [] { select(tensor({2}, boolean), tensor({2}), tensor({2}, i32)); }, {"float32", "int32", "cast"}},
      {&op::select, "branches that do not broadcast",
       [] { select(tensor({2}, boolean), tensor({2}), tensor({3})); }, {"(2,)", "(3,)"}},
      {&op::select, "a condition that does not broadcast",
       [] { select(tensor({4}, boolean), tensor({2}), tensor({2})); }, {"(4,)", "(2,)"}},
      {&op::cast, "no dtype", [] { call(op::cast, {tensor({2})}, {99}); }, {"99"}},
      {&op::constant, "no dtype", [] { call(op::constant, {}, {-1, 0}); }, {"-1"}},
  };
}

const AddOpTests add_tests(tests, invalid);

}  // namespace
}  // namespace brio::testing
