#include "brio/nn/chain.h"

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/nn/functional.h"

namespace brio::nn {

Chain::Chain(std::vector<Layer> layers, std::string name, std::optional<Shape> input_shape)
    : MultiModule("sequential", {.name = std::move(name)}) {
  autocast_ = false;  // each layer casts what it takes
  supports_masking_ = true;
  std::vector<Spec> inputs;
  if (!layers.empty() && input_spec(layers[0])) {
    inputs = {*input_spec(layers[0])};
    layers.erase(layers.begin());
  } else if (input_shape) {
    inputs.emplace_back(std::vector<int64_t>{kUnknown});
    inputs[0].dims.insert(inputs[0].dims.end(), input_shape->begin(), input_shape->end());
  }
  for (Layer& layer : layers) add(std::move(layer));
  if (inputs.empty()) return;
  build(inputs);
  if (!built_for_.empty()) built_for_[0].dtype = inputs[0].dtype;  // what an input layer says
}

void Chain::add(Layer layer) {
  if (built()) refuse(cat("cannot take '", layer.name(), "': it is built already; add layers before the first call"));
  bool known = false;  // the same layer once more shares its weights
  for (const Layer& other : modules()) {
    known |= &other.module() == &layer.module();
    if (other.name() == layer.name() && &other.module() != &layer.module())
      throw InvalidArgument(
          cat("[", name(), "] has two layers named '", layer.name(), "'; give each a name of its own"));
  }
  order_.push_back(layer);
  if (!known) add_module(std::move(layer));
}

void Chain::create_all(const std::vector<Shape>& inputs) {
  built_for_.clear();
  for (const Shape& input : inputs) {
    built_for_.emplace_back(expected_ && inputs.size() == 1 ? *expected_ : Spec(input));
    if (input.rank() > 0) built_for_.back().dims[0] = kUnknown;
  }
}

void Chain::check_all(const std::vector<Shape>& inputs) const {
  if (modules().empty()) refuse("has no layers; add one first");
  for (const Shape& input : inputs)
    if (input.rank() == 0) refuse("the input is a scalar; axis 0 of an input is the batch: reshape it");
}

namespace {
// Does a layer of this kind move over pictures, whose numbers may be bytes?
bool of_pictures(std::string_view kind) {
  for (std::string_view part : {"Pooling", "UpSampling", "ZeroPadding", "Cropping"})
    if (kind.find(part) != std::string_view::npos) return true;
  return false;
}
}  // namespace

Tensors Chain::call_all(const Tensors& inputs, const Call& how) {
  Tensors x = inputs;
  if (x.size() == 1 && built_for_.size() == 1) x[0] = with_rank_of(built_for_[0], x[0]);
  // Keras' Sequential begins with an input of its first layer's dtype; layers that take integers have them.
  if (x.size() == 1 && !expected_ && !modules().empty() && is_integer(x[0].dtype()) &&
      of_pictures(modules()[0].module().kind()))
    x[0] = cast(x[0], modules()[0].module().policy().compute());
  // A summary and a config need to know of strings; numbers of another kind are cast where it matters.
  for (size_t i = 0; i < built_for_.size(); ++i)
    if (i < inputs.size() && inputs[i].dtype() == DType::string) built_for_[i].dtype = DType::string;
  CallOptions options{.masks = {how.masks.begin(), how.masks.end()}};
  for (const Layer& layer : order_) {
    Module& module = layer.module();
    if (x.size() == 1 && !module.takes_many()) x[0] = module(x[0], options);
    else x = module(x, options);
    options.masks.clear();  // after the first layer, tensors carry theirs
  }
  return x;
}

void Chain::describe(Fields& f) {
  std::vector<Layer> layers = order_;
  if (built_for_.size() == 1 && built_for_[0].dtype == DType::string)
    layers.insert(layers.begin(), InputLayer({built_for_[0].dims.begin() + 1, built_for_[0].dims.end()},
                                             {.dtype = DType::string, .name = "input_layer"}));
  f("layers", layers);
  if (built_for_.size() == 1) f("build_input_shape", built_for_[0].dims);
}

Layer Chain::from_config(Fields& f) {
  std::string name;
  std::vector<Layer> layers;
  std::vector<int64_t> shape;
  f("name", name);
  f("layers", layers);
  f("build_input_shape", shape);
  auto chain = std::make_shared<Chain>(std::move(layers), name);
  if (!shape.empty()) chain->build(std::vector<Spec>{Spec(shape)});
  return Layer(chain);
}

}  // namespace brio::nn
