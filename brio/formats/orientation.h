// EXIF's orientation: what a file says, and rows of a stored picture put where they belong when it is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "brio/formats/picture.h"

namespace brio::formats {

// The orientation in a TIFF block ("II*\0…" or "MM\0*…"): 1 to 8, and 1 where it says none or is damaged.
int exif_orientation(std::string_view tiff);
// The same, of a JPEG file: that of its first APP1 segment of EXIF.
int jpeg_orientation(std::string_view jpeg);

// Puts rows of a stored picture into a window of the shown one. Has no destructor, so that longjmp may pass it.
class RowPlacer {
 public:
  // `stored`: size as stored. `window`: of the shown picture. `pixel`: bytes of one, 1 to 8.
  RowPlacer(int orientation, const PictureSize& stored, const Window& window, int pixel, void* rows, size_t stride);

  bool as_stored() const { return !transpose_ && !flip_rows_ && !flip_columns_; }
  const Window& stored_window() const { return from_; }  // the part of the stored picture that the window shows
  // `pixels`: from the first column of the stored window on. `row`: within stored_window()'s rows.
  void put(int64_t row, const uint8_t* pixels) const { put_(*this, row, pixels); }

  // Where a stored row goes, where it goes as stored.
  uint8_t* place_of(int64_t row) const { return first_ + (row - from_.top) * row_step_; }

  static bool transposes(int orientation) { return orientation >= 5; }

 private:
  template <int pixel>
  static void put_pixels(const RowPlacer& self, int64_t row, const uint8_t* pixels);

  bool transpose_, flip_rows_, flip_columns_;
  Window from_;
  uint8_t* first_;  // where the first pixel of the stored window goes
  ptrdiff_t row_step_, column_step_;
  void (*put_)(const RowPlacer&, int64_t, const uint8_t*);
};

}  // namespace brio::formats
