// An array that lies in a file as its elements one after the other: what .npy and IDX files are behind their headers.
// Rows (along the first axis) are read by position, so that a dataset of any size needs no memory.
#pragma once

#include <vector>

#include "brio/formats/read_at.h"
#include "brio/tensor/aval.h"

namespace brio::formats {

class ArrayFile {
 public:
  struct Layout {
    Aval aval;
    uint64_t data_offset = 0;    // of the first element
    bool big_endian = false;     // elements of the other byte order
    bool fortran_order = false;  // the first axis is the one that varies fastest
  };

  // Throws DataError where the bytes are not just those that the layout needs. `what`: "npy".
  ArrayFile(ReadAt bytes, const Layout& layout, std::string_view what);

  const Aval& aval() const { return layout_.aval; }
  uint64_t data_offset() const { return layout_.data_offset; }
  // Do the bytes in the file look as they do in memory?
  bool as_in_memory() const {
    const bool turned = layout_.big_endian && size_of(layout_.aval.dtype) > 1;
    return !turned && !layout_.fortran_order && layout_.aval.dtype != boolean;
  }

  int64_t rows() const { return aval().shape.rank() == 0 ? Size(1) : aval().shape[0]; }
  size_t row_bytes() const;
  // Rows [first, first + count) into memory for count * row_bytes(). Throws InvalidArgument where there are fewer.
  void read_rows(int64_t first, int64_t count, void* to) const;
  // Rows [first, first + count) will be read soon.
  void will_read_rows(int64_t first, int64_t count) const;
  // Does a row lie in one piece?
  bool has_rows_in_one_piece() const { return !layout_.fortran_order; }
  Array read() const;

 private:
  void read_fortran(int64_t first, int64_t count, char* to) const;

  ReadAt bytes_;
  Layout layout_;
};

// Elements as they were stored, in memory: their bytes turned where they are big-endian, truths made 0 or 1.
void settle_elements(void* elements, size_t count, DType dtype, bool big_endian);

// A shape out of what a file says. Throws DataError where it has too many dimensions, or too many elements to count.
Shape shape_in_file(const std::vector<uint64_t>& dims, DType dtype, const Origin& origin, uint64_t at);

}  // namespace brio::formats
