// The steps of a picture from its file to its batch: read, decode, resize, and what else is done to its rows. Each
// writes memory that its thread uses again and again; the last one writes into the batch.
#pragma once

#include "brio/data/engine/stage.h"
#include "brio/data/pictures/picture_finish.h"
#include "brio/data/sources/class_folders.h"
#include "brio/data/sources/image_folder.h"

namespace brio::data {

enum class Fit : uint8_t { stretch, crop, pad };  // where the shape of the picture is not that which is wanted

struct PictureShape {
  int64_t height = 0, width = 0;  // 0: as they are
  int channels = 3;
  image::Interpolation interpolation = image::Interpolation::bilinear;
  Fit fit = Fit::stretch;
  bool reduced_decode = false, apply_orientation = false;
  formats::PictureLimits limits = {};
  DType dtype = f32;  // of the result of resizing: float32, or uint8, rounded
};

// Which part of a decoded picture ends up in the result.
formats::Window window_of(const formats::PictureSize& size, const PictureShape& wanted);

// A stage that resizes decoded pictures. Below it is one that decodes, and below that one that reads files.
class PictureRowsStage : public WholeStage {
 public:
  using WholeStage::WholeStage;
  virtual const PictureShape& wanted() const = 0;
  virtual const PictureFinish& finished_as() const = 0;
};

// A node that makes pictures row by row, and can do more with the rows in the same pass.
class PictureRowsNode : public Transform {
 public:
  PictureRowsNode(NodePtr input, PictureFinish finish) : Transform(std::move(input)), finish_(std::move(finish)) {}
  virtual NodePtr with(const PictureFinish& finish) const = 0;
  // Why no device makes the same (device_batch.h); empty: one may.
  virtual std::string obstacle_for_devices() const { return "pictures that are not resized are made by the host"; }

 protected:
  PictureFinish finish_;
};

// The bytes of files as uint8, and labels; elements are numbered.
NodePtr picture_files(const LabelledFiles& files, LabelMode label_mode);
// Part 0, bytes of a picture, becomes uint8 pixels. `files` is, below shuffles and the like, a picture_files: errors
// name the file.
NodePtr decoded(NodePtr files, const PictureShape& wanted);
// Is the node a decoded() of files, whose order alone may have changed since?
bool decodes_files(const Node& node);
// Part 0, uint8 pixels, becomes numbers of the wanted size and type.
NodePtr resized(NodePtr pictures, const PictureShape& wanted);

void pass_labels(const Element& in, Element& out);  // all parts but the picture

}  // namespace brio::data
