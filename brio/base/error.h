// Errors. A user's mistake (InvalidArgument and its kin) and our own bug (InternalError) are different types; every
// message names the op or file, the values, and what to do.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
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

// Joins its arguments with operator<<.
template <typename... Args>
std::string cat(Args&&... args) {
  std::ostringstream out;
  (out << ... << std::forward<Args>(args));
  return std::move(out).str();
}

[[noreturn]] void throw_internal(const char* file, int line, const char* condition, const std::string& detail);

}  // namespace brio

// An invariant of our own. Its failure is our bug, never the user's.
#define BRIO_CHECK(condition, ...)                                                         \
  do {                                                                                     \
    if (!(condition)) [[unlikely]]                                                         \
      ::brio::throw_internal(__FILE__, __LINE__, #condition, ::brio::cat("" __VA_ARGS__)); \
  } while (false)
