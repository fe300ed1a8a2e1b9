#include "brio/ops/elementwise/complex.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "brio/brio.h"
#include "brio/tensor/complex.h"
#include "tests/ops/complex_dtypes.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

OpTest of_complex(const OpDef& op, double low = -3, double high = 3) {
  return {.op = &op,
          .dtypes = kComplexNumbers,
          .make =
              [low, high](Rng& rng, DType dtype, int i) {
                return Case{{{{random_shape(rng, i % 9), dtype}, low, high}}};
              },
          .large =
              [low, high](DType dtype) {
                return Case{{{{Shape{1 << 20}, dtype}, low, high}}};
              }};
}

std::vector<OpTest> tests() {
  return {{.op = &op::complex,
           .dtypes = {f32, f64},
           .make =
               [](Rng& rng, DType dtype, int i) {
                 const Shape shape = random_shape(rng, i % 9);
                 Case made{{{{shape, dtype}}, {{shape, dtype}}}};
                 if (i % 3) made.inputs[static_cast<size_t>(i % 3 - 1)].aval.shape = broadcastable(rng, shape);
                 return made;
               },
           .large =
               [](DType dtype) {
                 return Case{{{{Shape{1 << 20}, dtype}}, {{Shape{1 << 20}, dtype}}}};
               }},
          of_complex(op::real),
          of_complex(op::imag),
          of_complex(op::conj),
          of_complex(op::angle, 0.1, 3)};
}

std::vector<Invalid> invalid() {
  return {
      {&op::complex, "integers", [] { complex(tensor({2}, i32), tensor({2}, i32)); }, {"int32", "cast"}},
      {&op::complex, "halves", [] { complex(tensor({2}, f16), tensor({2}, f16)); }, {"float16"}},
      {&op::complex, "two dtypes", [] { complex(tensor({2}), tensor({2}, f64)); }, {"float32", "float64"}},
      {&op::complex, "shapes", [] { complex(tensor({2}), tensor({3})); }, {"(2,)", "(3,)"}},
      {&op::complex, "complex parts", [] { complex(tensor({2}, c64), tensor({2}, c64)); }, {"complex64", "real()"}},
      {&op::complex, "none", [] { complex(tensor({2}), Tensor()); }, {"none"}},
      {&op::complex,
       "a real constant",
       [] {
         complex_constant({1, 2}, f32);
       },
       {"float32", "complex64"}},
      {&op::real, "none", [] { real(Tensor()); }, {"none"}},
      {&op::real, "a real number", [] { call(op::real, {tensor({2})}); }, {"float32", "complex"}},
      {&op::imag, "none", [] { imag(Tensor()); }, {"none"}},
      {&op::conj, "none", [] { conj(Tensor()); }, {"none"}},
      {&op::conj, "a real number", [] { call(op::conj, {tensor({2})}); }, {"float32", "complex"}},
      {&op::angle, "none", [] { angle(Tensor()); }, {"none"}},
      {&op::angle, "an integer", [] { angle(tensor({2}, i32)); }, {"int32", "cast"}},
      // Others refuse complex numbers.
      {&op::less, "complex", [] { less(tensor({2}, c64), tensor({2}, c64)); }, {"complex64", "abs()"}},
      {&op::max, "complex", [] { maximum(tensor({2}, c128), tensor({2}, c128)); }, {"complex128"}},
      {&op::reduce_max, "complex", [] { max(tensor({2}, c64)); }, {"complex64"}},
      {&op::floor, "complex", [] { floor(tensor({2}, c64)); }, {"complex64"}},
      {&op::relu, "complex", [] { relu(tensor({2}, c64)); }, {"complex64"}},
      {&op::add, "complex and real", [] { tensor({2}, c64) + tensor({2}); }, {"complex64", "float32", "cast"}},
      {&op::matmul,
       "complex and real",
       [] {
         matmul(tensor({2, 2}, c64), tensor({2, 2}));
       },
       {"complex64"}},
      {&op::cast, "to strings", [] { cast(tensor({2}), DType::string); }, {"15"}},
      {&op::constant,
       "complex",
       [] {
         call(op::constant, {}, {static_cast<int64_t>(c64), 0});
       },
       {"13"}},
  };
}

const AddOpTests add_tests(tests, invalid);

Tensor c(std::vector<C> values) { return Tensor::from(values, {static_cast<int64_t>(values.size())}); }

TEST(Complex, ReadsAndWritesHostMemory) {
  const std::vector<C> values = {{1, 2}, {-0.5f, 0}};
  const Tensor x = Tensor::from(values, {2});
  EXPECT_EQ(x.dtype(), c64);
  EXPECT_EQ(x.to_vector<C>(), values);
  EXPECT_EQ(Tensor::from(std::vector<Z>{{3, 4}}, {}).item<Z>(), Z(3, 4));
  EXPECT_THROW(x.to_vector<Z>(), InvalidArgument);
  EXPECT_THROW(x.to_vector<float>(), InvalidArgument);
  EXPECT_EQ(Tensor({1, 2}, c64).to_vector<C>(), (std::vector<C>{1, 2}));
  EXPECT_EQ(Tensor({{1.5}, {2}}, c128).to_vector<Z>(), (std::vector<Z>{1.5, 2}));
}

TEST(Complex, HostNumbersAdapt) {
  EXPECT_EQ((c({{1, 2}}) * 2).to_vector<C>(), (std::vector<C>{{2, 4}}));
  EXPECT_EQ((1 - c({{1, 2}})).to_vector<C>(), (std::vector<C>{{0, -2}}));
  const Tensor z = Tensor::from(std::vector<Z>{{1, 2}}, {1});
  EXPECT_EQ((z / 0.5 + 1).to_vector<Z>(), (std::vector<Z>{{3, 4}}));
  EXPECT_EQ((z * complex_constant({0, 1}, c128)).to_vector<Z>(), (std::vector<Z>{{-2, 1}}));
  EXPECT_THROW(c({{1, 2}}) * true, InvalidArgument);
  try {
    Scalar(2).bits_as(c128);
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("complex128"), std::string::npos) << error.what();
  }
}

TEST(Complex, Constants) {
  EXPECT_EQ(zeros({2}, c128).to_vector<Z>(), (std::vector<Z>{0, 0}));
  EXPECT_EQ(ones({2}, c64).to_vector<C>(), (std::vector<C>{1, 1}));
  EXPECT_EQ(full({2}, 2.5, c64).to_vector<C>(), (std::vector<C>{2.5f, 2.5f}));
  EXPECT_EQ(eye(2, 2, c128).to_vector<Z>(), (std::vector<Z>{1, 0, 0, 1}));
  EXPECT_EQ(one_hot(Tensor({1, 5}, i64), 2, c64).to_vector<C>(), (std::vector<C>{0, 1, 0, 0}));
  EXPECT_EQ(constant(3, c128).item<Z>(), Z(3, 0));
  // Constants alone make no number that a plan could fold.
  EXPECT_EQ((constant(3, c128) * constant(2, c128) + constant(1, c128)).item<Z>(), Z(7, 0));
  EXPECT_EQ((ones_like(c({{1, 2}, {3, 4}})) + ones({2}, c64)).to_vector<C>(), (std::vector<C>{2, 2}));
}

TEST(Complex, OfRealTensors) {
  const Tensor x({1, -2});
  EXPECT_EQ(real(x).to_vector<float>(), (std::vector<float>{1, -2}));
  EXPECT_EQ(imag(x).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(conj(x).to_vector<float>(), (std::vector<float>{1, -2}));
  EXPECT_EQ(angle(x).to_vector<float>(), (std::vector<float>{0, std::numbers::pi_v<float>}));
}

TEST(Complex, Prints) {
  const auto text = [](const std::vector<C>& values, const Shape& shape) {
    return Tensor::from(values, shape).str();
  };
  EXPECT_EQ(text({{1, 2}}, {}), "tf.Tensor((1+2j), shape=(), dtype=complex64)");
  EXPECT_EQ(text({{0, 2}}, {}), "tf.Tensor(2j, shape=(), dtype=complex64)");
  EXPECT_EQ(text({{-1.5, -2e-9f}}, {}), "tf.Tensor((-1.5-2e-09j), shape=(), dtype=complex64)");
  EXPECT_EQ(text({{0, NAN}}, {}), "tf.Tensor(nanj, shape=(), dtype=complex64)");
  EXPECT_EQ(text({}, {0}), "tf.Tensor([], shape=(0,), dtype=complex64)");
  EXPECT_EQ(text({{1.5, -2.5}, 3, 0, {100, 1}}, {2, 2}),
            "tf.Tensor(\n[[  1.5-2.5j   3. +0.j ]\n [  0. +0.j  100. +1.j ]], shape=(2, 2), dtype=complex64)");
  EXPECT_EQ(Tensor::from(std::vector<Z>{{1, 2}}, {}).str(), "tf.Tensor((1+2j), shape=(), dtype=complex128)");
}

TEST(Complex, ReadsItsOwnText) {
  const std::string text =
      "(%0: c64[2,3], %1: c128[]) {\n"
      "  %2 = abs %0 : f32[2,3]\n"
      "  %3 = cast %1 {dtype=c64} : c64[]\n"
      "  %4 = mul %0, %3 : c64[2,3]\n"
      "  return %2, %4\n"
      "}";
  EXPECT_EQ(Graph::parse(text).str(), text);
}

TEST(Complex, IsNotFused) {
  const Tensor x = c({{1, 2}, {3, -4}});
  // real → complex → real around loops over real numbers, which fuse on their own.
  const Tensor y = square(abs(x * x + x) + 1) * 2;
  const Z z0 = Z(1, 2) * Z(1, 2) + Z(1, 2), z1 = Z(3, -4) * Z(3, -4) + Z(3, -4);
  EXPECT_NEAR(y.to_vector<float>()[0], 2 * std::pow(std::abs(z0) + 1, 2), 1e-3);
  EXPECT_NEAR(y.to_vector<float>()[1], 2 * std::pow(std::abs(z1) + 1, 2), 1e-2);
}

TEST(Complex, Products) {
  const Tensor a = Tensor::from(std::vector<C>{{1, 1}, {0, 2}, {3, 0}, {1, -1}}, {2, 2});
  EXPECT_EQ(matmul(a, a).to_vector<C>(), (std::vector<C>{{0, 8}, {0, 4}, {6, 0}, {0, 4}}));
  EXPECT_EQ(adjoint(a).to_vector<C>(), (std::vector<C>{{1, -1}, {3, 0}, {0, -2}, {1, 1}}));
  EXPECT_EQ(matmul(a, c({1, {0, 1}})).to_vector<C>(), (std::vector<C>{{-1, 1}, {4, 1}}));
  EXPECT_THROW(adjoint(c({1})), InvalidArgument);
}

TEST(Complex, AbsoluteValueHasNoSlopeAtZero) {
  const Tensor x = c({{0, 0}, {3, 4}});
  GradientTape tape;
  tape.watch(x);
  const std::vector<C> gradient = tape.gradient(sum(abs(x)), {x})[0].to_vector<C>();
  EXPECT_EQ(gradient[0], C(0, 0));
  EXPECT_NEAR(gradient[1].real(), 0.6f, 1e-6);
  EXPECT_NEAR(gradient[1].imag(), 0.8f, 1e-6);
}

TEST(Complex, VariablesAndFunctions) {
  Variable v(c({{1, 2}}));
  v.assign(v.value() * v.value());
  EXPECT_EQ(v.value().to_vector<C>(), (std::vector<C>{{-3, 4}}));
  const auto f = function([](const Tensor& x) { return conj(x) * x; });
  EXPECT_EQ(f(c({{1, 2}, {0, 3}})).to_vector<C>(), (std::vector<C>{5, 9}));
}

TEST(Complex, Movement) {
  const Tensor x = Tensor::from(std::vector<Z>{{1, 1}, {2, 2}, {3, 3}, {4, 4}}, {2, 2});
  EXPECT_EQ(reverse(x, {0}).to_vector<Z>(), (std::vector<Z>{{3, 3}, {4, 4}, {1, 1}, {2, 2}}));
  EXPECT_EQ(tile(x, {1, 2}).to_vector<Z>()[3], Z(2, 2));
  EXPECT_EQ(stack({x, x}, 0).shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(pad(x, {{1, 0}, {0, 0}}).to_vector<Z>()[0], Z(0, 0));
  EXPECT_EQ(pad(x, {{1, 0}, {0, 0}}, 7).to_vector<Z>()[1], Z(7, 0));
  EXPECT_EQ(mean(x).item<Z>(), Z(2.5, 2.5));
  EXPECT_EQ(roll(x, {1}, {1}).to_vector<Z>(), (std::vector<Z>{{2, 2}, {1, 1}, {4, 4}, {3, 3}}));
}

}  // namespace
}  // namespace brio::testing
