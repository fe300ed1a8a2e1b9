#include "brio/ops/network/lstm_gates.h"

#include <gtest/gtest.h>

#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

// Units on both sides of what vectors hold, and none.
std::function<Case(Rng&, DType, int)> cases(bool gradient) {
  return [gradient](Rng& rng, DType dtype, int i) {
    Shape c = random_shape(rng, std::max(1, i % 4));
    if (i % 3 == 1) c = Shape{rng.range(1, 5), rng.range(15, 33)};
    Shape z;
    for (int a = 0; a < c.rank(); ++a) z.push_back(a + 1 == c.rank() ? c[a] * 4 : c[a]);
    Case made{{{{z, dtype}, -3, 3}, {{z, dtype}, -3, 3}, {{c, dtype}, -2, 2}}, {}};
    if (gradient)
      for (int k = 0; k < 2; ++k) made.inputs.push_back({{c, dtype}, -1, 1});
    return made;
  };
}
std::function<Case(DType)> large(bool gradient) {
  return [gradient](DType dtype) {
    const Shape c{600, 128}, z{600, 512};
    Case made{{{{z, dtype}}, {{z, dtype}}, {{c, dtype}}}, {}};
    if (gradient)
      for (int k = 0; k < 2; ++k) made.inputs.push_back({{c, dtype}});
    return made;
  };
}

// The number of units is that of the weights: it is known.
std::vector<OpTest> tests() {
  return {{.op = &op::lstm_gates,
           .dtypes = kFloats,
           .make = cases(false),
           .large = large(false),
           .numbers = {{0, -1}, {1, -1}, {2, -1}}},
          {.op = &op::lstm_gates_grad,
           .dtypes = kFloats,
           .make = cases(true),
           .large = large(true),
           .numbers = {{0, -1}, {1, -1}, {2, -1}, {3, -1}, {4, -1}}}};
}

std::vector<Invalid> invalid() {
  const OpDef *gates = &op::lstm_gates, *back = &op::lstm_gates_grad;
  const Tensor z = tensor({2, 12}), c = tensor({2, 3});
  return {
      {gates,
       "integers",
       [=] {
         call(*gates, {tensor({2, 12}, i32), tensor({2, 12}, i32), tensor({2, 3}, i32)}, {});
       },
       {"int32", "cast"}},
      {gates,
       "a scalar state",
       [=] {
         call(*gates, {z, z, tensor({})}, {});
       },
       {"rank 1", "scalar"}},
      {gates,
       "three gates",
       [=] {
         call(*gates, {tensor({2, 9}), z, c}, {});
       },
       {"(2, 9)", "(2, 3)", "(2, 12)"}},
      {gates,
       "a product of another dtype",
       [=] {
         call(*gates, {z, tensor({2, 12}, f64), c}, {});
       },
       {"float64", "float32"}},
      {back,
       "gates of another size",
       [=] {
         call(*back, {z, tensor({2, 8}), c, c, c}, {});
       },
       {"(2, 8)", "(2, 12)"}},
      {back,
       "a cotangent of another size",
       [=] {
         call(*back, {z, z, c, c, tensor({3, 3})}, {});
       },
       {"cotangent", "(3, 3)", "(2, 3)"}},
  };
}

const AddOpTests added(tests, invalid);

}  // namespace
}  // namespace brio::testing
