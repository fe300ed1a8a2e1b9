// Bytes from one buffer to another, wherever both lie. `runtime` registers how devices do it.
#pragma once

#include "brio/tensor/memory.h"

namespace brio {

// From a device to the same or another one, or to the host; `to` lies elsewhere than on the host or `from` does.
using DeviceCopy = void (*)(const Buffer& to, const Buffer& from, size_t offset, size_t bytes);
void set_device_copy(DeviceCopy copy);

void copy_buffer(const Buffer& to, const Buffer& from, size_t offset, size_t bytes);

}  // namespace brio
