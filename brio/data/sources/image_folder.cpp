#include "brio/data/sources/image_folder.h"

#include "brio/base/error.h"
#include "brio/data/pictures/picture_stages.h"

namespace brio::data {
namespace {

int channels_of(ColorMode mode) { return mode == ColorMode::grayscale ? 1 : mode == ColorMode::rgb ? 3 : 4; }

void check(const ImageFolderOptions& options, const LabelledFiles& files) {
  if (options.batch_size < 0)
    throw InvalidArgument(cat("[image_folder] batch_size is ", options.batch_size, "; it must be 1 or more, or 0"));
  const auto [height, width] = options.image_size;
  if (height < 1 || width < 1 || height > 65536 || width > 65536)
    throw InvalidArgument(cat("[image_folder] image_size is (", height, ", ", width, "); both lie from 1 to 65536"));
  if (options.dtype != f32 && options.dtype != u8)
    throw InvalidArgument(cat("[image_folder] dtype is ", options.dtype, "; pictures are float32 or uint8"));
  if (options.crop_to_aspect_ratio && options.pad_to_aspect_ratio)
    throw InvalidArgument("[image_folder] crop_to_aspect_ratio and pad_to_aspect_ratio exclude each other");
  if (options.label_mode == LabelMode::binary && files.class_names.size() != 2)
    throw InvalidArgument(
        cat("[image_folder] label_mode binary needs two classes; there are ", files.class_names.size()));
}

}  // namespace

ImageFolder image_folder(const std::string& directory, const ImageFolderOptions& options) {
  LabelledFiles files = find_files("image_folder", directory, {".bmp", ".gif", ".jpeg", ".jpg", ".png"},
                                   {.inferred = options.inferred && options.label_mode != LabelMode::none,
                                    .labels = options.labels,
                                    .class_names = options.class_names,
                                    .shuffle = options.shuffle,
                                    .seed = options.seed,
                                    .validation_split = options.validation_split,
                                    .subset = options.subset,
                                    .follow_links = options.follow_links});
  return image_files(std::move(files), options);
}

ImageFolder image_files(LabelledFiles files, const ImageFolderOptions& options) {
  check(options, files);
  if (options.label_mode == LabelMode::none) files.labels.clear();
  const PictureShape wanted{.height = options.image_size.height,
                            .width = options.image_size.width,
                            .channels = channels_of(options.color_mode),
                            .interpolation = options.interpolation,
                            .fit = options.crop_to_aspect_ratio  ? Fit::crop
                                   : options.pad_to_aspect_ratio ? Fit::pad
                                                                 : Fit::stretch,
                            .reduced_decode = options.reduced_decode,
                            .apply_orientation = options.apply_orientation,
                            .limits = options.limits,
                            .dtype = options.dtype};
  Dataset dataset(picture_files(files, options.label_mode));
  if (options.shuffle)
    dataset =
        dataset.shuffle(kAutotune, {.seed = options.seed ? std::optional<uint64_t>(*options.seed) : std::nullopt});
  dataset = Dataset(resized(decoded(dataset.node(), wanted), wanted)).on_error(options.on_error);
  if (options.batch_size > 0) dataset = dataset.batch(options.batch_size);
  return {dataset, std::move(files)};
}

Dataset pictures(const LabelledFiles& files, int channels, LabelMode label_mode,
                 const formats::PictureLimits& limits) {
  return Dataset(decoded(picture_files(files, label_mode), {.channels = channels, .limits = limits}));
}

}  // namespace brio::data
