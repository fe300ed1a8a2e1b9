// Steps over single pictures: part 0 of an element is (height, width, channels), float32 or uint8, and the others
// pass. Where they follow image_folder or each other they are done in its pass over the rows, into the batch:
//
//   auto photos = data::image_folder("photos", {.batch_size = 0, .image_size = {224, 224}});
//   auto train = data::normalize(data::random_flip(photos), {.mean = {124, 116, 104}, .deviation = {58, 57, 57}})
//                    .batch(32);
#pragma once

#include <optional>
#include <vector>

#include "brio/data/dataset.h"

namespace brio::data {

struct RandomFlipOptions {
  bool horizontal = true, vertical = false;  // each for half of the pictures, in every epoch others
  std::optional<uint64_t> seed = {};
};
Dataset random_flip(const Dataset& pictures, const RandomFlipOptions& options = {});

struct NormalizeOptions {
  std::vector<float> mean = {0}, deviation = {1};  // one for each channel, or one for all
};
// (x - mean) / deviation as float32. As image::normalize does, uint8 is scaled to [0, 1] first.
Dataset normalize(const Dataset& pictures, const NormalizeOptions& options);

struct RescaleOptions {
  float scale = 1, offset = 0;
};
// x · scale + offset as float32, as Keras' Rescaling.
Dataset rescale(const Dataset& pictures, const RescaleOptions& options);

}  // namespace brio::data
