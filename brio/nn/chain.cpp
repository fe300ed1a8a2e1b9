#include "brio/nn/chain.h"

#include "brio/base/error.h"

namespace brio::nn {

Chain::Chain(std::vector<Layer> layers, std::string name, std::optional<Shape> input_shape)
    : Module("sequential", std::move(name)) {
  for (Layer& layer : layers) add(std::move(layer));
  if (!input_shape) return;
  Shape batch{1};
  for (int64_t dim : *input_shape) batch.push_back(dim);
  build(batch);
}

void Chain::add(Layer layer) {
  if (built())
    throw InvalidArgument(cat("[", name(), "] cannot take '", layer.name(),
                              "': it is built already; add layers before the first call"));
  for (const Layer& other : modules())
    if (other.name() == layer.name())
      throw InvalidArgument(
          cat("[", name(), "] has two layers named '", layer.name(), "'; give each a name of its own"));
  add_module(std::move(layer));
}

Shape Chain::output_shape(const Shape& input) const {
  Shape shape = input;
  for (const Layer& layer : modules()) shape = layer.module().output_shape(shape);
  return shape;
}

void Chain::create_weights(const Shape& input) {
  Shape shape = input;
  for (const Layer& layer : modules()) {
    layer.build(shape);
    shape = layer.module().output_shape(shape);
  }
  built_for_ = input;
}

void Chain::check_input(const Shape&) const {
  if (modules().empty()) throw InvalidArgument(cat("[", name(), "] has no layers; add one first"));
}

Tensor Chain::call(const Tensor& inputs, bool training) {
  Tensor x = inputs;
  for (const Layer& layer : modules()) x = layer(x, training);
  return x;
}

}  // namespace brio::nn
