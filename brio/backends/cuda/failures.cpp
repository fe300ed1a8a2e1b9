#include "brio/backends/cuda/failures.h"

#include <algorithm>
#include <cstdlib>

#include "brio/base/error.h"

namespace brio::cuda {

OpNames UnderWay::since(uint64_t passed) const {
  const std::lock_guard lock(mutex_);
  std::vector<const Entry*> behind;
  for (const Entry& entry : entries_)
    if (entry.ticket > passed) behind.push_back(&entry);
  std::ranges::sort(behind, {}, &Entry::ticket);
  OpNames names;
  const auto add = [&](std::string_view op) {
    if (std::ranges::find(names, op) == names.end()) names.push_back(op);
  };
  for (const Entry* entry : behind) {
    if (!entry->ops) add(entry->op);
    else std::ranges::for_each(*entry->ops, add);
  }
  return names;
}

std::string named(std::span<const std::string_view> ops) {
  if (ops.empty()) return "nothing is known to have been under way";
  if (ops.size() == 1) return cat("the op is ", ops[0]);
  std::string text = "it is one of these ops: ";
  for (size_t i = 0; i < ops.size(); ++i) text += cat(i ? ", " : "", ops[i]);
  return text;
}

bool is_broken(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ECC_UNCORRECTABLE: return true;
    default: return false;
  }
}

std::string breakage(CUresult result, std::span<const std::string_view> ops) {
  const char *name = nullptr, *text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  return cat("[cuda] a kernel broke the device: ", text ? text : "unknown error", " (", name ? name : "?", "); ",
             named(ops), ". ", ops.size() == 1 ? "" : "BRIO_CUDA_SYNC=1 waits for each, and names it. ",
             "This process cannot use the device any more; please report it");
}

bool waits_for_each() {
  static const char* const setting = std::getenv("BRIO_CUDA_SYNC");
  return setting && *setting == '1';
}

bool is_to_break(std::string_view op) {
  static const char* const setting = std::getenv("BRIO_CUDA_BREAK");
  return setting && op == setting;
}

}  // namespace brio::cuda
