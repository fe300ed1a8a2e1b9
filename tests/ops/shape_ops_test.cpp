#include "brio/ops/shapes/shape_ops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "tests/ops/complex_dtypes.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

std::vector<int64_t> dims_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

OpTest movement(const OpDef& op, std::function<Case(Rng&, DType, int)> make,
                std::function<Case(DType)> large = nullptr) {
  return {.op = &op, .dtypes = with_complex(kAll), .make = std::move(make), .large = std::move(large), .exact = true};
}

Case same(Rng& rng, DType dtype, int i) { return {{{{random_shape(rng, i % 9), dtype}}}}; }

Case reshaped(Rng& rng, DType dtype, int i) {
  const Shape shape = random_shape(rng, i % 9);
  std::vector<int64_t> dims = dims_of(shape);
  std::ranges::reverse(dims);
  if (dims.size() >= 2 && rng.chance(0.5)) {
    dims[0] *= dims[1];
    dims.erase(dims.begin() + 1);
  } else if (dims.size() < kMaxRank) {
    dims.insert(dims.begin() + rng.range(0, static_cast<int64_t>(dims.size())), 1);
  }
  return {{{{shape, dtype}}}, list({dims})};
}

Case repeated(Rng& rng, DType dtype, int i) {
  const Shape shape = random_shape(rng, i % 9);
  return {{{{broadcastable(rng, shape), dtype}}}, list({dims_of(shape)})};
}

Case transposed(Rng& rng, DType dtype, int i) {
  const Shape shape = random_shape(rng, i % 9);
  std::vector<int64_t> permutation(static_cast<size_t>(shape.rank()));
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t k = permutation.size(); k > 1; --k)
    std::swap(permutation[k - 1], permutation[static_cast<size_t>(rng.range(0, static_cast<int64_t>(k) - 1))]);
  return {{{{shape, dtype}}}, list({permutation})};
}

Case sliced(Rng& rng, DType dtype, int i) {
  // The gradient of a strided slice of rank 8 would need a ninth dimension.
  const Shape shape = random_shape(rng, dtype == f64 ? std::min(i % 9, 7) : i % 9);
  std::vector<int64_t> begin, size, stride;
  for (int64_t dim : shape) {
    const int64_t step = rng.chance(0.5) ? 1 : rng.range(1, 3) * (rng.chance(0.5) ? 1 : -1);
    const int64_t from = dim == 0 ? 0 : rng.range(0, dim - 1);
    const int64_t room = dim == 0 ? 0 : step > 0 ? (dim - 1 - from) / step + 1 : from / -step + 1;
    begin.push_back(from);
    stride.push_back(step);
    size.push_back(rng.chance(0.05) ? 0 : room == 0 ? 0 : rng.range(1, room));
  }
  return {{{{shape, dtype}}}, list({begin, size, stride})};
}

Case joined(Rng& rng, DType dtype, int i) {
  const Shape shape = random_shape(rng, std::max(1, i % 9));
  const int axis = static_cast<int>(rng.range(0, shape.rank() - 1));
  Case made;
  for (int64_t part = rng.range(1, 4); part > 0; --part) {
    Shape one = shape;
    one.set(axis, rng.range(0, 5));
    made.inputs.push_back({{one, dtype}});
  }
  made.attrs = {axis};
  return made;
}

Case padded(Rng& rng, DType dtype, int i) {
  const Shape shape = random_shape(rng, i % 9);
  std::vector<int64_t> low, high;
  for (int k = 0; k < shape.rank(); ++k) {
    low.push_back(rng.chance(0.4) ? rng.range(0, 2) : 0);
    high.push_back(rng.chance(0.4) ? rng.range(0, 2) : 0);
  }
  return {{{{shape, dtype}}, {{Shape(), dtype}}}, list({low, high})};
}

std::vector<OpTest> tests() {
  return {
      {.op = &op::custom_gradient,
       .dtypes = with_complex(kAll),
       .make =
           [](Rng& rng, DType dtype, int i) {
             Case made{{{{random_shape(rng, 2), f32}}, {{random_shape(rng, 1), f64}}}, {0}};
             if (i % 2) made.inputs.clear();
             made.inputs.push_back({{random_shape(rng, i % 9), dtype}});
             return made;
           },
       .exact = true,
       .no_differences = "the user gives it: tests/autodiff/custom_gradient_test.cpp"},
      movement(op::identity, same),
      movement(op::stop_gradient, same),
      movement(op::read_variable, same),
      movement(op::reshape, reshaped),
      movement(op::broadcast_to, repeated,
               [](DType dtype) {
                 return Case{{{{Shape{2048, 1}, dtype}}}, list({{2048, 2048}})};
               }),
      movement(op::transpose, transposed,
               [](DType dtype) {
                 return Case{{{{Shape{2048, 2048}, dtype}}}, list({{1, 0}})};
               }),
      movement(op::slice, sliced,
               [](DType dtype) {
                 return Case{{{{Shape{2048, 2048}, dtype}}}, list({{0, 0}, {2048, 1024}, {1, 2}})};
               }),
      movement(op::concat, joined,
               [](DType dtype) {
                 return Case{{{{Shape{2048, 1024}, dtype}}, {{Shape{2048, 1024}, dtype}}}, {1}};
               }),
      movement(op::pad, padded,
               [](DType dtype) {
                 return Case{{{{Shape{2046, 2046}, dtype}}, {{Shape(), dtype}}}, list({{1, 1}, {1, 1}})};
               }),
  };
}

std::vector<Invalid> invalid() {
  const int64_t huge = int64_t{1} << 40;
  return {
      {&op::identity, "none", [] { identity(Tensor()); }, {"input 0", "none"}},
      {&op::identity,
       "two tensors",
       [] {
         call(op::identity, {tensor({2}), tensor({2})});
       },
       {"takes 1 inputs", "got 2"}},
      {&op::stop_gradient, "none", [] { stop_gradient(Tensor()); }, {"input 0", "none"}},
      {&op::read_variable, "none", [] { call(op::read_variable, {Tensor()}); }, {"input 0", "none"}},
      {&op::custom_gradient,
       "none",
       [] {
         call(op::custom_gradient, {tensor({2}), Tensor()}, {0});
       },
       {"input 1", "none"}},
      {&op::reshape,
       "another count",
       [] {
         reshape(tensor({2, 3}), {4});
       },
       {"(2, 3)", "6", "(4,)"}},
      {&op::reshape,
       "two unknowns",
       [] {
         reshape(tensor({2, 3}), {-1, -1});
       },
       {"two dimensions are -1"}},
      {&op::reshape,
       "an unknown without a value",
       [] {
         reshape(tensor({2, 3}), {-1, 4});
       },
       {"(2, 3)", "6", "4"}},
      {&op::reshape,
       "an unknown beside 0",
       [] {
         reshape(tensor({2, 3}), {-1, 0});
       },
       {"(2, 3)", "-1"}},
      {&op::reshape, "a negative size", [] { call(op::reshape, {tensor({2})}, list({{-2}})); }, {"-2"}},
      {&op::reshape,
       "nine dimensions",
       [] {
         call(op::reshape, {tensor({1})}, list({{1, 1, 1, 1, 1, 1, 1, 1, 1}}));
       },
       {"9 dimensions"}},
      {&op::reshape, "none", [] { reshape(Tensor(), {1}); }, {"none"}},
      {&op::reshape, "none, to a shape", [] { reshape(Tensor(), Shape{1}); }, {"none"}},
      {&op::reshape,
       "a ninth axis",
       [] {
         expand_dims(tensor(Shape{1, 1, 1, 1, 1, 1, 1, 1}), 0);
       },
       {"9 dimensions"}},
      {&op::reshape, "an axis to expand", [] { expand_dims(tensor({2}), 3); }, {"axis 3", "rank 2"}},
      {&op::reshape,
       "an axis to squeeze",
       [] {
         squeeze(tensor({2, 1}), {0});
       },
       {"axis 0", "(2, 1)", "not 1"}},
      {&op::reshape,
       "an axis to squeeze that is not there",
       [] {
         squeeze(tensor({2, 1}), {-3});
       },
       {"axis -3", "rank 2"}},
      {&op::reshape, "squeezing none", [] { squeeze(Tensor()); }, {"none"}},
      {&op::broadcast_to,
       "shapes",
       [] {
         broadcast_to(tensor({2, 3}), {2, 4});
       },
       {"(2, 3)", "(2, 4)"}},
      {&op::broadcast_to,
       "a smaller one",
       [] {
         broadcast_to(tensor({2, 3}), {3});
       },
       {"(2, 3)", "(3,)"}},
      {&op::broadcast_to,
       "a huge one",
       [=] {
         call(op::broadcast_to, {tensor({1})}, list({{huge, huge}}));
       },
       {"elements"}},
      {&op::broadcast_to, "none", [] { broadcast_to(Tensor(), {1}); }, {"none"}},
      {&op::transpose,
       "too few axes",
       [] {
         transpose(tensor({2, 3}), {0});
       },
       {"1 entries", "(2, 3)"}},
      {&op::transpose,
       "too many axes",
       [] {
         transpose(tensor({2, 3}), {0, 1, 2, 3, 4, 5, 6, 7, 8});
       },
       {"9 entries", "(2, 3)"}},
      {&op::transpose,
       "an axis twice",
       [] {
         transpose(tensor({2, 3}), {1, 1});
       },
       {"axis 1", "(2, 3)"}},
      {&op::transpose,
       "an axis past the end",
       [] {
         transpose(tensor({2, 3}), {0, 2});
       },
       {"axis 2", "(2, 3)"}},
      {&op::transpose,
       "an axis before the start",
       [] {
         transpose(tensor({2, 3}), {0, -3});
       },
       {"axis -1", "(2, 3)"}},
      {&op::transpose, "none", [] { transpose(Tensor()); }, {"none"}},
      {&op::slice,
       "too many ranges",
       [] {
         slice(tensor({2}), {Range{}, Range{}});
       },
       {"2 ranges", "(2,)"}},
      {&op::slice,
       "a stride of 0",
       [] {
         slice(tensor({2}), {Range{0, 1, 0}});
       },
       {"stride", "axis 0"}},
      {&op::slice, "none", [] { slice(Tensor(), {Range{}}); }, {"none"}},
      {&op::slice,
       "lists too short",
       [] {
         call(op::slice, {tensor({2, 2})}, list({{0}, {1}, {1}}));
       },
       {"2 entries", "(2, 2)"}},
      {&op::slice,
       "a stride of 0 in the attributes",
       [] {
         call(op::slice, {tensor({2})}, list({{0}, {1}, {0}}));
       },
       {"axis 0"}},
      {&op::slice,
       "past the end",
       [] {
         call(op::slice, {tensor({2})}, list({{1}, {2}, {1}}));
       },
       {"axis 0", "2 elements from 1", "(2,)"}},
      {&op::slice,
       "a begin outside",
       [] {
         call(op::slice, {tensor({2})}, list({{2}, {1}, {1}}));
       },
       {"from 2"}},
      {&op::slice,
       "a negative begin",
       [] {
         call(op::slice, {tensor({2})}, list({{-1}, {1}, {1}}));
       },
       {"from -1"}},
      {&op::slice,
       "before the start",
       [] {
         call(op::slice, {tensor({2})}, list({{1}, {3}, {-1}}));
       },
       {"by -1"}},
      {&op::slice,
       "a negative size",
       [] {
         call(op::slice, {tensor({2})}, list({{0}, {-1}, {1}}));
       },
       {"-1 elements"}},
      {&op::slice,
       "the gradient of a strided slice of rank 8",
       [] {
         const Tensor x = tensor({2, 1, 1, 1, 1, 1, 1, 3});
         GradientTape tape;
         tape.watch(x);
         const std::vector<Range> ranges = {{}, {}, {}, {}, {}, {}, {}, {0, 3, 2}};
         tape.gradient(slice(x, ranges), {x});
       },
       {"rank 8"}},
      {&op::concat, "nothing", [] { concat(std::span<const Tensor>(), 0); }, {"nothing"}},
      {&op::concat,
       "an axis",
       [] {
         concat({tensor({2}), tensor({2})}, 1);
       },
       {"axis 1", "rank 1"}},
      {&op::concat, "an axis in the attributes", [] { call(op::concat, {tensor({2})}, {1}); }, {"axis 1", "(2,)"}},
      {&op::concat,
       "dtypes",
       [] {
         concat({tensor({2}), tensor({2}, i32)}, 0);
       },
       {"part 1", "int32", "float32"}},
      {&op::concat,
       "shapes",
       [] {
         concat({tensor({2, 3}), tensor({2, 4})}, 0);
       },
       {"part 1", "(2, 4)", "(2, 3)"}},
      {&op::concat,
       "ranks",
       [] {
         concat({tensor({2, 3}), tensor({2})}, 0);
       },
       {"part 1", "(2,)", "(2, 3)"}},
      {&op::concat, "none", [] { concat({Tensor()}, 0); }, {"none"}},
      {&op::concat,
       "a huge result",
       [=] {
         concat({tensor({huge, 0, int64_t{1} << 19}), tensor({huge, 0, int64_t{1} << 19})}, 2);
       },
       {"elements"}},
      {&op::slice,
       "strides whose product with the size is 0 again",
       [] {
         const int64_t large = int64_t{1} << 32;
         call(op::slice, {tensor({2})}, list({{0}, {large + 1}, {large}}));
       },
       {"axis 0", "(2,)"}},
      {&op::pad,
       "paddings whose sum is 0 again",
       [] {
         const int64_t most = std::numeric_limits<int64_t>::max();
         pad(tensor({2}), {Padding{most, most}});
       },
       {"elements"}},
      {&op::pad,
       "too few paddings",
       [] {
         pad(tensor({2, 2}), {Padding{1, 1}});
       },
       {"(2, 2)", "2 paddings", "got 1"}},
      {&op::pad,
       "a negative padding",
       [] {
         pad(tensor({2}), {Padding{-1, 1}});
       },
       {"axis 0", "(-1, 1)", "slice"}},
      {&op::pad, "none", [] { pad(Tensor(), {}); }, {"none"}},
      {&op::pad,
       "a filling of another dtype",
       [] {
         call(op::pad, {tensor({2}), tensor({}, i32)}, list({{0}, {0}}));
       },
       {"float32 scalar", "int32"}},
      {&op::pad,
       "a filling of rank 1",
       [] {
         call(op::pad, {tensor({2}), tensor({1})}, list({{0}, {0}}));
       },
       {"(1,)"}},
      {&op::pad,
       "a huge result",
       [=] {
         pad(tensor({2, 2}), {Padding{huge, 0}, Padding{huge, 0}});
       },
       {"elements"}},
  };
}

const AddOpTests add_tests(tests, invalid);

TEST(ShapeOps, SlicesFollowPython) {
  const Tensor x = Tensor({0, 1, 2, 3, 4, 5});
  auto values = [&](Range range) { return slice(x, {range}).to_vector<float>(); };
  EXPECT_EQ(values({1, 4}), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(values({-2, {}}), (std::vector<float>{4, 5}));
  EXPECT_EQ(values({{}, {}, -2}), (std::vector<float>{5, 3, 1}));
  EXPECT_EQ(values({4, 1, -1}), (std::vector<float>{4, 3, 2}));
  EXPECT_EQ(values({-100, 100, 4}), (std::vector<float>{0, 4}));
  EXPECT_EQ(values({4, 2}), (std::vector<float>{}));
  EXPECT_EQ(values({-1, -100, -3}), (std::vector<float>{5, 2}));
}

TEST(ShapeOps, OfNothingTheOtherSizesGiveWhatIsLeft) {
  auto made = [](const Shape& from, std::initializer_list<Size> to) { return reshape(zeros(from), to).shape(); };
  EXPECT_EQ(made({0}, {-1, 0}), (Shape{1, 0}));
  EXPECT_EQ(made({3, 0}, {0, -1}), (Shape{0, 3}));
  EXPECT_EQ(made({0, 4, 0}, {0, 2, -1}), (Shape{0, 2, 2}));
  EXPECT_EQ(made({0, 3}, {-1, 0, 2}), (Shape{1, 0, 2}));
  EXPECT_EQ(made({0, 3}, {-1, 2}), (Shape{0, 2}));
  EXPECT_THROW(made({2}, {0, -1}), InvalidArgument);
  EXPECT_THROW(made({0}, {0, -1, -2}), InvalidArgument);
}

TEST(ShapeOps, BuildersLeaveOutWhatDoesNothing) {
  const Tensor x = tensor({2, 3});
  EXPECT_EQ(reshape(x, {2, -1}).impl(), x.impl());
  EXPECT_EQ(transpose(x, {0, 1}).impl(), x.impl());
  EXPECT_EQ(slice(x, {Range{0, 2}}).impl(), x.impl());
  EXPECT_EQ(pad(x, {Padding{}, Padding{}}).impl(), x.impl());
  EXPECT_EQ(broadcast_to(x, {2, 3}).impl(), x.impl());
  EXPECT_EQ(expand_dims(x, -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(squeeze(tensor({1, 2, 1})).shape(), (Shape{2}));
  EXPECT_EQ(squeeze(tensor({1, 2, 1}), {-1}).shape(), (Shape{1, 2}));
}

}  // namespace
}  // namespace brio::testing
