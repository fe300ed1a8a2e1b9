// A picture decoded in the ways there are: which one is told by its bytes, so that the fuzzer can choose.
#pragma once

#include <vector>

#include "brio/formats/picture.h"

template <typename Decoder>
void decode_any(Decoder& decoder, std::string_view bytes) {
  using namespace brio::formats;
  // Small limits keep a fuzzer's runs short.
  DecodeOptions options{.apply_orientation = true, .limits = {.max_pixels = 1 << 18}};
  const unsigned choice = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.back());
  options.channels = static_cast<int>(choice % 5);
  options.try_recover_truncated = choice % 7 == 0;
  try {
    decoder.open(bytes, {}, options);
    const PictureSize size = decoder.size();
    Window window{0, 0, size.height, size.width};
    if (choice % 3 == 0) window = {size.height / 3, size.width / 4, size.height - size.height / 3, size.width / 2};
    if (window.width == 0) window.width = 1;
    const auto stride = static_cast<size_t>(window.width * size.channels);
    std::vector<uint8_t> pixels(stride * static_cast<size_t>(window.height));
    decoder.decode(pixels.data(), stride, window);
  } catch (const DataError&) {
  } catch (const brio::InvalidArgument&) {  // a number of channels that the format has not
  }
}
