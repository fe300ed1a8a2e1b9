#include "brio/base/error.h"

namespace brio {

void throw_internal(const char* file, int line, const char* condition, const std::string& detail) {
  throw InternalError(cat("brio bug: ", condition, " does not hold at ", file, ":", line, detail.empty() ? "" : " (",
                          detail, detail.empty() ? "" : ")", "; please report it with the program that led here"));
}

}  // namespace brio
