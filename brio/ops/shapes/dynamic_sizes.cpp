#include "brio/ops/shapes/dynamic_sizes.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <unordered_map>

#include "brio/ir/shapes_only.h"
#include "brio/ops/check.h"
#include "brio/ops/concrete.h"
#include "brio/ops/control/scan_ops.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/indexing/nd_indexing.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/strings.h"

namespace brio {
namespace {

// Flat positions of what is true or not 0, in this dtype. Without a branch for each: masks cannot be foreseen.
Tensor true_positions(const Array& array, DType dtype) {
  return visit(array.aval.dtype, [&](auto t) {
    using T = std::conditional_t<std::is_same_v<decltype(t), bool>, uint8_t, decltype(t)>;
    const T* data = static_cast<const T*>(array.data());
    const int64_t n = array.aval.shape.elements();
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) count += data[i] != T();
    Array positions = Array::allocate({Shape{count}, dtype});
    const auto write = [&](auto* out) {
      for (int64_t i = 0, found = 0; found < count; ++i) {
        out[found] = static_cast<std::remove_reference_t<decltype(*out)>>(i);
        found += data[i] != T();
      }
    };
    if (dtype == i32) write(static_cast<int32_t*>(positions.data()));
    else write(static_cast<int64_t*>(positions.data()));
    return Tensor(std::move(positions));
  });
}

// Numbers values by their first occurrence: an open hash table of those numbers. NaN is equal to nothing.
template <typename T>
class Distinct {
 public:
  explicit Distinct(const T* values) : values_(values) {}

  std::vector<int64_t> first;  // by number: where it occurred first

  int32_t number(int64_t i) {
    if (2 * first.size() >= slots_.size()) grow();
    const Key key = key_of(values_[i]);
    if (key != key) return append(i);  // never to be found again
    for (size_t at = start(key);; at = (at + 1) & (slots_.size() - 1)) {
      const int32_t found = slots_[at];
      if (found < 0) return slots_[at] = append(i);
      if (key_of(values_[first[static_cast<size_t>(found)]]) == key) return found;
    }
  }

 private:
  using Key = std::conditional_t<std::is_integral_v<T>, T, std::conditional_t<sizeof(T) == 8, double, float>>;
  static Key key_of(T x) { return static_cast<Key>(x); }
  size_t start(Key key) const {
    uint64_t bits = 0;
    if constexpr (std::is_integral_v<T>) bits = static_cast<uint64_t>(static_cast<int64_t>(key));
    else bits = std::bit_cast<std::conditional_t<sizeof(Key) == 8, uint64_t, uint32_t>>(key + Key{0});  // -0 is 0
    // The highest bits of the product: those of whole numbers as doubles are at the upper end, the others are 0.
    return static_cast<size_t>(((bits ^ bits >> 32) * 0x9e3779b97f4a7c15u) >>
                               (64 - std::bit_width(slots_.size() - 1)));
  }
  int32_t append(int64_t i) {
    first.push_back(i);
    return static_cast<int32_t>(first.size() - 1);
  }
  void grow() {
    slots_.assign(std::max<size_t>(64, 4 * slots_.size()), -1);
    for (size_t n = 0; n < first.size(); ++n) {
      const Key key = key_of(values_[first[n]]);
      if (key != key) continue;
      size_t at = start(key);
      while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<int32_t>(n);
    }
  }

  const T* values_;
  std::vector<int32_t> slots_;  // numbers, or -1
};

Tensor vector(const std::vector<int64_t>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

const Tensor& ranked(std::string_view function, const Tensor& x) {
  if (required(function, x).rank() == 0) throw_invalid(function, "takes tensors of rank 1 or more, but got a scalar");
  return x;
}

// In a trace for shapes: what known_sizes() does not see through.
Tensor without_data(const Shape& shape, DType dtype) { return cast(zeros(shape, boolean), dtype); }

// The rows of x at these positions of its first `axes` axes.
Tensor rows(const Tensor& x, int axes, int first, const Tensor& positions) {
  std::vector<Size> dims(x.shape().begin(), x.shape().begin() + first);
  dims.push_back(1);
  for (int i = 0; i < axes; ++i) dims.back() *= x.shape()[first + i];
  dims.insert(dims.end(), x.shape().begin() + first + axes, x.shape().end());
  return gather(reshape(x, Shape(dims)), positions, first);
}

// [n] flat positions → [n, rank] coordinates
Tensor coordinates(const Tensor& flat, const Shape& shape) {
  std::vector<Tensor> columns(static_cast<size_t>(shape.rank()));
  Tensor rest = flat;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const Tensor size = constant(std::max<int64_t>(shape[i], 1), i64);
    columns[static_cast<size_t>(i)] = expand_dims(i == 0 ? rest : rest % size, 1);
    if (i > 0) rest = floor_div(rest, size);
  }
  return concat(columns, 1);
}

// Does x's shape have `part` from axis `first` on?
void check_axes(std::string_view function, std::string_view what, const Tensor& x, const Tensor& part, int first) {
  bool fits = first + part.rank() <= x.rank();
  for (int i = 0; fits && i < part.rank(); ++i) fits = !(part.shape()[i] != x.shape()[first + i]);
  if (!fits)
    throw_invalid(function, cat("the ", what, " has shape ", part.shape(), ", which is not that of the axes from ",
                                first, " on of ", x.shape()));
}

// Of strings: by where each one was first.
Unique unique_strings(const Tensor& x) {
  const Array& array = concrete("unique", x, "look the strings up instead");
  std::unordered_map<std::string_view, int64_t> seen;
  std::vector<int64_t> first;
  for (int64_t i = 0; i < x.size(); ++i) first.push_back(seen.emplace(string_at(array, i), i).first->second);
  Unique found = unique(vector(first));
  found.values = gather(x, found.values);
  return found;
}

}  // namespace

Tensor where(const Tensor& condition) {
  if (!is_real(required("where", condition).dtype()))
    throw_invalid("where",
                  cat("takes truths or real numbers, but got ", condition.dtype(), "; compare them with something"));
  if (ShapesOnly::lacks_data(ranked("where", condition)))
    return without_data({ShapesOnly::decided_by_data(), condition.rank()}, i64);
  const Array& array = concrete("where", condition, "give it a size");
  return coordinates(true_positions(array, i64), condition.shape());
}

Tensor where(const Tensor& condition, int64_t size) {
  if (size < 0) throw_invalid("where", cat("the size is ", size, "; it must be ≥ 0"));
  const int64_t n = ranked("where", condition).size();
  const Tensor flat = reshape(condition, Shape{n});
  const Tensor holds = flat.dtype() == boolean ? flat : not_equal(flat, constant(0, flat.dtype()));
  // Each one's number among those that hold is where its position goes; past the size it goes nowhere.
  const Tensor number = cumsum(cast(holds, i64), 0, {.exclusive = true});
  const Tensor place = select(logical_and(holds, less(number, constant(size, i64))), number, constant(-1, i64));
  const Tensor found = scatter_where_not_negative(op::tensor_scatter_update, broadcast_to(constant(-1, i64), {size}),
                                                  expand_dims(place, 1), iota(n));
  return select(expand_dims(less(found, constant(0, i64)), 1), constant(-1, i64),
                coordinates(found, condition.shape()));
}

Tensor boolean_mask(const Tensor& x, const Tensor& mask, int axis) {
  const std::string_view self = "boolean_mask";
  const int first = positive_axis(self, axis, ranked(self, x).rank());
  if (ranked(self, mask).dtype() != boolean)
    throw_invalid(self, cat("the mask must be bool, but is ", mask.dtype(), "; compare it with something"));
  check_axes(self, "mask", x, mask, first);
  if (ShapesOnly::lacks_data(mask))
    return rows(x, mask.rank(), first, without_data({ShapesOnly::decided_by_data()}, i64));
  const Array& array = concrete(self, mask, "multiply by the mask, or take the rows of where(mask, size)");
  return rows(x, mask.rank(), first, true_positions(array, counter_dtype(mask.size())));
}

Unique unique(const Tensor& x) {
  if (required("unique", x).rank() != 1)
    throw_invalid("unique", cat("takes vectors, but got shape ", x.shape(), "; reshape it first"));
  if (ShapesOnly::lacks_data(x)) {
    const Shape found{ShapesOnly::decided_by_data()};
    return {gather(x, without_data(found, i64)), without_data(x.shape(), i32), without_data(found, i32)};
  }
  if (x.dtype() == DType::string) return unique_strings(x);
  if (!is_real(x.dtype())) throw_invalid("unique", cat("takes real numbers and strings, but got ", x.dtype()));
  const Array& array = concrete("unique", x, "sort the values and compare neighbours");
  std::vector<int64_t> first;
  std::vector<int32_t> indices(static_cast<size_t>(x.size())), counts;
  visit(x.dtype(), [&](auto t) {
    using T = decltype(t);
    Distinct<T> distinct(array.as<T>());
    for (size_t i = 0; i < indices.size(); ++i) {
      const auto number = static_cast<size_t>(indices[i] = distinct.number(static_cast<int64_t>(i)));
      if (number == counts.size()) counts.push_back(0);
      ++counts[number];
    }
    first = std::move(distinct.first);
  });
  return {gather(x, vector(first)), Tensor::from(indices, {x.size()}),
          Tensor::from(counts, {static_cast<int64_t>(counts.size())})};
}

std::vector<Tensor> dynamic_partition(const Tensor& data, const Tensor& partitions, int64_t num_partitions) {
  const std::string_view self = "dynamic_partition";
  if (num_partitions < 1)
    throw_invalid(self, cat("there are ", num_partitions, " partitions; there must be 1 or more"));
  check_axes(self, "list of partitions", required(self, data), required(self, partitions, 1), 0);
  const std::vector<int64_t> numbers = concrete_integers(self, partitions, "mask the data with equal(partitions, i)");
  std::vector<std::vector<int64_t>> positions(static_cast<size_t>(num_partitions));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= num_partitions)
      throw_invalid(self, cat("partition ", numbers[i], " at position ", i, " is not in [0, ", num_partitions, ")"));
    positions[static_cast<size_t>(numbers[i])].push_back(static_cast<int64_t>(i));
  }
  std::vector<Tensor> parts;
  for (const auto& list : positions) parts.push_back(rows(data, partitions.rank(), 0, vector(list)));
  return parts;
}

Tensor dynamic_stitch(const std::vector<Tensor>& indices, const std::vector<Tensor>& data) {
  int64_t size = 0;
  for (const Tensor& one : indices)
    for (int64_t index : concrete_integers("dynamic_stitch", one, "give it a size")) size = std::max(size, index + 1);
  return dynamic_stitch(indices, data, size);
}
Tensor dynamic_stitch(const std::vector<Tensor>& indices, const std::vector<Tensor>& data, int64_t size) {
  const std::string_view self = "dynamic_stitch";
  if (indices.empty() || indices.size() != data.size())
    throw_invalid(
        self, cat("takes as many indices as data, and one or more, but got ", indices.size(), " and ", data.size()));
  std::vector<int64_t> dims = {size};
  std::vector<Tensor> points, updates;
  for (size_t i = 0; i < data.size(); ++i) {
    const Tensor &at = required(self, indices[i]), &rows_of = required(self, data[i]);
    check_axes(self, "indices", rows_of, at, 0);
    if (i == 0) dims.insert(dims.end(), rows_of.shape().begin() + at.rank(), rows_of.shape().end());
    std::vector<int64_t> flat = {at.size()};
    flat.insert(flat.end(), rows_of.shape().begin() + at.rank(), rows_of.shape().end());
    points.push_back(reshape(cast(at, i64), Shape{at.size(), 1}));
    updates.push_back(reshape(rows_of, checked_shape(self, flat)));
  }
  return tensor_scatter_nd_update(zeros(checked_shape(self, dims), data[0].dtype()), concat(points, 0),
                                  concat(updates, 0));
}

}  // namespace brio
