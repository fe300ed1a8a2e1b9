// Functions that TensorFlow has and the C++ library lacks, one number at a time: what they mean, and what backends
// call where they have nothing faster.
#pragma once

namespace brio::special {

double lgamma(double x);               // ln |Γ(x)|; unlike std::lgamma it may run on several threads at once
double digamma(double x);              // (ln Γ)'; NaN at 0, -1, -2, …
double polygamma(double n, double x);  // the n-th derivative of digamma; NaN unless n is 0, 1, 2, …
double bessel_i0(double x);            // modified Bessel functions of the first kind
double bessel_i1(double x);
double erfinv(double x);  // erf(erfinv(x)) = x; infinite at ±1, NaN beyond
double ndtr(double x);    // the standard normal distribution up to x
double ndtri(double p);   // where the standard normal distribution reaches p; NaN outside of [0, 1]

}  // namespace brio::special
