// Who makes the batches of a dataset that are for a device: the host's threads, or the device where it decodes
// pictures. The device's pixels differ a little from the host's, which are TensorFlow's, so the device has to be
// asked for, and a choice by trial is written down ($BRIO_CACHE/pictures), once for each dataset and machine: the
// same program has the same bits again.
//
// BRIO_CUDA_PICTURES=1: the device wherever it can; auto: whichever is faster in a trial; otherwise the host.
#pragma once

#include <string>

#include "brio/data/dataset.h"

namespace brio::data {

struct PictureChoice {
  const Node* batch = nullptr;  // what the device makes; null: the host makes all
  std::string why;
};
// `asked`: the device, if it can at all.
PictureChoice choose_for_pictures(const Dataset& dataset, Device& device, bool asked);

}  // namespace brio::data
