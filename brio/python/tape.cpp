// tf.GradientTape.
#include "brio/autodiff/tape.h"

#include "brio/base/error.h"
#include "brio/ops/shape_ops.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

// The C++ tape follows ops for as long as it lives; this one from `with` to its end.
class Tape {
 public:
  Tape(bool persistent, bool watch_accessed_variables)
      : options_{.persistent = persistent, .watch_accessed_variables = watch_accessed_variables} {}

  void enter() {
    if (tape_) throw InvalidArgument("[GradientTape] this tape is in use already; make a new one");
    tape_.emplace(options_);
  }
  void exit() {
    if (tape_ && !pause_) pause_.emplace(*tape_);
  }
  GradientTape& get(const char* what) {
    if (!tape_)
      throw InvalidArgument(
          cat("[GradientTape] ", what, " on a tape that has not been entered; use it in a with statement"));
    return *tape_;
  }
  std::optional<GradientTape::Pause>& pause() { return pause_; }
  bool persistent() const { return options_.persistent; }
  void reset() { get("reset").reset(); }

 private:
  GradientTape::Options options_;
  std::optional<GradientTape> tape_;
  std::optional<GradientTape::Pause> pause_;
};

GradientTape::Source source_of(nb::handle h) {
  if (is_variable(h)) return *nb::inst_ptr<Variable>(h);
  if (is_tensor(h)) return *nb::inst_ptr<Tensor>(h);
  throw nb::type_error(
      cat("[GradientTape] gradients are taken with respect to tensors and variables, but got ", nb::repr(h).c_str())
          .c_str());
}

bool zero_where_none(nb::handle how) {
  const std::string text = nb::cast<std::string>(nb::hasattr(how, "value") ? how.attr("value") : nb::borrow(how));
  if (text != "none" && text != "zero")
    throw InvalidArgument(cat("[GradientTape] unconnected_gradients is '", text, "'; it is 'none' or 'zero'"));
  return text == "zero";
}

void add_targets(nb::handle h, std::vector<Tensor>& targets) {
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()))
    for (nb::handle item : nb::iter(h)) add_targets(item, targets);
  else if (PyDict_Check(h.ptr()))
    for (nb::handle item : nb::borrow<nb::dict>(h).values()) add_targets(item, targets);
  else targets.push_back(tensor_of(h));
}

// Sources in their structure: gradients come back in the same one.
void add_sources(nb::handle h, std::vector<GradientTape::Source>& sources) {
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()))
    for (nb::handle item : nb::iter(h)) add_sources(item, sources);
  else if (PyDict_Check(h.ptr()))
    for (nb::handle item : nb::borrow<nb::dict>(h).values()) add_sources(item, sources);
  else sources.push_back(source_of(h));
}

nb::object as_source(nb::handle h, const std::vector<Tensor>& gradients, size_t& next, bool zeros) {
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr())) {
    nb::list list;
    for (nb::handle item : nb::iter(h)) list.append(as_source(item, gradients, next, zeros));
    return PyList_Check(h.ptr()) ? nb::object(list) : nb::object(nb::tuple(list));
  }
  if (PyDict_Check(h.ptr())) {
    nb::dict dict;
    for (auto [key, item] : nb::borrow<nb::dict>(h)) dict[key] = as_source(item, gradients, next, zeros);
    return dict;
  }
  Tensor gradient = gradients[next++];
  if (!gradient.defined() && zeros) gradient = zeros_like(tensor_of(h));
  return wrap(std::move(gradient));
}

nb::object gradient(Tape& self, nb::object target, nb::object sources, nb::object output_gradients,
                    nb::object unconnected_gradients) {
  std::vector<Tensor> targets, seeds;
  std::vector<GradientTape::Source> list;
  add_targets(target, targets);
  add_sources(sources, list);
  if (!output_gradients.is_none()) {
    if (PyList_Check(target.ptr()) || PyTuple_Check(target.ptr())) {
      for (nb::handle item : nb::iter(output_gradients))
        seeds.push_back(item.is_none() ? Tensor() : tensor_of(item, {.preferred = f32}));
    } else {
      seeds.push_back(tensor_of(output_gradients, {.preferred = targets[0].dtype()}));
    }
  }
  GradientTape& tape = self.get("gradient");
  const std::vector<Tensor> gradients = tape.gradient(targets, list, seeds);
  if (!self.persistent()) self.pause().reset();
  size_t next = 0;
  return as_source(sources, gradients, next, zero_where_none(unconnected_gradients));
}

}  // namespace

void bind_tape(nb::module_& m) {
  nb::class_<Tape>(m, "GradientTape", nb::dynamic_attr(),
                   "Follows operations, so that the gradients of what they compute can be asked for.")
      .def(nb::init<bool, bool>(), nb::arg("persistent") = false, nb::arg("watch_accessed_variables") = true)
      .def("__enter__",
           [](nb::handle self) {
             nb::inst_ptr<Tape>(self)->enter();
             return nb::borrow(self);
           })
      .def(
          "__exit__", [](Tape& self, Given, Given, Given) { self.exit(); }, nb::arg().none(), nb::arg().none(),
          nb::arg().none())
      .def(
          "watch",
          [](Tape& self, nb::handle tensor) {
            std::vector<GradientTape::Source> list;
            for (nb::handle h : nb::iter(PyList_Check(tensor.ptr()) || PyTuple_Check(tensor.ptr())
                                             ? nb::borrow(tensor)
                                             : nb::object(nb::make_tuple(nb::borrow(tensor))))) {
              if (is_variable(h)) self.get("watch").watch(*nb::inst_ptr<Variable>(h));
              else if (is_tensor(h)) self.get("watch").watch(*nb::inst_ptr<Tensor>(h));
              else source_of(h);
            }
          },
          nb::arg("tensor"))
      .def("gradient", gradient, nb::arg("target"), nb::arg("sources"), nb::arg("output_gradients") = nb::none(),
           nb::arg("unconnected_gradients") = "none")
      .def("reset", &Tape::reset)
      .def("_stop", [](Tape& self) { self.exit(); })
      .def("_go_on", [](Tape& self) { self.pause().reset(); });
}

}  // namespace brio::python
