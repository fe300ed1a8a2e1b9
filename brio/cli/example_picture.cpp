#include "brio/cli/example_picture.h"

#include "brio/base/error.h"
#include "brio/formats/example_scan.h"

namespace brio::cli {

using formats::FeatureKind;
using formats::FeatureView;

ExamplePicture picture_in(std::string_view example, const formats::Origin& origin) {
  ExamplePicture picture;
  formats::scan_example(example, origin,
                        [&](std::string_view key, const FeatureView& feature, const formats::wire::Message& message) {
                          const auto text = [&](std::string_view& to) {
                            if (feature.kind() != FeatureKind::bytes) return;
                            picture.there = true;
                            feature.each<std::string_view>(message, [&](std::string_view value) { to = value; });
                          };
                          const auto number = [&](int64_t& to) {
                            if (feature.kind() == FeatureKind::ints)
                              feature.each<int64_t>(message, [&](int64_t value) { to = value; });
                          };
                          if (key == "image/encoded") text(picture.encoded);
                          else if (key == "image") text(picture.raw);
                          else if (key == "image/height") number(picture.height);
                          else if (key == "image/width") number(picture.width);
                          else if (key == "image/channels") number(picture.channels);
                        });
  return picture;
}

bool decode_picture_in(std::string_view example, const formats::Origin& origin, Pixels& to, bool strict) {
  const ExamplePicture picture = picture_in(example, origin);
  if (!picture.there) return false;
  if (picture.encoded.data()) {
    const auto at = static_cast<uint64_t>(picture.encoded.data() - example.data());
    decode_rgb(picture.encoded, {origin.file, origin.offset + at}, to, strict);
    return true;
  }
  const auto [encoded, raw, height, width, channels, there] = picture;
  if (height < 1 || width < 1 || height > 65535 || width > 65535) return false;  // `image` is something else
  if (channels != 3 || raw.size() != static_cast<size_t>(height * width * 3))
    throw formats::DataError(
        origin, 0,
        cat("the picture should have ", height, "x", width, "x", channels, " bytes, but has ", raw.size()));
  to.height = height;
  to.width = width;
  to.rgb.assign(raw.begin(), raw.end());
  return true;
}

}  // namespace brio::cli
