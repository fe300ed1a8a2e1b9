// The side index of a TFRecord file: the bytes alone, and what survives of them written again. The checksum is made
// right in a copy, or few inputs would come past it.
#include "brio/formats/record_index.h"

#include <cstdlib>
#include <cstring>

#include "brio/formats/crc32c.h"

namespace {

void parse(std::string_view bytes) {
  using namespace brio::formats;
  try {
    const IndexFile file = parse_index(bytes);
    if (serialize_index(file) != bytes) std::abort();
    if (file.index.size() > 0 && file.index[file.index.size() - 1].offset >= file.index.file_bytes()) std::abort();
  } catch (const DataError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  parse(bytes);
  if (size < 4) return 0;
  const uint32_t crc = brio::formats::crc32c(std::string_view(bytes).substr(0, size - 4));
  std::memcpy(bytes.data() + size - 4, &crc, 4);
  parse(bytes);
  return 0;
}
