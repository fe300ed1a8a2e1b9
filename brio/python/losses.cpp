// keras.losses: every class by name, made of what Python passes, and the functions.
#include "brio/nn/losses/losses.h"

#include "brio/base/error.h"
#include "brio/nn/mask.h"
#include "brio/nn/option_fields.h"
#include "brio/python/bind.h"
#include "brio/python/called.h"
#include "brio/python/errors.h"

namespace brio::python {
namespace {

template <typename L, typename Options>
nn::Loss made(Called& called) {
  Options options;
  list_options(called, options);
  called.find_keyword("dtype");  // losses compute in float32, or wider where the values are
  return L(options);
}

struct Row {
  std::string_view name;
  nn::Loss (*make)(Called&);
};
constexpr Row kLosses[] = {
#define BRIO_LOSS(Class, function, Options) {#Class, made<nn::Class, nn::Options>},
#include "brio/nn/losses/loss_kinds.h"
};

Tensor optional_tensor(nb::handle h) { return h.is_none() ? Tensor() : tensor_of(h); }

nn::Loss own_loss(const std::string& name, nb::object function, const std::string& reduction) {
  return nn::Loss(
      name,
      [f = kept(std::move(function))](const Tensor& y_true, const Tensor& y_pred) -> nn::SampleValues {
        const Locked locked;
        return traced_call([&] { return tensor_of((*f)(wrap(y_true), wrap(y_pred))); });
      },
      nn::chosen<nn::Reduction>(name, "reduction", reduction));
}

using TwoTensors = Tensor (*)(const Tensor&, const Tensor&);
void define_loss(nb::module_& m, const char* name, TwoTensors f, const char* doc) {
  define(
      m, name, [f](const Tensor& y_true, const Tensor& y_pred) { return f(y_true, y_pred); }, nb::arg("y_true"),
      nb::arg("y_pred"), doc);
}

}  // namespace

void bind_losses(nb::module_& m) {
  nb::class_<nn::Loss>(m, "_Loss")
      .def_prop_ro("name", [](const nn::Loss& l) { return l.name(); })
      .def(
          "__call__",
          [](const nn::Loss& loss, Given y_true, Given y_pred, nb::handle weight, nb::handle mask) {
            const Tensor p = tensor_of(y_pred.object);
            return wrap(loss(tensor_of(y_true.object), p, optional_tensor(weight),
                             mask.is_none() ? nn::mask_of(p) : optional_tensor(mask)));
          },
          nb::arg("y_true"), nb::arg("y_pred"), nb::arg("sample_weight") = nb::none(), nb::arg("mask") = nb::none());
  m.def("_loss", [](const std::string& name, nb::kwargs kwargs) {
    for (const Row& row : kLosses) {
      if (row.name != name) continue;
      Called called(name, nb::tuple(), kwargs);
      nn::Loss loss = row.make(called);
      called.finish();
      return loss;
    }
    throw InternalError(cat("there is no loss '", name, "'"));
  });
  m.def("_loss_named", [](const std::string& name) { return nn::Loss(name); });
  m.def("_own_loss", own_loss);

  nb::module_ losses = m.def_submodule("_losses");
#define BRIO_LOSS(Class, function, Options)  // those with options follow
#define BRIO_PLAIN_LOSS(Class, function, doc) define_loss(losses, #function, nn::function, doc);
#include "brio/nn/losses/loss_kinds.h"
  define(
      losses, "_ctc_loss",
      [](const Tensor& labels, const Tensor& logits, const Tensor& label_length, const Tensor& logit_length,
         int64_t blank) { return nn::ctc_loss(labels, logits, label_length, logit_length, blank); },
      nb::arg("labels"), nb::arg("logits"), nb::arg("label_length"), nb::arg("logit_length"), nb::arg("blank"),
      "ctc() for sequences of different lengths.");
  define(
      losses, "huber", [](const Tensor& t, const Tensor& p, double delta) { return nn::huber(t, p, delta); },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("delta") = 1.0,
      "Half the square of errors up to delta, and larger ones in proportion.");
  define(
      losses, "cosine_similarity",
      [](const Tensor& t, const Tensor& p, int axis) { return nn::cosine_similarity(t, p, axis); }, nb::arg("y_true"),
      nb::arg("y_pred"), nb::arg("axis") = -1, "Minus the cosine of the angle between label and prediction.");
  define(
      losses, "dice", [](const Tensor& t, const Tensor& p, const Axes& axis) { return nn::dice(t, p, axis); },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("axis") = nb::none(),
      "1 - 2 |A and B| / (|A| + |B|): how little two masks overlap.");
  define(
      losses, "tversky",
      [](const Tensor& t, const Tensor& p, double alpha, double beta, const Axes& axis) {
        return nn::tversky(t, p, alpha, beta, axis);
      },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("alpha") = 0.5, nb::arg("beta") = 0.5,
      nb::arg("axis") = nb::none(),
      "dice with weights of their own for what is found wrongly (alpha) and what is missed (beta).");
  define(
      losses, "binary_crossentropy",
      [](const Tensor& t, const Tensor& p, bool logits, double smoothing, int axis) {
        return nn::binary_crossentropy(t, p, logits, smoothing, axis);
      },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("from_logits") = false, nb::arg("label_smoothing") = 0.0,
      nb::arg("axis") = -1, "The cross entropy of labels 0 and 1, the mean along an axis.");
  define(
      losses, "categorical_crossentropy",
      [](const Tensor& t, const Tensor& p, bool logits, double smoothing, int axis) {
        return nn::categorical_crossentropy(t, p, logits, smoothing, axis);
      },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("from_logits") = false, nb::arg("label_smoothing") = 0.0,
      nb::arg("axis") = -1, "The cross entropy of one-hot labels and probabilities or logits of classes.");
  define(
      losses, "sparse_categorical_crossentropy",
      [](const Tensor& t, const Tensor& p, bool logits, std::optional<int64_t> ignore, int axis) {
        return nn::sparse_categorical_crossentropy(t, p, logits, ignore, axis);
      },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("from_logits") = false, nb::arg("ignore_class") = nb::none(),
      nb::arg("axis") = -1, "The cross entropy of class numbers and probabilities or logits of classes.");
  define(
      losses, "binary_focal_crossentropy",
      [](const Tensor& t, const Tensor& p, bool balanced, double alpha, double gamma, bool logits, double smoothing,
         int axis) {
        return nn::binary_focal_crossentropy(t, p,
                                             {.apply_class_balancing = balanced,
                                              .alpha = alpha,
                                              .gamma = gamma,
                                              .from_logits = logits,
                                              .label_smoothing = smoothing,
                                              .axis = axis});
      },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("apply_class_balancing") = false, nb::arg("alpha") = 0.25,
      nb::arg("gamma") = 2.0, nb::arg("from_logits") = false, nb::arg("label_smoothing") = 0.0, nb::arg("axis") = -1,
      "Binary cross entropy in which samples that are predicted well count little.");
  define(
      losses, "categorical_focal_crossentropy",
      [](const Tensor& t, const Tensor& p, double alpha, double gamma, bool logits, double smoothing, int axis) {
        return nn::categorical_focal_crossentropy(
            t, p,
            {.alpha = {alpha}, .gamma = gamma, .from_logits = logits, .label_smoothing = smoothing, .axis = axis});
      },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("alpha") = 0.25, nb::arg("gamma") = 2.0,
      nb::arg("from_logits") = false, nb::arg("label_smoothing") = 0.0, nb::arg("axis") = -1,
      "Categorical cross entropy in which samples that are predicted well count little.");
  define(
      losses, "categorical_generalized_cross_entropy",
      [](const Tensor& t, const Tensor& p, double q) { return nn::categorical_generalized_cross_entropy(t, p, q); },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("q"),
      "(1 - p^q) / q for the probability p of the labelled class.");
}

}  // namespace brio::python
