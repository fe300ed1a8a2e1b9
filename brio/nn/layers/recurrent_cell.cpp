#include "brio/nn/layers/recurrent_cell.h"

#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {

Tensors Cell::initial_states(Size batch) const {
  Tensors states;
  for (const int64_t size : state_sizes()) states.push_back(zeros({batch, size}, policy().compute()));
  return states;
}

Cell::Walk Cell::walk(const Tensor& sequence, const Call& how) {
  return {{sequence}, [this, training = how.training](const Tensors& element, const Tensors& states) {
            Tensors inputs = element;
            inputs.insert(inputs.end(), states.begin(), states.end());
            return (*this)(inputs, {.training = training});
          }};
}

}  // namespace brio::nn
