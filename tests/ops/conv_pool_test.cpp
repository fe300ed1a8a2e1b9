#include "brio/ops/network/conv_pool.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

// Eighths: their products and sums are numbers of 32 bits, so that every order of a sum ends in the same bits, and
// with them the element that is taken. Differences are taken in f64, away from what is equal.
Input in_eighths(const Shape& shape, DType dtype, double most) {
  Input input{{shape, dtype}, -most, most};
  if (dtype != f64)
    input.adjust = [](Array& array) {
      visit(array.aval.dtype, [&](auto t) {
        using T = decltype(t);
        if constexpr (!std::is_integral_v<T>) {
          auto* const data = static_cast<T*>(array.data());
          for (int64_t i = 0; i < array.aval.shape.elements(); ++i)
            data[i] = static_cast<T>(std::round(static_cast<float>(data[i]) * 8) / 8);
        }
      });
    };
  return input;
}
Input which_of(const Shape& shape, int64_t taps) { return {{shape, u8}, 0, static_cast<double>(taps)}; }

struct Sizes {
  Shape y, pooled;
  std::vector<int64_t> window, size;
  int64_t taps = 1;
};
Sizes pool_sizes(Rng& rng, int i) {
  const int axes = 1 + i % 3;
  const int64_t batch = i % 9 == 8 ? 0 : rng.range(1, 3), channels = i % 4 == 3 ? 16 : rng.range(1, 9);
  Sizes s{Shape{batch}, Shape{batch}, {}, {}};
  for (int a = 0; a < axes; ++a) {
    const int64_t window = i % 2 ? 2 : rng.range(1, 3), size = rng.range(window - 1, axes == 1 ? 20 : 7);
    s.window.push_back(window);
    s.size.push_back(size);
    s.taps *= window;
    s.y.push_back(size);
    s.pooled.push_back(size / window);
  }
  s.y.push_back(channels);
  s.pooled.push_back(channels);
  return s;
}

struct ConvSizes {
  Shape x, filter, pooled;
  std::vector<int64_t> conv, size, window;  // conv: its attributes
  int64_t taps = 1;
  std::vector<int64_t> attributes(bool gradient) const {
    std::vector<int64_t> words = conv;
    if (gradient) append_list(words, size);
    append_list(words, window);
    return words;
  }
};
ConvSizes conv_sizes(Rng& rng, int i) {
  // Pictures of few channels, pooled by 2 × 2, are what GPUs have kernels for: some of these in each dtype.
  const bool picture = i % 3 != 2;
  const int axes = picture ? 2 : 1 + i % 2;
  // On the CPU's: both sides of the border of 160 elements under a window, other windows and strides.
  const bool deep = picture && i % 5 == 1;
  const int64_t window_size = deep ? 3 : rng.chance(0.2) ? 5 : 3, stride_size = rng.chance(0.2) ? 2 : 1;
  const int64_t groups = !picture && i % 4 == 2 ? 2 : 1, in = deep      ? rng.range(17, 18)
                                                              : picture ? rng.range(1, 4)
                                                                        : rng.range(1, 3);
  const int64_t out = picture ? i % 7 == 1 ? 64 : i % 2 ? 32 : 16 : groups * rng.range(1, 4), batch = rng.range(1, 3);
  ConvSizes s{Shape{batch}, {}, Shape{batch}, {groups}, {}, {}};
  std::vector<int64_t> stride, dilation, low, high;
  for (int a = 0; a < axes; ++a) {
    OpenWindowAxis axis{rng.range(3, picture ? 20 : 9), picture ? window_size : rng.range(1, 3),
                        picture ? stride_size : rng.range(1, 2)};
    if (picture && a == 1 && i % 9 == 4) axis.size = 270;  // more than one strip of a kernel
    if (picture && a == 1 && i % 9 == 7) axis.size = 64;
    axis.low = rng.range(0, 1);
    axis.high = rng.range(0, 1);
    const int64_t window = picture ? 2 : rng.range(1, 3);
    while (!axis.fits() || axis.count() < window) axis.size += 1;
    s.x.push_back(axis.size);
    s.filter.push_back(axis.window);
    s.pooled.push_back(axis.count() / window);
    s.size.push_back(axis.window);
    s.window.push_back(window);
    s.taps *= window;
    stride.push_back(axis.stride);
    dilation.push_back(1);
    low.push_back(axis.low);
    high.push_back(axis.high);
  }
  s.x.push_back(groups * in);
  for (int64_t channels : {in, out}) s.filter.push_back(channels);
  s.pooled.push_back(out);
  for (const auto* values : {&stride, &dilation, &low, &high}) append_list(s.conv, *values);
  return s;
}

const Shape kPictures{4, 224, 224, 3}, kFilter{3, 3, 3, 32}, kPooled{4, 111, 111, 32};
std::vector<int64_t> picture_attributes(bool gradient) {
  std::vector<int64_t> words{1};
  for (int64_t value : {1, 1, 0, 0}) append_list(words, std::vector<int64_t>{value, value});
  if (gradient) append_list(words, std::vector<int64_t>{3, 3});
  append_list(words, std::vector<int64_t>{2, 2});
  return words;
}

std::vector<OpTest> tests() {
  return {
      {.op = &op::relu_pool,
       .dtypes = kFloats,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Sizes s = pool_sizes(rng, i);
             return Case{{in_eighths(s.y, dtype, 2), in_eighths(Shape{s.y[s.y.rank() - 1]}, dtype, 1)},
                         list({s.window})};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{4, 222, 222, 32}, dtype}}, {{Shape{32}, dtype}}}, list({{2, 2}})};
           }},
      {.op = &op::relu_pool_grad,
       .dtypes = kFloats,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Sizes s = pool_sizes(rng, i);
             return Case{{which_of(s.pooled, s.taps), {{s.pooled, dtype}}}, list({s.window, s.size})};
           },
       .large =
           [](DType dtype) {
             return Case{{which_of(kPooled, 4), {{kPooled, dtype}}}, list({{2, 2}, {222, 222}})};
           }},
      {.op = &op::conv_relu_pool,
       .dtypes = kFloats,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const ConvSizes s = conv_sizes(rng, i);
             return Case{{in_eighths(s.x, dtype, 2), in_eighths(s.filter, dtype, 1),
                          in_eighths(Shape{s.filter[s.filter.rank() - 1]}, dtype, 1)},
                         s.attributes(false)};
           },
       .large =
           [](DType dtype) {
             return Case{{{{kPictures, dtype}}, {{kFilter, dtype}}, {{Shape{32}, dtype}}}, picture_attributes(false)};
           },
       .numbers = {{1, -4}, {1, -3}, {1, -2}}},
      {.op = &op::conv_relu_pool_grad,
       .dtypes = kFloats,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const ConvSizes s = conv_sizes(rng, i);
             return Case{{{{s.x, dtype}}, which_of(s.pooled, s.taps), {{s.pooled, dtype}, -1, 1}},
                         s.attributes(true)};
           },
       .large =
           [](DType dtype) {
             return Case{{{{kPictures, dtype}}, which_of(kPooled, 4), {{kPooled, dtype}}}, picture_attributes(true)};
           }},
  };
}

std::vector<Invalid> invalid() {
  const OpDef *pool = &op::relu_pool, *back = &op::relu_pool_grad, *conv = &op::conv_relu_pool,
              *conv_back = &op::conv_relu_pool_grad;
  const Tensor y = tensor({2, 6, 4}), bias = tensor({4});
  const std::vector<int64_t> two = list({{2}}), back_attrs = list({{2}, {6}});
  const std::vector<int64_t> line = {1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 2},
                             line_back = {1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 3, 1, 2};
  return {
      {pool,
       "integers",
       [=] {
         call(*pool, {tensor({2, 6, 4}, i32), tensor({4}, i32)}, two);
       },
       {"int32", "cast"}},
      {pool,
       "a matrix",
       [=] {
         call(*pool, {tensor({2, 4}), bias}, two);
       },
       {"(2, 4)", "spatial"}},
      {pool,
       "a bias of another size",
       [=] {
         call(*pool, {y, tensor({3})}, two);
       },
       {"the bias", "(3,)", "(4,)"}},
      {pool,
       "a bias of another dtype",
       [=] {
         call(*pool, {y, tensor({4}, f64)}, two);
       },
       {"float64", "float32"}},
      {pool,
       "a window of 0",
       [=] {
         call(*pool, {y, bias}, list({{0}}));
       },
       {"the window", "is 0"}},
      {pool,
       "two windows",
       [=] {
         call(*pool, {y, bias}, list({{2, 2}}));
       },
       {"2 values", "1 spatial"}},
      {pool,
       "a huge window",
       [=] {
         call(*pool, {y, bias}, list({{256}}));
       },
       {"more than 255"}},
      {back,
       "integers",
       [=] {
         call(*back, {tensor({2, 3, 4}, u8), tensor({2, 3, 4}, i32)}, back_attrs);
       },
       {"int32"}},
      {back,
       "a matrix",
       [=] {
         call(*back, {tensor({2, 4}, u8), tensor({2, 4})}, back_attrs);
       },
       {"(2, 4)", "3 to 5"}},
      {back,
       "another size",
       [=] {
         call(*back, {tensor({2, 3, 4}, u8), tensor({2, 3, 4})}, list({{2}, {8}}));
       },
       {"the cotangent", "(2, 3, 4)", "(2, 4, 4)"}},
      {back,
       "floats for which",
       [=] {
         call(*back, {tensor({2, 3, 4}), tensor({2, 3, 4})}, back_attrs);
       },
       {"which", "float32", "uint8"}},
      {conv,
       "integers",
       [=] {
         call(*conv, {tensor({2, 8, 1}, i32), tensor({3, 1, 4}, i32), tensor({4}, i32)}, line);
       },
       {"int32"}},
      {conv,
       "a bias of another size",
       [=] {
         call(*conv, {tensor({2, 8, 1}), tensor({3, 1, 4}), tensor({5})}, line);
       },
       {"the bias", "(5,)", "(4,)"}},
      {conv_back,
       "ranks",
       [=] {
         call(*conv_back, {tensor({2, 8, 1}), tensor({2, 3, 3, 4}, u8), tensor({2, 3, 3, 4})}, line_back);
       },
       {"(2, 8, 1)", "(2, 3, 3, 4)"}},
      {conv_back,
       "a cotangent of another size",
       [=] {
         call(*conv_back, {tensor({2, 8, 1}), tensor({2, 3, 4}, u8), tensor({2, 2, 4})}, line_back);
       },
       {"the cotangent", "(2, 2, 4)", "(2, 3, 4)"}},
      {conv_back,
       "which of another size",
       [=] {
         call(*conv_back, {tensor({2, 8, 1}), tensor({2, 2, 4}, u8), tensor({2, 3, 4})}, line_back);
       },
       {"which", "(2, 2, 4)", "(2, 3, 4)"}},
  };
}

const AddOpTests added(tests, invalid);

}  // namespace
}  // namespace brio::testing
