// safetensors files.
#include "brio/formats/safetensors.h"

#include "brio/formats/data_error.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace brio::formats;
  try {
    const brio::fuzz::MemoryFile bytes(data, size);
    const SafetensorsFile file(bytes.path());
    for (const SafetensorsFile::Entry& entry : file.entries()) {
      if (file.find(entry.name) == nullptr) std::abort();
      if (file.read(entry).aval.bytes() > size) std::abort();  // all of it lies in the file
    }
  } catch (const DataError&) {
  }
  return 0;
}
