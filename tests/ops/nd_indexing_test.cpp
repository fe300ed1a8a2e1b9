#include "brio/ops/indexing/nd_indexing.h"

#include <gtest/gtest.h>

#include "brio/autodiff/tape.h"
#include "brio/ops/indexing/indexing.h"
#include "tests/ops/harness.h"
#include "tests/ops/refusals.h"

namespace brio::testing {
namespace {

// A tensor, points in its first axes, and slices at them; at most 8 dimensions each.
struct Points {
  Shape tensor, indices, slices;
  double smallest = 0, largest = 0;  // of an index
  DType dtype;
  int64_t skips, batch;
};
Points points(Rng& rng, int i) {
  Points p;
  const int rank = i % 9;
  p.tensor = random_shape(rng, rank);
  p.skips = rng.range(0, 1);
  const auto batch = static_cast<int>(rng.range(0, std::min(2, rank)));
  const auto depth = static_cast<int>(rng.range(0, rank - batch));
  p.batch = batch;
  for (int k = batch; k < batch + depth; ++k)
    if (p.tensor[k] == 0) p.tensor.set(k, 1);
  // One range serves all axes: that of the smallest.
  p.largest = 3;
  for (int k = batch; k < batch + depth; ++k) p.largest = std::min(p.largest, static_cast<double>(p.tensor[k] - 1));
  p.smallest = p.skips ? -1 : 0;
  const auto own = static_cast<int>(rng.range(0, std::min(2, kMaxRank - (rank - depth))));
  do {
    p.indices = Shape(p.tensor.dims().first(static_cast<size_t>(batch)));
    for (int64_t size : random_shape(rng, own)) p.indices.push_back(size);
  } while (own > 0 && p.indices.elements() > 40);
  p.slices = p.indices;
  p.indices.push_back(depth);
  for (int k = batch + depth; k < rank; ++k) p.slices.push_back(p.tensor[k]);
  p.dtype = rng.chance(0.5) ? i32 : i64;
  return p;
}
Input indices_of(const Points& p) { return {{p.indices, p.dtype}, p.smallest, p.largest}; }

OpTest scatter_test(const OpDef& op, std::vector<DType> dtypes, bool exact, double low = -2, double high = 2) {
  return {.op = &op,
          .dtypes = std::move(dtypes),
          .make =
              [low, high](Rng& rng, DType dtype, int i) {
                const Points p = points(rng, i);
                const Fill fill = is_floating(dtype) ? Fill::uniform : Fill::bits;
                return Case{
                    {{{p.tensor, dtype}, low, high, fill}, indices_of(p), {{p.slices, dtype}, low, high, fill}},
                    {p.skips, p.batch}};
              },
          .large =
              [low, high](DType dtype) {
                return Case{{{{Shape{100, 256}, dtype}, low, high},
                             {{Shape{16384, 1}, i32}, 0, 99},
                             {{Shape{16384, 256}, dtype}, low, high}},
                            {0, 0}};
              },
          .exact = exact,
          .numbers = {{1, -1}}};
}

std::vector<OpTest> tests() {
  return {
      {.op = &op::gather_nd,
       .dtypes = kAll,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Points p = points(rng, i);
             return Case{{{{p.tensor, dtype}}, indices_of(p)}, {p.skips, p.batch}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{100, 100, 64}, dtype}}, {{Shape{16384, 2}, i32}, 0, 99}}, {0, 0}};
           },
       .exact = true,
       .numbers = {{1, -1}}},
      scatter_test(op::tensor_scatter_update, kAll, true),
      scatter_test(op::tensor_scatter_add, kNumbers, false),
      scatter_test(op::tensor_scatter_max, kNumbers, true),
      scatter_test(op::tensor_scatter_min, kNumbers, true),
      scatter_test(op::tensor_scatter_mul, kNumbers, false, 0.7, 1.4),
  };
}

std::vector<Invalid> invalid() {
  auto at = [](std::vector<int32_t> values, const Shape& shape) { return Tensor::from(values, shape); };
  return {
      {&op::gather_nd, "float indices", [] { gather_nd(tensor({2}), tensor({1})); }, {"int32 or int64", "float32"}},
      {&op::gather_nd, "a scalar index", [] { gather_nd(tensor({2}), tensor({}, i32)); }, {"scalar", "rank 1"}},
      {&op::gather_nd,
       "points in too many axes",
       [] {
         gather_nd(tensor({2}), tensor({3, 2}, i32));
       },
       {"(3, 2)", "2 axes", "(2,)"}},
      {&op::gather_nd,
       "too many dimensions",
       [] {
         gather_nd(tensor({1, 1, 1, 1, 1, 1, 1, 1}), tensor({1, 1, 1}, i32));
       },
       {"9 dimensions"}},
      {&op::gather_nd,
       "a point outside",
       [=] {
         gather_nd(tensor({2, 3}), at({0, 0, 1, 3}, {2, 2})).array();
       },
       {"position 1", "(1, 3)", "(2, 3)"}},
      {&op::gather_nd,
       "a negative index",
       [=] {
         gather_nd(tensor({2}), at({-1}, {1, 1})).array();
       },
       {"(-1)"}},
      {&op::gather_nd, "none", [] { gather_nd(Tensor(), tensor({1}, i32)); }, {"none"}},
      {&op::gather_nd,
       "batches",
       [] {
         gather_nd(tensor({2, 3}), tensor({3, 1}, i32), 1);
       },
       {"batch_dims is 1", "(2, 3)", "(3, 1)"}},
      {&op::gather_nd, "a batch without points", [] { gather_nd(tensor({2}), tensor({2}, i32), 1); }, {"batch_dims"}},
      {&op::gather_nd,
       "a negative batch",
       [] { gather_nd(tensor({2}), tensor({2}, i32), -1); },
       {"batch_dims is -1"}},
      {&op::gather,
       "batches",
       [] {
         gather(tensor({2, 3}), tensor({3, 1}, i32), 1, 1);
       },
       {"batch_dims is 1", "(2, 3)", "(3, 1)"}},
      {&op::gather,
       "an axis within the batch",
       [] {
         gather(tensor({2, 3}), tensor({2, 1}, i32), 0, 1);
       },
       {"axis 0"}},
      {&op::gather_nd,
       "an index outside of its batch",
       [=] {
         gather(tensor({2, 3}), at({0, 3}, {2, 1}), 1, 1).array();
       },
       {"position 1", "(3)", "(3,)"}},
      {&op::gather_nd,
       "an index to take outside",
       [=] { take_along_axis(tensor({3}), at({3}, {1})).array(); },
       {"position 0", "(3)", "(3,)"}},
      {&op::tensor_scatter_add,
       "bools",
       [] {
         tensor_scatter_nd_add(tensor({2}, boolean), tensor({1, 1}, i32), tensor({1}, boolean));
       },
       {"bool", "cast"}},
      {&op::tensor_scatter_update,
       "updates of another shape",
       [] {
         tensor_scatter_nd_update(tensor({2, 3}), tensor({4, 1}, i32), tensor({4, 2}));
       },
       {"(4, 2)", "(2, 3)", "(4, 1)", "(4, 3)"}},
      {&op::tensor_scatter_max,
       "updates of another dtype",
       [] {
         tensor_scatter_nd_max(tensor({2}), tensor({1, 1}, i32), tensor({1}, f64));
       },
       {"float64", "float32", "cast"}},
      {&op::tensor_scatter_min,
       "a point outside",
       [=] {
         tensor_scatter_nd_min(tensor({2}), at({2}, {1, 1}), tensor({1})).array();
       },
       {"position 0", "(2)", "(2,)"}},
      {&op::tensor_scatter_mul,
       "none",
       [] {
         call(op::tensor_scatter_mul, {tensor({2}), Tensor(), tensor({2})}, {0, 0});
       },
       {"none"}},
      {&op::tensor_scatter_add,
       "no updates",
       [] {
         scatter_nd(tensor({1, 1}, i32), Tensor(), {2});
       },
       {"none"}},
      {&op::tensor_scatter_add,
       "nothing to take away",
       [] {
         tensor_scatter_nd_sub(tensor({2}), tensor({1, 1}, i32), Tensor());
       },
       {"none"}},
      {&op::tensor_scatter_add,
       "an index past num_segments",
       [=] {
         scatter_where_not_negative(op::tensor_scatter_add, tensor({2}), at({-1, 2}, {2, 1}), tensor({2})).array();
       },
       {"position 1", "(2)"}},
  };
}

const AddOpTests add_tests(tests, invalid);

TEST(NdIndexing, TheLastUpdateStaysAndHasTheGradient) {
  const Tensor x({1, 2, 3}), at = Tensor::from(std::vector<int32_t>{1, 2, 1}, {3, 1}), updates({10, 20, 30});
  GradientTape tape;
  tape.watch(x);
  tape.watch(updates);
  const Tensor y = tensor_scatter_nd_update(x, at, updates);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 30, 20}));
  const std::vector<Tensor> gradients = tape.gradient(y, {x, updates});
  EXPECT_EQ(gradients[0].to_vector<float>(), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(gradients[1].to_vector<float>(), (std::vector<float>{0, 1, 1}));
}

TEST(NdIndexing, UnsignedNumbersWrap) {
  const Tensor at({{0}}, i32);
  EXPECT_EQ(tensor_scatter_nd_sub(Tensor({1}, u8), at, Tensor({2}, u8)).item<uint8_t>(), 255);
}

TEST(NdIndexing, Refusals) {
  refuses("take_along_axis", {"rank 2", "(3,)"}, [] { take_along_axis(tensor({2, 3}), tensor({3}, i32)); });
  refuses("take_along_axis", {"(2, 3)", "(3, 3)"}, [] { take_along_axis(tensor({2, 3}), tensor({3, 3}, i32)); });
  refuses("take_along_axis", {"axis 2"}, [] { take_along_axis(tensor({2, 3}), tensor({2, 3}, i32), 2); });
  refuses("take_along_axis", {"none"}, [] { take_along_axis(tensor({2}), Tensor()); });
}

}  // namespace
}  // namespace brio::testing
