// Expectations of printed graphs.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace brio {

inline void expect_has(const std::string& text, std::string_view fragment) {
  EXPECT_NE(text.find(fragment), std::string::npos) << "no '" << fragment << "' in\n" << text;
}
inline void expect_lacks(const std::string& text, std::string_view fragment) {
  EXPECT_EQ(text.find(fragment), std::string::npos) << "'" << fragment << "' is in\n" << text;
}

}  // namespace brio
