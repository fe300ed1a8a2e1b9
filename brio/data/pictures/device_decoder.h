// Whether a device's decoder of pictures can be relied on.
#pragma once

#include <string>

namespace brio {
class Device;
}

namespace brio::data {

// Why a device decodes no pictures; empty: it does, in the first of its ways that gives the pixels of a file of our
// own, through everything that is between. Tried at the first call, once for each device.
std::string decoder_obstacle(Device& device);

}  // namespace brio::data
