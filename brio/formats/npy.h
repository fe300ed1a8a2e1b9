// NumPy's .npy files: versions 1 to 3, numbers of any byte order, C and Fortran order. Written as numpy.save does.
#pragma once

#include "brio/formats/array_file.h"

namespace brio::formats {

struct NpyOptions {
  bool bfloat16 = false;  // two bytes of no type ('|V2', which is what NumPy writes for bfloat16) are bfloat16
};

// What the first bytes say; the data follow at `data_offset`. `bytes` need not hold more than the header.
ArrayFile::Layout npy_layout(std::string_view bytes, const Origin& origin = {}, const NpyOptions& options = {});
// How many bytes magic, length and header take, from the first 12 bytes.
size_t npy_header_bytes(std::string_view bytes, const Origin& origin = {});

ArrayFile open_npy(const ReadAt& bytes, const NpyOptions& options = {});
Array read_npy(const std::string& path, const NpyOptions& options = {});
// The bytes that numpy.save puts before the data.
std::string npy_header(const Aval& aval);
void write_npy(const std::string& path, const Array& array);

}  // namespace brio::formats
