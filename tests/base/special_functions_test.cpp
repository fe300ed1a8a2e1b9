// Against values to twenty digits, and at the edges as TensorFlow has them.
#include "brio/base/special_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace brio::special {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

// Within a few units in the last place of the number, or of `scale` where terms cancel.
void expect(double found, double exact, double scale = 0) {
  EXPECT_NEAR(found, exact, 4 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(exact), scale));
}

TEST(SpecialFunctions, Digamma) {
  expect(digamma(1e-8), -100000000.57721564845);
  expect(digamma(0.25), -4.2274535333762654081);
  expect(digamma(1), -0.57721566490153286061, 3);
  expect(digamma(1.5), 0.036489973978576520559, 3);
  expect(digamma(3), 0.92278433509846713939, 3);
  expect(digamma(12.5), 2.4851956512749120482);
  expect(digamma(1e10), 23.02585092989045684);
  expect(digamma(-0.5), 0.036489973978576520559, 3);
  expect(digamma(-3.75), -1.6923885983113303432, 3);
  expect(digamma(-1000.25), 10.050097693066705875);
  EXPECT_EQ(digamma(kInf), kInf);
  for (double x : {0.0, -0.0, -1.0, -7.0, -kInf, kNaN}) EXPECT_TRUE(std::isnan(digamma(x))) << x;
}

TEST(SpecialFunctions, Polygamma) {
  constexpr double more = 4;  // a power and a factorial on the way
  expect(polygamma(1, 0.001), 1000001.642533195869);
  expect(polygamma(1, 1), 1.6449340668482264365);
  expect(polygamma(1, 25.5), 0.039994669649562924037);
  expect(polygamma(2, 0.5), -16.828796644234319996);
  expect(polygamma(3, 2), 0.4939394022668291491);
  expect(polygamma(10, 1.5), -42108.858768975491797, more * 42108);
  expect(polygamma(30, 3), -429496273879829822.47, more * 4.3e17);
  expect(polygamma(1, -0.5), 8.9348022005446793094);
  expect(polygamma(2, -0.25), 122.69736678366236037);
  expect(polygamma(3, -7.125), 24590.997851396615212);
  expect(polygamma(1, -1234.5), 9.8687946845344086067);
  expect(polygamma(1, 1e10), 1.00000000005e-10);
  EXPECT_EQ(polygamma(0, 2.5), digamma(2.5));
  EXPECT_EQ(polygamma(1, kInf), 0);
  EXPECT_EQ(polygamma(200, 2), -kInf);
  for (double x : {0.0, -1.0, -kInf}) {
    EXPECT_EQ(polygamma(1, x), kInf) << x;
    EXPECT_TRUE(std::isnan(polygamma(2, x))) << x;
  }
  for (double n : {1.5, -1.0, kNaN}) EXPECT_TRUE(std::isnan(polygamma(n, 2))) << n;
  EXPECT_TRUE(std::isnan(polygamma(1, kNaN)));
}

TEST(SpecialFunctions, BesselFunctions) {
  expect(bessel_i0(0), 1);
  expect(bessel_i0(-2.5), 3.289839144050123035706);
  expect(bessel_i0(50), 293255378384933632665.5, 1e21);  // the library is 9 units off there
  EXPECT_EQ(bessel_i1(0), 0);
  expect(bessel_i1(-0.75), -0.4019924615809222052521);
  expect(bessel_i1(2.5), 2.516716245288698441528);
  EXPECT_EQ(bessel_i0(1e6), kInf);
  EXPECT_EQ(bessel_i1(-kInf), -kInf);
  EXPECT_TRUE(std::isnan(bessel_i0(kNaN)));
}

TEST(SpecialFunctions, InverseOfTheErrorFunction) {
  expect(erfinv(1e-300), 8.8622692545275801365e-301);
  expect(erfinv(0.0078125), 0.0069237584915496137081);
  expect(erfinv(-0.5), -0.47693627620446987338);
  expect(erfinv(0.875), 1.0847870400692831413);
  expect(erfinv(0.9990234375), 2.3314677736219476723);
  expect(erfinv(1 - 0x1p-42), 5.1842438070998440846);
  EXPECT_EQ(erfinv(1), kInf);
  EXPECT_EQ(erfinv(-1), -kInf);
  EXPECT_TRUE(erfinv(-0.0) == 0 && std::signbit(erfinv(-0.0)));
  for (double x : {1.5, -kInf, kNaN}) EXPECT_TRUE(std::isnan(erfinv(x))) << x;
}

TEST(SpecialFunctions, InverseOfTheNormalDistribution) {
  expect(ndtr(-37), 5.72557122252457682268e-300);
  expect(ndtr(-9), 1.12858840595384064774e-19);
  expect(ndtr(-1.5), 0.0668072012688580660045);
  expect(ndtr(0.75), 0.773372647623131800673);
  EXPECT_EQ(ndtr(0), 0.5);
  EXPECT_EQ(ndtr(kInf), 1);
  EXPECT_EQ(ndtr(-kInf), 0);
  EXPECT_TRUE(std::isnan(ndtr(kNaN)));
  expect(ndtri(1e-300), -37.047096299361199237);
  expect(ndtri(1e-20), -9.2623400897984075737);
  expect(ndtri(0.001), -3.0902323061678135415);
  expect(ndtri(0.25), -0.6744897501960817432);
  expect(ndtri(0.75), 0.6744897501960817432);
  EXPECT_EQ(ndtri(0.5), 0);
  EXPECT_EQ(ndtri(0), -kInf);
  EXPECT_EQ(ndtri(1), kInf);
  for (double p : {-0.1, 1.1, kInf, kNaN}) EXPECT_TRUE(std::isnan(ndtri(p))) << p;
}

TEST(SpecialFunctions, LogarithmOfGamma) {
  expect(lgamma(0.5), 0.57236494292470008707);
  EXPECT_EQ(lgamma(1), 0);
  for (double x : {0.0, -1.0, kInf, -kInf}) EXPECT_EQ(lgamma(x), kInf) << x;
  EXPECT_TRUE(std::isnan(lgamma(kNaN)));
}

}  // namespace
}  // namespace brio::special
