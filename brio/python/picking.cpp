// Elements picked and put where integers or truths say: gather, scatter, where, masks, unique.
#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/indexing/nd_indexing.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/dynamic_sizes.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

// As TensorFlow's where(): scalars of x and y go with everything.
Tensor where_of(const Tensor& condition, const std::vector<Tensor>& xy) { return select(condition, xy[0], xy[1]); }

void bind_scatter(nb::module_& m) {
  using Scatter = Tensor (*)(const Tensor&, const Tensor&, const Tensor&);
  struct Row {
    const char* name;
    Scatter f;
    const char* doc;
  };
  for (const Row& row :
       {Row{"tensor_scatter_nd_update", tensor_scatter_nd_update, "The tensor with the updates at the indices."},
        Row{"tensor_scatter_nd_add", tensor_scatter_nd_add, "The tensor with the updates added at the indices."},
        Row{"tensor_scatter_nd_sub", tensor_scatter_nd_sub, "The tensor with the updates subtracted at the indices."},
        Row{"tensor_scatter_nd_max", tensor_scatter_nd_max,
            "The tensor with the larger of it and the updates at the indices."},
        Row{"tensor_scatter_nd_min", tensor_scatter_nd_min,
            "The tensor with the smaller of it and the updates at the indices."}})
    m.def(
        row.name,
        [f = row.f](Given tensor, Given indices, Given updates, Given, Given) {
          return perform([f](const Tensor& where, const std::vector<Tensor>& x) { return f(x[0], where, x[1]); },
                         std::tuple{Parameter<Tensor>::take(indices), alike({tensor.object, updates.object})});
        },
        nb::arg("tensor"), nb::arg("indices"), nb::arg("updates"), nb::arg("name") = nb::none(),
        nb::arg("bad_indices_policy") = "", row.doc);
  define(
      m, "scatter_nd",
      [](const Tensor& indices, const Tensor& updates, const Shape& shape) {
        return scatter_nd(indices, updates, shape);
      },
      nb::arg("indices"), nb::arg("updates"), nb::arg("shape"),
      "Zeros of this shape with the updates added at the indices.");
}

void bind_sized_by_data(nb::module_& m) {
  define(
      m, "boolean_mask",
      [](const Tensor& x, const Tensor& mask, std::optional<int> axis) {
        return boolean_mask(x, mask, axis.value_or(0));
      },
      nb::arg("tensor"), nb::arg("mask"), nb::arg("axis") = nb::none(),
      "The slices of a tensor where a mask is true.");
  define(
      m, "_unique",
      [](const Tensor& x, DType out_idx) {
        const Unique u = unique(x);
        return std::tuple{u.values, cast(u.indices, out_idx), cast(u.counts, out_idx)};
      },
      nb::arg("x"), nb::arg("out_idx") = "int32");
  define(
      m, "dynamic_partition",
      [](const Tensor& data, const Tensor& partitions, int64_t count) {
        // Nothing has no numbers to be cast: [] is float32, and as good as a list of integers.
        return dynamic_partition(data, partitions.size() == 0 ? cast(partitions, i32) : partitions, count);
      },
      nb::arg("data"), nb::arg("partitions"), nb::arg("num_partitions"), "The rows of data by partition number.");
  m.def(
      "dynamic_stitch",
      [](nb::sequence indices, nb::sequence data, Given) {
        std::vector<TensorArgument> where, what;
        for (nb::handle h : indices) where.push_back(Parameter<Tensor>::take({h}));
        for (nb::handle h : data) what.push_back(Parameter<Tensor>::take({h}));
        return perform(
            [](const std::vector<Tensor>& i, const std::vector<Tensor>& d) { return dynamic_stitch(i, d); },
            std::tuple{where, what});
      },
      nb::arg("indices"), nb::arg("data"), nb::arg("name") = nb::none(),
      "One tensor of rows, data[i]'s at indices[i]; later ones win.");
}

}  // namespace

void bind_picking(nb::module_& m) {
  m.def(
      "where",
      [](Given condition, Given x, Given y, Given) {
        if (x.object.is_none() != y.object.is_none())
          throw InvalidArgument("[where] x and y must both be given, or neither");
        if (x.object.is_none())
          return perform(
              [](const Tensor& c) { return where(is_complex(c.dtype()) ? not_equal(c, zeros_like(c)) : c); },
              std::tuple{Parameter<Tensor>::take(condition)});
        auto c = Parameter<Tensor>::take(condition);
        if (c.tensor.defined() && c.tensor.dtype() != boolean)
          throw InvalidArgument(cat("[where] the condition is of bool, but got ", c.tensor.dtype()));
        return perform(where_of, std::tuple{c, alike({x.object, y.object})});
      },
      nb::arg("condition"), nb::arg("x") = nb::none(), nb::arg("y") = nb::none(), nb::arg("name") = nb::none(),
      "x where the condition holds and y elsewhere; alone, the positions where it holds.");
  define(
      m, "gather",
      [](const Tensor& params, const Tensor& indices, Given, std::optional<int> axis, int batch_dims) {
        const int batch = batch_dims < 0 ? batch_dims + indices.rank() : batch_dims;
        if (batch == 0) return gather(params, indices, axis.value_or(0));
        return gather(params, indices, axis.value_or(batch), batch);
      },
      nb::arg("params"), nb::arg("indices"), nb::arg("validate_indices") = nb::none(), nb::arg("axis") = nb::none(),
      nb::arg("batch_dims") = 0, "The slices of params at the indices along an axis.");
  define(
      m, "gather_nd",
      [](const Tensor& params, const Tensor& indices, int batch_dims, Given) {
        return gather_nd(params, indices, batch_dims);
      },
      nb::arg("params"), nb::arg("indices"), nb::arg("batch_dims") = 0, nb::arg("bad_indices_policy") = "",
      "The slices of params at points, which the last axis of the indices names.");
  define(
      m, "_take_along_axis",
      [](const Tensor& x, const Tensor& indices, int axis) { return take_along_axis(x, indices, axis); },
      nb::arg("x"), nb::arg("indices"), nb::arg("axis"));
  bind_scatter(m);
  bind_sized_by_data(m);
}

}  // namespace brio::python
