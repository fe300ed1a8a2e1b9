#include "brio/ir/string_moves.h"

#include "brio/base/error.h"
#include "brio/tensor/strings.h"

namespace brio {

bool is_known_now(const Tensor& tensor) {
  const TensorImpl& impl = *tensor.impl();
  const Recording* home = impl.recording.load(std::memory_order_acquire);
  return impl.computed.load(std::memory_order_acquire) || !home || home->kind == Recording::Kind::eager;
}

void check_known_now(std::string_view what, const Tensor& tensor) {
  if (is_known_now(tensor)) return;
  throw UnknownValue(cat("[", what, "] gives strings, which are computed at once, but a tensor of shape ",
                         tensor.shape(), " is not known while a function or loop body is traced; call it outside, ",
                         "and give the function what comes out"));
}

Tensor move_strings(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs) {
  std::vector<Array> strings;
  std::vector<Tensor> inputs;
  int64_t total = 0;
  for (TensorImpl* impl : in) {
    impl->refs.increment();
    Tensor input = Tensor::adopt(impl);
    check_known_now(op.name, input);
    if (input.dtype() == DType::string) {
      strings.push_back(input.array());
      Array numbers = Array::allocate({input.shape(), i64});
      for (int64_t i = 0; i < input.size(); ++i) numbers.as<int64_t>()[i] = total++;
      input = Tensor(std::move(numbers));
    }
    inputs.push_back(std::move(input));
  }
  Recording own;  // the one of this thread may be a trace
  RecordInto scope(own);
  std::vector<TensorImpl*> impls;
  for (const Tensor& input : inputs) impls.push_back(input.impl());
  const Tensor moved = record(op, impls, attrs);
  const int64_t* numbers = moved.array().as<int64_t>();
  const int64_t n = moved.size();

  if (strings.size() == 1) {
    bool contiguous = n > 0;
    for (int64_t i = 1; contiguous && i < n; ++i) contiguous = numbers[i] == numbers[0] + i;
    if (contiguous) {
      Array view = strings[0];
      view.aval.shape = moved.shape();
      view.offset += static_cast<size_t>(numbers[0]) * sizeof(StringElement);
      return Tensor(std::move(view));
    }
    return Tensor(take_strings(strings[0], {numbers, static_cast<size_t>(n)}, moved.shape()));
  }
  std::vector<std::string_view> all, taken;
  for (const Array& array : strings)
    for (int64_t i = 0; i < array.aval.shape.elements(); ++i) all.push_back(string_at(array, i));
  for (int64_t i = 0; i < n; ++i) taken.push_back(all[static_cast<size_t>(numbers[i])]);
  return Tensor(string_array(taken, moved.shape()));
}

}  // namespace brio
