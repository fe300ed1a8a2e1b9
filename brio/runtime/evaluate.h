// Registers the evaluator: how a recording is run.
#pragma once

namespace brio {

// Makes ops and the evaluator known; backends follow at the first run. Every program that includes this header calls
// it before main, so that a static library brings the runtime along.
bool register_runtime();
inline const bool runtime_registered = register_runtime();

}  // namespace brio
