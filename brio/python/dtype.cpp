// tf.DType, and what may stand for one.
#include <array>

#include "brio/base/error.h"
#include "brio/python/bind.h"
#include "brio/python/imported.h"

namespace brio::python {
namespace {

// An enum would be a number to nanobind.
struct ElementType {
  DType value;
};

PyObject* objects[kDTypeCount];  // the one of each kind, kept for good

nb::object numpy_type(DType dtype) {
  if (dtype == bf16) return imported(Imported::numpy_helpers).attr("bfloat16")();
  const std::string name = dtype == DType::string ? "object_" : dtype == boolean ? "bool_" : cat(dtype);
  return imported(Imported::numpy).attr(name.c_str());
}

}  // namespace

nb::object dtype_object(DType dtype) { return nb::borrow(objects[static_cast<int>(dtype)]); }

DType dtype_from(nb::handle h) {
  PyObject* o = h.ptr();
  if (Py_TYPE(o) == types.dtype) return nb::inst_ptr<ElementType>(h)->value;
  if (PyUnicode_Check(o)) {
    const auto name = given_as<std::string>(h);
    // TensorFlow's own names, which old programs use: tf.cast(x, "float").
    return name == "float" ? f32 : name == "double" ? f64 : name == "half" ? f16 : dtype_from_name(name);
  }
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return f32;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return i32;
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return boolean;
  if (o == reinterpret_cast<PyObject*>(&PyUnicode_Type) || o == reinterpret_cast<PyObject*>(&PyBytes_Type))
    return DType::string;
  if (!h.is_none()) {
    if (PyType_Check(o) || nb::hasattr(h, "kind")) {  // a NumPy type or dtype
      const nb::object dtype = imported(Imported::numpy).attr("dtype")(h);
      const std::string kind = given_as<std::string>(dtype.attr("kind"));
      if (kind == "U" || kind == "S" || kind == "O") return DType::string;
      return dtype_from_name(given_as<std::string>(dtype.attr("name")));
    }
    if (nb::hasattr(h, "dtype")) return dtype_from(h.attr("dtype"));
  }
  throw nb::type_error(cat("a dtype is asked for, such as tf.float32 or 'float32', but got ", shown(h)).c_str());
}

namespace {

using ElementClass = nb::class_<ElementType>;

template <typename F>
void define_property(ElementClass& type, const char* name, F f, const char* doc) {
  type.def_prop_ro(
      name, [f](ElementType e) { return f(e.value); }, doc);
}

void bind_properties(ElementClass& type) {
  define_property(
      type, "name", [](DType d) { return std::string(info(d).name); }, "Its name, such as 'float32'.");
  define_property(
      type, "size", [](DType d) { return size_of(d); }, "Bytes of one element.");
  define_property(
      type, "is_floating", [](DType d) { return is_floating(d); }, "Is it a floating-point type?");
  define_property(
      type, "is_integer", [](DType d) { return is_integer(d); }, "Is it an integer type?");
  define_property(
      type, "is_unsigned", [](DType d) { return is_integer(d) && !is_signed(d); },
      "Is it an integer type without negative numbers?");
  define_property(
      type, "is_bool", [](DType d) { return d == boolean; }, "Is it bool?");
  define_property(
      type, "is_complex", [](DType d) { return is_complex(d); }, "Is it a complex type?");
  define_property(
      type, "is_numeric", [](DType d) { return is_complex(d) || (is_real(d) && d != boolean); },
      "Is it a type of numbers?");
  define_property(
      type, "base_dtype", [](DType d) { return dtype_object(d); }, "The type itself.");
  define_property(
      type, "real_dtype", [](DType d) { return dtype_object(d == DType::c64    ? f32
                                                            : d == DType::c128 ? f64
                                                                               : d); },
      "The type of the parts of a complex number; otherwise the type itself.");
  define_property(
      type, "as_numpy_dtype", [](DType d) { return numpy_type(d); }, "NumPy's class of such elements.");
  define_property(
      type, "as_datatype_enum",
      [](DType d) { return imported(Imported::numpy_helpers).attr("enum_of")(std::string(info(d).name)); },
      "Its number in TensorFlow's files.");
  define_property(
      type, "min", [](DType d) { return imported(Imported::numpy_helpers).attr("limit")(numpy_type(d), "min"); },
      "The smallest number.");
  define_property(
      type, "max", [](DType d) { return imported(Imported::numpy_helpers).attr("limit")(numpy_type(d), "max"); },
      "The largest number.");
  // np.dtype(tf.float32), np.zeros(3, tf.float32)
  define_property(
      type, "dtype", [](DType d) { return imported(Imported::numpy).attr("dtype")(numpy_type(d)); },
      "NumPy's dtype.");
}

void bind_comparisons(ElementClass& type) {
  type.def("__repr__",
           [](ElementType e) {
             const DType d = e.value;
             return cat("tf.", d);
           })
      .def("__str__",
           [](ElementType e) {
             const DType d = e.value;
             return cat("<dtype: '", d, "'>");
           })
      .def("__hash__",
           [](ElementType e) {
             const DType d = e.value;
             return static_cast<int64_t>(d);
           })
      .def(
          "__eq__",
          [](ElementType e, nb::object other) {
            const DType d = e.value;
            if (other.is_none()) return false;
            try {
              return dtype_from(other) == d;
            } catch (const InvalidArgument&) {
              return false;
            } catch (const nb::builtin_exception&) {
              return false;
            } catch (nb::python_error&) {
              return false;
            }
          },
          nb::arg("other").none())
      .def(
          "is_compatible_with",
          [](ElementType e, Given other) {
            const DType d = e.value;
            return dtype_from(other.object) == d;
          },
          "Is this the same type?")
      .def("__reduce__", [](ElementType e) {
        const DType d = e.value;
        return nb::make_tuple(imported(Imported::numpy_helpers).attr("dtype"),
                              nb::make_tuple(std::string(info(d).name)));
      });
}

}  // namespace

void bind_dtypes(nb::module_& m) {
  ElementClass type(m, "DType", "The type of a tensor's elements, such as tf.float32.");
  types.dtype = reinterpret_cast<PyTypeObject*>(type.ptr());
  bind_properties(type);
  bind_comparisons(type);
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    objects[i] = nb::cast(ElementType{dtype}).release().ptr();
    m.attr(std::string(info(dtype).name).c_str()) = nb::borrow(objects[i]);
  }
  m.def(
      "as_dtype", [](Given type_value) { return dtype_object(dtype_from(type_value.object)); }, nb::arg("type_value"),
      "The dtype of its name, of NumPy's or Python's type, or of something that has one.");
}

}  // namespace brio::python
