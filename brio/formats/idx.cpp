#include "brio/formats/idx.h"

#include <algorithm>

#include "brio/formats/byte_order.h"
#include "brio/formats/compression.h"

namespace brio::formats {

namespace {

DType dtype_of_code(unsigned char code, const Origin& origin) {
  switch (code) {
    case 0x08: return u8;
    case 0x09: return i8;
    case 0x0b: return i16;
    case 0x0c: return i32;
    case 0x0d: return f32;
    case 0x0e: return f64;
    default:
      throw DataError(origin, 2,
                      cat("the IDX file has elements of type ", static_cast<int>(code), ", which is none"));
  }
}

}  // namespace

ArrayFile open_idx(const ReadAt& bytes) {
  const Origin origin = bytes.origin();
  unsigned char header[4 + 4 * 255];
  const auto there = static_cast<size_t>(std::min<uint64_t>(sizeof header, bytes.size()));
  bytes.read(0, header, there);
  if (there < 4) throw DataError(origin, there, "the IDX file ends within its header");
  if (header[0] != 0 || header[1] != 0)
    throw DataError(origin, 0, "not an IDX file: it does not begin with two bytes of 0");
  const size_t rank = header[3], end = 4 + 4 * rank;
  if (there < end) throw DataError(origin, there, "the IDX file ends within its header");
  std::vector<uint64_t> dims;
  for (size_t i = 0; i < rank; ++i) dims.push_back(load_big<uint32_t>(header + 4 + 4 * i));
  ArrayFile::Layout layout;
  layout.aval.dtype = dtype_of_code(header[2], origin);
  layout.aval.shape = shape_in_file(dims, layout.aval.dtype, origin, 4);
  layout.data_offset = end;
  layout.big_endian = true;
  return {bytes, layout, "IDX"};
}

ArrayFile open_idx(const std::string& path) {
  const InputFile file(path);
  char first[2];
  const size_t got = file.read_some(0, first, 2);
  if (guess_compression({first, got}) != Compression::gzip) return open_idx(ReadAt(path));
  return open_idx(ReadAt(InputStream(file, Compression::gzip).read_all(), path));
}

}  // namespace brio::formats
