// The steps of a picture from its file to its batch: read, decode, resize. Each writes memory that its thread uses
// again and again; the last one writes into the batch.
#pragma once

#include "brio/data/class_folders.h"
#include "brio/data/image_folder.h"
#include "brio/data/stage.h"

namespace brio::data {

enum class Fit : uint8_t { stretch, crop, pad };  // where the shape of the picture is not that which is wanted

struct PictureShape {
  int64_t height = 0, width = 0;  // 0: as they are
  int channels = 3;
  image::Interpolation interpolation = image::Interpolation::bilinear;
  Fit fit = Fit::stretch;
  bool reduced_decode = false, apply_orientation = false;
  formats::PictureLimits limits = {};
};

// The bytes of files as uint8, and labels; elements are numbered.
NodePtr picture_files(const LabelledFiles& files, LabelMode label_mode);
// Part 0, bytes of a picture, becomes uint8 pixels. `files` is, below shuffles and the like, a picture_files: errors
// name the file.
NodePtr decoded(NodePtr files, const PictureShape& wanted);
// Part 0, uint8 pixels, becomes float32 of the wanted size.
NodePtr resized(NodePtr pictures, const PictureShape& wanted);

}  // namespace brio::data
