#include "brio/python/called.h"

#include "brio/base/error.h"
#include "brio/nn/names.h"
#include "brio/python/errors.h"

namespace brio::python {
namespace {

std::string text_from(nb::handle h) {
  if (!PyUnicode_Check(h.ptr())) throw nb::type_error("");
  return given_as<std::string>(h);
}

nb::handle listed(nb::handle h) {
  if (!PyList_Check(h.ptr()) && !PyTuple_Check(h.ptr())) throw nb::type_error("");
  return h;
}

// {"class_name": …, "config": {…}}, as Keras writes small functions.
template <typename T>
std::optional<T> from_config(nb::handle h) {
  if (!PyDict_Check(h.ptr())) return {};
  const auto dict = nb::borrow<nb::dict>(h);
  return T::from(settings_from(given_as<std::string>(dict["class_name"]), dict["config"]));
}

// A function of one weight.
template <typename T>
T weight_function(nb::handle h, const char* what) {
  if (!PyCallable_Check(h.ptr()))
    throw nb::type_error(cat("a ", what, " is a name or a function of a tensor, but got ", shown(h)).c_str());
  return T(text_for(h.type().attr("__name__")), [f = kept(nb::borrow(h))](const Tensor& weight) {
    const Locked locked;
    return traced_call([&] { return tensor_of((*f)(wrap(weight))); });
  });
}

}  // namespace

nb::handle Called::find(std::string_view name) {
  asked_.emplace(name);
  if (next_ < args_.size()) return args_[next_++];
  return find_keyword(name);
}

nb::handle Called::find_keyword(std::string_view name) {
  asked_.emplace(name);
  return PyDict_GetItemString(kwargs_.ptr(), std::string(name).c_str());
}

void Called::refuse(std::string_view n, nb::handle value, std::string_view wanted) const {
  throw nb::type_error(cat(what_, ": ", n, " is ", shown(value), "; it must be ", wanted).c_str());
}

template <typename F>
void Called::take(std::string_view n, std::string_view wanted, F&& f) {
  const nb::handle value = n == "name" || n == "dtype" ? find_keyword(n) : find(n);
  if (!value.ptr()) return;
  try {
    f(value);
  } catch (const nb::builtin_exception& e) {
    if (*e.what()) throw;
    refuse(n, value, wanted);
  } catch (const nb::cast_error&) {
    refuse(n, value, wanted);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    refuse(n, value, wanted);
  }
}

template <typename T>
void Called::optional(std::string_view n, std::optional<T>& v) {
  const nb::handle value = n == "name" || n == "dtype" ? find_keyword(n) : find(n);
  if (!value.ptr()) return;
  if (value.is_none()) {
    v.reset();
    return;
  }
  Called one(what_, nb::make_tuple(value), nb::dict());
  if constexpr (std::is_same_v<T, uint64_t>) {
    int64_t number = 0;
    one(n == "name" ? "value" : n, number);
    v = static_cast<uint64_t>(number);
  } else {
    T inner{};
    one(n == "name" ? "value" : n, inner);
    v = std::move(inner);
  }
}

void Called::finish() const {
  std::string known;
  for (const std::string& name : asked_) known += (known.empty() ? "" : ", ") + name;
  if (next_ < args_.size())
    throw nb::type_error(
        cat(what_, " takes ", next_, " arguments, but ", args_.size(), " were given; it knows: ", known).c_str());
  for (auto [key, value] : kwargs_)
    if (!asked_.contains(given_as<std::string>(key)))
      throw nb::type_error(
          cat(what_, " got an argument that it does not know: '", given_as<std::string>(key), "'; it knows: ", known)
              .c_str());
}

void Called::operator()(std::string_view n, bool& v) {
  take(n, "True or False", [&](nb::handle h) {
    const int truth = PyObject_IsTrue(h.ptr());
    if (truth < 0) throw nb::python_error();
    if (PyUnicode_Check(h.ptr())) throw nb::type_error("");
    v = truth != 0;
  });
}
void Called::operator()(std::string_view n, int64_t& v) {
  take(n, "a whole number", [&](nb::handle h) {
    if (PyFloat_Check(h.ptr()) &&
        PyFloat_AS_DOUBLE(h.ptr()) == static_cast<double>(static_cast<int64_t>(PyFloat_AS_DOUBLE(h.ptr()))))
      v = static_cast<int64_t>(PyFloat_AS_DOUBLE(h.ptr()));
    else v = integer_from(h);
  });
}
void Called::operator()(std::string_view n, int& v) {
  int64_t wide = v;
  (*this)(n, wide);
  if (!std::in_range<int>(wide)) throw InvalidArgument(cat(what_, ": ", n, " is ", wide, ", which does not fit"));
  v = static_cast<int>(wide);
}
void Called::operator()(std::string_view n, double& v) {
  take(n, "a number", [&](nb::handle h) {
    if (PyUnicode_Check(h.ptr())) throw nb::type_error("");
    v = double_from(h);
  });
}
void Called::operator()(std::string_view n, std::string& v) {
  take(n, "a text", [&](nb::handle h) {
    if (!h.is_none() || n != "name") v = text_from(h);
  });
}
void Called::operator()(std::string_view n, std::vector<int64_t>& v) {
  take(n, "a whole number or a list of them", [&](nb::handle h) {
    if (h.is_none()) v.clear();
    else v = dims_from(h);
  });
}
void Called::operator()(std::string_view n, std::vector<int>& v) {
  take(n, "a whole number or a list of them", [&](nb::handle h) {
    if (h.is_none()) v.clear();
    else v = axis_list_from(h);
  });
}
void Called::operator()(std::string_view n, std::vector<double>& v) {
  take(n, "a number or a list of them", [&](nb::handle h) {
    v.clear();
    if (h.is_none()) return;
    if (PyFloat_Check(h.ptr()) || PyLong_Check(h.ptr())) {
      v = {double_from(h)};
      return;
    }
    for (nb::handle item : nb::iter(h)) v.push_back(double_from(item));
  });
}
void Called::operator()(std::string_view n, std::vector<std::string>& v) {
  take(n, "a list of texts", [&](nb::handle h) {
    v.clear();
    if (h.is_none()) return;
    if (PyUnicode_Check(h.ptr())) v = {given_as<std::string>(h)};
    else
      for (nb::handle item : nb::iter(h)) v.push_back(text_for(item));
  });
}
void Called::operator()(std::string_view n, std::vector<std::vector<int64_t>>& v) {
  take(n, "a list of lists of whole numbers", [&](nb::handle h) {
    v.clear();
    for (nb::handle item : nb::iter(listed(h))) v.push_back(dims_from(item));
  });
}
void Called::operator()(std::string_view n, nn::Initializer& v) {
  take(n, "an initializer", [&](nb::handle h) {
    if (!h.is_none()) v = initializer_from(h);
  });
}
void Called::operator()(std::string_view n, nn::Regularizer& v) {
  take(n, "a regularizer", [&](nb::handle h) { v = regularizer_from(h); });
}
void Called::operator()(std::string_view n, nn::Constraint& v) {
  take(n, "a constraint", [&](nb::handle h) { v = constraint_from(h); });
}
void Called::operator()(std::string_view n, nn::ActivationFunction& v) {
  take(n, "an activation", [&](nb::handle h) { v = activation_from(h); });
}
void Called::operator()(std::string_view n, nn::Policy& v) {
  take(n, "a dtype or a policy", [&](nb::handle h) { v = policy_from(h); });
}
void Called::operator()(std::string_view n, WindowPadding& v) {
  take(n, "'valid', 'same', or a pair of numbers for each axis", [&](nb::handle h) {
    if (PyUnicode_Check(h.ptr())) {
      v = WindowPadding(given_as<std::string>(h));
      return;
    }
    std::vector<Padding> sides;
    for (nb::handle item : nb::iter(listed(h))) {
      const std::vector<int64_t> pair = dims_from(item);
      if (pair.size() != 2) throw nb::type_error("");
      sides.push_back({pair[0], pair[1]});
    }
    v = WindowPadding(std::move(sides));
  });
}
void Called::operator()(std::string_view n, DataFormat& v) {
  const nb::handle given = next_ < args_.size() ? nb::handle(args_[next_]) : find_keyword(n);
  if (given.ptr() && given.is_none()) find(n);
  else choose(n, v);
}
void Called::operator()(std::string_view n, std::optional<nn::Layer>& v) {
  take(n, "a layer", [&](nb::handle h) {
    if (h.is_none()) v.reset();
    else v = layer_from(h);
  });
}
void Called::operator()(std::string_view n, std::vector<nn::Layer>& v) {
  take(n, "a list of layers", [&](nb::handle h) {
    v.clear();
    for (nb::handle item : nb::iter(h)) v.push_back(layer_from(item));
  });
}
void Called::operator()(std::string_view n, DType& v) {
  take(n, "a dtype", [&](nb::handle h) {
    if (!h.is_none()) v = dtype_from(h);
  });
}
void Called::operator()(std::string_view n, Axes& v) {
  take(n, "an axis or a list of them", [&](nb::handle h) { v = axes_from(h); });
}
std::optional<size_t> Called::place_of(std::string_view n, std::span<const std::string_view> names) {
  std::optional<size_t> at;
  std::string wanted;
  for (const auto name : names) wanted += cat(wanted.empty() ? "'" : ", '", name, "'");
  take(n, wanted, [&](nb::handle h) {
    std::string text = h.is_none() ? "none" : text_from(h);
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    size_t i = 0;
    for (const auto name : names) {
      std::string low(name);
      for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (low == text) {
        at = i;
        return;
      }
      ++i;
    }
    throw InvalidArgument(cat(what_, ": ", n, " is ", shown(h), "; it must be one of ", wanted));
  });
  return at;
}

nn::Settings settings_from(const std::string& class_name, nb::handle values) {
  nn::Settings settings{.class_name = class_name};
  for (auto [key, value] : nb::borrow<nb::dict>(values)) {
    nn::Setting setting;
    if (value.is_none()) setting = std::monostate();
    else if (PyBool_Check(value.ptr())) setting = value.ptr() == Py_True;
    else if (PyLong_Check(value.ptr())) setting = given_as<int64_t>(value);
    else if (PyFloat_Check(value.ptr())) setting = PyFloat_AS_DOUBLE(value.ptr());
    else if (PyUnicode_Check(value.ptr())) setting = given_as<std::string>(value);
    else setting = double_from(value);
    settings.values.emplace_back(given_as<std::string>(key), std::move(setting));
  }
  return settings;
}

nn::ActivationFunction activation_from(nb::handle h) {
  if (h.is_none()) return nn::ActivationFunction("linear");
  if (PyUnicode_Check(h.ptr())) return nn::ActivationFunction(given_as<std::string>(h));
  if (!PyCallable_Check(h.ptr()))
    throw nb::type_error(cat("an activation is a name or a function of a tensor, but got ", shown(h)).c_str());
  // One of our own is kept by its name, so that a config can name it.
  if (nb::hasattr(h, "_brio_name")) return nn::ActivationFunction(given_as<std::string>(h.attr("_brio_name")));
  return nn::ActivationFunction([f = kept(nb::borrow(h))](const Tensor& x) {
    const Locked locked;
    return traced_call([&] { return tensor_of((*f)(wrap(x))); });
  });
}

nn::Initializer initializer_from(nb::handle h) {
  if (PyType_Check(h.ptr()))
    return initializer_from(nb::borrow(h)());  // a class stands for one of its kind, as in Keras
  if (PyUnicode_Check(h.ptr())) return nn::Initializer(given_as<std::string>(h));
  if (auto made = from_config<nn::Initializer>(h)) return *made;
  if (nb::isinstance<nn::Initializer>(h)) return given_as<nn::Initializer>(h);
  if (nb::hasattr(h, "_brio")) return given_as<nn::Initializer>(h.attr("_brio"));
  if (is_tensor_like(h)) {
    return {"constant", [value = tensor_of(h)](const Shape&, DType) -> Tensor { return value; }};
  }
  if (!PyCallable_Check(h.ptr()))
    throw nb::type_error(
        cat("an initializer is a name or a function of shape and dtype, but got ", shown(h)).c_str());
  return {text_for(h.type().attr("__name__")), [f = kept(nb::borrow(h))](const Shape& shape, DType dtype) {
            const Locked locked;
            return tensor_of((*f)(shape_object(shape), nb::arg("dtype") = dtype_object(dtype)));
          }};
}

nn::Regularizer regularizer_from(nb::handle h) {
  if (h.is_none()) return {};
  if (PyType_Check(h.ptr())) return regularizer_from(nb::borrow(h)());
  if (PyUnicode_Check(h.ptr())) return nn::Regularizer(given_as<std::string>(h));
  if (auto made = from_config<nn::Regularizer>(h)) return *made;
  if (nb::hasattr(h, "_brio")) return given_as<nn::Regularizer>(h.attr("_brio"));
  return weight_function<nn::Regularizer>(h, "regularizer");
}

nn::Constraint constraint_from(nb::handle h) {
  if (h.is_none()) return {};
  if (PyType_Check(h.ptr())) return constraint_from(nb::borrow(h)());
  if (PyUnicode_Check(h.ptr())) return nn::Constraint(given_as<std::string>(h));
  if (auto made = from_config<nn::Constraint>(h)) return *made;
  if (nb::hasattr(h, "_brio")) return given_as<nn::Constraint>(h.attr("_brio"));
  return weight_function<nn::Constraint>(h, "constraint");
}

nn::Policy policy_from(nb::handle h) {
  if (h.is_none()) return {};
  if (PyUnicode_Check(h.ptr())) return nn::Policy(given_as<std::string>(h));
  if (PyDict_Check(h.ptr())) return nn::Policy(given_as<std::string>(nb::borrow<nb::dict>(h)["config"]["name"]));
  if (nb::hasattr(h, "compute_dtype")) return nn::Policy(given_as<std::string>(h.attr("name")));
  return nn::Policy(dtype_from(h));
}

nn::Layer layer_from(nb::handle h) {
  if (nb::isinstance<nn::Layer>(h)) return given_as<nn::Layer>(h);
  if (!nb::hasattr(h, "_handle")) throw nb::type_error(cat("a layer is asked for, but got ", shown(h)).c_str());
  return given_as<nn::Layer>(h.attr("_handle"));
}

// ---- listing

namespace {

class Lister : public nn::Fields {
 public:
  nb::list names;
  bool reading() const override { return true; }

  void operator()(std::string_view n, bool& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, int64_t& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, double& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::string& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::optional<bool>& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::optional<int64_t>& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::optional<uint64_t>& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::optional<double>& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::optional<std::string>& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::vector<int64_t>& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::vector<int>& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::vector<double>& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::vector<std::string>& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, std::vector<std::vector<int64_t>>& v) override { add(n, nb::cast(v)); }
  void operator()(std::string_view n, nn::Initializer& v) override { add(n, nb::cast(v.name())); }
  void operator()(std::string_view n, nn::Regularizer&) override { add(n, nb::none()); }
  void operator()(std::string_view n, nn::Constraint&) override { add(n, nb::none()); }
  void operator()(std::string_view n, nn::ActivationFunction& v) override { add(n, nb::cast(v.name())); }
  void operator()(std::string_view n, nn::Policy&) override { add(n, nb::none()); }
  void operator()(std::string_view n, WindowPadding& v) override { add(n, nb::cast(v.name())); }
  void operator()(std::string_view n, DataFormat&) override { add(n, nb::none()); }
  void operator()(std::string_view n, std::optional<nn::Layer>&) override { add(n, nb::none()); }
  void operator()(std::string_view n, std::vector<nn::Layer>&) override { add(n, nb::none()); }

 private:
  void add(std::string_view name, nb::object value) { names.append(nb::make_tuple(std::string(name), value)); }
};

}  // namespace

nb::list fields_of(const std::function<void(nn::Fields&)>& maker) {
  Lister lister;
  try {
    maker(lister);
  } catch (const Error&) {  // without its values there is nothing to make; the names were asked for before
  }
  return lister.names;
}

}  // namespace brio::python
