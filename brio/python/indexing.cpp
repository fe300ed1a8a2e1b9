#include "brio/python/indexing.h"

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/indexing/nd_indexing.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/dynamic_sizes.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/operation.h"

namespace brio::python {
namespace {

// One item of the key, per axis.
struct Item {
  enum Kind : uint8_t { one, range, added, all_between, tensor_one, picked, mask } kind;
  int64_t at = 0;
  Range bounds = {};
  Tensor where = {};
  Tensor begin = {}, end = {};  // bounds that a journal follows: read by the call
};

constexpr int64_t kFarthest = int64_t{1} << 60;  // before and behind all that there is

std::optional<int64_t> bound(PyObject* o) {
  if (o == Py_None) return {};
  return integer_from(nb::handle(o));
}

Item item_of(nb::handle h) {
  PyObject* o = h.ptr();
  if (o == Py_None) return {.kind = Item::added};
  if (o == Py_Ellipsis) return {.kind = Item::all_between};
  if (PySlice_Check(o)) {
    auto* slice = reinterpret_cast<PySliceObject*>(o);
    const auto step = bound(slice->step);
    if (step && *step == 0) throw InvalidArgument("[slice] the step is 0; it must be 1 or more, or negative");
    Item item{.kind = Item::range, .bounds = {.stride = step.value_or(1)}};
    auto take = [](PyObject* given, std::optional<Size>& number, Tensor& tensor) {
      if (current_journal && is_tensor(given)) {
        tensor = tensor_of(given, {.as_input = true});
        number = 0;
      } else if (is_tensor(given) && is_tracing()) {
        number = size_from(given);
      } else {
        if (const auto at = bound(given)) number = std::clamp(*at, -kFarthest, kFarthest);
      }
    };
    take(slice->start, item.bounds.begin, item.begin);
    take(slice->stop, item.bounds.end, item.end);
    return item;
  }
  if (PyBool_Check(o)) return {.kind = Item::mask, .where = tensor_of(h)};
  if (PyLong_Check(o)) return {.kind = Item::one, .at = integer_from(h)};
  if (PyFloat_Check(o) || PyUnicode_Check(o))
    throw nb::type_error(
        cat("[slice] ", shown(h),
            " is no index: those are integers, slices, ..., None, and lists or tensors of integers or bools")
            .c_str());
  Tensor where = tensor_of(h, {.as_input = true});
  if (where.size() == 0 && PyList_Check(o)) where = zeros(where.shape(), i32);  // [] has no dtype of its own
  if (where.dtype() == boolean) return {.kind = Item::mask, .where = where};
  if (!is_integer(where.dtype()))
    throw nb::type_error(cat("[slice] indices are integers or bools, but got a tensor of ", where.dtype()).c_str());
  if (where.rank() == 0) {
    if (!current_journal && where.impl()->computed.load(std::memory_order_acquire))
      return {.kind = Item::one, .at = integer_from(h)};
    return {.kind = Item::tensor_one, .where = where};
  }
  return {.kind = Item::picked, .where = where};
}

// Indices that may count from the end, as int64.
Tensor from_start(const Tensor& indices, Size size) {
  const Tensor wide = cast(indices, i64);
  return select(less(wide, 0), size.known() ? wide + int64_t{size} : wide + constant(size, i64), wide);
}

size_t axes_taken(const Item& item) {
  if (item.kind == Item::added || item.kind == Item::all_between) return 0;
  return item.kind == Item::mask ? static_cast<size_t>(item.where.rank()) : 1;
}

// A tensor that picks along an axis.
struct Pick {
  int axis;
  Tensor where;
  Item::Kind kind;
};

Tensor picked_together(const Tensor& y, const std::vector<Pick>& picks) {
  for (const Pick& pick : picks)
    if (pick.kind == Item::mask)
      throw InvalidArgument("[slice] a mask cannot be mixed with other arrays of indices; use tf.boolean_mask");
  for (size_t i = 1; i < picks.size(); ++i)
    if (picks[i].axis != picks[i - 1].axis + 1)
      throw InvalidArgument("[slice] arrays of indices must stand side by side; transpose first, or index twice");
  // x[i, j]: the indices run together.
  std::vector<Tensor> columns;
  Shape shape = picks[0].where.shape();
  for (const Pick& pick : picks)
    if (!broadcast(shape, pick.where.shape(), shape))
      throw InvalidArgument("[slice] the arrays of indices have shapes that do not go together");
  for (const Pick& pick : picks) columns.push_back(broadcast_to(pick.where, shape));
  const int first = picks[0].axis, n = static_cast<int>(picks.size());
  if (first == 0) return gather_nd(y, stack(columns, -1));
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.push_back(first + i);
  for (int i = 0; i < y.rank(); ++i)
    if (i < first || i >= first + n) order.push_back(i);
  Tensor z = gather_nd(transpose(y, order), stack(columns, -1));
  std::vector<int> back;
  for (int i = 0; i < first; ++i) back.push_back(shape.rank() + i);
  for (int i = 0; i < shape.rank(); ++i) back.push_back(i);
  for (int i = shape.rank() + first; i < z.rank(); ++i) back.push_back(i);
  return transpose(z, back);
}

// Numbers, ranges and new axes are one slice and one reshape; then tensors pick along the axes that are left.
Tensor apply(const Tensor& x, std::vector<Item> items) {
  size_t taken = 0, between = 0;
  for (const Item& item : items) {
    taken += axes_taken(item);
    between += item.kind == Item::all_between;
  }
  if (between > 1) throw nb::index_error("[slice] an index may hold one ... only");
  if (taken > static_cast<size_t>(x.rank()))
    throw nb::index_error(cat("[slice] too many indices (", taken, ") for a tensor of shape ", x.shape()).c_str());
  if (!between) items.push_back({.kind = Item::all_between});

  std::vector<Range> ranges;
  std::vector<Size> dims;
  std::vector<Pick> picks;
  int axis = 0;
  bool sliced = false, shaped = false;
  auto keep = [&](int n) {
    for (int i = 0; i < n; ++i, ++axis) {
      ranges.push_back({});
      dims.push_back(x.shape()[axis]);
    }
  };
  for (const Item& item : items) {
    switch (item.kind) {
      case Item::added:
        dims.push_back(1);
        shaped = true;
        break;
      case Item::all_between: keep(x.rank() - static_cast<int>(taken)); break;
      case Item::one: {
        const Size size = x.shape()[axis], at = item.at < 0 ? size + std::max(item.at, -kFarthest) : Size(item.at);
        if (surely_less(at, 0) || surely_less(size - 1, at))
          throw nb::index_error(cat("[slice] index ", item.at, " is out of bounds for axis ", axis, " of size ", size,
                                    " (shape ", x.shape(), ")")
                                    .c_str());
        ranges.push_back({at, at + 1, 1});
        sliced = shaped = true;
        ++axis;
        break;
      }
      case Item::range: {
        ranges.push_back(item.bounds);
        sliced |= item.bounds.begin || item.bounds.end || item.bounds.stride != 1;
        dims.push_back(-1);  // what the slice leaves
        ++axis;
        break;
      }
      case Item::tensor_one:
      case Item::picked:
        picks.push_back({static_cast<int>(dims.size()), from_start(item.where, x.shape()[axis]), item.kind});
        keep(1);
        break;
      case Item::mask:
        picks.push_back({static_cast<int>(dims.size()), item.where, item.kind});
        keep(item.where.rank());
        break;
    }
  }
  Tensor y = sliced ? slice(x, ranges) : x;
  if (shaped) {
    // The sizes that slicing left, in the order of the axes that were kept.
    std::vector<Size> left;
    size_t a = 0;
    for (const Item& item : items) {
      if (item.kind == Item::one) ++a;
      else if (item.kind == Item::added) left.push_back(1);
      else
        for (size_t i = 0,
                    n = item.kind == Item::all_between ? static_cast<size_t>(x.rank()) - taken : axes_taken(item);
             i < n; ++i)
          left.push_back(y.shape()[static_cast<int>(a++)]);
    }
    y = reshape(y, std::span<const Size>(left));
  }
  if (picks.size() > 1) return picked_together(y, picks);
  for (const Pick& pick : picks)
    y = pick.kind == Item::mask ? boolean_mask(y, pick.where, pick.axis) : gather(y, pick.where, pick.axis);
  return y;
}

}  // namespace

nb::object index(nb::handle self, nb::handle key) {
  std::vector<Item> items;
  if (PyTuple_Check(key.ptr()))
    for (nb::handle item : key) items.push_back(item_of(item));
  else items.push_back(item_of(key));
  // Tensors among the indices are inputs of the call like the tensor itself.
  std::vector<TensorArgument> picks;
  for (Item& item : items)
    if (item.where.defined()) picks.push_back({std::exchange(item.where, Tensor()), {}});
  std::vector<std::pair<size_t, bool>> open;  // items and whether it is their end
  for (size_t i = 0; i < items.size(); ++i)
    for (const bool end : {false, true})
      if (Tensor& x = end ? items[i].end : items[i].begin; x.defined()) {
        picks.push_back({std::exchange(x, Tensor()), {}});
        open.emplace_back(i, end);
      }
  auto call = [items, open](const Tensor& x, const std::vector<Tensor>& where) {
    std::vector<Item> all = items;
    size_t i = 0;
    for (Item& item : all)
      if (item.kind >= Item::tensor_one) item.where = where[i++];
    for (const auto& [at, end] : open)
      (end ? all[at].bounds.end : all[at].bounds.begin) = IntegerArgument{0, {{where[i++]}}}.read();
    return apply(x, std::move(all));
  };
  return perform(call, std::tuple{Parameter<Tensor>::take(Given{self}), picks});
}

}  // namespace brio::python
