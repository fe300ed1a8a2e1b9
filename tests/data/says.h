// The message of an error, to be compared in parts.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "brio/base/error.h"

namespace brio::data {

template <typename F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
inline void expect_in(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" is not in: " << message;
}
#define EXPECT_MESSAGE(expression, part) expect_in(message_of([&] { (void)(expression); }), part)

}  // namespace brio::data
