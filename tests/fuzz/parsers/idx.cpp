// IDX files, plain.
#include "brio/formats/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace brio::formats;
  try {
    open_idx(ReadAt(std::string_view(reinterpret_cast<const char*>(data), size), Origin{})).read();
  } catch (const DataError&) {
  }
  return 0;
}
