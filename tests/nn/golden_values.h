// Golden arrays as tensors, and comparison with them.
#pragma once

#include <gtest/gtest.h>

#include <brio/brio.h>

#include <cmath>

#include "tests/golden/golden.h"

namespace golden {

inline brio::Shape shape_of(const Array& array) { return brio::Shape(std::span<const int64_t>(array.shape)); }

inline brio::Tensor tensor(const Array& array) {
  if (!array.texts.empty()) return brio::string_tensor(array.texts, shape_of(array));
  const std::vector<float> values(array.data.begin(), array.data.end());
  return brio::Tensor::from(values, shape_of(array));
}
inline brio::Tensor int_tensor(const Array& array) {
  const std::vector<int32_t> values(array.data.begin(), array.data.end());
  return brio::Tensor::from(values, shape_of(array));
}

// Within `tolerance` of the larger of 1 and the expected number.
inline void expect_near(const brio::Tensor& found, const Array& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(found.shape(), shape_of(expected)) << what;
  const std::vector<float> values = found.to_vector<float>();
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected.data[i], tolerance * std::max(1.0, std::abs(expected.data[i])))
        << what << ", element " << i;
}

// Within 1e-5 of the expected number, plus 1e-6 of the largest of them.
inline void expect_close(const brio::Tensor& found, const Array& expected, const std::string& what) {
  ASSERT_EQ(found.shape(), shape_of(expected)) << what;
  double scale = 0;
  for (double x : expected.data) scale = std::max(scale, std::abs(x));
  const std::vector<float> values = brio::cast(found, brio::f32).to_vector<float>();
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected.data[i], 1e-5 * std::abs(expected.data[i]) + 1e-6 * scale)
        << what << ", element " << i;
}

// The message of the InvalidArgument that `f` throws; "" if it throws none.
template <typename F>
std::string invalid(F f) {
  try {
    f();
  } catch (const brio::InvalidArgument& error) {
    return error.what();
  }
  return "";
}
inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
#define EXPECT_SAYS(message, part) EXPECT_PRED2(golden::contains, message, part)

}  // namespace golden
