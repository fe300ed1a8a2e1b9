// Turns: one thread at a time, in the order of arrival. The thread that has the turn may take it again, for example
// for an evaluation inside of a callback.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

namespace brio::train {

class Turns {
 public:
  void take();  // waits; throws Interrupted
  void leave();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::thread::id> waiting_;
  std::thread::id holder_;
  int depth_ = 0;  // 0: no thread has the turn
};

class [[nodiscard]] Turn {
 public:
  explicit Turn(Turns& turns) : turns_(turns) { turns_.take(); }
  ~Turn() { turns_.leave(); }
  Turn(const Turn&) = delete;

 private:
  Turns& turns_;
};

}  // namespace brio::train
