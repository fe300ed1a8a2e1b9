// Where what was measured or compiled on this machine is kept for the next process.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace brio {

// $BRIO_CACHE, otherwise `brio` in $XDG_CACHE_HOME or ~/.cache. Empty: there is no such place, and nothing is kept.
inline std::filesystem::path cache_folder() {
  const auto named = [](const char* variable) -> std::filesystem::path {
    const char* const folder = std::getenv(variable);
    return folder && *folder == '/' ? folder : "";
  };
  if (auto own = named("BRIO_CACHE"); !own.empty()) return own;
  if (const auto all = named("XDG_CACHE_HOME"); !all.empty()) return all / "brio";
  if (const auto home = named("HOME"); !home.empty()) return home / ".cache" / "brio";
  return {};
}

}  // namespace brio
