// The elementwise ops of two operands, one row each, as in unary_ops.h. A file that includes this list defines
// BRIO_BINARY first. This file undefines it at the end.
//
//   BRIO_BINARY(name, builder, summary,               the op; its builder; its line of docs/ops.md
//               where, python, first, second, doc,    Python's function: in tf, math or bitwise; its name; its
//               operands takes, also, gives,                   dtypes gradient, needs, flops, commutes)     a rule of
//               elementwise.cpp; which operands, or the result, it reads
//
// An op that gives bool or works on bits has no gradient: nullptr.
// NOLINTBEGIN(misc-definitions-in-headers): each source that includes the rows defines something else
// clang-format off
BRIO_BINARY(add, add, "x + y",
            tf, "add", "x", "y", "x + y, element by element; strings are joined.",
            numbers, kComplex, same, gradient_of_add, kNeedsNothing, 1, true)
BRIO_BINARY(sub, sub, "x - y",
            tf, "subtract", "x", "y", "x - y, element by element.",
            numbers, kComplex, same, gradient_of_sub, kNeedsNothing, 1, false)
BRIO_BINARY(mul, mul, "x * y",
            tf, "multiply", "x", "y", "x * y, element by element.",
            numbers, kComplex, same, gradient_of_mul, kNeedsBoth, 1, true)
BRIO_BINARY(div, div, "x / y of floating-point tensors",
            tf, "divide", "x", "y", "x / y, element by element; integers give floats.",
            floats, kComplex, same, gradient_of_div, kNeedsSecond | kNeedsOutput, 4, false)
BRIO_BINARY(floor_div, floor_div, "floor(x / y), as Python's //; an integer divided by a computed 0 gives 0",
            math, "floordiv", "x", "y", "Python's x // y, element by element.",
            numbers, 0, same, gradient_of_nothing, kNeedsNothing, 5, false)
BRIO_BINARY(mod, mod, "x - y * floor(x / y), as Python's %; an integer modulo a computed 0 gives 0",
            math, "floormod", "x", "y", "Python's x % y, element by element.",
            numbers, 0, same, gradient_of_mod, kNeedsBoth, 6, false)
BRIO_BINARY(pow, pow, "x to the y; of integers it wraps, and a negative y gives the power cut towards 0",
            tf, "pow", "x", "y", "x to the power of y, element by element.",
            numbers, kComplex, same, gradient_of_pow, kNeedsBoth | kNeedsOutput, 25, false)
BRIO_BINARY(max, maximum, "the larger one; NaN wins",
            tf, "maximum", "x", "y", "The larger of x and y, element by element.",
            numbers, 0, same, gradient_of_max, kNeedsBoth, 1, true)
BRIO_BINARY(min, minimum, "the smaller one; NaN wins",
            tf, "minimum", "x", "y", "The smaller of x and y, element by element.",
            numbers, 0, same, gradient_of_min, kNeedsBoth, 1, true)
BRIO_BINARY(atan2, atan2, "angle of the point (y, x), x being the ordinate",
            tf, "atan2", "y", "x", "The angle of the point (x, y), element by element.",
            floats, 0, same, gradient_of_atan2, kNeedsBoth, 25, false)
BRIO_BINARY(squared_difference, squared_difference, "(x - y)²",
            math, "squared_difference", "x", "y", "(x - y) squared, element by element.",
            numbers, 0, same, gradient_of_squared_difference, kNeedsBoth, 2, true)
BRIO_BINARY(polygamma, polygamma, "the x-th derivative of digamma at y; NaN unless x is 0, 1, 2, ...",
            math, "polygamma", "a", "x", "The derivative of order a of digamma at x.",
            floats, 0, same, gradient_of_polygamma, kNeedsBoth, 200, false)
BRIO_BINARY(nextafter, nextafter, "the next number after x on the way to y",
            math, "nextafter", "x1", "x2", "The next number after x1 in the direction of x2.",
            wide_floats, 0, same, gradient_of_nextafter, kNeedsNothing, 4, false)

BRIO_BINARY(equal, equal, "x == y",
            tf, "equal", "x", "y", "True where x and y are equal.",
            any, kComplex, truth, nullptr, kNeedsInputs, 1, true)
BRIO_BINARY(not_equal, not_equal, "x != y",
            tf, "not_equal", "x", "y", "True where x and y differ.",
            any, kComplex, truth, nullptr, kNeedsInputs, 1, true)
BRIO_BINARY(less, less, "x < y",
            tf, "less", "x", "y", "True where x < y.",
            numbers, 0, truth, nullptr, kNeedsInputs, 1, false)
BRIO_BINARY(less_equal, less_equal, "x <= y",
            tf, "less_equal", "x", "y", "True where x <= y.",
            numbers, 0, truth, nullptr, kNeedsInputs, 1, false)
BRIO_BINARY(greater, greater, "x > y",
            tf, "greater", "x", "y", "True where x > y.",
            numbers, 0, truth, nullptr, kNeedsInputs, 1, false)
BRIO_BINARY(greater_equal, greater_equal, "x >= y",
            tf, "greater_equal", "x", "y", "True where x >= y.",
            numbers, 0, truth, nullptr, kNeedsInputs, 1, false)
BRIO_BINARY(logical_and, logical_and, "x and y",
            tf, "logical_and", "x", "y", "True where both are.",
            bools, 0, truth, nullptr, kNeedsInputs, 1, true)
BRIO_BINARY(logical_or, logical_or, "x or y",
            tf, "logical_or", "x", "y", "True where one or both are.",
            bools, 0, truth, nullptr, kNeedsInputs, 1, true)
BRIO_BINARY(logical_xor, logical_xor, "x or y, not both",
            math, "logical_xor", "x", "y", "True where one is and the other is not.",
            bools, 0, truth, nullptr, kNeedsInputs, 1, true)

BRIO_BINARY(bitwise_and, bitwise_and, "bits in both",
            bitwise, "bitwise_and", "x", "y", "The bits that both have.",
            integers, 0, same, nullptr, kNeedsInputs, 1, true)
BRIO_BINARY(bitwise_or, bitwise_or, "bits in either",
            bitwise, "bitwise_or", "x", "y", "The bits that one or both have.",
            integers, 0, same, nullptr, kNeedsInputs, 1, true)
BRIO_BINARY(bitwise_xor, bitwise_xor, "bits in one of the two",
            bitwise, "bitwise_xor", "x", "y", "The bits that one has and the other has not.",
            integers, 0, same, nullptr, kNeedsInputs, 1, true)
BRIO_BINARY(left_shift, left_shift, "x * 2 to the y, wrapping; y is limited to the bits of x",
            bitwise, "left_shift", "x", "y", "x's bits moved up by y places.",
            integers, 0, same, nullptr, kNeedsInputs, 1, false)
BRIO_BINARY(right_shift, right_shift, "floor(x / 2 to the y); y is limited to the bits of x",
            bitwise, "right_shift", "x", "y", "x's bits moved down by y places.",
            integers, 0, same, nullptr, kNeedsInputs, 1, false)
// clang-format on
// NOLINTEND(misc-definitions-in-headers)
#undef BRIO_BINARY
