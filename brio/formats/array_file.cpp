#include "brio/formats/array_file.h"

#include <algorithm>
#include <utility>

#include "brio/formats/byte_order.h"

namespace brio::formats {

void swap_bytes(void* elements, size_t count, size_t size) {
  auto* at = static_cast<char*>(elements);
  const auto swap = [&](auto one) {
    using T = decltype(one);
    for (size_t i = 0; i < count; ++i) {
      const T turned = load_big<T>(at + i * sizeof(T));
      std::memcpy(at + i * sizeof(T), &turned, sizeof(T));
    }
  };
  switch (size) {
    case 2: return swap(uint16_t{});
    case 4: return swap(uint32_t{});
    case 8: return swap(uint64_t{});
    default: return;
  }
}

void settle_elements(void* elements, size_t count, DType dtype, bool big_endian) {
  if (big_endian) {
    const bool pair = is_complex(dtype);
    swap_bytes(elements, pair ? 2 * count : count, pair ? size_of(dtype) / 2 : size_of(dtype));
  }
  // Any other byte would be undefined to read as a bool.
  if (dtype == boolean)
    for (auto *at = static_cast<uint8_t*>(elements), *end = at + count; at < end; ++at) *at = *at != 0;
}

Shape shape_in_file(const std::vector<uint64_t>& dims, DType dtype, const Origin& origin, uint64_t at) {
  if (dims.size() > static_cast<size_t>(kMaxRank))
    throw DataError(origin, at,
                    cat("the array has ", dims.size(), " dimensions; there can be ", kMaxRank, " at most"));
  Shape shape;
  uint64_t bytes = size_of(dtype);
  for (const uint64_t dim : dims) {
    // A dimension of 0 does not excuse others whose product cannot be counted.
    if (dim > static_cast<uint64_t>(INT64_MAX) || __builtin_mul_overflow(bytes, std::max<uint64_t>(dim, 1), &bytes) ||
        bytes > static_cast<uint64_t>(INT64_MAX))
      throw DataError(origin, at, "the array's dimensions claim more elements than can be counted");
    shape.push_back(static_cast<int64_t>(dim));
  }
  return shape;
}

ArrayFile::ArrayFile(ReadAt bytes, const Layout& layout, std::string_view what)
    : bytes_(std::move(bytes)), layout_(layout) {
  const uint64_t needed = layout.aval.bytes();
  const uint64_t there = bytes_.size() - std::min(bytes_.size(), layout.data_offset);
  if (needed != there)
    throw DataError(
        bytes_.origin(), layout.data_offset,
        cat("the ", what, " array ", layout.aval.dtype, layout.aval.shape, " has ", needed, " bytes, but ", there,
            " follow its header; ", there < needed ? "the file is truncated" : "what follows belongs to no array"));
}

size_t ArrayFile::row_bytes() const {
  size_t bytes = size_of(aval().dtype);
  for (int axis = 1; axis < aval().shape.rank(); ++axis) bytes *= static_cast<size_t>(aval().shape[axis]);
  return bytes;
}

void ArrayFile::read_rows(int64_t first, int64_t count, void* to) const {
  if (first < 0 || count < 0 || first > rows() || count > rows() - first)
    throw InvalidArgument(
        cat(bytes_.origin().file, ": rows ", first, " to ", first + count, " are asked for, of ", rows()));
  const auto elements = static_cast<size_t>(count) * (row_bytes() / size_of(aval().dtype));
  if (elements == 0) return;
  if (layout_.fortran_order && aval().shape.rank() > 1) read_fortran(first, count, static_cast<char*>(to));
  else
    bytes_.read(layout_.data_offset + static_cast<uint64_t>(first) * row_bytes(), to,
                static_cast<size_t>(count) * row_bytes());
  settle_elements(to, elements, aval().dtype, layout_.big_endian);
}

// In Fortran's order a column of the first axis lies together: `count` of each, for each place in a row.
void ArrayFile::read_fortran(int64_t first, int64_t count, char* to) const {
  const Shape& shape = aval().shape;
  const size_t size = size_of(aval().dtype), row = row_bytes();
  const Strides strides = row_major(shape);
  std::vector<char> column(static_cast<size_t>(count) * size);
  int64_t index[kMaxRank] = {};
  for (uint64_t place = 0; place < row / size; ++place) {
    bytes_.read(layout_.data_offset + (place * static_cast<uint64_t>(rows()) + static_cast<uint64_t>(first)) * size,
                column.data(), column.size());
    int64_t offset = 0;
    for (int axis = 1; axis < shape.rank(); ++axis) offset += index[axis] * strides[axis];
    char* at = to + static_cast<size_t>(offset) * size;
    for (int64_t i = 0; i < count; ++i, at += row)
      std::memcpy(at, column.data() + static_cast<size_t>(i) * size, size);
    for (int axis = 1; axis < shape.rank() && ++index[axis] == shape[axis]; ++axis) index[axis] = 0;
  }
}

void ArrayFile::will_read_rows(int64_t first, int64_t count) const {
  bytes_.will_read(layout_.data_offset + static_cast<uint64_t>(first) * row_bytes(),
                   static_cast<uint64_t>(count) * row_bytes());
}

Array ArrayFile::read() const {
  Array array = Array::allocate(aval(), Owner::input);
  read_rows(0, rows(), array.data());
  return array;
}

}  // namespace brio::formats
