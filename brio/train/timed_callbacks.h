// The callbacks of a run; each call is timed by the recorder.
#pragma once

#include <vector>

#include "brio/profile/named.h"
#include "brio/profile/recorder.h"
#include "brio/train/callback.h"
#include "brio/train/model.h"

namespace brio::train {

class TimedCallbacks {
 public:
  explicit TimedCallbacks(const nn::Callbacks& callbacks);

  template <typename F>
  void each(F&& f) const {
    for (const Row& row : rows_) {
      if (!row.times) {
        f(*row.callback);
        continue;
      }
      const profile::Scope scope(profile::Part::callbacks);
      const uint64_t begin = profile::ticks();
      f(*row.callback);
      profile::count(row.times, profile::ticks() - begin);
    }
  }

 private:
  struct Row {
    Callback* callback;
    profile::NamedRow* times;  // null: not timed
  };
  std::vector<Row> rows_;
};

}  // namespace brio::train
