// Agreement with TensorFlow where a definition alone does not settle it: ties, empty results, edges, batches,
// gradients.
#include <gtest/gtest.h>

#include "tests/ops/golden_call.h"

namespace brio::golden_calls {
namespace {

Functions shape_functions() {
  return {
      {"tile", [](const Call& c) { return Results{tile(c["input"], c.list("multiples"))}; }},
      {"repeat", [](const Call& c) { return Results{repeat(c["input"], c.integer("repeats"), c.axis())}; }},
      {"repeat_each", [](const Call& c) { return Results{repeat(c["input"], c.list("repeats"), c.axis())}; }},
      {"reverse", [](const Call& c) { return Results{reverse(c["tensor"], c.list<int>("axis"))}; }},
      {"roll", [](const Call& c) { return Results{roll(c["input"], c.list("shift"), c.list<int>("axis"))}; }},
      {"rot90", [](const Call& c) { return Results{rot90(c["x"], c.axis("k"))}; }},
      {"moveaxis", [](const Call& c) { return Results{moveaxis(c["a"], c.axis("source"), c.axis("destination"))}; }},
      {"swapaxes", [](const Call& c) { return Results{swapaxes(c["a"], c.axis("axis1"), c.axis("axis2"))}; }},
      {"unstack", [](const Call& c) { return unstack(c["value"], c.axis()); }},
      {"split", [](const Call& c) { return split(c["value"], c.integer("num_or_size_splits"), c.axis()); }},
      {"split_sizes", [](const Call& c) { return split(c["value"], c.list("num_or_size_splits"), c.axis()); }},
      {"stack",
       [](const Call& c) {
         return Results{stack({c["a"], c["b"]}, c.axis())};
       }},
      {"space_to_depth", [](const Call& c) { return Results{space_to_depth(c["input"], c.integer("block_size"))}; }},
      {"depth_to_space", [](const Call& c) { return Results{depth_to_space(c["input"], c.integer("block_size"))}; }},
      {"space_to_batch",
       [](const Call& c) {
         return Results{space_to_batch(c["input"], c.list("block_shape"), c.paddings("paddings"))};
       }},
      {"batch_to_space",
       [](const Call& c) { return Results{batch_to_space(c["input"], c.list("block_shape"), c.paddings("crops"))}; }},
      {"range",
       [](const Call& c) {
         if (c["start"].dtype() == f32)
           return Results{range(c["start"].item<float>(), c["limit"].item<float>(), c["delta"].item<float>())};
         return Results{range(c["start"].item<int32_t>(), c["limit"].item<int32_t>(), c["delta"].item<int32_t>())};
       }},
      {"linspace",
       [](const Call& c) { return Results{linspace(c["start"], c["stop"], c.integer("num"), c.axis())}; }},
      {"eye",
       [](const Call& c) {
         return Results{eye(c.integer("num_rows"), c.integer("num_columns"), f32, c.shape("batch_shape"))};
       }},
      {"sequence_mask",
       [](const Call& c) {
         return Results{c.c.has("maxlen") ? sequence_mask(c["lengths"], c.integer("maxlen"))
                                          : sequence_mask(c["lengths"])};
       }},
      {"one_hot",
       [](const Call& c) {
         return Results{one_hot(c["indices"], c.integer("depth"), c.c.number("on_value"), c.c.number("off_value"),
                                f32, c.axis())};
       }},
      {"band_part",
       [](const Call& c) {
         return Results{linalg::band_part(c["input"], c.integer("num_lower"), c.integer("num_upper"))};
       }},
      {"tril", [](const Call& c) { return Results{tril(c["m"], c.integer("k"))}; }},
      {"triu", [](const Call& c) { return Results{triu(c["m"], c.integer("k"))}; }},
      {"meshgrid",
       [](const Call& c) {
         return meshgrid({c["a"], c["b"], c["c"]}, c.c.text("indexing"));
       }},
      {"mirror_pad",
       [](const Call& c) {
         const Mirror mirror = c.c.text("mode") == "REFLECT" ? Mirror::reflect : Mirror::symmetric;
         return Results{pad(c["tensor"], c.paddings("paddings"), mirror)};
       }},
      {"diag", [](const Call& c) { return Results{linalg::diag(c["diagonal"], c.integer("k"))}; }},
      {"diag_part", [](const Call& c) { return Results{linalg::diag_part(c["input"], c.integer("k"))}; }},
      {"set_diag",
       [](const Call& c) { return Results{linalg::set_diag(c["input"], c["diagonal"], c.integer("k"))}; }},
  };
}

Function cumulative(Tensor (*f)(const Tensor&, int, CumulativeOptions)) {
  return [f](const Call& c) {
    return Results{f(c["x"], c.axis(), {.exclusive = c.flag("exclusive"), .reverse = c.flag("reverse")})};
  };
}
Function segment(Tensor (*f)(const Tensor&, const Tensor&)) {
  return [f](const Call& c) { return Results{f(c["data"], c["segment_ids"])}; };
}
Function unsorted(Tensor (*f)(const Tensor&, const Tensor&, int64_t)) {
  return [f](const Call& c) { return Results{f(c["data"], c["segment_ids"], c.integer("num_segments"))}; };
}
Function reduced(Tensor (*f)(const Tensor&, const Axes&, bool)) {
  return [f](const Call& c) { return Results{f(c["input_tensor"], c.axis(), false)}; };
}

Functions reduction_functions() {
  return {
      {"mean_int", reduced(mean)},
      {"logsumexp", reduced(logsumexp)},
      {"variance", reduced(variance)},
      {"std", reduced(standard_deviation)},
      {"argmax", [](const Call& c) { return Results{argmax(c["input"], c.axis())}; }},
      {"argmin", [](const Call& c) { return Results{argmin(c["input"], c.axis())}; }},
      {"moments",
       [](const Call& c) {
         const Moments both = moments(c["x"], Axes(c.list<int>("axes")));
         return Results{both.mean, both.variance};
       }},
      {"count_nonzero", [](const Call& c) { return Results{count_nonzero(c["input"], c.axis())}; }},
      {"norm", [](const Call& c) { return Results{norm(c["tensor"], std::stod(c.c.text("ord")), c.axis())}; }},
      {"matrix_norm",
       [](const Call& c) {
         const std::string& order = c.c.text("ord");
         const MatrixNorm which = order == "1"     ? MatrixNorm::one
                                  : order == "inf" ? MatrixNorm::infinity
                                                   : MatrixNorm::frobenius;
         return Results{matrix_norm(c["tensor"], which, 2, 0)};
       }},
      {"bincount",
       [](const Call& c) {
         BincountOptions options;
         if (c.tensors.count("weights")) options.weights = c["weights"];
         if (c.c.has("minlength")) options.minlength = c.integer("minlength");
         if (c.c.has("maxlength")) options.maxlength = c.integer("maxlength");
         return Results{bincount(c["arr"], options)};
       }},
      {"histogram_fixed_width",
       [](const Call& c) {
         return Results{
             histogram_fixed_width(c["values"], c.c.number("low"), c.c.number("high"), c.integer("nbins"))};
       }},
      {"cumsum", cumulative(cumsum)},
      {"cumprod", cumulative(cumprod)},
      {"cumulative_logsumexp", cumulative(cumulative_logsumexp)},
      {"segment_sum", segment(segment_sum)},
      {"segment_mean", segment(segment_mean)},
      {"segment_max", segment(segment_max)},
      {"segment_min", segment(segment_min)},
      {"segment_prod", segment(segment_prod)},
      {"unsorted_segment_sum", unsorted(unsorted_segment_sum)},
      {"unsorted_segment_mean", unsorted(unsorted_segment_mean)},
      {"unsorted_segment_max", unsorted(unsorted_segment_max)},
      {"unsorted_segment_min", unsorted(unsorted_segment_min)},
      {"unsorted_segment_prod", unsorted(unsorted_segment_prod)},
      {"unsorted_segment_sqrt_n", unsorted(unsorted_segment_sqrt_n)},
  };
}

Function scattered(Tensor (*f)(const Tensor&, const Tensor&, const Tensor&)) {
  return [f](const Call& c) { return Results{f(c["tensor"], c["indices"], c["updates"])}; };
}

Functions indexing_functions() {
  return {
      {"gather_batch",
       [](const Call& c) { return Results{gather(c["params"], c["indices"], c.axis(), c.axis("batch_dims"))}; }},
      {"gather_nd",
       [](const Call& c) { return Results{gather_nd(c["params"], c["indices"], c.axis("batch_dims"))}; }},
      {"take_along_axis", [](const Call& c) { return Results{take_along_axis(c["x"], c["indices"], c.axis())}; }},
      {"scatter_nd", [](const Call& c) { return Results{scatter_nd(c["indices"], c["updates"], c.shape("shape"))}; }},
      {"searchsorted",
       [](const Call& c) {
         const Side side = c.c.text("side") == "left" ? Side::left : Side::right;
         return Results{searchsorted(c["sorted_sequence"], c["values"], side)};
       }},
      {"in_top_k", [](const Call& c) { return Results{in_top_k(c["targets"], c["predictions"], c.integer("k"))}; }},
      {"unique",
       [](const Call& c) {
         const Unique all = unique(c["x"]);
         return Results{all.values, all.indices, all.counts};
       }},
      {"where", [](const Call& c) { return Results{where(c["condition"])}; }},
      {"boolean_mask", [](const Call& c) { return Results{boolean_mask(c["tensor"], c["mask"], c.axis())}; }},
      {"dynamic_partition",
       [](const Call& c) { return dynamic_partition(c["data"], c["partitions"], c.integer("num_partitions")); }},
      {"dynamic_stitch",
       [](const Call& c) {
         return Results{dynamic_stitch({c["i"], c["j"]}, {c["a"], c["b"]})};
       }},
      {"tensor_scatter_nd_update", scattered(tensor_scatter_nd_update)},
      {"tensor_scatter_nd_add", scattered(tensor_scatter_nd_add)},
      {"tensor_scatter_nd_sub", scattered(tensor_scatter_nd_sub)},
      {"tensor_scatter_nd_max", scattered(tensor_scatter_nd_max)},
      {"tensor_scatter_nd_min", scattered(tensor_scatter_nd_min)},
      {"sort", [](const Call& c) { return Results{sort(c["values"], c.axis(), c.direction())}; }},
      {"argsort", [](const Call& c) { return Results{argsort(c["values"], c.axis(), c.direction())}; }},
      {"top_k",
       [](const Call& c) {
         const TopK both = top_k(c["input"], c.integer("k"));
         return Results{both.values, both.indices};
       }},
  };
}

TEST(TensorFlow, Shapes) { check("shapes.json", shape_functions()); }
TEST(TensorFlow, Reductions) { check("reductions.json", reduction_functions()); }
TEST(TensorFlow, Indexing) { check("indexing.json", indexing_functions()); }

}  // namespace
}  // namespace brio::golden_calls
