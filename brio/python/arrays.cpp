// Tensors made, cast, reshaped, cut and put together.
#include "brio/base/error.h"
#include "brio/ops/arrange.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/shape_ops.h"
#include "brio/python/bind.h"

namespace brio::python {

void bind_arrays(nb::module_& m) {
  m.def(
      "constant",
      [](Given value, Given dtype, Given shape, Given) {
        Wanted wanted;
        if (!dtype.object.is_none()) wanted.required = dtype_from(dtype.object);
        Tensor x = tensor_of(value.object, wanted);
        if (shape.object.is_none()) return wrap(x);
        const Shape to = shape_from(shape.object);
        return wrap(x.size() == 1 && to.elements() != 1 ? broadcast_to(reshape(x, Shape{}), to) : reshape(x, to));
      },
      nb::arg("value"), nb::arg("dtype") = nb::none(), nb::arg("shape") = nb::none(), nb::arg("name") = "Const");
  define(
      m, "cast", [](const Tensor& x, DType dtype) { return cast(x, dtype); }, nb::arg("x"), nb::arg("dtype"));
  define(
      m, "identity", [](const Tensor& x) { return identity(x); }, nb::arg("input"));
  define(
      m, "stop_gradient", [](const Tensor& x) { return stop_gradient(x); }, nb::arg("input"));
  define(
      m, "zeros", [](const Shape& shape, DType dtype) { return zeros(shape, dtype); }, nb::arg("shape"),
      nb::arg("dtype") = "float32");
  define(
      m, "ones", [](const Shape& shape, DType dtype) { return ones(shape, dtype); }, nb::arg("shape"),
      nb::arg("dtype") = "float32");
  define(
      m, "zeros_like",
      [](const Tensor& x, std::optional<DType> dtype) { return zeros(x.shape(), dtype.value_or(x.dtype())); },
      nb::arg("input"), nb::arg("dtype") = nb::none());
  define(
      m, "ones_like",
      [](const Tensor& x, std::optional<DType> dtype) { return ones(x.shape(), dtype.value_or(x.dtype())); },
      nb::arg("input"), nb::arg("dtype") = nb::none());
  m.def(
      "reshape",
      [](Given tensor, Given shape, Given) {
        const std::vector<int64_t> dims = dims_from(shape.object);
        return perform([dims](const Tensor& x) { return reshape(x, std::span<const int64_t>(dims)); },
                       std::tuple{Parameter<Tensor>::take(tensor)});
      },
      nb::arg("tensor"), nb::arg("shape"), nb::arg("name") = nb::none());
  define(
      m, "expand_dims", [](const Tensor& x, int axis) { return expand_dims(x, axis); }, nb::arg("input"),
      nb::arg("axis"));
  m.def(
      "transpose",
      [](Given a, Given perm, bool, Given) {
        const std::vector<int> order = perm.object.is_none() ? std::vector<int>{} : axis_list_from(perm.object);
        return perform([order](const Tensor& x) { return transpose(x, order); },
                       std::tuple{Parameter<Tensor>::take(a)});
      },
      nb::arg("a"), nb::arg("perm") = nb::none(), nb::arg("conjugate") = false, nb::arg("name") = "transpose");
  define(
      m, "concat", [](const std::vector<Tensor>& values, int axis) { return concat(values, axis); },
      nb::arg("values"), nb::arg("axis"));
  define(
      m, "stack", [](const std::vector<Tensor>& values, int axis) { return stack(values, axis); }, nb::arg("values"),
      nb::arg("axis") = 0);
}

}  // namespace brio::python
