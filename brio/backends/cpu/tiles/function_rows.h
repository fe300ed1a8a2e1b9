// The functions of one operand that tiles compute, one row each. An op without a row runs its reference kernel,
// outside of fused loops. A file that includes this list defines BRIO_TILE_FUNCTION first. This file undefines it.
//
//   BRIO_TILE_FUNCTION(op, how, vector, scalar, cost)
//
//   vector   vector(d, x): of vectors of Highway's tag d (loops/simd_math-inl.h)
//   scalar   scalar(x): of one double
//   how      which of them computes floats and doubles: see tile_functions.cpp
//   cost     nanoseconds per f32 element with 256-bit vectors, roughly

// clang-format off
BRIO_TILE_FUNCTION(exp,       by_vectors,          exp_vector,        none,               0.5)
BRIO_TILE_FUNCTION(expm1,     floats_by_vectors,   expm1_vector,      std::expm1,         0.6)
BRIO_TILE_FUNCTION(log,       by_vectors,          log_vector,        none,               0.6)
BRIO_TILE_FUNCTION(log1p,     floats_by_vectors,   log1p_vector,      std::log1p,         1.0)
BRIO_TILE_FUNCTION(sigmoid,   by_vectors,          sigmoid_vector,    none,               0.8)
BRIO_TILE_FUNCTION(softplus,  floats_by_vectors,   softplus_vector,   softplus_of_double, 1.6)
BRIO_TILE_FUNCTION(tanh,      floats_by_vectors,   tanh_vector,       std::tanh,          0.8)
BRIO_TILE_FUNCTION(erf,       floats_by_vectors,   erf_vector,        std::erf,           0.8)
BRIO_TILE_FUNCTION(erfc,      floats_by_vectors,   erfc_vector,       std::erfc,          1.0)
BRIO_TILE_FUNCTION(ndtr,      floats_by_vectors,   ndtr_vector,       special::ndtr,      1.0)
BRIO_TILE_FUNCTION(sin,       by_wide_vectors,     sin_in_double,     none,               1.5)
BRIO_TILE_FUNCTION(cos,       by_wide_vectors,     cos_in_double,     none,               1.5)
BRIO_TILE_FUNCTION(tan,       floats_by_wide,      tan_in_double,     std::tan,           3.0)
BRIO_TILE_FUNCTION(asin,      floats_by_wide,      asin_in_double,    std::asin,          2.0)
BRIO_TILE_FUNCTION(acos,      floats_by_wide,      acos_in_double,    std::acos,          2.0)
BRIO_TILE_FUNCTION(atan,      floats_by_wide,      atan_in_double,    std::atan,          2.0)
BRIO_TILE_FUNCTION(sinh,      floats_by_wide,      sinh_in_double,    std::sinh,          2.0)
BRIO_TILE_FUNCTION(cosh,      floats_by_wide,      cosh_in_double,    std::cosh,          2.0)
BRIO_TILE_FUNCTION(asinh,     floats_by_wide,      asinh_in_double,   std::asinh,         3.0)
BRIO_TILE_FUNCTION(acosh,     floats_by_wide,      acosh_in_double,   std::acosh,         3.0)
BRIO_TILE_FUNCTION(atanh,     floats_by_wide,      atanh_in_double,   std::atanh,         3.0)
BRIO_TILE_FUNCTION(erfinv,    floats_by_wide,      erfinv_in_double,  special::erfinv,    4.0)
BRIO_TILE_FUNCTION(ndtri,     floats_by_wide,      ndtri_in_double,   special::ndtri,     4.0)
BRIO_TILE_FUNCTION(lgamma,    floats_by_wide,      lgamma_in_double,  special::lgamma,    6.0)
BRIO_TILE_FUNCTION(digamma,   floats_by_wide,      digamma_in_double, special::digamma,   6.0)
BRIO_TILE_FUNCTION(bessel_i0, by_scalars,          none,              special::bessel_i0, 200.0)
BRIO_TILE_FUNCTION(bessel_i1, by_scalars,          none,              special::bessel_i1, 200.0)
// clang-format on

#undef BRIO_TILE_FUNCTION
