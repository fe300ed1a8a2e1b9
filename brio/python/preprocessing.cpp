// Layers that learn from data before training: adapt() and vocabularies. And cells written in Python.
#include "brio/nn/preprocessing/preprocessing.h"

#include "brio/base/error.h"
#include "brio/nn/layers/recurrent.h"
#include "brio/nn/preprocessing/lookup.h"
#include "brio/nn/preprocessing/text_vectorization.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/bind.h"
#include "brio/python/called.h"

namespace brio::python {
namespace {

// A layer as what it is: a handle of that class on the same module.
template <typename L>
L as(const nn::Layer& layer) {
  L typed = [] {
    if constexpr (std::is_same_v<L, nn::Discretization>) return L({.num_bins = 2, .name = "_"});
    else return L({.name = "_"});
  }();
  static_cast<nn::Layer&>(typed) = layer;
  return typed;
}
template <typename F>
auto with_vocabulary(const nn::Layer& layer, F f) {
  const std::string_view kind = layer.module().kind();
  if (kind == "StringLookup") return f(as<nn::StringLookup>(layer));
  if (kind == "IntegerLookup") return f(as<nn::IntegerLookup>(layer));
  return f(as<nn::TextVectorization>(layer));
}

Tensor one_of(const std::vector<Tensor>& batches) { return batches.size() == 1 ? batches[0] : concat(batches, 0); }

void adapt(const nn::Layer& layer, nb::list data) {
  const std::vector<Tensor> batches = tensors_with_own_dtype(data);
  if (batches.empty()) throw InvalidArgument(cat("[", layer.name(), "] adapt() got no data"));
  const Unlocked release;
  const std::string_view kind = layer.module().kind();
  if (kind == "Normalization") return as<nn::Normalization>(layer).adapt(one_of(batches));
  if (kind == "Discretization") return as<nn::Discretization>(layer).adapt(one_of(batches));
  with_vocabulary(layer, [&](const auto& typed) {
    if (batches.size() == 1) typed.adapt(batches[0]);
    else typed.adapt(batches);
  });
}

template <typename Token>
std::vector<Token> tokens_from(nb::list tokens) {
  std::vector<Token> list;
  for (nb::handle token : tokens) list.push_back(given_as<Token>(token));
  return list;
}

// A cell whose step is Python's: `inner` holds its weights.
class PythonCell : public nn::Cell {
 public:
  PythonCell(const nn::Layer& inner, std::vector<int64_t> sizes, int64_t output, nb::object step)
      : Cell("cell", {.dtype = inner.module().policy(), .name = inner.name()}),
        inner_(add_module(inner)),
        sizes_(std::move(sizes)),
        output_(output),
        step_(kept(std::move(step))) {}

  std::string_view kind() const override { return inner_.module().kind(); }
  std::vector<int64_t> state_sizes() const override { return sizes_; }
  int64_t output_size() const override { return output_; }

 protected:
  nn::Tensors call_all(const nn::Tensors& inputs, const nn::Call& how) override {
    const Locked locked;
    const nb::object results = (*step_)(to_python(inputs), how.training);
    nn::Tensors list;
    for (nb::handle result : nb::iter(results)) list.push_back(tensor_of(result));
    return list;
  }

 private:
  nn::Layer inner_;
  std::vector<int64_t> sizes_;
  int64_t output_;
  std::shared_ptr<nb::object> step_;
};

}  // namespace

void bind_preprocessing(nb::module_& m) {
  m.def("_adapt", adapt);
  m.def("_bin_boundaries",
        [](const nn::Layer& layer) { return nb::cast(as<nn::Discretization>(layer).bin_boundaries()); });
  m.def("_vocabulary", [](const nn::Layer& layer, bool special) {
    return with_vocabulary(layer,
                           [&](const auto& typed) { return nb::object(nb::cast(typed.get_vocabulary(special))); });
  });
  m.def("_vocabulary_size", [](const nn::Layer& layer) {
    return with_vocabulary(layer, [](const auto& typed) { return typed.vocabulary_size(); });
  });
  m.def("_set_vocabulary", [](const nn::Layer& layer, nb::list tokens, const std::vector<double>& idf_weights) {
    if (layer.module().kind() == "IntegerLookup")
      as<nn::IntegerLookup>(layer).set_vocabulary(tokens_from<int64_t>(tokens), idf_weights);
    else
      with_vocabulary(layer, [&](const auto& typed) {
        if constexpr (requires { typed.set_vocabulary(std::vector<std::string>(), idf_weights); })
          typed.set_vocabulary(tokens_from<std::string>(tokens), idf_weights);
      });
  });
  m.def("_reset_states", [](const nn::Layer& layer) { nn::reset_states(layer); });
  m.def("_python_cell", [](const nn::Layer& inner, const std::vector<int64_t>& sizes, int64_t output,
                           nb::object step) { return nn::layer<PythonCell>(inner, sizes, output, std::move(step)); });
}

}  // namespace brio::python
