#include "brio/base/tensor_float.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace brio {
namespace {

std::atomic<bool>& setting() {
  static std::atomic<bool> on = [] {
    const char* const asked = std::getenv("BRIO_TF32");
    return asked && std::string_view(asked) == "1";
  }();
  return on;
}

}  // namespace

bool tensor_float_32() { return setting().load(std::memory_order_relaxed); }
void set_tensor_float_32(bool on) { setting().store(on, std::memory_order_relaxed); }

}  // namespace brio
