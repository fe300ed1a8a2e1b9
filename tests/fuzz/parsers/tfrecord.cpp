// TFRecord files. The first byte says how to read the rest: compression, and whether checksums are compared, which
// few random inputs would survive. Both ways of reading must see the same records.
#include "brio/formats/tfrecord.h"

#include <cstdlib>

#include "brio/formats/data_error.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace brio::formats;
  if (size == 0) return 0;
  const brio::fuzz::MemoryFile bytes(data + 1, size - 1);
  RecordOptions options;
  options.compression = static_cast<Compression>(data[0] % 3);
  options.verify = (data[0] & 0x80) != 0;
  options.max_record = uint64_t{1} << 26;
  uint64_t records = 0, length = 0;
  bool whole = false;
  try {
    RecordReader reader(bytes.path(), options);
    for (std::string_view record; reader.next(record);) ++records;
    whole = true;
  } catch (const DataError&) {
  }
  try {
    RecordReader reader(bytes.path(), options);
    for (uint64_t i = 0; i < records; ++i) {
      if (i % 2 == 0) {
        reader.skip();
        continue;
      }
      reader.next_length(length);
      std::string to(length, '\0');
      reader.read_into(to.data());
    }
  } catch (const DataError&) {
    std::abort();  // these were read before
  }
  if (options.compression != Compression::none) return 0;
  try {
    const RecordFile file(bytes.path(), options);
    const RecordIndex index = file.index();
    std::string buffer;
    for (uint64_t i = 0; i < index.size(); ++i) file.read(index[i], buffer);
    if (!whole || index.size() != records) std::abort();
  } catch (const DataError&) {
    if (whole) std::abort();
  }
  return 0;
}
