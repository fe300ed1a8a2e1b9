#include "brio/ops/network/column_moments.h"

#include <gtest/gtest.h>

#include <cmath>

#include "brio/ir/recording.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

std::vector<OpTest> tests() {
  return {{.op = &op::column_moments,
           .dtypes = kFloats,
           .make =
               [](Rng& rng, DType dtype, int i) {
                 Shape x = random_shape(rng, std::max(2, i % 9), false);
                 // More rows than one part, and columns as networks have them.
                 if (i % 3 == 1) x = Shape{rng.range(2, 4), rng.range(60, 140), rng.range(1, 5) * (i % 2 ? 8 : 1)};
                 if (i % 9 == 4) x = Shape{rng.range(2000, 4000), 24};
                 return Case{{{{x, dtype}, -3, 5}}};
               },
           .large =
               [](DType dtype) {
                 return Case{{{{Shape{64, 56, 56, 64}, dtype}}}};
               }}};
}

std::vector<Invalid> invalid() {
  const OpDef* const op = &op::column_moments;
  return {{op,
           "integers",
           [=] {
             call(*op, {tensor({2, 3}, i32)});
           },
           {"int32", "cast"}},
          {op, "a vector", [=] { call(*op, {tensor({3})}); }, {"rank 2", "(3,)"}}};
}

const AddOpTests added(tests, invalid);

// Numbers far from 0, whose spread is little: sums of squares alone would lose it.
TEST(ColumnMoments, KeepTheirDigits) {
  const Tensor x = random::normal({1 << 16, 8}, {.mean = 1000, .seed = 5});
  TensorImpl* const in[] = {x.impl()};
  const std::vector<Tensor> out = record_many(op::column_moments, in, {});
  for (float spread : out[1].to_vector<float>()) EXPECT_NEAR(spread / (1 << 16), 1, 0.03);
  for (float sum : out[0].to_vector<float>()) EXPECT_NEAR(sum / (1 << 16), 1000, 0.05);
}

}  // namespace
}  // namespace brio::testing
