#include "brio/ops/indexing/indexing.h"

#include <gtest/gtest.h>

#include "tests/ops/complex_dtypes.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

// A shape with a nonempty axis, and indices into it; together at most 8 dimensions.
struct Indexed {
  Shape params, indices, result;
  int axis;
  DType dtype;
};
Indexed indexed(Rng& rng, int i) {
  Indexed x;
  const int rank = std::max(1, i % 9);
  x.params = random_shape(rng, rank);
  x.axis = static_cast<int>(rng.range(0, rank - 1));
  if (x.params[x.axis] == 0) x.params.set(x.axis, 1);
  x.indices = random_shape(rng, static_cast<int>(rng.range(0, std::min(3, kMaxRank + 1 - rank))));
  while (x.indices.elements() > 12) x.indices = random_shape(rng, x.indices.rank());
  x.dtype = rng.chance(0.5) ? i32 : i64;
  for (int k = 0; k < x.axis; ++k) x.result.push_back(x.params[k]);
  for (int64_t dim : x.indices) x.result.push_back(dim);
  for (int k = x.axis + 1; k < rank; ++k) x.result.push_back(x.params[k]);
  return x;
}
Input indices_of(const Indexed& x) { return {{x.indices, x.dtype}, 0, static_cast<double>(x.params[x.axis] - 1)}; }

std::vector<OpTest> tests() {
  return {
      {.op = &op::gather,
       .dtypes = with_complex(kAll),
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Indexed x = indexed(rng, i);
             return Case{{{{x.params, dtype}}, indices_of(x)}, {x.axis}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{100, 256}, dtype}}, {{Shape{16384}, i32}, 0, 99}}, {0}};
           },
       .exact = true},
      {.op = &op::scatter_add,
       .dtypes = with_complex(kNumbers),
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Indexed x = indexed(rng, i);
             return Case{{{{x.params, dtype}}, indices_of(x), {{x.result, dtype}}}, {x.axis}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{100, 256}, dtype}}, {{Shape{16384}, i32}, 0, 99}, {{Shape{16384, 256}, dtype}}},
                         {0}};
           }},
      {.op = &op::one_hot,
       .dtypes = kAll,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Shape shape = random_shape(rng, std::min(i % 9, 7));
             return Case{{{{shape, kIntegers[static_cast<size_t>(i) % kIntegers.size()]}, -2, 8}},
                         {rng.range(0, 6), static_cast<int64_t>(dtype), rng.range(0, shape.rank())}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{16384}, i32}, 0, 99}}, {100, static_cast<int64_t>(dtype), 1}};
           },
       .exact = true},
  };
}

std::vector<Invalid> invalid() {
  auto ids = [](std::vector<int32_t> values) { return Tensor::from(values, {static_cast<int64_t>(values.size())}); };
  return {
      {&op::gather, "float indices", [] { gather(tensor({2}), tensor({2})); }, {"int32 or int64", "float32", "cast"}},
      {&op::gather, "narrow indices", [] { gather(tensor({2}), tensor({2}, u8)); }, {"uint8"}},
      {&op::gather,
       "an axis",
       [] {
         gather(tensor({2, 3}), tensor({2}, i32), 2);
       },
       {"axis 2", "rank 2", "[-2, 2)"}},
      {&op::gather, "a scalar", [] { gather(tensor({}), tensor({2}, i32)); }, {"axis 0", "rank 0"}},
      {&op::gather,
       "an axis in the attributes",
       [] {
         call(op::gather, {tensor({2}), tensor({2}, i32)}, {-1});
       },
       {"axis -1", "(2,)"}},
      {&op::gather,
       "too many dimensions",
       [] {
         gather(tensor({1, 1, 1, 1, 1}), tensor({1, 1, 1, 1, 1}, i32));
       },
       {"9 dimensions"}},
      {&op::gather, "none", [] { gather(Tensor(), tensor({2}, i32)); }, {"none"}},
      {&op::gather,
       "an index past the end",
       [=] {
         gather(tensor({3}), ids({0, 3})).array();
       },
       {"index 3", "position 1", "(3,)"}},
      {&op::gather, "a negative index", [=] { gather(tensor({3}), ids({-1})).array(); }, {"index -1", "position 0"}},
      {&op::gather, "an index into nothing", [=] { gather(tensor({0}), ids({0})).array(); }, {"index 0", "[0, 0)"}},
      {&op::scatter_add,
       "bools",
       [] { scatter_add(tensor({2}, boolean), tensor({2}, i32), tensor({2}, boolean)); },
       {"bool", "cast"}},
      {&op::scatter_add, "float indices", [] { scatter_add(tensor({2}), tensor({2}), tensor({2})); }, {"float32"}},
      {&op::scatter_add,
       "an axis",
       [] { scatter_add(tensor({2}), tensor({2}, i32), tensor({2}), -2); },
       {"axis -2", "rank 1"}},
      {&op::scatter_add,
       "an axis in the attributes",
       [] {
         call(op::scatter_add, {tensor({2}), tensor({2}, i32), tensor({2})}, {1});
       },
       {"axis 1", "(2,)"}},
      {&op::scatter_add,
       "updates of another shape",
       [] {
         scatter_add(tensor({2, 3}), tensor({4}, i32), tensor({4, 2}));
       },
       {"(4, 2)", "(2, 3)", "(4,)", "(4, 3)"}},
      {&op::scatter_add,
       "updates of another dtype",
       [] { scatter_add(tensor({2}), tensor({2}, i32), tensor({2}, f64)); },
       {"float64", "float32", "cast"}},
      {&op::scatter_add,
       "too many dimensions",
       [] {
         scatter_add(tensor({1, 1, 1, 1, 1}), tensor({1, 1, 1, 1, 1}, i32), tensor({1}));
       },
       {"9 dimensions"}},
      {&op::scatter_add, "none", [] { scatter_add(Tensor(), tensor({2}, i32), tensor({2})); }, {"none"}},
      {&op::scatter_add,
       "an index past the end",
       [=] {
         scatter_add(tensor({3}), ids({0, 3}), tensor({2})).array();
       },
       {"index 3", "position 1"}},
      {&op::one_hot, "float indices", [] { one_hot(tensor({2}), 3); }, {"integers", "float32", "cast"}},
      {&op::one_hot, "a negative depth", [] { one_hot(tensor({2}, i32), -1); }, {"depth is -1"}},
      {&op::one_hot, "an axis", [] { one_hot(tensor({2}, i32), 3, f32, 2); }, {"axis 2", "rank 2"}},
      {&op::one_hot,
       "an axis in the attributes",
       [] {
         call(op::one_hot, {tensor({2}, i32)}, {3, 1, 2});
       },
       {"axis 2", "(2,)"}},
      {&op::one_hot,
       "no dtype",
       [] {
         call(op::one_hot, {tensor({2}, i32)}, {3, 99, 0});
       },
       {"99"}},
      {&op::one_hot,
       "too many dimensions",
       [] {
         one_hot(tensor({1, 1, 1, 1, 1, 1, 1, 1}, i32), 2);
       },
       {"9 dimensions"}},
      {&op::one_hot, "none", [] { one_hot(Tensor(), 2); }, {"none"}},
  };
}

const AddOpTests add_tests(tests, invalid);

TEST(Indexing, KnownValues) {
  const Tensor x({{1, 2, 3}, {4, 5, 6}});
  const Tensor ids = Tensor::from(std::vector<int64_t>{2, 0, 2}, {3});
  EXPECT_EQ(gather(x, ids, 1).to_vector<float>(), (std::vector<float>{3, 1, 3, 6, 4, 6}));
  EXPECT_EQ(gather(x, Tensor::from(std::vector<int32_t>{1}, {}), 0).to_vector<float>(),
            (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(scatter_add(x, ids, Tensor({{10, 20, 30}, {40, 50, 60}}), -1).to_vector<float>(),
            (std::vector<float>{21, 2, 43, 54, 5, 106}));
  EXPECT_EQ(one_hot(Tensor::from(std::vector<int32_t>{1, -1, 3}, {3}), 3).to_vector<float>(),
            (std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(one_hot(Tensor::from(std::vector<uint8_t>{1, 0}, {2}), 2, i32, 0).to_vector<int32_t>(),
            (std::vector<int32_t>{0, 1, 1, 0}));
}

}  // namespace
}  // namespace brio::testing
