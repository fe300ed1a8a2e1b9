#include "brio/runtime/nested_plan.h"

#include <cstring>

namespace brio {
void Lane::copy(void* to, const void* from, size_t bytes) const {
  if (bytes == 0) return;
  if (stream) stream->copy(to, from, bytes);
  else std::memcpy(to, from, bytes);
}
void Lane::clear(void* data, size_t bytes) const {
  if (bytes == 0) return;
  if (stream) stream->clear(data, bytes);
  else std::memset(data, 0, bytes);
}
bool Lane::flag(const void* at) const {
  bool value = false;
  if (!stream) return *static_cast<const bool*>(at);
  stream->copy_to_host(&value, at, sizeof(value));
  stream->device().traffic.count_out(sizeof(value));
  stream->synchronize();
  return value;
}

NestedPlan::NestedPlan(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {
  const auto& fresh = plan_->fresh_buffers();
  fresh_target_.assign(fresh.size(), -1);
  fresh_offset_.assign(fresh.size(), 0);
  direct_.assign(plan_->outputs().size(), false);
  for (size_t k = 0; k < plan_->outputs().size(); ++k) {
    const Plan::Output& output = plan_->outputs()[k];
    if (output.is_input || output.offset != 0 || output.aval.bytes() != fresh[output.index]) continue;
    if (fresh_target_[output.index] >= 0) continue;
    fresh_target_[output.index] = static_cast<int64_t>(k);
    direct_[k] = true;
  }
  size_t at = align(plan_->arena_bytes());
  for (size_t j = 0; j < fresh.size(); ++j)
    if (fresh_target_[j] < 0) {
      fresh_offset_[j] = at;
      at += align(fresh[j]);
    }
  scratch_bytes_ = at;
}

void NestedPlan::run(const void* const* in, void* const* out, void* scratch, void** table, const Lane& lane) const {
  char* const base = static_cast<char*>(scratch);
  void** const fresh = table + plan_->pointer_count();
  for (size_t j = 0; j < fresh_target_.size(); ++j)
    fresh[j] = fresh_target_[j] >= 0 ? out[fresh_target_[j]] : base + fresh_offset_[j];
  plan_->run(in, fresh, base, table, false, lane.stream);
  for (size_t k = 0; k < direct_.size(); ++k) {
    if (direct_[k]) continue;
    const Plan::Output& output = plan_->outputs()[k];
    const void* from = output.is_input ? in[output.index] : fresh[output.index];
    lane.copy(out[k], static_cast<const char*>(from) + output.offset, output.aval.bytes());
  }
}

}  // namespace brio
