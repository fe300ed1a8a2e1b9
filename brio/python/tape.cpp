// tf.GradientTape.
#include "brio/autodiff/tape.h"

#include <cstring>

#include "brio/base/error.h"
#include "brio/ops/control/variable.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/profile/recorder.h"
#include "brio/python/bind.h"
#include "brio/python/errors.h"
#include "brio/python/nest.h"
#include "brio/python/user_line.h"

namespace brio::python {
namespace {

// The C++ tape follows ops for as long as it lives; this one from `with` to its end. It is persistent underneath,
// since a jacobian asks for many gradients, and is let go after the first answer where it was not asked to be.
class Tape {
 public:
  Tape(bool persistent, bool watch_accessed_variables)
      : persistent_(persistent), watch_accessed_variables_(watch_accessed_variables) {}

  void enter() {
    if (tape_) throw InvalidArgument("[GradientTape] this tape is in use already; make a new one");
    if (profile::is_recording_steps()) {
      static LineCounter lines(profile::NameKind::tape_line);
      lines.count();
    }
    tape_.emplace(GradientTape::Options{.persistent = true, .watch_accessed_variables = watch_accessed_variables_});
    followed_ = current_recording().tapes.back();
    watched_.clear();
    used_ = false;
  }
  void exit() {
    if (tape_ && !pause_) pause_.emplace(*tape_);
  }
  GradientTape& get(const char* what) {
    if (used_) {
      PyErr_SetString(PyExc_RuntimeError, cat("[GradientTape] ", what,
                                              " on a tape that has given its gradient; make it persistent "
                                              "(tf.GradientTape(persistent=True)) to ask more than once")
                                              .c_str());
      throw nb::python_error();
    }
    if (!tape_)
      throw InvalidArgument(
          cat("[GradientTape] ", what, " on a tape that has not been entered; use it in a with statement"));
    return *tape_;
  }
  std::optional<GradientTape::Pause>& pause() { return pause_; }
  // For gradients. A persistent tape that is asked inside of its `with` follows them; any other stops there.
  GradientTape& ask(const char* what) {
    GradientTape& tape = get(what);
    if (!persistent_) exit();
    return tape;
  }
  // It has answered: unless it is persistent, what it followed is forgotten.
  void answered() {
    if (persistent_) return;
    watched_ = watched();
    pause_.reset();
    tape_.reset();
    used_ = true;
  }
  void reset() { get("reset").reset(); }

  // The variables that it follows or has followed, in the order in which they were first read.
  std::vector<const VariableImpl*> watched() const {
    std::vector<const VariableImpl*> found = watched_;
    if (tape_)
      for (const auto& [variable, value] : followed_->reads)
        if (std::ranges::find(found, variable) == found.end()) found.push_back(variable);
    return found;
  }

 private:
  bool persistent_, watch_accessed_variables_, used_ = false;
  std::optional<GradientTape> tape_;
  Recording::Tape* followed_ = nullptr;  // what the tape notes
  std::vector<const VariableImpl*> watched_;
  std::optional<GradientTape::Pause> pause_;
};

GradientTape::Source source_of(nb::handle h) {
  if (is_variable(h)) return *nb::inst_ptr<Variable>(h);
  if (is_tensor(h)) return *nb::inst_ptr<Tensor>(h);
  throw nb::type_error(
      cat("[GradientTape] gradients are taken with respect to tensors and variables, but got ", shown(h)).c_str());
}

bool zero_where_none(nb::handle how) {
  if (PyUnicode_Check(how.ptr()) && PyUnicode_CompareWithASCIIString(how.ptr(), "none") == 0) return false;
  const std::string text = given_as<std::string>(nb::hasattr(how, "value") ? how.attr("value") : nb::borrow(how));
  if (text != "none" && text != "zero")
    throw InvalidArgument(cat("[GradientTape] unconnected_gradients is '", text, "'; it is 'none' or 'zero'"));
  return text == "zero";
}

// `variables`: for each target the variable that it is, or null.
void add_targets(nb::handle h, std::vector<Tensor>& targets, std::vector<const void*>& variables) {
  const OneDeeper deeper;
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()))
    for (nb::handle item : nb::iter(h)) add_targets(item, targets, variables);
  else if (PyDict_Check(h.ptr()))
    for (nb::handle item : nb::borrow<nb::dict>(h).values()) add_targets(item, targets, variables);
  else {
    targets.push_back(tensor_of(h));
    variables.push_back(is_variable(h) ? nb::inst_ptr<Variable>(h)->impl().get() : nullptr);
  }
}

bool has_gradient(const Tensor& x) { return is_floating(x.dtype()) || is_complex(x.dtype()); }

// Sources in their structure: gradients come back in the same one.
void add_sources(nb::handle h, std::vector<GradientTape::Source>& sources) {
  const OneDeeper deeper;
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()))
    for (nb::handle item : nb::iter(h)) add_sources(item, sources);
  else if (PyDict_Check(h.ptr()))
    for (nb::handle item : nb::borrow<nb::dict>(h).values()) add_sources(item, sources);
  else sources.push_back(source_of(h));
}

Shape joined(std::span<const Size> a, std::span<const Size> b) {
  std::vector<Size> dims(a.begin(), a.end());
  dims.insert(dims.end(), b.begin(), b.end());
  return Shape(dims);
}

// `before`: axes of a jacobian in front of the source's.
nb::object as_source(nb::handle h, const std::vector<Tensor>& gradients, size_t& next, bool zero,
                     const Shape& before = {}) {
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr())) {
    nb::list list;
    for (nb::handle item : nb::iter(h)) list.append(as_source(item, gradients, next, zero, before));
    return PyList_Check(h.ptr()) ? nb::object(list) : nb::object(nb::tuple(list));
  }
  if (PyDict_Check(h.ptr())) {
    nb::dict dict;
    for (auto [key, item] : nb::borrow<nb::dict>(h)) dict[key] = as_source(item, gradients, next, zero, before);
    return dict;
  }
  Tensor gradient = gradients[next++];
  if (!gradient.defined() && zero) {
    const Tensor source = tensor_of(h);
    gradient = zeros(joined(before.dims(), source.shape().dims()), source.dtype());
  }
  return wrap(std::move(gradient));
}

nb::object gradient(Tape& self, nb::object target, nb::object sources, nb::object output_gradients,
                    nb::object unconnected_gradients) {
  std::vector<Tensor> targets, seeds;
  std::vector<GradientTape::Source> list;
  std::vector<const void*> variables;
  add_targets(target, targets, variables);
  add_sources(sources, list);
  if (!output_gradients.is_none()) {
    if (PyList_Check(target.ptr()) || PyTuple_Check(target.ptr())) {
      for (nb::handle item : nb::iter(output_gradients))
        seeds.push_back(item.is_none() ? Tensor() : tensor_of(item, {.preferred = f32}));
    } else {
      seeds.push_back(tensor_of(output_gradients, {.preferred = targets[0].dtype()}));
    }
  }
  GradientTape& tape = self.ask("gradient");
  std::vector<std::pair<const void*, Tensor>> of_itself;  // a variable depends on itself alone, read or not
  for (size_t i = targets.size(); i-- > 0;) {
    if (variables[i])
      of_itself.emplace_back(variables[i], i < seeds.size() && seeds[i].defined() ? seeds[i] : ones_like(targets[i]));
    else if (has_gradient(targets[i])) continue;
    targets.erase(targets.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < seeds.size()) seeds.erase(seeds.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::vector<Tensor> gradients = tape.gradient(targets, list, seeds);
  for (const auto& [variable, seed] : of_itself)
    for (size_t k = 0; k < list.size(); ++k)
      if (list[k].is(variable)) gradients[k] = gradients[k].defined() ? add(gradients[k], seed) : seed;
  self.answered();
  size_t next = 0;
  return as_source(sources, gradients, next, zero_where_none(unconnected_gradients));
}

// A tensor like another with 1 at every `step`-th element from `first` on, and 0 elsewhere.
Tensor seed_like(const Tensor& x, int64_t first, int64_t step) {
  Array seed = Array::allocate({x.shape(), x.dtype()});
  std::memset(seed.data(), 0, seed.aval.bytes());
  const uint64_t one = Scalar(1).bits_as(x.dtype());
  const size_t size = size_of(x.dtype());
  for (int64_t i = first; i < x.size(); i += step)
    std::memcpy(static_cast<char*>(seed.data()) + static_cast<size_t>(i) * size, &one, size);
  return Tensor(std::move(seed));
}

// One gradient for each element of the target.
nb::object jacobian(Tape& self, nb::object target, nb::object sources, nb::object unconnected_gradients, Given,
                    Given) {
  const Tensor y = tensor_of(target);
  if (!is_floating(y.dtype()))
    throw InvalidArgument(cat("[jacobian] the target is ", y.dtype(), "; only floating-point tensors have one"));
  std::vector<GradientTape::Source> list;
  add_sources(sources, list);
  GradientTape& tape = self.ask("jacobian");
  std::vector<std::vector<Tensor>> rows(list.size());
  for (int64_t i = 0; i < y.size(); ++i) {
    const Tensor seed = seed_like(y, i, y.size());
    const std::vector<Tensor> row = tape.gradient(std::span(&y, 1), list, std::span(&seed, 1));
    for (size_t s = 0; s < row.size(); ++s)
      if (row[s].defined()) rows[s].push_back(row[s]);
  }
  self.answered();
  std::vector<Tensor> result(list.size());
  for (size_t s = 0; s < list.size(); ++s)
    if (!rows[s].empty()) result[s] = reshape(stack(rows[s]), joined(y.shape().dims(), rows[s][0].shape().dims()));
  size_t next = 0;
  return as_source(sources, result, next, zero_where_none(unconnected_gradients), y.shape());
}

// The same within each row of a batch.
nb::object batch_jacobian(Tape& self, nb::object target, nb::object source, nb::object unconnected_gradients, Given,
                          Given) {
  const Tensor y = tensor_of(target), x = tensor_of(source);
  if (y.rank() < 2 || x.rank() < 2 || y.shape()[0] != x.shape()[0])
    throw InvalidArgument(
        cat("[batch_jacobian] target and source have a batch as their first axis and others behind "
            "it, but have shapes ",
            y.shape(), " and ", x.shape()));
  GradientTape& tape = self.ask("batch_jacobian");
  const std::vector<GradientTape::Source> list{source_of(source)};
  const int64_t batch = y.shape()[0], elements = y.size(), each = batch ? elements / batch : 0;
  std::vector<Tensor> columns;
  for (int64_t j = 0; j < each; ++j) {
    const Tensor seed = seed_like(y, j, each);
    const std::vector<Tensor> column = tape.gradient(std::span(&y, 1), list, std::span(&seed, 1));
    if (column[0].defined()) columns.push_back(column[0]);
  }
  self.answered();
  std::vector<Tensor> result(1);
  if (!columns.empty()) result[0] = reshape(stack(columns, 1), joined(y.shape().dims(), x.shape().dims().subspan(1)));
  else if (zero_where_none(unconnected_gradients))
    result[0] = zeros(joined(y.shape().dims(), x.shape().dims().subspan(1)), x.dtype());
  return wrap(result[0]);
}

// with tape.stop_recording(): …
struct NotRecording {
  nb::object tape;
};

// Plain methods: they are called once a step, and cost a third of a bound function.
PyObject* enter(PyObject* self, PyObject*) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    nb::inst_ptr<Tape>(nb::handle(self))->enter();
    return nb::borrow(self).release().ptr();
  });
}
PyObject* leave(PyObject* self, PyObject* const*, Py_ssize_t) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    nb::inst_ptr<Tape>(nb::handle(self))->exit();
    return nb::none().release().ptr();
  });
}
// tape.gradient(loss, variable), or a list of them; anything else is _gradient's.
PyObject* quick_gradient(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) noexcept {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    if (n != 2 || names) {
      const nb::object general = nb::handle(self).attr("_gradient");
      return PyObject_Vectorcall(general.ptr(), args, static_cast<size_t>(n), names);
    }
    static PyObject* const none = PyUnicode_InternFromString("none");
    return gradient(*nb::inst_ptr<Tape>(nb::handle(self)), nb::borrow(args[0]), nb::borrow(args[1]), nb::none(),
                    nb::borrow(none))
        .release()
        .ptr();
  });
}
PyMethodDef tape_methods[] = {
    {"gradient", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(quick_gradient)),
     METH_FASTCALL | METH_KEYWORDS,
     "gradient(target, sources, output_gradients=None, unconnected_gradients='none')\n\n"
     "The gradients of a target with respect to sources, in their structure; None where it does not depend on one."},

    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(leave)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot tape_slots[] = {{Py_tp_methods, tape_methods}, {0, nullptr}};

}  // namespace

void bind_tape(nb::module_& m) {
  nb::class_<NotRecording>(m, "_NotRecording")
      .def("__enter__", [](NotRecording& self) { nb::inst_ptr<Tape>(self.tape)->exit(); })
      .def(
          "__exit__", [](NotRecording& self, Given, Given, Given) { nb::inst_ptr<Tape>(self.tape)->pause().reset(); },
          nb::arg().none(), nb::arg().none(), nb::arg().none());
  nb::class_<Tape>(m, "GradientTape", nb::type_slots(tape_slots),
                   "Follows operations, so that the gradients of what they compute can be asked for.\n\n"
                   ">>> x = tf.Variable(3.0)\n"
                   ">>> with tf.GradientTape() as tape:\n"
                   "...     y = x * x\n"
                   ">>> float(tape.gradient(y, x))\n6.0")
      .def(nb::init<bool, bool>(), nb::arg("persistent") = false, nb::arg("watch_accessed_variables") = true)
      .def(
          "watch",
          [](Tape& self, nb::handle tensor) {
            std::vector<GradientTape::Source> list;
            for (nb::handle h : nb::iter(PyList_Check(tensor.ptr()) || PyTuple_Check(tensor.ptr())
                                             ? nb::borrow(tensor)
                                             : nb::object(nb::make_tuple(nb::borrow(tensor))))) {
              if (is_variable(h)) self.get("watch").watch(*nb::inst_ptr<Variable>(h));
              else if (!is_tensor(h)) source_of(h);
              // As in TensorFlow: integers may be watched, but have no gradient.
              else if (has_gradient(*nb::inst_ptr<Tensor>(h))) self.get("watch").watch(*nb::inst_ptr<Tensor>(h));
            }
          },
          nb::arg("tensor"), "Follows a tensor, or several, as it does variables.")
      .def("_gradient", gradient, nb::arg("target"), nb::arg("sources"), nb::arg("output_gradients") = nb::none(),
           nb::arg("unconnected_gradients") = "none")
      .def("jacobian", jacobian, nb::arg("target"), nb::arg("sources"), nb::arg("unconnected_gradients") = "none",
           nb::arg("parallel_iterations") = nb::none(), nb::arg("experimental_use_pfor") = true,
           "The gradient of every element of the target.")
      .def("batch_jacobian", batch_jacobian, nb::arg("target"), nb::arg("source"),
           nb::arg("unconnected_gradients") = "none", nb::arg("parallel_iterations") = nb::none(),
           nb::arg("experimental_use_pfor") = true, "The jacobian of each row of a batch by itself.")
      .def(
          "stop_recording", [](nb::handle self) { return NotRecording{nb::borrow(self)}; },
          "A scope in which operations are not followed.")
      .def(
          "watched_variables",
          [](const Tape& self) {
            nb::list list;
            for (const VariableImpl* variable : self.watched()) {
              nb::object found = known_variable(variable);
              if (found.is_none())
                throw InvalidArgument(cat("[GradientTape] watched_variables: '", variable->name,
                                          "' belongs to a layer whose variables nobody has asked for; "
                                          "ask for layer.variables before"));
              list.append(found);
            }
            return nb::tuple(list);
          },
          "The variables that it follows, in the order in which they were first read.")
      .def("reset", &Tape::reset, "Forgets what was followed so far.")
      .def("_stop", [](Tape& self) { self.exit(); })
      .def("_go_on", [](Tape& self) { self.pause().reset(); });
}

}  // namespace brio::python
