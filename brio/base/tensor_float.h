// May products and convolutions of float32 be computed in TF32, where a device has that? A GPU's tensor cores then
// take operands of 10 bits behind the point instead of 23: several times faster, and no more exact than float16. Off
// unless asked for, here or by BRIO_TF32=1. It counts for plans that are made from now on.
#pragma once

namespace brio {

bool tensor_float_32();
void set_tensor_float_32(bool on);

}  // namespace brio
