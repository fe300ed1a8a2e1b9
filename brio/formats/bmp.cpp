#include "brio/formats/bmp.h"

#include <cstdlib>

#include "brio/formats/byte_order.h"

namespace brio::formats {

namespace {

template <typename T>
T little(std::string_view bytes, size_t at) {
  return load_little<T>(bytes.data() + at);
}

constexpr size_t kFileHeader = 14, kHeader = 40;

}  // namespace

struct BmpDecoder::Header {
  explicit Header(std::string_view b)
      : pixels(little<uint32_t>(b, 10)),
        size(little<uint32_t>(b, 14)),
        width(little<int32_t>(b, 18)),
        height(little<int32_t>(b, 22)),
        bits(little<uint16_t>(b, 28)),
        compression(little<uint32_t>(b, 30)),
        colours(little<uint32_t>(b, 46)) {}

  uint32_t pixels, size;
  int64_t width, height;
  int bits;
  uint32_t compression, colours;
};

const PictureInfo& BmpDecoder::open(std::string_view bytes, const Origin& origin, const DecodeOptions& options) {
  is_open_ = false;
  if (options.channels != 0 && options.channels != 1 && options.channels != 3 && options.channels != 4)
    throw InvalidArgument(cat("[decode_bmp] channels is ", options.channels, "; a BMP is decoded to 0, 1, 3 or 4"));
  if (options.dtype != u8)
    throw InvalidArgument(cat("[decode_bmp] dtype is ", options.dtype, "; a BMP is decoded to uint8"));
  if (options.ratio != 1) throw InvalidArgument(cat("[decode_bmp] ratio is ", options.ratio, "; a BMP has only 1"));
  bytes_ = bytes;
  origin_ = origin;
  if (!bytes.starts_with("BM")) throw DataError(origin, 0, "not a BMP: it does not begin with BM");
  if (bytes.size() < kFileHeader + kHeader)
    throw DataError(origin, bytes.size(), "the BMP ends within its header; the file is truncated");
  const Header header(bytes);
  if (header.size < kHeader)
    throw DataError(origin, 14, cat("the BMP has a header of ", header.size, " bytes, which is of OS/2 or corrupt"));
  const int bits = header.bits;
  if (bits != 1 && bits != 4 && bits != 8 && bits != 24 && bits != 32)
    throw DataError(origin, 28, cat("the BMP has ", bits, " bits a pixel; 1, 4, 8, 24 and 32 can be read"));
  // 3: the colours' places in a pixel are told. The usual ones can be read.
  const bool told = header.compression == 3 && bits == 32 && bytes.size() >= 66 &&
                    little<uint32_t>(bytes, 54) == 0xff0000 && little<uint32_t>(bytes, 58) == 0xff00 &&
                    little<uint32_t>(bytes, 62) == 0xff;
  if (header.compression != 0 && !told)
    throw DataError(origin, 30,
                    cat("the BMP is compressed (method ", header.compression, "), which is not supported"));
  top_down_ = header.height < 0;
  info_ = {PictureFormat::bmp, std::abs(header.height), header.width, bits == 32 ? 4 : 3, bits < 24 ? bits : 8, 1};
  pixels_ = header.pixels;
  if (bits <= 8) read_palette(header);
  else colours_ = 0;
  if (bits == 8 && colours_ == 0) info_.channels = 1;
  size_ = {info_.height, info_.width, options.channels ? options.channels : info_.channels};
  check_limits(info_, bytes.size(), size_.channels, options.limits, origin);
  row_bytes_ = (static_cast<size_t>(info_.width) * static_cast<size_t>(bits) + 31) / 32 * 4;
  if (pixels_ > bytes.size() || (bytes.size() - pixels_) / row_bytes_ < static_cast<size_t>(info_.height))
    throw DataError(origin, bytes.size(),
                    cat("the BMP ends before its ", info_.height, " rows of ", row_bytes_, " bytes from byte ",
                        pixels_, " on; the file is truncated"));
  is_open_ = true;
  return info_;
}

void BmpDecoder::read_palette(const Header& header) {
  const size_t most = size_t{1} << header.bits, begin = kFileHeader + header.size;
  colours_ = header.colours == 0 ? most : header.colours;
  if (header.bits == 8 && begin >= pixels_) {  // none at all: grey, as TensorFlow always takes it
    colours_ = 0;
    return;
  }
  if (colours_ > most || begin > bytes_.size() || bytes_.size() - begin < 4 * colours_)
    throw DataError(origin_, 46, cat("the BMP's palette of ", colours_, " colours does not lie in the file"));
  bool grey = header.bits == 8;
  for (size_t i = 0; i < colours_; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      palette_[i][c] = static_cast<uint8_t>(bytes_[begin + 4 * i + 2 - c]);
      grey = grey && palette_[i][c] == i;
    }
  }
  if (grey) colours_ = 0;
}

// A stored row's part as pixels of the channels that are asked for.
void BmpDecoder::convert(const uint8_t* from, const Window& window, uint8_t* to) const {
  const int bits = info_.bit_depth, channels = size_.channels, samples = info_.channels;
  for (int64_t x = window.left; x < window.left + window.width; ++x, to += channels) {
    uint8_t red, green, blue, alpha = 255;
    if (colours_ > 0) {
      const auto bit = static_cast<size_t>(x) * static_cast<size_t>(bits);
      const size_t index = from[bit / 8] >> (8 - static_cast<size_t>(bits) - bit % 8) & ((1U << bits) - 1);
      if (index >= colours_)
        throw DataError(origin_,
                        static_cast<uint64_t>(from - reinterpret_cast<const uint8_t*>(bytes_.data())) + bit / 8,
                        cat("the BMP's palette has ", colours_, " colours, and a pixel has number ", index));
      red = palette_[index][0], green = palette_[index][1], blue = palette_[index][2];
    } else if (samples == 1) {
      red = green = blue = from[x];
    } else {
      const uint8_t* pixel = from + x * samples;
      red = pixel[2], green = pixel[1], blue = pixel[0];
      if (samples == 4) alpha = pixel[3];
    }
    if (channels == 1) {
      to[0] = samples == 1 ? red : luma(red, green, blue);
      continue;
    }
    to[0] = red, to[1] = green, to[2] = blue;
    if (channels == 4) to[3] = alpha;
  }
}

void BmpDecoder::decode(void* rows, size_t stride) { decode(rows, stride, {0, 0, size_.height, size_.width}); }

void BmpDecoder::decode(void* rows, size_t stride, const Window& window) {
  if (!is_open_) throw InvalidArgument("[decode_bmp] no picture is open; call open() before each decode()");
  check_window(window, size_, "decode_bmp");
  is_open_ = false;
  const auto* pixels = reinterpret_cast<const uint8_t*>(bytes_.data()) + pixels_;
  for (int64_t r = 0; r < window.height; ++r) {
    const int64_t row = top_down_ ? window.top + r : size_.height - 1 - window.top - r;
    convert(pixels + static_cast<size_t>(row) * row_bytes_, window,
            static_cast<uint8_t*>(rows) + static_cast<size_t>(r) * stride);
  }
}

}  // namespace brio::formats
