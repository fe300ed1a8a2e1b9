// Copies bytes from one buffer to another, in any memory. `runtime` registers how devices do it.
#pragma once

#include "brio/tensor/memory.h"

namespace brio {

// From a device to the same or another device or to the host, or from the host to a device.
using DeviceCopy = void (*)(const Buffer& to, const Buffer& from, size_t offset, size_t bytes);
void set_device_copy(DeviceCopy copy);

void copy_buffer(const Buffer& to, const Buffer& from, size_t offset, size_t bytes);

}  // namespace brio
