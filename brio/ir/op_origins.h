// Where the ops of a trace come from: the layer that recorded each op, or the op whose gradient it is part of. Kept
// only while an object of this class lives, for a trace of the same thread that is made to be inspected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brio/ir/recording.h"

namespace brio {

class OpOrigins {
 public:
  OpOrigins();  // for this thread, until it is destroyed
  ~OpOrigins();
  OpOrigins(const OpOrigins&) = delete;
  static OpOrigins* current() { return current_; }

  struct Origin {
    std::string place;             // "model/dense_1"; empty: none
    uint32_t gradient_of = kNone;  // node
  };
  Origin of(uint32_t node) const;  // by its position in the function's recording

  void enter(std::string_view name);
  void leave();
  void begin_gradient(const Recording& recording, uint32_t of);  // the nodes that follow
  void end_gradient(const Recording& recording);

 private:
  void mark(const Recording& recording, Origin origin);

  struct Mark {
    uint32_t from;
    Origin origin;
  };
  std::vector<Mark> marks_;
  std::vector<std::string> path_;
  OpOrigins* before_;
  static constinit thread_local OpOrigins* current_;
};

// Ops of a scope belong to `name`, within the names around it.
class OriginScope {
 public:
  explicit OriginScope(std::string_view name) : origins_(OpOrigins::current()) {
    if (origins_) [[unlikely]]
      origins_->enter(name);
  }
  ~OriginScope() {
    if (origins_) [[unlikely]]
      origins_->leave();
  }
  OriginScope(const OriginScope&) = delete;

 private:
  OpOrigins* origins_;
};

}  // namespace brio
