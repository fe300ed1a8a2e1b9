// Regular expressions in the options of optimizers, apart: with sanitizers GCC 12 warns, wrongly, that members of the
// states of std::regex are used uninitialised.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <regex>

#include "brio/base/error.h"
#include "brio/nn/optimizers/optimizer_rule.h"

namespace brio::nn {

bool matches_any(const std::string& optimizer, std::span<const std::string> patterns, const std::string& text) {
  for (const std::string& pattern : patterns) {
    try {
      if (std::regex_search(text, std::regex(pattern))) return true;
    } catch (const std::regex_error&) {
      throw InvalidArgument(cat("[", optimizer, "] '", pattern, "' is not a regular expression; correct it"));
    }
  }
  return false;
}

}  // namespace brio::nn
