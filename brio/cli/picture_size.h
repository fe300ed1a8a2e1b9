// How large the pictures of a set are: some of them are looked at.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace brio::cli {

inline constexpr int64_t kUsualSize = 96;  // of pictures, at most, unless something else is asked for

struct PictureSizes {
  int64_t least_height = 0, most_height = 0, least_width = 0, most_width = 0;
  bool grey = true;                 // all that were looked at
  std::vector<std::string> broken;  // what is wrong with those that cannot be read

  std::string str() const;  // "400x534" or "120x90 to 400x711"
  // What a network is to see: small pictures as they are, larger ones at 96x96.
  std::pair<int64_t, int64_t> suggested() const;
};

PictureSizes sizes_of(const std::vector<std::string>& paths);

}  // namespace brio::cli
