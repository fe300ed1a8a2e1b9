// A contact sheet: thumbnails side by side in one PNG.
#pragma once

#include <string>

#include "brio/cli/pixels.h"

namespace brio::cli {

class Sheet {
 public:
  static constexpr size_t kMost = 48;
  bool full() const { return thumbnails_.size() == kMost; }
  size_t size() const { return thumbnails_.size(); }
  void add(Pixels picture);
  void write(const std::string& path) const;  // throws InvalidArgument where there is no picture

 private:
  std::vector<Pixels> thumbnails_;
};

}  // namespace brio::cli
