// .npy files: whole, and row by row.
#include <vector>

#include "brio/formats/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace brio::formats;
  try {
    const ArrayFile file =
        open_npy(ReadAt(std::string_view(reinterpret_cast<const char*>(data), size), Origin{}), {.bfloat16 = true});
    file.read();
    // An array of no elements may have any number of rows, or rows of any size.
    std::vector<char> row(file.rows() > 0 ? file.row_bytes() : 0);
    for (int64_t i = 0; i < file.rows() && i < 100; ++i) file.read_rows(i, 1, row.data());
  } catch (const DataError&) {
  }
  return 0;
}
