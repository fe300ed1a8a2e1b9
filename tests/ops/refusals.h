// For functions that are composed of ops: a call that must be refused in the function's name.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "brio/base/error.h"

namespace brio::testing {

template <typename F>
void refuses(std::string_view function, std::initializer_list<std::string_view> fragments, F&& call) {
  try {
    call();
    ADD_FAILURE() << function << " accepted what it should refuse";
  } catch (const InvalidArgument& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(cat("[", function, "]")), std::string::npos) << text;
    for (std::string_view fragment : fragments)
      EXPECT_NE(text.find(fragment), std::string::npos) << "'" << fragment << "' is not in: " << text;
  }
}

}  // namespace brio::testing
