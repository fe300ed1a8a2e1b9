// Control flow as part of a traced function, functions of Python's inside of it, checks, and gradients of one's own.
// Eagerly there are values to look at, and the Python part (brio/_control.py) just loops.
#include "brio/ops/control/control.h"

#include <optional>
#include <sstream>

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "brio/base/tensor_float.h"
#include "brio/base/thread_pool.h"
#include "brio/nn/module.h"
#include "brio/ops/control/effects.h"
#include "brio/python/bind.h"
#include "brio/python/errors.h"
#include "brio/python/imported.h"
#include "brio/python/journal.h"
#include "brio/python/nest.h"
#include "brio/runtime/evaluate.h"

namespace brio::python {
namespace {

std::vector<Tensor> flat(nb::handle object, Nest& structure) {
  std::vector<Tensor> tensors;
  structure = Nest::flatten(object, tensors, {.numbers = true, .variables = true});
  return tensors;
}

[[noreturn]] void refuse_structure(const char* who, const char* what) {
  throw InvalidArgument(cat("[", who, "] ", what));
}

nb::object cond_of(Given predicate, nb::object true_fn, nb::object false_fn) {
  Nest yes, no;
  const std::vector<Tensor> results = cond(
      tensor_of(predicate.object), [&] { return flat(true_fn(), yes); }, [&] { return flat(false_fn(), no); });
  if (!(yes == no)) refuse_structure("cond", "the branches return different structures");
  return yes.unflatten(results);
}

nb::object while_of(nb::object condition, nb::object body, nb::object loop_vars, Given maximum_iterations) {
  Nest carried;
  const std::vector<Tensor> initial = flat(loop_vars, carried);
  auto call = [&](const nb::object& f, const std::vector<Tensor>& state) {
    return nb::object(f(*nb::object(carried.unflatten(state))));
  };
  return carried.unflatten(while_loop(
      [&](const std::vector<Tensor>& state) { return tensor_of(call(condition, state)); },
      [&](const std::vector<Tensor>& state) {
        nb::object next = call(body, state);
        // A body of one variable may return it alone; a tuple stands for a list.
        if (carried.items().size() == 1 && !PyList_Check(next.ptr()) && !PyTuple_Check(next.ptr()))
          next = nb::make_tuple(next);
        if (carried.kind() == Nest::Kind::list && PyTuple_Check(next.ptr()))
          next = owned(PySequence_List(next.ptr()));
        else if (carried.kind() == Nest::Kind::tuple && PyList_Check(next.ptr()))
          next = owned(PySequence_Tuple(next.ptr()));
        Nest structure;
        std::vector<Tensor> tensors = flat(next, structure);
        if (!(structure == carried))
          refuse_structure("while_loop", "the body returns another structure than it was given");
        return tensors;
      },
      initial,
      {.max_iterations = maximum_iterations.object.is_none() ? -1 : integer_from(maximum_iterations.object)}));
}

// body(carried, elements) → (carried, results), all of them structures.
nb::object scan_of(nb::object body, nb::object initial, nb::object elements, bool reverse) {
  Nest carried, element, result;
  const std::vector<Tensor> first = flat(initial, carried), along = flat(elements, element);
  const ScanStep last = scan(
      [&](const std::vector<Tensor>& state, const std::vector<Tensor>& one) -> ScanStep {
        const nb::object both = body(carried.unflatten(state), element.unflatten(one));
        Nest next;
        ScanStep step;
        step.carried = flat(nb::object(both[0]), next);
        if (!(next == carried)) refuse_structure("scan", "the function returns another structure than it was given");
        step.results = flat(nb::object(both[1]), result);
        return step;
      },
      first, along, {.reverse = reverse});
  return nb::make_tuple(carried.unflatten(last.carried), result.unflatten(last.results));
}

// TensorFlow's errors stay what they are on their way through a running function, and so does what is no Exception:
// KeyboardInterrupt.
nb::object called(const nb::object& function, const nb::list& arguments) {
  try {
    return function(*arguments);
  } catch (nb::python_error& error) {
    const nb::object own = imported(Imported::errors).attr("OpError");
    if (error.matches(own) || !error.matches(PyExc_Exception)) throw PythonError(std::move(error));
    throw;
  }
}

// A function of Python's on arrays, called when the traced function runs.
nb::object host_call_of(nb::object function, nb::object inputs, nb::object specs, bool stateful) {
  Nest structure;
  const std::vector<Tensor> in = flat(inputs, structure);
  std::vector<Aval> out;
  for (nb::handle spec : specs) out.push_back({shape_from(spec.attr("shape")), dtype_from(spec.attr("dtype"))});
  for (const Aval& aval : out)
    if (aval.dtype == DType::string)
      refuse_structure("py_function",
                       "strings cannot come back from a function of Python's inside a traced function");
  const HostFunction host("py_function", [f = kept(function), out](const std::vector<Array>& arrays) {
    const Locked locked;
    nb::list arguments;
    for (const Array& array : arrays) arguments.append(wrap(Tensor(array)));
    const nb::object results = called(*f, arguments);
    std::vector<Array> given;
    size_t i = 0;
    for (nb::handle result : results) {
      const Tensor x = tensor_of(result, {.required = i < out.size() ? std::optional(out[i].dtype) : std::nullopt});
      Array array = read_array(x);
      if (!array.buffer) {  // a host number
        array = Array::allocate(x.aval());
        std::memcpy(array.data(), x.impl()->data(), x.aval().bytes());
      }
      given.push_back(array);
      ++i;
    }
    return given;
  });
  return to_python(host_call(host, in, out, {.stateful = stateful}));
}

// A function of Python's as one step of a journal: a replay takes the lock and calls it again.
nb::object journal_call(nb::object function, nb::object inputs) {
  std::vector<TensorArgument> arguments;
  for (nb::handle input : inputs) arguments.push_back({tensor_of(input, {.as_input = true}), {}});
  auto call = [f = kept(function)](std::span<const Tensor> given) {
    const Locked locked;
    nb::list list;
    for (const Tensor& x : given) list.append(wrap(x));
    return tensors_with_own_dtype((*f)(*list));
  };
  std::vector<Tensor> tensors;
  for (const TensorArgument& argument : arguments) tensors.push_back(argument.tensor);
  const std::vector<Tensor> results = without_journal([&] { return call(tensors); });
  if (current_journal) {
    write_to_journal(call, arguments, results);
    current_journal->calls_python();
  }
  return to_python(results);
}

nb::object custom_gradient_of(nb::object f, nb::args args) {
  std::vector<Tensor> in;
  for (nb::handle arg : args) in.push_back(tensor_of(arg));
  const auto call = custom_gradient([&](const std::vector<Tensor>& tensors) -> CustomResult {
    nb::list list;
    for (const Tensor& x : tensors) list.append(wrap(x));
    const nb::object both = f(*list);
    if (!PyTuple_Check(both.ptr()) || nb::len(both) != 2)
      refuse_structure("custom_gradient", "the function must return its result and the function of the gradient");
    const nb::object value = both[0];
    if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()))
      refuse_structure("custom_gradient", "the function must return one tensor; stack them, or use one for each");
    return {tensor_of(value), [g = kept(nb::object(both[1])), n = tensors.size()](const Tensor& cotangent) {
              const Locked locked;
              const nb::object given = (*g)(wrap(cotangent));
              std::vector<Tensor> gradients;
              if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())) {
                for (nb::handle one : given) gradients.push_back(one.is_none() ? Tensor() : tensor_of(one));
              } else {
                gradients.push_back(given.is_none() ? Tensor() : tensor_of(given));
              }
              return gradients;
            }};
  });
  return wrap(call(in));
}

// As tf.print shows a tensor.
std::string printed(Given tensor, int summarize) {
  std::ostringstream out;
  print({Printed(tensor_of(tensor.object))}, {.to = &out, .summarize = summarize});
  flush();
  std::string text = out.str();
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

void assert_of(Given condition, const std::string& message, nb::sequence data) {
  std::vector<TensorArgument> all{{tensor_of(condition.object, {.as_input = true}), {}}};
  for (nb::handle h : data) all.push_back({tensor_of(h, {.as_input = true}), {}});
  auto check = [message](const std::vector<Tensor>& x) {
    debugging::assert_true(x[0], message, {x.begin() + 1, x.end()});
    return std::vector<Tensor>{};
  };
  perform<false>(check, std::tuple{all});
  if (is_tracing()) return;
  const Unlocked release;
  flush();
}

// What tf.init_scope() is made of: in it ops run at once, also while a function is traced.
class InitScope {
 public:
  void enter() {
    if (is_tracing()) eager_.emplace();
  }
  void leave() {
    if (!eager_) return;
    {
      const Unlocked release;
      flush();
    }
    eager_.reset();
  }

 private:
  std::optional<nn::EagerScope> eager_;
};

}  // namespace

void bind_control(nb::module_& m) {
  nb::class_<InitScope>(m, "_InitScope")
      .def(nb::init<>())
      .def("__enter__", &InitScope::enter)
      .def("__exit__", [](InitScope& self, const nb::args&) { self.leave(); });
  m.def("_is_tracing", is_tracing);
  m.def("_is_known",
        [](Given x) { return !is_tensor(x.object) || readable(tensor_of(x.object, {.as_input = true})); });
  m.def("_cond_structured", cond_of);
  m.def("_while_structured", while_of, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("_scan", scan_of);
  m.def("_host_call", host_call_of);
  m.def("_journalling", [] { return current_journal != nullptr; });
  m.def("_journal_call", journal_call);
  m.def("_custom_gradient", custom_gradient_of);
  m.def("_shown", printed);
  m.def("_assert_with_data", assert_of);
  m.def("_tensor_float_32", tensor_float_32);
  m.def("_set_tensor_float_32", set_tensor_float_32);
  m.def("_set_thread_count", [](int threads) {
    static const int by_default = thread_count();
    set_thread_count(threads == 0 ? by_default : threads);
  });
}

}  // namespace brio::python
