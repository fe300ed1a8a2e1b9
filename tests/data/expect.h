// Expectations of the tests of transforms: values that tf.data gave, and what an error says.
#pragma once

#include <string>

#include "brio/base/error.h"
#include "tests/data/battery.h"

namespace brio::data {

// The dataset has the elements of that case of tests/golden/datasets_*.json, and passes check_pipeline().
void expect_golden(const std::string& name, const Dataset& dataset);

// The message of the InvalidArgument that f throws.
template <typename F>
std::string invalid(F f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}
#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// Vectors of 0, 1, 2, … numbers: [], [1], [2, 2], …
Dataset growing(int64_t n);

}  // namespace brio::data
