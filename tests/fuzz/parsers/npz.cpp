// .npz files, and the ZIP files that they are.
#include "brio/formats/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace brio::formats;
  try {
    const NpzReader npz(ReadAt(std::string_view(reinterpret_cast<const char*>(data), size), Origin{}), {},
                        {.always = 1 << 20});
    for (const std::string& name : npz.names()) {
      try {
        npz.read(name);
        npz.open(name).read();
      } catch (const DataError&) {
      } catch (const brio::InvalidArgument&) {  // it is compressed
      }
    }
  } catch (const DataError&) {
  }
  return 0;
}
