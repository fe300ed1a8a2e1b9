// The message of the exception that a call throws.
#pragma once

#include <string>

namespace brio::formats {

template <typename E, typename Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace brio::formats
