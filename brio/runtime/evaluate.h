// Registers the evaluator, which runs recordings.
#pragma once

namespace brio {

// Registers ops and the evaluator; backends follow at the first run. Every program that includes this header calls it
// before main, so a static library links the runtime.
bool register_runtime();
inline const bool runtime_registered = register_runtime();

}  // namespace brio
