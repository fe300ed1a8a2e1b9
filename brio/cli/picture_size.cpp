#include "brio/cli/picture_size.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/formats/data_error.h"
#include "brio/formats/decode_picture.h"
#include "brio/formats/file.h"

namespace brio::cli {
namespace {

constexpr size_t kLookedAt = 64;
constexpr int64_t kSmall = 8;

}  // namespace

std::string PictureSizes::str() const {
  if (most_height == 0) return "none could be read";
  const std::string least = cat(least_height, "x", least_width);
  return least_height == most_height && least_width == most_width ? least
                                                                  : cat(least, " to ", most_height, "x", most_width);
}

std::pair<int64_t, int64_t> PictureSizes::suggested() const {
  const auto fitting = [](int64_t most) { return std::clamp(most == 0 ? kUsualSize : most, kSmall, kUsualSize); };
  return {fitting(most_height), fitting(most_width)};
}

PictureSizes sizes_of(const std::vector<std::string>& paths) {
  PictureSizes sizes;
  const size_t stride = std::max<size_t>(1, paths.size() / kLookedAt);
  for (size_t i = 0; i < paths.size(); i += stride) {
    try {
      const formats::PictureInfo info = formats::picture_info(formats::read_file(paths[i]), {paths[i]});
      const bool first = sizes.most_height == 0;
      sizes.least_height = first ? info.height : std::min(sizes.least_height, info.height);
      sizes.least_width = first ? info.width : std::min(sizes.least_width, info.width);
      sizes.most_height = std::max(sizes.most_height, info.height);
      sizes.most_width = std::max(sizes.most_width, info.width);
      sizes.grey &= info.channels < 3;
    } catch (const Error& error) {
      sizes.broken.emplace_back(error.what());
    }
  }
  sizes.grey &= sizes.most_height > 0;
  return sizes;
}

}  // namespace brio::cli
