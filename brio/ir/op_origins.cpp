#include "brio/ir/op_origins.h"

#include <algorithm>
#include <utility>

namespace brio {

constinit thread_local OpOrigins* OpOrigins::current_ = nullptr;

OpOrigins::OpOrigins() : before_(std::exchange(current_, this)) {}
OpOrigins::~OpOrigins() { current_ = before_; }

void OpOrigins::mark(const Recording& recording, Origin origin) {
  if (recording.kind != Recording::Kind::function) return;  // a body is one op of its function
  marks_.push_back({static_cast<uint32_t>(recording.nodes.size()), std::move(origin)});
}

void OpOrigins::enter(std::string_view name) {
  path_.push_back(path_.empty() ? std::string(name) : path_.back() + "/" + std::string(name));
  mark(current_recording(), {path_.back()});
}

void OpOrigins::leave() {
  path_.pop_back();
  mark(current_recording(), {path_.empty() ? std::string() : path_.back()});
}

void OpOrigins::begin_gradient(const Recording& recording, uint32_t of) { mark(recording, {{}, of}); }
void OpOrigins::end_gradient(const Recording& recording) {
  mark(recording, {path_.empty() ? std::string() : path_.back()});
}

OpOrigins::Origin OpOrigins::of(uint32_t node) const {
  const auto next = std::ranges::upper_bound(marks_, node, {}, &Mark::from);
  if (next == marks_.begin()) return {};
  Origin origin = (next - 1)->origin;
  if (origin.gradient_of != kNone) origin.place = of(origin.gradient_of).place;
  return origin;
}

}  // namespace brio
