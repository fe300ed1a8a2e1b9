// Lets fork() find the threads of input at rest. Such a thread may hold a lock (of the memory pool, of a plan cache)
// that in the child nobody would ever give back. So a fork waits until every one of them is between two pieces of
// work, and holds them there meanwhile; in the child, which has none of them, each Parallel is told.
#pragma once

namespace brio::data::fork_gate {

// Of a thread of input, around all that it does but waiting. Must not be called with a lock that another such thread
// needs.
void enter();  // waits while a fork is under way
void leave();
bool inside();      // is this thread one that has entered?
bool fork_waits();  // then leave() and enter()

// What is to be told in the child of a fork.
class Told {
 public:
  virtual void after_fork_in_child() = 0;

 protected:
  ~Told() = default;
  // At the end of its constructor and at the beginning of its destructor: another thread may fork at any moment, and
  // what is half made cannot be told.
  void begin_to_listen();
  void stop_listening();
};

}  // namespace brio::data::fork_gate
