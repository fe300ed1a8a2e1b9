#include "brio/formats/plain_jpeg.h"

#include <cstring>

namespace brio::formats {
namespace {

enum Marker : uint8_t {
  kBaseline = 0xc0,
  kHuffmanTables = 0xc4,
  kLastFrame = 0xcf,
  kFirstRestart = 0xd0,
  kLastRestart = 0xd7,
  kStartOfImage = 0xd8,
  kEndOfImage = 0xd9,
  kScan = 0xda,
  kLines = 0xdc,
  kApp0 = 0xe0,
  kAdobe = 0xee
};

uint8_t at(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

class Walk {
 public:
  explicit Walk(std::string_view bytes) : bytes_(bytes) {}
  bool left(size_t n) const { return bytes_.size() - at_ >= n; }
  uint8_t byte(size_t ahead = 0) const { return at(bytes_, at_ + ahead); }

  // The next marker, which has to be here; 0: it is not.
  uint8_t marker() {
    if (!left(2) || byte() != 0xff) return 0;
    while (left(2) && byte(1) == 0xff) ++at_;  // filled up
    if (!left(2)) return 0;
    at_ += 2;
    return at(bytes_, at_ - 1);
  }
  // What follows a marker with a length; empty: it is not all there.
  std::string_view segment() {
    if (!left(2)) return {};
    const auto length = static_cast<size_t>(byte() << 8 | byte(1));
    if (length < 2 || !left(length)) return {};
    const std::string_view all = bytes_.substr(at_, length);
    at_ += length;
    return all;
  }
  // The marker that ends a scan, restarts passed over; 0: there is none.
  uint8_t end_of_scan() {
    for (;;) {
      const void* const found = std::memchr(bytes_.data() + at_, 0xff, bytes_.size() - at_);
      if (!found) return 0;
      at_ = static_cast<size_t>(static_cast<const char*>(found) - bytes_.data());
      while (left(2) && byte(1) == 0xff) ++at_;
      if (!left(2)) return 0;
      at_ += 2;
      const uint8_t marker = at(bytes_, at_ - 1);
      if (marker != 0 && (marker < kFirstRestart || marker > kLastRestart)) return marker;
    }
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

// Of a frame's header: length, precision, height, width, how many components, and three bytes for each.
std::optional<PlainJpeg> frame_of(std::string_view header) {
  if (header.size() != 17 || at(header, 2) != 8 || at(header, 7) != 3) return {};
  PlainJpeg jpeg;
  jpeg.height = at(header, 3) << 8 | at(header, 4);
  jpeg.width = at(header, 5) << 8 | at(header, 6);
  const int luma = at(header, 9);
  if (jpeg.height == 0 || jpeg.width == 0 || at(header, 12) != 0x11 || at(header, 15) != 0x11) return {};
  if (luma != 0x11 && luma != 0x21 && luma != 0x12 && luma != 0x22) return {};
  jpeg.across = (luma >> 4) - 1;
  jpeg.down = (luma & 15) - 1;
  // libjpeg smooths no chroma of so few columns.
  if (jpeg.across == 1 && (jpeg.width + 1) / 2 <= 2) return {};
  return jpeg;
}

}  // namespace

std::optional<PlainJpeg> plain_jpeg(std::string_view bytes) {
  Walk walk(bytes);
  if (walk.marker() != kStartOfImage) return {};
  std::optional<PlainJpeg> jpeg;
  bool jfif = false, named_rgb = false;
  for (;;) {
    const uint8_t marker = walk.marker();
    const bool other_frame = marker > kBaseline && marker <= kLastFrame && marker != kHuffmanTables;
    if (marker < kBaseline || other_frame || marker == kEndOfImage || marker == kLines) return {};
    if (marker >= kFirstRestart && marker <= kStartOfImage) return {};
    const std::string_view segment = walk.segment();
    if (segment.empty()) return {};
    if (marker == kBaseline) {
      if (jpeg || !(jpeg = frame_of(segment))) return {};
      named_rgb = at(segment, 8) == 'R' && at(segment, 11) == 'G' && at(segment, 14) == 'B';
    }
    if (marker == kApp0 && segment.substr(2, 5) == std::string_view("JFIF\0", 5)) jfif = true;
    // Adobe's says whether the colours are YCbCr.
    if (marker == kAdobe && segment.substr(2, 5) == "Adobe" && (segment.size() < 14 || at(segment, 13) != 1))
      return {};
    if (marker == kScan) {
      if (!jpeg || at(segment, 2) != 3 || (named_rgb && !jfif)) return {};
      return walk.end_of_scan() == kEndOfImage ? jpeg : std::nullopt;
    }
  }
}

}  // namespace brio::formats
