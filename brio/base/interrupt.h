// Waits that may be long, and loops that may find nothing, ask now and then whether to go on: from Python, whether
// somebody has pressed Ctrl-C.
#pragma once

namespace brio {

using InterruptCheck = void (*)();  // throws what the wait is to end with
void set_interrupt_check(InterruptCheck check);
void check_interrupt();

}  // namespace brio
