// image_folder: pictures in a directory as batches, with the arguments and the meaning of Keras'
// image_dataset_from_directory.
//
//   auto train = data::image_folder("photos", {.image_size = {224, 224}, .seed = 1, .validation_split = 0.2,
//                                              .subset = data::Subset::training});
//   model.fit(train, {.epochs = 10});
//
// Every epoch shuffles all files, not only a buffer of them. One thread reads, decodes and resizes a picture directly
// into its batch.
#pragma once

#include "brio/data/dataset.h"
#include "brio/data/sources/class_folders.h"
#include "brio/formats/picture.h"
#include "brio/ops/image/image.h"

namespace brio::data {

enum class LabelMode : uint8_t { integer, categorical, binary, none };  // int32; one-hot float32; float32 0 or 1
enum class ColorMode : uint8_t { grayscale, rgb, rgba };

struct ImageSize {
  int64_t height = 256, width = 256;
};

struct ImageFolderOptions {
  bool inferred = true;              // labels: the subdirectories; otherwise `labels`, or none
  std::vector<int32_t> labels = {};  // in the order of the sorted paths
  LabelMode label_mode = LabelMode::integer;
  std::vector<std::string> class_names = {};
  ColorMode color_mode = ColorMode::rgb;
  int64_t batch_size = 32;  // 0: single pictures
  ImageSize image_size = {};
  bool shuffle = true;
  std::optional<uint32_t> seed = {};
  double validation_split = 0;
  Subset subset = Subset::all;
  image::Interpolation interpolation = image::Interpolation::bilinear;
  bool follow_links = false;
  bool crop_to_aspect_ratio = false, pad_to_aspect_ratio = false;

  // Not in Keras. JPEGs at least twice as large as needed are decoded at ½, ¼ or ⅛ of their size. This is faster, and
  // smoother than the exact result, which reads only few of the pixels (docs/decisions/pictures.md: 27 to 33 dB from
  // it).
  bool reduced_decode = false;
  bool apply_orientation = false;  // turn photos according to their EXIF data
  DType dtype = f32;               // or u8, a quarter of the bytes: rounded to the nearest
  formats::PictureLimits limits = {};
  OnError on_error = OnError::fail;
};

struct ImageFolder : Dataset {
  ImageFolder(Dataset dataset, LabelledFiles files)
      : Dataset(std::move(dataset)), class_names(std::move(files.class_names)), file_paths(std::move(files.paths)) {}
  std::vector<std::string> class_names;
  std::vector<std::string> file_paths;  // before each epoch's shuffle
};
ImageFolder image_folder(const std::string& directory, const ImageFolderOptions& options = {});
// The same for files that were already found; options for finding files are ignored.
ImageFolder image_files(LabelledFiles files, const ImageFolderOptions& options = {});

// Decoded uint8 pictures (height, width, channels) of any size, with labels if there are any: the input of
// image_folder's resize. `channels`: 0 as stored.
Dataset pictures(const LabelledFiles& files, int channels, LabelMode label_mode = LabelMode::integer,
                 const formats::PictureLimits& limits = {});

}  // namespace brio::data
