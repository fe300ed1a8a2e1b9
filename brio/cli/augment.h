// A picture a little changed, as `brio pack --augment` stores it: mirrored or not, turned by up to 10°, 85 to 100 %
// of each side cut out, and lighter or darker by up to 10 % of the range. What lies outside of the picture is its
// mirror image. One pass from the source to the size that is wanted.
#pragma once

#include "brio/base/philox.h"
#include "brio/cli/pixels.h"

namespace brio::cli {

void augment_rgb(Pixels& pixels, int64_t height, int64_t width, const RandomStream& random);

}  // namespace brio::cli
