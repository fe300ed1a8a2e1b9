// A directory for the files of one test; it goes with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "brio/base/error.h"

namespace brio::formats {

class Scratch {
 public:
  Scratch() : path_((std::filesystem::temp_directory_path() / "brio-test-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) throw ResourceError(cat(path_, ": no scratch directory can be made there"));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace brio::formats
