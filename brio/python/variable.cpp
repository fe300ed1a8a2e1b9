// tf.Variable.
#include "brio/ops/control/variable.h"

#include "brio/base/error.h"
#include "brio/nn/module.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/python/bind.h"
#include "brio/python/devices.h"
#include "brio/python/imported.h"
#include "brio/python/journal.h"

namespace brio::python {
namespace {

Variable make(nb::object initial, std::optional<bool> trainable, std::optional<std::string> name, nb::object dtype,
              nb::object constraint, nb::object shape) {
  const nn::EagerScope eager;  // also while a function is traced: it is made once, then kept
  if (PyCallable_Check(initial.ptr()) && !is_tensor_like(initial)) initial = initial();
  Wanted wanted;
  if (!dtype.is_none()) wanted.required = dtype_from(dtype);
  Tensor value = is_variable(initial) ? nb::inst_ptr<Variable>(initial)->value() : tensor_of(initial, wanted);
  if (!readable(value))
    throw UnknownValue(
        "[Variable] the initial value is made of what a tf.function is called with, which is not known while it is "
        "traced; make the variable outside, or give a function: tf.Variable(lambda: ...)");
  if (!shape.is_none()) {
    const auto dims = dims_from(shape);
    for (size_t i = 0; i < dims.size(); ++i)
      if (static_cast<int>(dims.size()) != value.rank() ||
          (dims[i] >= 0 && dims[i] != value.shape()[static_cast<int>(i)]))
        throw InvalidArgument(
            cat("[Variable] the initial value has shape ", value.shape(), ", which is not the one given"));
  }
  VariableOptions options{.name = name.value_or("Variable"),
                          .trainable = trainable.value_or(is_floating(value.dtype()) || is_complex(value.dtype()))};
  if (trainable) options.trainable = *trainable;
  if (!constraint.is_none())
    options.constraint = [f = kept(constraint)](const Tensor& x) {
      const Locked locked;
      return tensor_of((*f)(wrap(x)));
    };
  return Variable(value, std::move(options));
}

// What was given for a flag, true or not, as Python sees it; none where it was None.
std::optional<bool> truth_of(nb::handle given) {
  if (given.is_none()) return {};
  const int truth = PyObject_IsTrue(given.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

// assign and its kin return the variable, so that calls can be chained.
template <void (Variable::*F)(const Tensor&)>
nb::object assigned(nb::handle self, Given value, Given, Given, Given) {
  Variable& variable = *nb::inst_ptr<Variable>(self);
  if (current_journal) current_journal->spoil("it assigns to a variable");
  Tensor x = tensor_of(value.object, {.preferred = variable.dtype()});
  (variable.*F)(x);
  return nb::borrow(self);
}

// v[key]: a tensor that knows where it is from, so that v[key].assign(x) can change the variable.
struct Part : Tensor {
  nb::object variable, key;
};

nb::object assign_part(nb::handle self, const char* how, nb::handle value) {
  const Part& part = *nb::inst_ptr<Part>(self);
  return imported(Imported::variable_methods).attr("assign_part")(part.variable, part.key, value, how);
}

// A method that few programs use: Python's, of brio/_variable_methods.py.
auto in_python(const char* name) {
  return [name](nb::handle self, const nb::args& args, const nb::kwargs& kwargs) -> nb::object {
    return imported(Imported::variable_methods).attr(name)(self, *args, **kwargs);
  };
}

}  // namespace

nb::object part_of_variable(nb::handle variable, nb::handle key, nb::object made) {
  if (!is_tensor(made)) return made;
  nb::object object = nb::inst_alloc(types.part);
  new (nb::inst_ptr<Part>(object)) Part{*nb::inst_ptr<Tensor>(made), nb::borrow(variable), nb::borrow(key)};
  nb::inst_mark_ready(object);
  return object;
}

Tensor value_of(const Variable& variable) {
  Tensor x = variable.value();
  if (current_journal) [[unlikely]]
    write_to_journal([variable](std::span<const Tensor>) { return std::vector<Tensor>{variable.value()}; }, {}, {x});
  return x;
}

std::shared_ptr<nb::object> kept(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* o) {
            const Locked locked;
            delete o;
          }};
}

namespace {

using VariableClass = nb::class_<Variable>;

void bind_properties(VariableClass& type) {
  type.def_prop_ro(
          "shape", [](const Variable& v) { return shape_object(v.shape()); }, "The sizes of its axes.")
      .def_prop_ro(
          "dtype", [](const Variable& v) { return dtype_object(v.dtype()); }, "The type of its elements.")
      .def_prop_ro(
          "ndim", [](const Variable& v) { return v.shape().rank(); }, "How many axes it has.")
      // A weight of a layer has Keras' names ("kernel", with the path "dense/kernel"), others TensorFlow's.
      .def_prop_ro(
          "name",
          [](nb::handle self) {
            const std::string& name = nb::inst_ptr<Variable>(self)->name();
            const size_t slash = name.rfind('/');
            if (!nb::hasattr(self, "_of_keras")) return name + ":0";
            return slash == std::string::npos ? name : name.substr(slash + 1);
          },
          "Its name.")
      .def_prop_ro(
          "path", [](const Variable& v) { return v.name(); }, "Its name with those of the layers around it.")
      .def_prop_rw(
          "trainable", [](const Variable& v) { return v.trainable(); },
          [](Variable& v, bool trainable) { v.impl()->trainable = trainable; }, "Does training change it?")
      .def_prop_ro(
          "device", [](const Variable& v) { return device_of(v.impl()->value); },
          "Where it is: '/job:localhost/replica:0/task:0/device:CPU:0'.")
      .def_prop_ro(
          "constraint",
          [](const Variable& v) -> nb::object {
            if (!v.impl()->constraint) return nb::none();
            return nb::cpp_function([f = v.impl()->constraint](Given x) { return wrap(f(tensor_of(x.object))); });
          },
          "What an update of the variable is followed by, a function; or None.")
      .def_prop_ro(
          "handle", [](nb::handle self) { return nb::borrow(self); }, "The variable itself.");
}

void bind_values(VariableClass& type) {
  type.def(
          "get_shape", [](const Variable& v) { return shape_object(v.shape()); }, "The sizes of its axes.")
      .def(
          "value", [](const Variable& v) { return wrap(value_of(v)); }, "The tensor that it holds now.")
      .def(
          "read_value", [](const Variable& v) { return wrap(value_of(v)); }, "The tensor that it holds now.")
      .def(
          "initialized_value", [](const Variable& v) { return wrap(value_of(v)); }, "The tensor that it holds now.")
      .def(
          "numpy", [](const Variable& v) { return numpy_of(value_of(v)); },
          "The values as a NumPy array of its own, or as a NumPy scalar.")
      .def(
          "__array__",
          [](const Variable& v, nb::object dtype, nb::object) {
            nb::object array = numpy_of(value_of(v));  // a copy: the variable will change
            return dtype.is_none() ? nb::object(imported(Imported::numpy).attr("asarray")(array))
                                   : nb::object(imported(Imported::numpy).attr("asarray")(array, dtype));
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def("assign", assigned<&Variable::assign>, nb::arg("value"), nb::arg("use_locking") = nb::none(),
           nb::arg("name") = nb::none(), nb::arg("read_value") = nb::none(),
           "Sets the value, and returns the variable.")
      .def("assign_add", assigned<&Variable::assign_add>, nb::arg("delta"), nb::arg("use_locking") = nb::none(),
           nb::arg("name") = nb::none(), nb::arg("read_value") = nb::none(),
           "Adds to the value, and returns the variable.")
      .def("assign_sub", assigned<&Variable::assign_sub>, nb::arg("delta"), nb::arg("use_locking") = nb::none(),
           nb::arg("name") = nb::none(), nb::arg("read_value") = nb::none(),
           "Takes away from the value, and returns the variable.");
}

void bind_texts_and_copies(VariableClass& type) {
  type.def("__repr__",
           [](const Variable& v) {
             const Tensor x = v.value();
             return cat("<tf.Variable '", v.name(), ":0' shape=", v.shape(), " dtype=", v.dtype(),
                        readable(x)
                            ? cat(", numpy=", given_as<std::string>(
                                                  imported(Imported::numpy_helpers).attr("text_of")(numpy_view(x))))
                            : "",
                        ">");
           })
      .def("__format__",
           [](const Variable& v, const std::string& how) -> nb::object {
             return owned(PyObject_Format(numpy_of(v.value()).ptr(), nb::str(how.c_str()).ptr()));
           })
      .def("__iter__", [](const Variable& v) { return nb::iter(wrap(v.value())); })
      .def(
          "ref", [](nb::handle self) { return imported(Imported::numpy_helpers).attr("Reference")(self); },
          "A key for sets and dicts: variables themselves compare element by element.")
      .def("_key", [](const Variable& v) { return reinterpret_cast<uintptr_t>(v.impl().get()); })
      .def("__deepcopy__",
           [](const Variable& v, nb::handle) {
             return Variable(v.value(), {.name = v.name(), .trainable = v.trainable()});
           })
      .def("__reduce__", [](const Variable& v) {
        return nb::make_tuple(imported(Imported::numpy_helpers).attr("make_variable"),
                              nb::make_tuple(wrap(v.value()), v.trainable(), v.name()));
      });
}

void bind_scatters(VariableClass& type) {
  type.def("scatter_update", in_python("scatter_update"),
           "Sets rows: scatter_update(tf.IndexedSlices(rows, indices)).")
      .def("scatter_add", in_python("scatter_add"), "Adds to rows, which IndexedSlices name.")
      .def("scatter_sub", in_python("scatter_sub"), "Takes away from rows, which IndexedSlices name.")
      .def("scatter_mul", in_python("scatter_mul"), "Multiplies rows, which IndexedSlices name.")
      .def("scatter_div", in_python("scatter_div"), "Divides rows, which IndexedSlices name.")
      .def("scatter_min", in_python("scatter_min"), "The smaller of each number and those of IndexedSlices.")
      .def("scatter_max", in_python("scatter_max"), "The larger of each number and those of IndexedSlices.")
      .def("scatter_nd_update", in_python("scatter_nd_update"), "Sets parts: scatter_nd_update(indices, updates).")
      .def("scatter_nd_add", in_python("scatter_nd_add"), "Adds to parts: scatter_nd_add(indices, updates).")
      .def("scatter_nd_sub", in_python("scatter_nd_sub"), "Takes away from parts: scatter_nd_sub(indices, updates).")
      .def("batch_scatter_update", in_python("batch_scatter_update"), "Sets rows of each element of a batch.")
      .def("gather_nd", in_python("gather_nd"), "The parts at indices.")
      .def("sparse_read", in_python("sparse_read"), "The rows at indices.")
      .def("count_up_to", in_python("count_up_to"), "Adds 1; OutOfRangeError at the limit. Returns the value before.")
      .def("set_shape", in_python("set_shape"), "Checks that the shape is this one; a size may be None.")
      .def("eval", in_python("evaluated"), "The values as a NumPy array.");
}

void bind_parts(nb::module_& m) {
  nb::class_<Part, Tensor> part(m, "_VariablePart",
                                "A part of a variable, v[key]: a tensor that can be assigned to.");
  types.part = reinterpret_cast<PyTypeObject*>(part.ptr());
  for (const char* how : {"assign", "assign_add", "assign_sub"})
    part.def(
        how,
        [how](nb::handle self, nb::handle value, nb::handle, nb::handle, nb::handle) {
          return assign_part(self, how, value);
        },
        nb::arg("value").none(), nb::arg("use_locking") = nb::none(), nb::arg("name") = nb::none(),
        nb::arg("read_value") = nb::none(), "Changes this part of the variable, and returns the variable.");
}

}  // namespace

void bind_variable(nb::module_& m) {
  VariableClass type(m, "Variable", nb::type_slots(value_slots), nb::is_weak_referenceable(), nb::dynamic_attr(),
                     "A named cell that holds a tensor and can be assigned another.\n\n"
                     ">>> v = tf.Variable([1.0, 2.0])\n"
                     ">>> v.assign_add([1.0, 1.0]).numpy().tolist()\n[2.0, 3.0]");
  types.variable = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def(
      "__init__",
      [](nb::pointer_and_handle<Variable> self, nb::object initial_value, nb::object trainable, nb::object,
         nb::object, std::optional<std::string> name, nb::object, nb::object dtype, nb::object, nb::object constraint,
         nb::object, nb::object, nb::object shape) {
        new (self.p) Variable(make(initial_value, truth_of(trainable), name, dtype, constraint, shape));
        know_variable_object(*self.p, self.h);
      },
      nb::arg("initial_value"), nb::arg("trainable") = nb::none(), nb::arg("validate_shape") = true,
      nb::arg("caching_device") = nb::none(), nb::arg("name") = nb::none(), nb::arg("variable_def") = nb::none(),
      nb::arg("dtype") = nb::none(), nb::arg("import_scope") = nb::none(), nb::arg("constraint") = nb::none(),
      nb::arg("synchronization") = nb::none(), nb::arg("aggregation") = nb::none(), nb::arg("shape") = nb::none());
  bind_properties(type);
  bind_values(type);
  bind_texts_and_copies(type);
  type.attr("__array_priority__") = 100;
  type.attr("__hash__") = nb::none();
  bind_scatters(type);
  bind_parts(m);
}

}  // namespace brio::python
