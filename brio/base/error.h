// Errors. A user's mistake (InvalidArgument and its kin) and our own bug (InternalError) are different types; every
// message names the op or file, the values, and what to do.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace brio {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The caller passed something that cannot work: wrong shape, dtype, name, value.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

// A size is asked for that is not known while a function is traced for sizes that vary.
class UnknownSize : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

// What is asked for is there only where ops run one by one, not in a trace: data, a shape that it decides, …
class UnknownValue : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

// The system could not give what a correct program asked for: memory, a file, a device.
class ResourceError : public Error {
 public:
  using Error::Error;
};

// A bug in Brio. Users should never see one; the message asks for a report.
class InternalError : public Error {
 public:
  using Error::Error;
};

// As operator<< would. Planning names what it chooses and why: a stream for each name would cost more than the
// choice.
template <typename T>
void append_to(std::string& text, const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    text += std::string_view(value);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) >= sizeof(short)) {  // smaller ones are bool and characters
    text += std::to_string(value);
  } else {
    std::ostringstream out;
    out << value;
    text += std::move(out).str();
  }
}

// Joins its arguments.
template <typename... Args>
std::string cat(const Args&... args) {
  std::string text;
  (append_to(text, args), ...);
  return text;
}

[[noreturn]] void throw_internal(const char* file, int line, const char* condition, const std::string& detail);

}  // namespace brio

// An invariant of our own. Its failure is our bug, never the user's.
#define BRIO_CHECK(condition, ...)                                                         \
  do {                                                                                     \
    if (!(condition)) [[unlikely]]                                                         \
      ::brio::throw_internal(__FILE__, __LINE__, #condition, ::brio::cat("" __VA_ARGS__)); \
  } while (false)
