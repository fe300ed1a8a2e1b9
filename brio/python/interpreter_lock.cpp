#include "brio/python/interpreter_lock.h"

#include <cxxabi.h>
#include <unistd.h>

#include "brio/data/engine/fork_gate.h"

namespace brio::python {

void stop_here() {
  for (;;) pause();
}

void take_interpreter(PyThreadState* state) noexcept {
  try {
    PyEval_RestoreThread(state);
  } catch (abi::__forced_unwind&) {
    stop_here();
  }
}

PyGILState_STATE ensure_interpreter() noexcept {
  try {
    return PyGILState_Ensure();
  } catch (abi::__forced_unwind&) {
    stop_here();
  }
}

bool leave_fork_gate() noexcept {
  if (!data::fork_gate::inside()) return false;
  data::fork_gate::leave();
  return true;
}

void enter_fork_gate(bool left) noexcept {
  if (left) data::fork_gate::enter();
}

}  // namespace brio::python
