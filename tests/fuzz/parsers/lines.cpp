// Lines in order, and the same by number.
#include "brio/formats/lines.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace brio::formats;
  const ReadAt bytes(std::string_view(reinterpret_cast<const char*>(data), size), Origin{});
  try {
    const LineFile file(bytes, 1000);
    LineReader reader(in_order(bytes), {}, 1000);
    int64_t lines = 0;
    for (std::string_view line; reader.next(line); ++lines)
      if (lines % 7 == 0) BRIO_CHECK(file.read(lines) == line, "the same line");
    BRIO_CHECK(lines == file.size(), "as many lines");
  } catch (const DataError&) {
  }
  return 0;
}
