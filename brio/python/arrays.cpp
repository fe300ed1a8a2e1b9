// Tensors made, cast, reshaped, cut and put together.
#include "brio/base/error.h"
#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/known_sizes.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/ops/strings/strings.h"
#include "brio/python/bind.h"
#include "brio/python/devices.h"

namespace brio::python {
namespace {

// Zeros, or texts without a letter.
Tensor nothing(const Shape& shape, DType dtype) {
  return dtype == DType::string ? broadcast_to(string_tensor(""), shape) : zeros(shape, dtype);
}

Tensor integers(const std::vector<int64_t>& values, const Shape& shape, DType dtype) {
  if (dtype != i32 && dtype != i64) throw InvalidArgument(cat("sizes are int32 or int64, but out_type is ", dtype));
  Array array = Array::allocate({shape, dtype});
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == i32) array.as<int32_t>()[i] = static_cast<int32_t>(values[i]);
    else array.as<int64_t>()[i] = values[i];
  }
  return Tensor(std::move(array));
}

// Known at once, also while a function is traced: shapes always are.
const Shape known_shape(Given input) {
  return is_variable(input.object) ? nb::inst_ptr<Variable>(input.object)->shape() : tensor_of(input.object).shape();
}
DType size_dtype(Given out_type) { return out_type.object.is_none() ? i32 : dtype_from(out_type.object); }

// A function of a tensor's shape.
template <typename F>
nb::object of_shape(Given input, F f) {
  if (is_symbol(input.object) || (current_journal && is_tensor(input.object)))
    return perform([f](const Tensor& x) { return f(x.shape()); }, std::tuple{Parameter<Tensor>::take(input)});
  return wrap(f(known_shape(input)));
}
nb::object shape_of(Given input, DType dtype) {
  return of_shape(input, [dtype](const Shape& shape) {
    return shape.known() ? integers({shape.begin(), shape.end()}, {shape.rank()}, dtype)
                         : sizes_tensor(shape.dims(), dtype);
  });
}

void bind_sizes(nb::module_& m) {
  m.def(
      "shape", [](Given input, Given out_type, Given) { return shape_of(input, size_dtype(out_type)); },
      nb::arg("input"), nb::arg("out_type") = nb::none(), nb::arg("name") = nb::none(),
      "The sizes of a tensor's axes as a vector of integers.");
  m.def(
      "shape_n",
      [](nb::sequence inputs, Given out_type, Given) {
        nb::list shapes;
        for (nb::handle input : inputs) shapes.append(shape_of({input}, dtype_from(out_type.object)));
        return shapes;
      },
      nb::arg("input"), nb::arg("out_type") = "int32", nb::arg("name") = nb::none(), "The shape of each tensor.");
  m.def(
      "size",
      [](Given input, Given out_type, Given) {
        return of_shape(input, [dtype = size_dtype(out_type)](const Shape& shape) {
          return shape.known() ? integers({shape.elements()}, {}, dtype) : constant(shape.elements(), dtype);
        });
      },
      nb::arg("input"), nb::arg("out_type") = nb::none(), nb::arg("name") = nb::none(),
      "How many elements a tensor has.");
  m.def(
      "rank",
      [](Given input, Given) {
        return of_shape(input, [](const Shape& shape) { return integers({shape.rank()}, {}, i32); });
      },
      nb::arg("input"), nb::arg("name") = nb::none(), "How many axes a tensor has.");
  define(
      m, "ensure_shape",
      [](const Tensor& x, const std::vector<Size>& dims) {
        bool same = static_cast<int>(dims.size()) == x.rank();
        for (int i = 0; same && i < x.rank(); ++i)
          same = dims[static_cast<size_t>(i)] < 0 || !(dims[static_cast<size_t>(i)] != x.shape()[i]);
        if (!same)
          throw InvalidArgument(
              cat("[ensure_shape] the tensor has shape ", x.shape(), ", which is not as asked for"));
        return identity(x);
      },
      nb::arg("x"), nb::arg("shape"), "x, whose shape is checked.");
  m.def(
      "broadcast_static_shape",
      [](Given x, Given y) {
        return shape_object(broadcast_static_shape(shape_from(x.object), shape_from(y.object)));
      },
      nb::arg("shape_x"), nb::arg("shape_y"), "The shape to which two shapes broadcast.");
  m.def(
      "broadcast_dynamic_shape",
      [](Given x, Given y) {
        const Shape shape = broadcast_static_shape(shape_from(x.object), shape_from(y.object));
        const auto is_wide = [](nb::handle h) {
          return PyObject_HasAttrString(h.ptr(), "dtype") && tensor_of(h, {.as_input = true}).dtype() == i64;
        };
        return wrap(sizes_tensor(shape.dims(), is_wide(x.object) || is_wide(y.object) ? i64 : i32));
      },
      nb::arg("shape_x"), nb::arg("shape_y"), "The shape to which two shapes broadcast, as a tensor.");
}

// While a function is traced: a range that ends, or begins, at a size that is not known. None: it has numbers.
std::optional<Tensor> open_range(nb::handle start, nb::handle limit, nb::handle delta, DType dtype) {
  if (!is_tracing() || !is_integer(dtype) || !PyLong_Check(delta.ptr())) return std::nullopt;
  const auto is_open = [](nb::handle h) {
    return h.ptr() && (nb::isinstance<Size>(h) || (is_tensor(h) && !readable(tensor_of(h))));
  };
  const int64_t by = integer_from(delta);
  if (by <= 0 || (!is_open(start) && !is_open(limit))) return std::nullopt;
  const Size from = start.ptr() ? size_from(start) : Size(0), to = size_from(limit);
  const Tensor counted = iota(pieces(max(to - from, 0), by), dtype);
  const Tensor scaled = by == 1 ? counted : counted * constant(by, dtype);
  return from == 0 ? scaled : scaled + constant(from, dtype);
}

void bind_made(nb::module_& m) {
  m.def(
      "fill",
      [](Given dims, Given value, Given, Given) {
        return perform([](const Shape& to, const Tensor& x) { return broadcast_to(x, to); },
                       std::tuple{Parameter<Shape>::take(dims), Parameter<Tensor>::take(value)});
      },
      nb::arg("dims"), nb::arg("value"), nb::arg("name") = nb::none(), nb::arg("layout") = nb::none(),
      "A tensor that has one value everywhere.");
  m.def(
      "range",
      [](Given start, Given limit, Given delta, Given dtype, Given) {
        std::optional<DType> as;
        if (!dtype.object.is_none()) as = dtype_from(dtype.object);
        else  // numbers that have a dtype say which
          for (const Given& g : {start, limit, delta}) {
            if (g.object.is_none() || !PyObject_HasAttrString(g.object.ptr(), "dtype")) continue;
            const DType d = tensor_of(g.object, {.as_input = true}).dtype();
            if (!as || (is_floating(d) && !is_floating(*as)) ||
                (is_floating(d) == is_floating(*as) && size_of(d) > size_of(*as)))
              as = d;
          }
        const bool one = limit.object.is_none();
        if (const auto open = open_range(one ? nb::handle() : start.object, one ? start.object : limit.object,
                                         delta.object, as.value_or(i32)))
          return wrap(*open);
        return perform(
            [as](Scalar from, Scalar to, Scalar by) { return range(from, to, by, as); },
            std::tuple{one ? ScalarArgument{0} : ScalarArgument::take(start.object),
                       ScalarArgument::take(one ? start.object : limit.object), ScalarArgument::take(delta.object)});
      },
      nb::arg("start"), nb::arg("limit") = nb::none(), nb::arg("delta") = 1, nb::arg("dtype") = nb::none(),
      nb::arg("name") = "range", "Numbers from start on, delta apart, before limit; one argument is the limit.");
  m.def(
      "linspace",
      [](Given start, Given stop, Given num, Given, Given axis) {
        return perform(
            [n = integer_from(num.object), at = axis_from(axis.object)](const std::vector<Tensor>& ends) {
              // As TensorFlow: integers give float64.
              const DType dtype = is_integer(ends[0].dtype()) ? f64 : ends[0].dtype();
              return linspace(cast(ends[0], dtype), cast(ends[1], dtype), n, at);
            },
            std::tuple{alike({start.object, stop.object})});
      },
      nb::arg("start"), nb::arg("stop"), nb::arg("num"), nb::arg("name") = nb::none(), nb::arg("axis") = 0,
      "num numbers from start to stop, both included.");
  define(
      m, "eye",
      [](int64_t rows, std::optional<int64_t> columns, std::optional<std::vector<int64_t>> batch, DType dtype) {
        return eye(rows, columns.value_or(-1), dtype, batch ? Shape(std::span<const int64_t>(*batch)) : Shape{});
      },
      nb::arg("num_rows"), nb::arg("num_columns") = nb::none(), nb::arg("batch_shape") = nb::none(),
      nb::arg("dtype") = "float32", "A matrix that has 1 on the main diagonal and 0 elsewhere.");
  m.def(
      "one_hot",
      [](Given indices, Given depth, Given on_value, Given off_value, Given axis, Given dtype, Given) {
        DType as = f32;
        if (!dtype.object.is_none()) as = dtype_from(dtype.object);
        else if (!on_value.object.is_none()) as = tensor_of(on_value.object).dtype();
        else if (!off_value.object.is_none()) as = tensor_of(off_value.object).dtype();
        const bool plain = on_value.object.is_none() && off_value.object.is_none();
        const int64_t n = integer_from(depth.object);
        const int at = axis.object.is_none() ? -1 : axis_from(axis.object);
        if (!plain && is_complex(as))  // no Scalar is
          return perform(
              [=](const Tensor& x, const std::optional<Tensor>& on, const std::optional<Tensor>& off) {
                return select(one_hot(x, n, boolean, at), on ? cast(*on, as) : constant(1, as),
                              off ? cast(*off, as) : constant(0, as));
              },
              std::tuple{Parameter<Tensor>::take(indices), Parameter<std::optional<Tensor>>::take(on_value),
                         Parameter<std::optional<Tensor>>::take(off_value)});
        const Scalar on = on_value.object.is_none() ? Scalar(1) : scalar_from(on_value.object);
        const Scalar off = off_value.object.is_none() ? Scalar(0) : scalar_from(off_value.object);
        return perform(
            [=](const Tensor& x) { return plain ? one_hot(x, n, as, at) : one_hot(x, n, on, off, as, at); },
            std::tuple{Parameter<Tensor>::take(indices)});
      },
      nb::arg("indices"), nb::arg("depth"), nb::arg("on_value") = nb::none(), nb::arg("off_value") = nb::none(),
      nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("name") = nb::none(),
      "A new axis with 1 at the index and 0 elsewhere.");
  define(
      m, "_meshgrid",
      [](const std::vector<Tensor>& vectors, const std::string& indexing) { return meshgrid(vectors, indexing); },
      nb::arg("vectors"), nb::arg("indexing"));
  define(
      m, "sequence_mask",
      [](const Tensor& lengths, std::optional<int64_t> maxlen, DType dtype) {
        return sequence_mask(lengths, maxlen, dtype);
      },
      nb::arg("lengths"), nb::arg("maxlen") = nb::none(), nb::arg("dtype") = "bool",
      "A new last axis that is true at positions below the length.");
}

Tensor sliced(const Tensor& x, const std::vector<Size>& begin, const std::vector<Size>& size) {
  if (static_cast<int>(begin.size()) != x.rank() || begin.size() != size.size())
    throw InvalidArgument(cat("[slice] begin and size have one number for each of the ", x.rank(), " axes, but got ",
                              begin.size(), " and ", size.size()));
  std::vector<Range> ranges;
  for (int i = 0; i < x.rank(); ++i) {
    const Size b = begin[static_cast<size_t>(i)], s = size[static_cast<size_t>(i)], n = x.shape()[i];
    const Size e = s == -1 ? n : b + s;
    if (surely_less(b, 0) || surely_less(n, b) || surely_less(s, -1) || surely_less(n, e))
      throw InvalidArgument(cat("[slice] begin ", b, " and size ", s, " do not fit axis ", i, " of size ", n));
    ranges.push_back({b, e, 1});
  }
  return slice(x, ranges);
}

void bind_arranged(nb::module_& m) {
  define(
      m, "squeeze",
      [](const Tensor& x, std::optional<std::vector<int>> axis) {
        return squeeze(x, axis.value_or(std::vector<int>{}));
      },
      nb::arg("input"), nb::arg("axis") = nb::none(), "The tensor without axes of size 1.");
  define(
      m, "broadcast_to", [](const Tensor& x, const Shape& shape) { return broadcast_to(x, shape); }, nb::arg("input"),
      nb::arg("shape"), "The tensor repeated along axes of size 1, and new ones, to this shape.");
  define(
      m, "tile", [](const Tensor& x, const std::vector<Size>& multiples) { return tile(x, multiples); },
      nb::arg("input"), nb::arg("multiples"), "The whole tensor so many times along each axis.");
  define(
      m, "repeat",
      [](const Tensor& x, const std::vector<Size>& times, std::optional<int> axis) {
        return times.size() == 1 ? repeat(x, times[0], axis)
                                 : repeat(x, std::vector<int64_t>(times.begin(), times.end()), axis);
      },
      nb::arg("input"), nb::arg("repeats"), nb::arg("axis") = nb::none(),
      "Every element along an axis so many times; without an axis, of the flat tensor.");
  define(
      m, "reverse", [](const Tensor& x, const std::vector<int>& axes) { return reverse(x, axes); }, nb::arg("tensor"),
      nb::arg("axis"), "The elements from last to first along axes.");
  define(
      m, "roll",
      [](const Tensor& x, const std::vector<int64_t>& shift, const std::vector<int>& axis) {
        return roll(x, shift, axis);
      },
      nb::arg("input"), nb::arg("shift"), nb::arg("axis"),
      "The elements moved up along axes; those that leave come in again at the other end.");
  m.def(
      "pad",
      [](Given tensor, Given paddings, const std::string& mode, Given constant_values, Given) {
        std::string how = mode;
        for (char& c : how) c = static_cast<char>(std::toupper(c));
        if (how != "CONSTANT" && how != "REFLECT" && how != "SYMMETRIC")
          throw InvalidArgument(cat("[pad] mode is '", mode, "'; it is 'CONSTANT', 'REFLECT' or 'SYMMETRIC'"));
        const Scalar value = how == "CONSTANT" ? scalar_from(constant_values.object) : Scalar(0);
        return perform(
            [=](const Tensor& x, const std::vector<Padding>& sides) {
              if (how == "CONSTANT") return pad(x, sides, value);
              return pad(x, sides, how == "REFLECT" ? Mirror::reflect : Mirror::symmetric);
            },
            std::tuple{Parameter<Tensor>::take(tensor), PaddingsArgument::take(paddings.object)});
      },
      nb::arg("tensor"), nb::arg("paddings"), nb::arg("mode") = "CONSTANT", nb::arg("constant_values") = 0,
      nb::arg("name") = nb::none(), "The tensor with so many elements before and behind along each axis.");
  m.def(
      "split",
      [](Given value, Given num_or_size_splits, Given axis, Given num, Given) {
        const int at = axis_from(axis.object);
        nb::handle h = num_or_size_splits.object;
        const bool sizes =
            PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()) || (!PyLong_Check(h.ptr()) && tensor_of(h).rank() > 0);
        const auto list = sizes ? dims_from(h) : std::vector<int64_t>{integer_from(h)};
        if (!num.object.is_none() && sizes && integer_from(num.object) != static_cast<int64_t>(list.size()))
          throw InvalidArgument(
              cat("[split] num is ", integer_from(num.object), ", but there are ", list.size(), " sizes"));
        return perform([=](const Tensor& x) { return sizes ? split(x, list, at) : split(x, list[0], at); },
                       std::tuple{Parameter<Tensor>::take(value)});
      },
      nb::arg("value"), nb::arg("num_or_size_splits"), nb::arg("axis") = 0, nb::arg("num") = nb::none(),
      nb::arg("name") = "split", "The tensor cut along an axis into equal parts, or parts of these sizes.");
  define(
      m, "unstack",
      [](const Tensor& x, std::optional<int64_t> num, int axis) {
        std::vector<Tensor> parts = unstack(x, axis);
        if (num && *num != static_cast<int64_t>(parts.size()))
          throw InvalidArgument(cat("[unstack] num is ", *num, ", but the axis has size ", parts.size()));
        return parts;
      },
      nb::arg("value"), nb::arg("num") = nb::none(), nb::arg("axis") = 0,
      "The parts of a tensor along an axis, as a list.");
  define(
      m, "slice",
      [](const Tensor& x, const std::vector<Size>& begin, const std::vector<Size>& size) {
        return sliced(x, begin, size);
      },
      nb::arg("input_"), nb::arg("begin"), nb::arg("size"),
      "size[i] elements from begin[i] on along each axis; -1: all that follow.");
  using Batches = Tensor (*)(const Tensor&, const std::vector<int64_t>&, const std::vector<Padding>&);
  for (const auto& [name, f, sides, doc] :
       {std::tuple{"space_to_batch", static_cast<Batches>(space_to_batch), "paddings", "Blocks become batches."},
        std::tuple{"space_to_batch_nd", static_cast<Batches>(space_to_batch), "paddings", "Blocks become batches."},
        std::tuple{"batch_to_space", static_cast<Batches>(batch_to_space), "crops", "Batches become blocks."}})
    define(
        m, name,
        [f = f](const Tensor& x, const std::vector<int64_t>& block, const std::vector<Padding>& around) {
          return f(x, block, around);
        },
        nb::arg("input"), nb::arg("block_shape"), nb::arg(sides), doc);
}

}  // namespace

void bind_arrays(nb::module_& m) {
  bind_sizes(m);
  bind_made(m);
  bind_arranged(m);
  m.def(
      "constant",
      [](Given value, Given dtype, Given shape, Given) {
        // A variable is as the array of its numbers, which may become another dtype; a tensor keeps its own.
        const bool numbers = is_variable(value.object) && !dtype.object.is_none();
        Wanted wanted{.as_input = shape.object.is_none() && !numbers};
        if (!dtype.object.is_none() && !numbers) wanted.required = dtype_from(dtype.object);
        Tensor x = tensor_of(value.object, wanted);
        if (numbers) x = cast(x, dtype_from(dtype.object));
        if (shape.object.is_none()) return wrap(in_scope(std::move(x)));
        const Shape to = shape_from(shape.object);
        return wrap(x.size() == 1 && to.elements() != 1 ? broadcast_to(reshape(x, Shape{}), to) : reshape(x, to));
      },
      nb::arg("value").none(), nb::arg("dtype") = nb::none(), nb::arg("shape") = nb::none(),
      nb::arg("name") = "Const", "A tensor of these values.");
  define(
      m, "cast", [](const Tensor& x, DType dtype) { return cast(x, dtype); }, nb::arg("x"), nb::arg("dtype"),
      "The elements as another dtype.");
  define(
      m, "identity", [](const Tensor& x) { return identity(x); }, nb::arg("input"), "The same tensor.");
  define(
      m, "stop_gradient", [](const Tensor& x) { return stop_gradient(x); }, nb::arg("input"),
      "The same tensor, through which no gradient flows.");
  define(
      m, "zeros", [](const Shape& shape, DType dtype, Given) { return nothing(shape, dtype); }, nb::arg("shape"),
      nb::arg("dtype") = "float32", nb::arg("layout") = nb::none(), "A tensor of zeros.");
  define(
      m, "ones", [](const Shape& shape, DType dtype, Given) { return ones(shape, dtype); }, nb::arg("shape"),
      nb::arg("dtype") = "float32", nb::arg("layout") = nb::none(), "A tensor of ones.");
  define(
      m, "zeros_like",
      [](const Tensor& x, std::optional<DType> dtype, Given) {
        return nothing(x.shape(), dtype.value_or(x.dtype()));
      },
      nb::arg("input"), nb::arg("dtype") = nb::none(), nb::arg("layout") = nb::none(),
      "A tensor of zeros with the shape and dtype of another.");
  define(
      m, "ones_like",
      [](const Tensor& x, std::optional<DType> dtype, Given) { return ones(x.shape(), dtype.value_or(x.dtype())); },
      nb::arg("input"), nb::arg("dtype") = nb::none(), nb::arg("layout") = nb::none(),
      "A tensor of ones with the shape and dtype of another.");
  m.def(
      "reshape",
      [](Given tensor, Given shape, Given) {
        return perform([](const Tensor& x, const std::vector<Size>& dims) { return reshape(x, dims); },
                       std::tuple{Parameter<Tensor>::take(tensor), SizesArgument::take(shape.object)});
      },
      nb::arg("tensor"), nb::arg("shape"), nb::arg("name") = nb::none(),
      "The same elements in another shape; one size may be -1: what is left.");
  define(
      m, "expand_dims",
      [](const Tensor& x, const std::vector<int>& axis) {
        if (axis.size() != 1) throw InvalidArgument(cat("[expand_dims] takes one axis, but got ", axis.size()));
        return expand_dims(x, axis[0]);
      },
      nb::arg("input"), nb::arg("axis"), "The tensor with a new axis of size 1.");
  m.def(
      "transpose",
      [](Given a, Given perm, bool conjugate, Given) {
        const std::vector<int> order = perm.object.is_none() ? std::vector<int>{} : axis_list_from(perm.object);
        return perform([=](const Tensor& x) { return transpose(conjugate ? conj(x) : x, order); },
                       std::tuple{Parameter<Tensor>::take(a)});
      },
      nb::arg("a"), nb::arg("perm") = nb::none(), nb::arg("conjugate") = false, nb::arg("name") = "transpose",
      "The axes in another order; reversed where perm is not given.");
  m.def(
      "concat",
      [](Given values, Given axis, Given) {
        const std::vector<int> axes = axis_list_from(axis.object);  // TensorFlow takes a list of one, too
        if (axes.size() != 1) throw InvalidArgument(cat("[concat] takes one axis, but got ", axes.size()));
        const int at = axes.front();
        const nb::handle h = values.object;  // one tensor is not taken apart
        if (is_tensor(h) || is_variable(h) || (!PyList_Check(h.ptr()) && PyObject_CheckBuffer(h.ptr())))
          return perform([at](const Tensor& x) { return concat({x}, at); },
                         std::tuple{Parameter<Tensor>::take(values)});
        return perform([at](const std::vector<Tensor>& list) { return concat(list, at); },
                       std::tuple{Parameter<std::vector<Tensor>>::take(values)});
      },
      nb::arg("values"), nb::arg("axis"), nb::arg("name") = "concat",
      "The tensors one after the other along an axis.");
  define(
      m, "stack", [](const std::vector<Tensor>& values, int axis) { return stack(values, axis); }, nb::arg("values"),
      nb::arg("axis") = 0, "The tensors side by side along a new axis.");
}

}  // namespace brio::python
