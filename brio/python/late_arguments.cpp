// Numbers that are read when the call happens (operation.h).
#include <cstring>

#include "brio/base/error.h"
#include "brio/python/parameters.h"

namespace brio::python {
namespace {

TensorArgument input(nb::handle object) { return {tensor_of(object, {.as_input = true})}; }

const void* integers_of(const Tensor& x, int rank) {
  if (x.rank() > rank || !is_integer(x.dtype()))
    throw InvalidArgument(cat(rank == 0 ? "one integer is" : "a list of integers is",
                              " asked for, but the tensor has shape ", x.shape(), " and dtype ", x.dtype()));
  const Array& array = x.array();
  return array.buffer ? array.data() : x.impl()->data();
}

}  // namespace

IntegerArgument IntegerArgument::take(nb::handle h) {
  if (current_journal && is_tensor(h)) return {0, {input(h)}};
  return {integer_from(h)};
}
int64_t IntegerArgument::read() const {
  return tensors.empty() ? value : integer_at(integers_of(tensors[0].tensor, 0), tensors[0].tensor.dtype(), 0);
}

namespace {

template <typename T>
std::vector<T> list_from(nb::handle h) {
  if constexpr (std::is_same_v<T, Size>) return sizes_from(h);
  else return dims_from(h);
}
template <typename T>
T one_from(nb::handle h) {
  if constexpr (std::is_same_v<T, Size>) return size_from(h);
  else return integer_from(h);
}

}  // namespace

template <typename T>
ListArgument<T> ListArgument<T>::take(nb::handle h) {
  if (!current_journal) return {list_from<T>(h)};
  if (is_tensor(h)) return {.list = {}, .tensors = {input(h)}, .whole = true};
  if (!PyList_Check(h.ptr()) && !PyTuple_Check(h.ptr())) return {list_from<T>(h)};
  ListArgument made;
  for (nb::handle item : nb::iter(h)) {
    if (is_tensor(item)) {
      made.tensors.push_back(input(item));
      made.places.push_back(made.list.size());
    }
    made.list.push_back(is_tensor(item) ? T(0) : item.is_none() ? T(-1) : one_from<T>(item));
  }
  return made;
}

template <typename T>
std::vector<T> ListArgument<T>::read() const {
  std::vector<T> all = list;
  if (whole) {
    const Tensor& x = tensors[0].tensor;
    const void* data = integers_of(x, 1);
    for (int64_t i = 0; i < x.size(); ++i) all.push_back(integer_at(data, x.dtype(), i));
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const Tensor& x = tensors[i].tensor;
    all[places[i]] = integer_at(integers_of(x, 0), x.dtype(), 0);
  }
  return all;
}

template struct ListArgument<int64_t>;
template struct ListArgument<Size>;

ScalarArgument ScalarArgument::take(nb::handle h) {
  if (current_journal && is_tensor(h)) return {0, {input(h)}};
  return {scalar_from(h)};
}
Scalar ScalarArgument::read() const {
  if (tensors.empty()) return value;
  const Tensor& x = tensors[0].tensor;
  if (x.size() != 1 || !is_real(x.dtype()))
    throw InvalidArgument(
        cat("one number is asked for, but the tensor has shape ", x.shape(), " and dtype ", x.dtype()));
  const Array& array = x.array();
  const void* data = array.buffer ? array.data() : x.impl()->data();
  if (is_integer(x.dtype())) return integer_at(data, x.dtype(), 0);
  return visit(x.dtype(), [&](auto t) -> Scalar {
    decltype(t) number;
    std::memcpy(static_cast<void*>(&number), data, sizeof(number));
    return static_cast<double>(number);
  });
}

PaddingsArgument PaddingsArgument::take(nb::handle h) {
  if (!current_journal) return {paddings_from(tensor_of(h, {.preferred = i32}))};
  return {{}, {{tensor_of(h, {.preferred = i32, .as_input = true})}}};
}
std::vector<Padding> PaddingsArgument::read() const {
  return tensors.empty() ? paddings : paddings_from(tensors[0].tensor);
}

}  // namespace brio::python
