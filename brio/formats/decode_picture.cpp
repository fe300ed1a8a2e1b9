#include "brio/formats/decode_picture.h"

namespace brio::formats {

namespace {

[[noreturn]] void refuse(PictureFormat format, std::string_view bytes, const Origin& origin) {
  if (bytes.empty()) throw DataError(origin, 0, "the file is empty");
  if (format == PictureFormat::unknown)
    throw DataError(origin, 0, "neither JPEG nor PNG nor BMP: it begins as none of them");
  throw DataError(origin, 0, cat("a ", name_of(format), " is not supported; convert it to JPEG or PNG"));
}

}  // namespace

const PictureInfo& PictureDecoder::open(std::string_view bytes, const Origin& origin, const DecodeOptions& options) {
  open_ = PictureFormat::unknown;
  const PictureFormat format = sniff_picture(bytes);
  DecodeOptions at_size = options;
  at_size.ratio = 1;
  const PictureInfo* info = nullptr;
  switch (format) {
    case PictureFormat::jpeg: info = &jpeg_.open(bytes, origin, options); break;
    case PictureFormat::png: info = &png_.open(bytes, origin, at_size); break;
    case PictureFormat::bmp: info = &bmp_.open(bytes, origin, at_size); break;
    default: refuse(format, bytes, origin);
  }
  open_ = format;
  return *info;
}

PictureSize PictureDecoder::size() const {
  switch (open_) {
    case PictureFormat::jpeg: return jpeg_.size();
    case PictureFormat::png: return png_.size();
    case PictureFormat::bmp: return bmp_.size();
    default: return {};
  }
}

void PictureDecoder::decode(void* rows, size_t stride) { decode(rows, stride, {0, 0, size().height, size().width}); }

void PictureDecoder::decode(void* rows, size_t stride, const Window& window) {
  switch (open_) {
    case PictureFormat::jpeg: return jpeg_.decode(rows, stride, window);
    case PictureFormat::png: return png_.decode(rows, stride, window);
    case PictureFormat::bmp: return bmp_.decode(rows, stride, window);
    default: throw InvalidArgument("[decode_picture] no picture is open; call open() before each decode()");
  }
}

Array decode_picture(std::string_view bytes, const Origin& origin, const DecodeOptions& options) {
  PictureDecoder decoder;
  const bool widen = options.dtype == u16 && sniff_picture(bytes) != PictureFormat::png;
  DecodeOptions stored = options;
  if (widen) stored.dtype = u8;
  decoder.open(bytes, origin, stored);
  const PictureSize size = decoder.size();
  Array result = Array::allocate({{size.height, size.width, size.channels}, options.dtype}, Owner::input);
  const auto stride = static_cast<size_t>(size.width * size.channels) * size_of(stored.dtype);
  // What is to be widened lies in the second half, so that no sample is overwritten before it is read.
  const auto samples = static_cast<size_t>(size.elements());
  uint8_t* first = result.as<uint8_t>() + (widen ? samples : 0);
  decoder.decode(first, stride);
  if (widen)
    for (size_t i = 0; i < samples; ++i) {
      const auto wide = static_cast<uint16_t>(first[i] << 8);
      result.as<uint16_t>()[i] = wide;
    }
  return result;
}

PictureInfo picture_info(std::string_view bytes, const Origin& origin, const PictureLimits& limits) {
  PictureDecoder decoder;
  return decoder.open(bytes, origin, {.apply_orientation = true, .limits = limits});
}

}  // namespace brio::formats
