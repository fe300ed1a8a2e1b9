// Keras' fuzz factor, keras.backend.epsilon(): it keeps losses, metrics, constraints and norms from dividing by
// zero.
#pragma once

namespace brio::nn {

constexpr double kEpsilon = 1e-7;

}  // namespace brio::nn
