// Colours of pictures (see image.h), with tf.image's definitions. Floating-point pictures are in [0, 1] where a scale
// matters. Integers stand for shares of their dtype's largest number; they are computed as float32 and returned in
// their own dtype, cut to its range.
#pragma once

#include "brio/ir/tensor.h"
#include "brio/ops/image/image.h"

namespace brio::image {

// Converts to another dtype and its scale: [0, 1] of floats is [0, largest] of integers. A float outside of [0, 1] is
// always cut to the range of the integers. A negative integer becomes 0 in an unsigned dtype with `saturate`, and
// wraps without it.
Tensor convert_image_dtype(const Tensor& pictures, DType dtype, bool saturate = false);

Tensor rgb_to_grayscale(const Tensor& pictures);  // one channel: 0.2989 red, 0.5870 green, 0.1140 blue
Tensor grayscale_to_rgb(const Tensor& pictures);  // one channel three times
// For floating-point pictures. Hue, saturation and value are in [0, 1]; the hue of grey is 0.
Tensor rgb_to_hsv(const Tensor& pictures);
Tensor hsv_to_rgb(const Tensor& pictures);
Tensor rgb_to_yiq(const Tensor& pictures);
Tensor yiq_to_rgb(const Tensor& pictures);
Tensor rgb_to_yuv(const Tensor& pictures);
Tensor yuv_to_rgb(const Tensor& pictures);

Tensor adjust_brightness(const Tensor& pictures, const Amount& delta);   // adds it
Tensor adjust_contrast(const Tensor& pictures, const Amount& factor);    // away from each channel's mean
Tensor adjust_saturation(const Tensor& pictures, const Amount& factor);  // of HSV, cut to [0, 1]
Tensor adjust_hue(const Tensor& pictures, const Amount& delta);          // in full turns of the colour wheel, [-1, 1]
Tensor adjust_gamma(const Tensor& pictures, const Amount& gamma = 1, const Amount& gain = 1);  // gain · x^gamma

// Subtracts each picture's mean and divides by its deviation, or by 1 / √(number of elements) if that is larger. As
// in TensorFlow, integers are not scaled; the result is float32.
Tensor per_image_standardization(const Tensor& pictures);
// (x - mean) / deviation, for each channel or one for all. Integers are scaled to [0, 1] first and become float32.
Tensor normalize(const Tensor& pictures, const Tensor& mean, const Tensor& deviation);

struct ImageGradients {
  Tensor dy, dx;  // of the pictures' shape
};
ImageGradients image_gradients(const Tensor& pictures);  // the next pixel less this one; 0 in the last row or column
Tensor total_variation(const Tensor& pictures);          // the sum of their magnitudes, for each picture

}  // namespace brio::image
