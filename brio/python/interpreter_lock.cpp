#include "brio/python/interpreter_lock.h"

#include <cxxabi.h>
#include <unistd.h>

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

}  // namespace brio::python
