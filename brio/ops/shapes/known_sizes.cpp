#include "brio/ops/shapes/known_sizes.h"

#include <algorithm>
#include <unordered_map>

#include "brio/ir/recording.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr int64_t kMost = 64;  // more are no shape

using Sizes = std::optional<std::vector<Size>>;

bool may_be_sizes(const Aval& aval) {
  return is_integer(aval.dtype) && aval.shape.known() && aval.shape.elements() <= kMost;
}

Sizes numbers(const Tensor& x) {
  Recording apart;  // not of the trace
  const RecordInto scope(apart);
  std::vector<Size> all;
  for (const int64_t number : cast(x, i64).to_vector<int64_t>()) all.push_back(number);
  return all;
}

Sizes one(Size size) { return std::vector{size}; }

// Follows the ops of a recording back to sizes and constants.
class SizeReader {
 public:
  explicit SizeReader(const Recording& recording) : recording_(recording) {}

  Sizes value(ValueId id) {
    if (const auto it = seen_.find(id); it != seen_.end()) return it->second;
    return seen_[id] = made(id);
  }

 private:
  struct Input {
    ValueId id;
    const Aval& aval;
  };

  Sizes made(ValueId id) {
    TensorImpl* const impl = recording_.values[id];
    const Aval& aval = impl->array.aval;
    if (!may_be_sizes(aval)) return std::nullopt;
    const uint32_t producer = recording_.producers[id];
    if (producer == kNone) return computed(impl);
    const RecordedNode& node = recording_.nodes[producer];
    const Attrs attrs(std::span(recording_.attrs.begin() + node.attr, node.n_attrs));
    std::vector<Input> in;
    for (uint32_t i = 0; i < node.n_inputs; ++i) {
      const ValueId from = recording_.inputs[node.input + i];
      in.push_back({from, recording_.values[from]->array.aval});
    }
    const OpDef* const op = node.op;
    if (op == &op::constant) return of_bits(static_cast<uint64_t>(attrs[1]), aval.dtype);
    if (op == &op::size) return one(attrs.extents(1)[0]);
    if (op == &op::cast) return value(in[0].id);
    if (op == &op::reshape || op == &op::broadcast_to || op == &op::transpose || op == &op::slice ||
        op == &op::concat || op == &op::gather)
      return moved(*op, attrs, in);
    if (op == &op::reduce_sum || op == &op::reduce_prod) return folded(*op, aval, in[0]);
    if (in.size() == 2) return computed(*op, aval, in);
    return op == &op::neg ? subtracted(value(in[0].id)) : std::nullopt;
  }

  static Sizes computed(TensorImpl* impl) {
    if (!impl->computed.load(std::memory_order_acquire)) return std::nullopt;  // a parameter
    impl->refs.increment();
    return numbers(Tensor::adopt(impl));
  }

  static Sizes of_bits(uint64_t bits, DType dtype) {
    return visit(dtype, [&](auto t) -> Sizes {
      using T = decltype(t);
      if constexpr (std::is_integral_v<T>) return one(static_cast<int64_t>(from_bits<T>(bits)));
      else return std::nullopt;
    });
  }

  // The op is run on the places of the elements, which shows where each comes from.
  Sizes moved(const OpDef& op, Attrs attrs, const std::vector<Input>& in) {
    std::vector<Size> all;
    Recording apart;
    const RecordInto scope(apart);
    std::vector<Tensor> places;
    for (const Input& input : in) {
      const Sizes sizes = value(input.id);
      if (!sizes) return std::nullopt;
      std::vector<int64_t> elements;
      const bool indices = &op == &op::gather && !places.empty();
      for (const Size size : *sizes) {
        if (indices && !size.known()) return std::nullopt;
        elements.push_back(indices ? int64_t{size} : static_cast<int64_t>(all.size()));
        if (!indices) all.push_back(size);
      }
      places.push_back(Tensor::from(elements, input.aval.shape));
    }
    std::vector<TensorImpl*> impls;
    for (const Tensor& place : places) impls.push_back(place.impl());
    std::vector<Size> result;
    for (const int64_t place : record(op, impls, attrs.words()).to_vector<int64_t>())
      result.push_back(all[static_cast<size_t>(place)]);
    return result;
  }

  Sizes folded(const OpDef& op, const Aval& aval, const Input& in) {
    const Sizes sizes = value(in.id);
    if (!sizes || aval.shape.elements() != 1) return std::nullopt;
    const bool product = &op == &op::reduce_prod;
    Size result = product ? 1 : 0;
    for (const Size size : *sizes) result = product ? result * size : result + size;
    return one(result);
  }

  Sizes subtracted(const Sizes& sizes) {
    if (!sizes) return std::nullopt;
    std::vector<Size> result;
    for (const Size size : *sizes) result.push_back(Size(0) - size);
    return result;
  }

  Sizes computed(const OpDef& op, const Aval& aval, const std::vector<Input>& in) {
    const auto combine = combination(op);
    if (!combine) return std::nullopt;
    const Sizes a = spread(in[0], aval.shape), b = spread(in[1], aval.shape);
    if (!a || !b) return std::nullopt;
    std::vector<Size> result;
    for (size_t i = 0; i < a->size(); ++i) {
      if ((&op == &op::floor_div || &op == &op::mod) && !((*b)[i] > 0)) return std::nullopt;
      result.push_back(combine((*a)[i], (*b)[i]));
    }
    return result;
  }
  static Size (*combination(const OpDef& op))(Size, Size) {
    if (&op == &op::add) return [](Size a, Size b) { return a + b; };
    if (&op == &op::sub) return [](Size a, Size b) { return a - b; };
    if (&op == &op::mul) return [](Size a, Size b) { return a * b; };
    if (&op == &op::floor_div) return [](Size a, Size b) { return a / b; };
    if (&op == &op::mod) return [](Size a, Size b) { return a % b; };
    if (&op == &op::max) return [](Size a, Size b) { return max(a, b); };
    if (&op == &op::min) return [](Size a, Size b) { return min(a, b); };
    return nullptr;
  }
  Sizes spread(const Input& in, const Shape& to) {
    if (in.aval.shape == to) return value(in.id);
    std::vector<int64_t> attrs{to.rank()};
    attrs.insert(attrs.end(), to.begin(), to.end());
    return moved(op::broadcast_to, Attrs(attrs), {in});
  }

  const Recording& recording_;
  std::unordered_map<ValueId, Sizes> seen_;
};

}  // namespace

Sizes known_sizes(const Tensor& x) {
  if (!may_be_sizes(x.aval())) return std::nullopt;
  const TensorImpl* impl = x.impl();
  const Recording* home = impl->recording.load(std::memory_order_acquire);
  if (impl->computed.load(std::memory_order_acquire) || !home || home->kind == Recording::Kind::eager)
    return numbers(x);
  return SizeReader(*home).value(impl->value);
}

Tensor sizes_tensor(std::span<const Size> sizes, DType dtype) {
  if (std::ranges::all_of(sizes, &Size::known)) {
    const Shape shape{sizes.size()};
    if (dtype == i32) return Tensor::from(std::vector<int32_t>(sizes.begin(), sizes.end()), shape);
    return cast(Tensor::from(std::vector<int64_t>(sizes.begin(), sizes.end()), shape), dtype);
  }
  std::vector<Tensor> each;
  for (const Size size : sizes) each.push_back(reshape(constant(size, dtype), {1}));
  return concat(each, 0);
}

}  // namespace brio
