// The elementwise ops of one operand, one row each. A row holds all that Brio knows of the op except its kernels.
// Several files include this list and make something of each row: declarations and builders (elementwise.h), the op
// table (elementwise.cpp), reference kernels (backends/reference/elementwise.cpp), Python's functions
// (python/math.cpp). Each defines BRIO_UNARY first. This file undefines it at the end.
//
//   BRIO_UNARY(name, summary,            the op and its builder; its line of docs/ops.md
//              where, python, doc,       Python's function: in tf, math or nowhere; its name; its docstring
//              takes, also, gives,       Takes and Gives of elementwise.cpp; kComplex, if it takes complex numbers
//              gradient, needs, flops)   the gradient of x; which of x and z it reads; the cost of an element
//
// A gradient is computed from the operand x, the result z and its cotangent c. Tensor() means no gradient, as in
// TensorFlow for steps: not zeros. An op that gives bool has no gradient either.
// NOLINTBEGIN(misc-definitions-in-headers): each source that includes the rows defines something else
// clang-format off
BRIO_UNARY(neg, "-x",
           tf, "negative", "Each element with the other sign.",
           signed_numbers, kComplex, same, neg(c), kNeedsNothing, 1)
BRIO_UNARY(abs, "|x|",
           tf, "abs", "The absolute value of each element.",
           numbers, kComplex, real, gradient_of_abs(x, z, c), kNeedsFirst | kNeedsOutput, 1)
BRIO_UNARY(sign, "-1, 0 or 1; NaN stays",
           tf, "sign", "-1, 0 or 1 for each element; of complex numbers, x / |x|.",
           numbers, 0, same, zeros_like(x), kNeedsNothing, 1)
BRIO_UNARY(exp, "e to the x",
           tf, "exp", "e to the power of each element.",
           floats, kComplex, same, c * conj(z), kNeedsOutput, 10)
BRIO_UNARY(expm1, "exp(x) - 1, exact near 0",
           math, "expm1", "exp(x) - 1 of each element, exact near 0.",
           floats, 0, same, c * exp(x), kNeedsFirst, 12)
BRIO_UNARY(log, "natural logarithm",
           math, "log", "The natural logarithm of each element.",
           floats, kComplex, same, c / conj(x), kNeedsFirst, 10)
BRIO_UNARY(log1p, "log(1 + x), exact near 0",
           math, "log1p", "log(1 + x) of each element, exact near 0.",
           floats, 0, same, c / add(x, like(x, 1)), kNeedsFirst, 12)
BRIO_UNARY(sqrt, "square root",
           tf, "sqrt", "The square root of each element.",
           floats, kComplex, same, c * like(x, 0.5) / conj(z), kNeedsOutput, 4)
BRIO_UNARY(rsqrt, "1 / sqrt(x)",
           math, "rsqrt", "1 / sqrt(x) of each element.",
           floats, 0, same, c * like(x, -0.5) * z / x, kNeedsFirst | kNeedsOutput, 5)
BRIO_UNARY(square, "x * x",
           tf, "square", "Each element times itself.",
           numbers, kComplex, same, c * conj(add(x, x)), kNeedsFirst, 1)
BRIO_UNARY(reciprocal, "1 / x",
           math, "reciprocal", "1 / x of each element.",
           floats, kComplex, same, neg(c * conj(square(z))), kNeedsOutput, 4)
BRIO_UNARY(sin, "sine of radians",
           tf, "sin", "The sine of each element, in radians.",
           floats, kComplex, same, c * conj(cos(x)), kNeedsFirst, 12)
BRIO_UNARY(cos, "cosine of radians",
           tf, "cos", "The cosine of each element, in radians.",
           floats, kComplex, same, neg(c * conj(sin(x))), kNeedsFirst, 12)
BRIO_UNARY(tan, "tangent of radians",
           tf, "tan", "The tangent of each element, in radians.",
           floats, 0, same, c * add(like(x, 1), square(z)), kNeedsOutput, 20)
BRIO_UNARY(asin, "arc sine, in radians",
           tf, "asin", "The inverse sine of each element, in radians.",
           floats, 0, same, c / sqrt(sub(like(x, 1), square(x))), kNeedsFirst, 20)
BRIO_UNARY(acos, "arc cosine, in radians",
           tf, "acos", "The inverse cosine of each element, in radians.",
           floats, 0, same, neg(c / sqrt(sub(like(x, 1), square(x)))), kNeedsFirst, 20)
BRIO_UNARY(atan, "arc tangent, in radians",
           tf, "atan", "The inverse tangent of each element, in radians.",
           floats, 0, same, c / add(like(x, 1), square(x)), kNeedsFirst, 20)
BRIO_UNARY(sinh, "hyperbolic sine",
           tf, "sinh", "The hyperbolic sine of each element.",
           floats, 0, same, c * cosh(x), kNeedsFirst, 16)
BRIO_UNARY(cosh, "hyperbolic cosine",
           tf, "cosh", "The hyperbolic cosine of each element.",
           floats, 0, same, c * sinh(x), kNeedsFirst, 16)
BRIO_UNARY(tanh, "hyperbolic tangent",
           tf, "tanh", "The hyperbolic tangent of each element.",
           floats, kComplex, same, c * conj(sub(like(x, 1), square(z))), kNeedsOutput, 14)
BRIO_UNARY(asinh, "inverse hyperbolic sine",
           tf, "asinh", "The inverse hyperbolic sine of each element.",
           floats, 0, same, c / cosh(z), kNeedsOutput, 24)  // sqrt(1 + x²) would overflow
BRIO_UNARY(acosh, "inverse hyperbolic cosine; NaN below 1",
           tf, "acosh", "The inverse hyperbolic cosine of each element.",
           floats, 0, same, c / sinh(z), kNeedsOutput, 24)
BRIO_UNARY(atanh, "inverse hyperbolic tangent; NaN beyond 1",
           tf, "atanh", "The inverse hyperbolic tangent of each element.",
           floats, 0, same, c / sub(like(x, 1), square(x)), kNeedsFirst, 24)
BRIO_UNARY(sigmoid, "1 / (1 + exp(-x))",
           tf, "sigmoid", "1 / (1 + exp(-x)) of each element.",
           floats, 0, same, c * (z * sub(like(x, 1), z)), kNeedsOutput, 14)
BRIO_UNARY(softplus, "log(1 + exp(x)), without overflow",
           nowhere, "", "",  // Python's is in nn_functions.cpp
           floats, 0, same, c * sigmoid(x), kNeedsFirst, 20)
BRIO_UNARY(erf, "error function",
           math, "erf", "The error function of each element.",
           floats, 0, same, c * (like(x, 1.1283791670955126) * exp(neg(square(x)))), kNeedsFirst, 16)  // 2/√π
BRIO_UNARY(erfc, "1 - erf(x), exact where that is small",
           math, "erfc", "1 - erf(x) of each element.",
           floats, 0, same, c * (like(x, -1.1283791670955126) * exp(neg(square(x)))), kNeedsFirst, 26)
BRIO_UNARY(erfinv, "inverse of erf; NaN beyond 1",
           math, "erfinv", "The inverse of the error function for each element.",
           floats, 0, same, c * (like(x, 0.88622692545275801) * exp(square(z))), kNeedsOutput, 50)  // √π/2
BRIO_UNARY(ndtr, "the standard normal distribution up to x",
           nowhere, "", "",
           floats, 0, same, c * (like(x, 0.3989422804014327) * exp(like(x, -0.5) * square(x))), kNeedsFirst, 26)  // 1/√2π
BRIO_UNARY(ndtri, "where the standard normal distribution reaches x",
           math, "ndtri", "The quantile of the standard normal distribution for each element.",
           floats, 0, same, c * (like(x, 2.5066282746310005) * exp(like(x, 0.5) * square(z))), kNeedsOutput, 50)  // √2π
BRIO_UNARY(lgamma, "logarithm of the gamma function's magnitude",
           math, "lgamma", "The logarithm of |gamma(x)| for each element.",
           floats, 0, same, c * digamma(x), kNeedsFirst, 60)
BRIO_UNARY(digamma, "derivative of lgamma; NaN at 0, -1, -2, ...",
           math, "digamma", "The derivative of lgamma for each element.",
           floats, 0, same, c * polygamma(like(x, 1), x), kNeedsFirst, 60)
BRIO_UNARY(bessel_i0, "modified Bessel function of order 0",
           math, "bessel_i0", "The modified Bessel function of order 0 of each element.",
           floats, 0, same, c * bessel_i1(x), kNeedsFirst, 60)
BRIO_UNARY(bessel_i1, "modified Bessel function of order 1",
           math, "bessel_i1", "The modified Bessel function of order 1 of each element.",
           floats, 0, same, gradient_of_bessel_i1(x, c), kNeedsFirst, 60)
BRIO_UNARY(relu, "max(x, 0); NaN stays",
           nowhere, "", "",  // Python's is in nn_functions.cpp
           numbers, 0, same, zeros_where_not(greater(z, like(z, 0)), c), kNeedsOutput, 1)
BRIO_UNARY(floor, "largest integer not above x",
           tf, "floor", "The largest integer that is not above each element.",
           floats, 0, same, Tensor(), kNeedsNothing, 1)
BRIO_UNARY(ceil, "smallest integer not below x",
           math, "ceil", "The smallest integer that is not below each element.",
           floats, 0, same, Tensor(), kNeedsNothing, 1)
BRIO_UNARY(round, "nearest integer, halves to even",
           tf, "round", "The nearest integer of each element; halves go to the even one.",
           floats, 0, same, Tensor(), kNeedsNothing, 1)
BRIO_UNARY(logical_not, "not x",
           tf, "logical_not", "True where an element is false.",
           bools, 0, truth, Tensor(), kNeedsInputs, 1)
BRIO_UNARY(is_nan, "is it not a number?",
           math, "is_nan", "True where an element is not a number.",
           floats, 0, truth, Tensor(), kNeedsInputs, 1)
BRIO_UNARY(is_finite, "is it neither infinite nor NaN?",
           math, "is_finite", "True where an element is neither infinite nor NaN.",
           floats, 0, truth, Tensor(), kNeedsInputs, 1)
BRIO_UNARY(is_inf, "is it infinite?",
           math, "is_inf", "True where an element is infinite.",
           floats, 0, truth, Tensor(), kNeedsInputs, 1)
// clang-format on
// NOLINTEND(misc-definitions-in-headers)
#undef BRIO_UNARY
