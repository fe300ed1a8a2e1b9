// JPEG files: header, whole, turned, in part.
#include "brio/formats/jpeg.h"
#include "tests/fuzz/parsers/decode_any.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static brio::formats::JpegDecoder decoder;
  decode_any(decoder, {reinterpret_cast<const char*>(data), size});
  return 0;
}
