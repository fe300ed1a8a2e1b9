// The interpreter's lock, taken and given back for a scope, in place of nanobind's classes: these let a process end.
// When Python ends while a daemon thread is in here, it ends that thread by unwinding its stack; a destructor, which
// throws nothing, is where that becomes an abort. Such a thread stops where it is instead, and ends with the process.
#pragma once

#include <Python.h>

#include "brio/profile/pipelines.h"

namespace brio::python {

[[noreturn]] void stop_here();                         // for ever
void take_interpreter(PyThreadState* state) noexcept;  // PyEval_RestoreThread
PyGILState_STATE ensure_interpreter() noexcept;        // PyGILState_Ensure
// A thread of input does not keep others from forking while it is in Python: who forks there has the interpreter, and
// would wait for one that waits for it.
bool leave_fork_gate() noexcept;
void enter_fork_gate(bool left) noexcept;

class [[nodiscard]] Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() { take_interpreter(state_); }
  Unlocked(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

class [[nodiscard]] Locked {
 public:
  Locked() : begun_(profile::ticks()), left_gate_(leave_fork_gate()), state_(ensure_interpreter()) {}
  ~Locked() {
    if (!PyGILState_Check()) stop_here();  // Python ended in here, and the stack is being unwound
    if (state_ == PyGILState_UNLOCKED) profile::add_python_ticks(profile::ticks() - begun_);
    PyGILState_Release(state_);
    enter_fork_gate(left_gate_);
  }
  Locked(const Locked&) = delete;

 private:
  uint64_t begun_;
  bool left_gate_;
  PyGILState_STATE state_;
};

}  // namespace brio::python
