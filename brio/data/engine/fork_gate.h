// Brings the threads of input to rest for fork(). Such a thread may hold a lock (of the memory pool, of a plan cache)
// that would never be released in the child. So a fork waits until each of them is between two pieces of work, and
// holds them there. The child has none of these threads; there, each Parallel is told about the fork.
#pragma once

namespace brio::data::fork_gate {

// For a thread of input, around everything except waiting. Must not be called with a lock that another such thread
// needs.
void enter();  // waits during a fork
void leave();
bool inside();      // whether this thread has entered
bool fork_waits();  // if true, call leave() and enter()

// An object that is told about a fork in the child.
class Told {
 public:
  virtual void after_fork_in_child() = 0;

 protected:
  ~Told() = default;
  // Call these at the end of the constructor and at the beginning of the destructor: another thread may fork at any
  // moment, and an incomplete object cannot be told.
  void begin_to_listen();
  void stop_listening();
};

}  // namespace brio::data::fork_gate
