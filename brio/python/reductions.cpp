// Reductions, running folds, segments, order: what makes few numbers of many.
#include "brio/base/error.h"
#include "brio/ops/control/scan_ops.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/segment_ops.h"
#include "brio/ops/indexing/sorting.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/bind.h"
#include "brio/python/quick_call.h"

namespace brio::python {
namespace {

using Reduction = Tensor (*)(const Tensor&, const Axes&, bool);
struct ReductionRow {
  const char* name;
  Reduction f;
  const char* doc;
};
Tensor norm_of_numbers(const Tensor& x, const Axes& axes, bool keepdims) {  // of integers it is cut towards 0
  if (!is_integer(x.dtype())) return euclidean_norm(x, axes, keepdims);
  return cast(euclidean_norm(cast(x, f64), axes, keepdims), x.dtype());
}
constexpr ReductionRow kReductions[] = {
    {"reduce_sum", sum, "The sum over axes."},
    {"reduce_prod", prod, "The product over axes."},
    {"reduce_max", brio::max, "The largest over axes."},
    {"reduce_min", brio::min, "The smallest over axes."},
    {"reduce_any", any, "True where one or more over axes are."},
    {"reduce_all", all, "True where all over axes are."},
    {"reduce_mean", mean, "The mean over axes."},
    {"reduce_logsumexp", logsumexp, "log(sum(exp(x))) over axes, which never overflows."},
};
constexpr ReductionRow kReductionsOfMath[] = {
    {"reduce_variance", variance, "The variance over axes, of the whole population."},
    {"reduce_std", standard_deviation, "The standard deviation over axes, of the whole population."},
    {"reduce_euclidean_norm", norm_of_numbers, "The root of the sum of squares over axes."},
};
template <size_t N>
void define_rows(nb::module_& m, const ReductionRow (&rows)[N]) {
  for (const ReductionRow& row : rows) {
    define(
        m, row.name, [f = row.f](const Tensor& x, const Axes& axes, bool keepdims) { return f(x, axes, keepdims); },
        nb::arg("input_tensor"), nb::arg("axis") = nb::none(), nb::arg("keepdims") = false, row.doc);
    make_quick(m, row.name, row.f);
  }
}

using Cumulative = Tensor (*)(const Tensor&, int, CumulativeOptions);
void define_cumulative(nb::module_& m, const char* name, Cumulative f, const char* doc) {
  define(
      m, name,
      [f](const Tensor& x, int axis, bool exclusive, bool reverse) {
        return f(x, axis, {.exclusive = exclusive, .reverse = reverse});
      },
      nb::arg("x"), nb::arg("axis") = 0, nb::arg("exclusive") = false, nb::arg("reverse") = false, doc);
}

using Segment = Tensor (*)(const Tensor&, const Tensor&);
using UnsortedSegment = Tensor (*)(const Tensor&, const Tensor&, int64_t);
struct SegmentRow {
  const char* name;
  Segment f;
};
struct UnsortedRow {
  const char* name;
  UnsortedSegment f;
};
Tensor mean_of_numbers(const Tensor& data, const Tensor& ids, int64_t n) {  // integers give floats
  const DType wide = size_of(data.dtype()) < 4 ? f32 : f64;
  return unsorted_segment_mean(is_integer(data.dtype()) ? cast(data, wide) : data, ids, n);
}
Tensor sorted_mean_of_numbers(const Tensor& data, const Tensor& ids) {  // of integers it is cut towards 0
  if (!is_integer(data.dtype())) return segment_mean(data, ids);
  return cast(segment_mean(cast(data, f64), ids), data.dtype());
}
constexpr SegmentRow kSegments[] = {{"segment_sum", segment_sum},
                                    {"segment_mean", sorted_mean_of_numbers},
                                    {"segment_prod", segment_prod},
                                    {"segment_max", segment_max},
                                    {"segment_min", segment_min}};
constexpr UnsortedRow kUnsorted[] = {
    {"unsorted_segment_sum", unsorted_segment_sum},       {"unsorted_segment_mean", mean_of_numbers},
    {"unsorted_segment_sqrt_n", unsorted_segment_sqrt_n}, {"unsorted_segment_prod", unsorted_segment_prod},
    {"unsorted_segment_max", unsorted_segment_max},       {"unsorted_segment_min", unsorted_segment_min}};

Direction direction_named(const char* function, const std::string& name) {
  if (name != "ASCENDING" && name != "DESCENDING")
    throw InvalidArgument(cat("[", function, "] direction is '", name, "'; it is 'ASCENDING' or 'DESCENDING'"));
  return name == "ASCENDING" ? Direction::ascending : Direction::descending;
}

void bind_order(nb::module_& m) {
  using Arg = Tensor (*)(const Tensor&, int, DType);
  for (const auto& [name, f, doc] :
       {std::tuple{"argmax", static_cast<Arg>(argmax), "The position of the first of the largest along an axis."},
        std::tuple{"argmin", static_cast<Arg>(argmin), "The position of the first of the smallest along an axis."}})
    define(
        m, name,
        [f = f](const Tensor& x, std::optional<int> axis, DType output_type) {
          return f(x, axis.value_or(0), output_type);
        },
        nb::arg("input"), nb::arg("axis") = nb::none(), nb::arg("output_type") = "int64", doc);
  define(
      m, "sort",
      [](const Tensor& x, int axis, const std::string& direction) {
        return sort(x, axis, direction_named("sort", direction));
      },
      nb::arg("values"), nb::arg("axis") = -1, nb::arg("direction") = "ASCENDING",
      "The elements in order along an axis.");
  define(
      m, "argsort",
      [](const Tensor& x, int axis, const std::string& direction, bool) {
        return argsort(x, axis, direction_named("argsort", direction));
      },
      nb::arg("values"), nb::arg("axis") = -1, nb::arg("direction") = "ASCENDING", nb::arg("stable") = false,
      "The positions that put the elements in order along an axis.");
  define(
      m, "searchsorted",
      [](const Tensor& sorted, const Tensor& values, const std::string& side, DType out_type) {
        if (side != "left" && side != "right")
          throw InvalidArgument(cat("[searchsorted] side is '", side, "'; it is 'left' or 'right'"));
        return searchsorted(sorted, values, side == "left" ? Side::left : Side::right, out_type);
      },
      nb::arg("sorted_sequence"), nb::arg("values"), nb::arg("side") = "left", nb::arg("out_type") = "int32",
      "Where each value would be put into a sorted sequence.");
}

}  // namespace

void bind_reductions(nb::module_& m) {
  nb::module_ math = nb::borrow<nb::module_>(m.attr("_math"));
  define_rows(m, kReductions);
  define_rows(math, kReductionsOfMath);
  define_cumulative(m, "cumsum", cumsum, "The running sum along an axis.");
  define_cumulative(math, "cumprod", cumprod, "The running product along an axis.");
  define_cumulative(math, "cumulative_logsumexp", cumulative_logsumexp, "The running logsumexp along an axis.");
  for (const SegmentRow& row : kSegments)
    define(
        math, row.name, [row](const Tensor& data, const Tensor& ids) { return row.f(data, ids); }, nb::arg("data"),
        nb::arg("segment_ids"), "Rows that share an id, which never falls, folded into one.");
  for (const UnsortedRow& row : kUnsorted)
    define(
        math, row.name,
        [row](const Tensor& data, const Tensor& ids, int64_t count) { return row.f(data, ids, count); },
        nb::arg("data"), nb::arg("segment_ids"), nb::arg("num_segments"), "Rows that share an id folded into one.");
  bind_order(m);
  define(
      math, "_top_k",
      [](const Tensor& x, int64_t k) {
        TopK top = top_k(x, k);
        return std::tuple{top.values, top.indices};
      },
      nb::arg("input"), nb::arg("k"));
  define(
      math, "in_top_k",
      [](const Tensor& targets, const Tensor& predictions, int64_t k) { return in_top_k(targets, predictions, k); },
      nb::arg("targets"), nb::arg("predictions"), nb::arg("k"),
      "For each row of predictions: is that at the target among the k largest?");
  define(
      math, "count_nonzero",
      [](const Tensor& x, const Axes& axes, std::optional<bool> keepdims, DType dtype) {
        return count_nonzero(x, axes, keepdims.value_or(false), dtype);
      },
      nb::arg("input"), nb::arg("axis") = nb::none(), nb::arg("keepdims") = nb::none(), nb::arg("dtype") = "int64",
      "How many elements are not 0, over axes.");
  define(
      math, "_bincount",
      [](const Tensor& x, std::optional<Tensor> weights, std::optional<int64_t> minlength,
         std::optional<int64_t> maxlength, DType dtype) {
        return bincount(x, {.weights = weights.value_or(Tensor()),
                            .minlength = minlength.value_or(0),
                            .maxlength = maxlength,
                            .dtype = dtype});
      },
      nb::arg("arr"), nb::arg("weights") = nb::none(), nb::arg("minlength") = nb::none(),
      nb::arg("maxlength") = nb::none(), nb::arg("dtype") = "int32");
  define(
      m, "histogram_fixed_width",
      [](const Tensor& x, const std::vector<double>& range, int64_t bins, DType dtype) {
        if (range.size() != 2)
          throw InvalidArgument(cat("[histogram_fixed_width] value_range has two numbers, but got ", range.size()));
        return histogram_fixed_width(x, range[0], range[1], bins, dtype);
      },
      nb::arg("values"), nb::arg("value_range"), nb::arg("nbins") = 100, nb::arg("dtype") = "int32",
      "How many elements fall into each of nbins equal bins.");
}

}  // namespace brio::python
