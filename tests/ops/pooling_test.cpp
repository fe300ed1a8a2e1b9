#include "brio/ops/network/pooling.h"

#include <gtest/gtest.h>

#include <limits>

#include "brio/autodiff/tape.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "tests/golden/golden.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

struct Sizes {
  Shape x, y;
  std::vector<int64_t> attrs, size;
};
Sizes random_sizes(Rng& rng, int i) {
  const bool large = i % 27 == 20;  // worth several threads
  const int axes = large ? 2 : 1 + i % 3;
  const int64_t batch = large ? 6 : i % 9 == 8 ? 0 : rng.range(1, 3), channels = large ? 48 : rng.range(1, 20);
  Sizes s{Shape{batch}, Shape{batch}, {}, {}};
  std::vector<int64_t> window, stride, low, high;
  for (int a = 0; a < axes; ++a) {
    OpenWindowAxis axis{large ? 15 : rng.range(1, axes == 1 ? 20 : 5), large ? 3 : rng.range(1, 3), rng.range(1, 3)};
    axis.low = rng.range(0, axis.window - 1);
    axis.high = rng.range(0, axis.window - 1);
    while (!axis.fits()) axis.size += 1;
    window.push_back(axis.window);
    stride.push_back(axis.stride);
    low.push_back(axis.low);
    high.push_back(axis.high);
    s.size.push_back(axis.size);
    s.x.push_back(axis.size);
    s.y.push_back(axis.count());
  }
  s.x.push_back(channels);
  s.y.push_back(channels);
  s.attrs = list({window, stride, low, high});
  return s;
}
Input input(const Shape& shape, DType dtype, int i) {
  // Infinities and NaN too, but not where differences are taken.
  return {
      {shape, dtype}, -2, 2, is_floating(dtype) ? i < kGradientCases ? Fill::uniform : Fill::special : Fill::bits};
}
std::vector<int64_t> with(std::vector<int64_t> attrs, const std::vector<int64_t>& size) {
  append_list(attrs, size);
  return attrs;
}

// Numbers of elements; some that no window has, or that lie in the padding: nobody gets what they stand for.
Input taken_of(const Shape& shape, int64_t taps) { return {{shape, u8}, 0, static_cast<double>(taps)}; }

const Shape kLarge{8, 112, 112, 64}, kPooled{8, 56, 56, 64};
std::vector<int64_t> large_attrs() { return list({{2, 2}, {2, 2}, {0, 0}, {0, 0}}); }

std::vector<OpTest> tests() {
  auto one = [](const OpDef& op, const std::vector<DType>& dtypes) -> OpTest {
    return {.op = &op,
            .dtypes = dtypes,
            .make =
                [](Rng& rng, DType dtype, int i) {
                  const Sizes s = random_sizes(rng, i);
                  return Case{{input(s.x, dtype, i)}, s.attrs};
                },
            .large =
                [](DType dtype) {
                  return Case{{{{kLarge, dtype}}}, large_attrs()};
                }};
  };
  return {
      one(op::max_pool, kNumbers),
      one(op::avg_pool, kFloats),
      {.op = &op::max_pool_grad,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Sizes s = random_sizes(rng, i);
             return Case{{input(s.x, dtype, i), {{s.y, dtype}}}, s.attrs};
           },
       .large =
           [](DType dtype) {
             return Case{{{{kLarge, dtype}}, {{kPooled, dtype}}}, large_attrs()};
           }},
      {.op = &op::max_pool_pick,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Sizes s = random_sizes(rng, i);
             return Case{{input(s.x, dtype, i), {{s.x, dtype}}}, s.attrs};
           },
       .large =
           [](DType dtype) {
             return Case{{{{kLarge, dtype}}, {{kLarge, dtype}}}, large_attrs()};
           },
       .exact = true},
      {.op = &op::avg_pool_grad,
       .dtypes = kFloats,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Sizes s = random_sizes(rng, i);
             return Case{{input(s.y, dtype, i)}, with(s.attrs, s.size)};
           },
       .large =
           [](DType dtype) {
             return Case{{{{kPooled, dtype}}}, with(large_attrs(), {112, 112})};
           }},
      one(op::max_pool_with_taken, kNumbers),
      {.op = &op::max_pool_grad_from_taken,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Sizes s = random_sizes(rng, i);
             return Case{{taken_of(s.y, 9), {{s.y, dtype}}}, with(s.attrs, s.size)};
           },
       .large =
           [](DType dtype) {
             return Case{{taken_of(kPooled, 4), {{kPooled, dtype}}}, with(large_attrs(), {112, 112})};
           }},
  };
}

std::vector<Invalid> invalid() {
  const OpDef *m = &op::max_pool, *a = &op::avg_pool, *mg = &op::max_pool_grad, *mp = &op::max_pool_pick,
              *ag = &op::avg_pool_grad, *wt = &op::max_pool_with_taken, *ft = &op::max_pool_grad_from_taken;
  const Tensor x = tensor({2, 5, 4});
  const std::vector<int64_t> two = list({{2}, {1}, {0}, {0}});
  return {
      {m,
       "a bool",
       [] {
         max_pool(tensor({2, 5, 4}, boolean), {2});
       },
       {"bool", "cast"}},
      {m,
       "a matrix",
       [] {
         max_pool(tensor({2, 5}), {2});
       },
       {"(2, 5)", "rank 3 to 5"}},
      {m,
       "a matrix in the attributes",
       [=] {
         call(op::max_pool, {tensor({2, 5})}, two);
       },
       {"(2, 5)", "spatial"}},
      {m, "none", [] { max_pool(Tensor(), {2}); }, {"none"}},
      {m,
       "max_pool1d of a picture",
       [] {
         max_pool1d(tensor({1, 4, 4, 1}), {2});
       },
       {"max_pool1d", "rank 3"}},
      {m, "max_pool2d of a line", [=] { max_pool2d(x, {2}); }, {"max_pool2d", "rank 4", "(2, 5, 4)"}},
      {m, "max_pool3d of a line", [=] { max_pool3d(x, {2}); }, {"max_pool3d", "rank 5"}},
      {m,
       "windows",
       [=] {
         max_pool(x, {2, 2});
       },
       {"the window", "2 values", "1 spatial"}},
      {m,
       "strides",
       [=] {
         max_pool(x, {2}, {.strides = {1, 1}});
       },
       {"the stride", "2 values"}},
      {m, "a window of 0", [=] { max_pool(x, {0}); }, {"the window", "is 0"}},
      {m, "a stride of 0", [=] { max_pool(x, {2}, {.strides = {0}}); }, {"the stride", "is 0"}},
      {m,
       "negative padding",
       [=] {
         max_pool(x, {2}, {.padding = {{-1, 0}}});
       },
       {"low padding", "-1"}},
      {m,
       "negative padding behind",
       [=] {
         max_pool(x, {2}, {.padding = {{0, -1}}});
       },
       {"high padding", "-1"}},
      {m, "padding by name", [=] { max_pool(x, {2}, {.padding = "full"}); }, {"'full'"}},
      {m, "a large window", [=] { max_pool(x, {7}); }, {"reaches over 7", "with 5"}},
      {m,
       "much padding",
       [=] {
         max_pool(x, {2}, {.padding = {{2, 0}}});
       },
       {"by 2 and 0", "windows of 2", "pad less"}},
      {m,
       "much padding behind",
       [=] {
         max_pool(x, {2}, {.padding = {{0, 2}}});
       },
       {"by 0 and 2"}},
      {m,
       "nothing but padding",
       [] {
         max_pool(tensor({2, 0, 4}), {2}, {.padding = {{1, 1}}});
       },
       {"size 0"}},
      {a,
       "an integer",
       [] {
         avg_pool(tensor({2, 5, 4}, i32), {2});
       },
       {"int32", "cast"}},
      {a,
       "avg_pool1d of a picture",
       [] {
         avg_pool1d(tensor({1, 4, 4, 1}), {2});
       },
       {"avg_pool1d"}},
      {a, "avg_pool2d of a line", [=] { avg_pool2d(x, {2}); }, {"avg_pool2d"}},
      {a, "avg_pool3d of a line", [=] { avg_pool3d(x, {2}); }, {"avg_pool3d"}},
      {mg,
       "a bool",
       [=] {
         call(op::max_pool_grad, {tensor({2, 5, 4}, boolean), x}, two);
       },
       {"bool"}},
      {mg,
       "a cotangent",
       [=] {
         call(op::max_pool_grad, {x, x}, two);
       },
       {"(2, 5, 4)", "(2, 4, 4)"}},
      {mg,
       "dtypes",
       [=] {
         call(op::max_pool_grad, {x, tensor({2, 4, 4}, f64)}, two);
       },
       {"float64", "float32"}},
      {mp,
       "a bool",
       [=] {
         call(op::max_pool_pick, {tensor({2, 5, 4}, boolean), x}, two);
       },
       {"bool"}},
      {mp,
       "shapes",
       [=] {
         call(op::max_pool_pick, {x, tensor({2, 4, 4})}, two);
       },
       {"(2, 4, 4)", "(2, 5, 4)"}},
      {ag,
       "an integer",
       [=] {
         call(op::avg_pool_grad, {tensor({2, 4, 4}, i32)}, with(two, {5}));
       },
       {"int32"}},
      {ag,
       "a matrix",
       [=] {
         call(op::avg_pool_grad, {tensor({2, 4})}, with(two, {5}));
       },
       {"(2, 4)", "3 to 5"}},
      {ag,
       "a size",
       [=] {
         call(op::avg_pool_grad, {tensor({2, 4, 4})}, with(two, {9}));
       },
       {"(2, 4, 4)", "(2, 9, 4)", "(2, 8, 4)"}},
      {ag,
       "sizes",
       [=] {
         call(op::avg_pool_grad, {tensor({2, 4, 4})}, with(two, {5, 5}));
       },
       {"the size has 2"}},
      {ag,
       "a huge result",
       [=] {
         call(op::avg_pool_grad, {tensor({1 << 30, 0, 1 << 28})}, with(two, {9}));
       },
       {"elements"}},
      {wt,
       "a bool",
       [=] {
         call(op::max_pool_with_taken, {tensor({2, 5, 4}, boolean)}, two);
       },
       {"bool", "cast"}},
      {wt,
       "a huge window",
       [=] {
         call(op::max_pool_with_taken, {tensor({2, 300, 4})}, list({{257}, {1}, {0}, {0}}));
       },
       {"more than 256"}},
      {ft,
       "a bool",
       [=] {
         call(op::max_pool_grad_from_taken, {tensor({2, 4, 4}, u8), tensor({2, 4, 4}, boolean)}, with(two, {5}));
       },
       {"bool", "cast"}},
      {ft,
       "a matrix",
       [=] {
         call(op::max_pool_grad_from_taken, {tensor({2, 4}, u8), tensor({2, 4})}, with(two, {5}));
       },
       {"(2, 4)", "3 to 5"}},
      {ft,
       "a size",
       [=] {
         call(op::max_pool_grad_from_taken, {tensor({2, 4, 4}, u8), tensor({2, 4, 4})}, with(two, {9}));
       },
       {"(2, 4, 4)", "(2, 9, 4)", "(2, 8, 4)"}},
      {ft,
       "numbers of another dtype",
       [=] {
         call(op::max_pool_grad_from_taken, {tensor({2, 4, 4}, i32), tensor({2, 4, 4})}, with(two, {5}));
       },
       {"taken", "int32", "uint8"}},
      {ft,
       "numbers of another shape",
       [=] {
         call(op::max_pool_grad_from_taken, {tensor({2, 5, 4}, u8), tensor({2, 4, 4})}, with(two, {5}));
       },
       {"taken", "(2, 5, 4)", "(2, 4, 4)"}},
      {ft,
       "a huge window",
       [=] {
         call(op::max_pool_grad_from_taken, {tensor({2, 44, 4}, u8), tensor({2, 44, 4})},
              with(list({{257}, {1}, {0}, {0}}), {300}));
       },
       {"more than 256"}},
      {&op::reduce_max,
       "global_max_pool of a matrix",
       [] {
         global_max_pool(tensor({2, 3}));
       },
       {"(2, 3)"}},
      {&op::reduce_sum, "global_avg_pool of none", [] { global_avg_pool(Tensor()); }, {"none"}},
  };
}

const AddOpTests add_tests(tests, invalid);

Tensor line(const std::vector<float>& values) {
  return Tensor::from(values, {1, static_cast<int64_t>(values.size()), 1});
}

TEST(Pooling, KnownValues) {
  const Tensor x = line({1, 5, 2, 4, 3});
  EXPECT_EQ(max_pool1d(x, {2}).to_vector<float>(), (std::vector<float>{5, 4}));
  EXPECT_EQ(max_pool1d(x, {2}, {.padding = "same"}).to_vector<float>(), (std::vector<float>{5, 4, 3}));
  EXPECT_EQ(max_pool1d(x, {3}, {.strides = {1}}).to_vector<float>(), (std::vector<float>{5, 5, 4}));
  EXPECT_EQ(avg_pool1d(x, {2}).to_vector<float>(), (std::vector<float>{3, 3}));
  EXPECT_EQ(avg_pool1d(x, {2}, {.padding = "same"}).to_vector<float>(), (std::vector<float>{3, 3, 3}));
  EXPECT_EQ(global_max_pool(x).to_vector<float>(), (std::vector<float>{5}));
  EXPECT_EQ(global_avg_pool(x, true).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(global_avg_pool(tensor({2, 3, 4, 5}), false, DataFormat::channels_first).shape(), (Shape{2, 3}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(max_pool1d(line({1, nan, 2}), {3}).item<float>()));
}

TEST(Pooling, TheFirstOfEqualsGetsTheGradient) {
  const Tensor x = line({2, 3, 3, 1, 3, 0});
  GradientTape tape;
  tape.watch(x);
  const Tensor total[] = {sum(max_pool1d(x, {3}, {.strides = {1}}))};
  const GradientTape::Source sources[] = {x};
  EXPECT_EQ(tape.gradient(total, sources)[0].to_vector<float>(), (std::vector<float>{0, 2, 1, 0, 1, 0}));
}

TEST(Pooling, AgreesWithTensorFlow) {
  for (const golden::Case& c : golden::load("pooling.json")) {
    auto tensor_of = [](const golden::Array& array) {
      return Tensor::from(std::vector<float>(array.data.begin(), array.data.end()),
                          Shape(std::span<const int64_t>(array.shape)));
    };
    auto sizes_of = [&](const std::string& name) {
      const golden::Array& array = c.input(name);
      return std::vector<int64_t>(array.data.begin(), array.data.end());
    };
    auto expect = [&](const Tensor& actual, const std::string& name) {
      const golden::Array& expected = c.output(name);
      ASSERT_EQ(actual.shape(), Shape(std::span<const int64_t>(expected.shape))) << c.name;
      const std::vector<float> values = actual.to_vector<float>();
      for (size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(values[i], expected.data[i], 1e-5 * std::fabs(expected.data[i]) + 1e-6)
            << c.name << ", " << name << ", element " << i;
    };
    const Tensor x = tensor_of(c.input("x"));
    const PoolOptions options{
        sizes_of("strides"), c.text("padding"),
        c.text("data_format") == "channels_last" ? DataFormat::channels_last : DataFormat::channels_first};
    GradientTape tape;
    tape.watch(x);
    const Tensor y = c.text("op") == "max_pool" ? max_pool(x, sizes_of("window"), options)
                                                : avg_pool(x, sizes_of("window"), options);
    const Tensor total[] = {sum(y * tensor_of(c.input("upstream")))};
    const GradientTape::Source sources[] = {x};
    const Tensor gradient = tape.gradient(total, sources)[0];
    expect(y, "y");
    expect(gradient, "gradient");
  }
}

}  // namespace
}  // namespace brio::testing
