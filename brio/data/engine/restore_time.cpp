#include "brio/data/engine/restore_time.h"

#include <algorithm>

#include "brio/base/clock.h"
#include "brio/base/error.h"
#include "brio/data/engine/state.h"

namespace brio::data {

Replay::Scope::Scope(Replay& replay, double seconds) : replay_(replay) {
  replay.seconds_ = seconds;
  replay.until_ns_.store(now_ns() + static_cast<int64_t>(std::min(seconds, 1e9) * 1e9), std::memory_order_release);
}

void Replay::check_clock(int64_t until) const {
  if (now_ns() > until)
    StateReader::refuse(cat("to claim so many elements again takes longer than the ", seconds_,
                            " s that Options::restore_seconds allows"));
}

}  // namespace brio::data
