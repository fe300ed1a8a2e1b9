// Compressed files: the first byte says GZIP or ZLIB, and how much is read at a time.
#include "brio/formats/compression.h"

#include <cstdlib>

#include "brio/formats/data_error.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace brio::formats;
  if (size == 0) return 0;
  const brio::fuzz::MemoryFile bytes(data + 1, size - 1);
  const InputFile file(bytes.path());
  const Compression compression = data[0] % 2 == 0 ? Compression::gzip : Compression::zlib;
  const InflateLimits limits{.max_ratio = 100, .free_bytes = 1 << 20};
  std::string all, pieces;
  bool whole = false;
  try {
    all = InputStream(file, compression, limits).read_all(1 << 24);
    whole = true;
  } catch (const DataError&) {
  }
  try {
    InputStream stream(file, compression, limits);
    std::string piece(size_t{1} + data[0] * size_t{7}, '\0');
    for (size_t got = piece.size(); got == piece.size();) {
      got = stream.read_some(piece.data(), piece.size());
      pieces.append(piece, 0, got);
      if (pieces.size() > size_t{1} << 24) return 0;
    }
    if (!whole || pieces != all) std::abort();
  } catch (const DataError&) {
    if (whole) std::abort();
  }
  return 0;
}
