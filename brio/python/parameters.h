// More kinds of parameters of functions that Python calls (operation.h): integers and lists of them, numbers, and
// tensors of one dtype.
#pragma once

#include <limits>

#include "brio/ops/shape_ops.h"
#include "brio/python/operation.h"

namespace brio::python {

Scalar scalar_from(nb::handle object);  // a number, or a tensor of one
// Tensors of one expression, as operands_of(): those that have a dtype say what the others become.
std::vector<TensorArgument> alike(std::initializer_list<nb::handle> objects);
// The items of a list or tuple, or the one thing that is none.
std::vector<TensorArgument> one_or_many(nb::handle object);

// Pairs of integers, as tf.pad takes them.
std::vector<Padding> paddings_from(const Tensor& pairs);

inline int axis_from(nb::handle object) {
  return static_cast<int>(
      std::clamp<int64_t>(integer_from(object), std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

// What a function F makes of any object.
template <typename T, T (*F)(nb::handle)>
struct Made {
  using Bound = Given;
  using Held = T;
  static Held take(Given given) { return F(given.object); }
};
// The same, where None is none.
template <typename T, T (*F)(nb::handle)>
struct MadeOrNone {
  using Bound = Given;
  using Held = std::optional<T>;
  static Held take(Given given) {
    if (given.object.is_none()) return {};
    return F(given.object);
  }
};

template <>
struct Parameter<std::optional<int64_t>> : MadeOrNone<int64_t, integer_from> {};
template <>
struct Parameter<int> : Made<int, axis_from> {};
template <>
struct Parameter<std::optional<int>> : MadeOrNone<int, axis_from> {};
struct ScalarArgument {
  Scalar value;
  std::vector<TensorArgument> tensors = {};  // one: it says

  static ScalarArgument take(nb::handle object);
  Scalar read() const;
};
template <>
struct Parameter<Scalar> {
  using Bound = Given;
  using Held = ScalarArgument;
  static Held take(Given given) { return ScalarArgument::take(given.object); }
};
template <>
struct Parameter<std::optional<std::vector<int64_t>>> : MadeOrNone<std::vector<int64_t>, dims_from> {};
template <>
struct Parameter<std::vector<int>> : Made<std::vector<int>, axis_list_from> {};
template <>
struct Parameter<std::optional<std::vector<int>>> : MadeOrNone<std::vector<int>, axis_list_from> {};

// The seed of a function that draws. In eager code it starts a sequence, as in TensorFlow: each call has the next
// numbers of it, until set_seed starts them all anew. In a function over a dataset's elements it is that of the
// whole: each element has numbers of its own, and they are the same each time.
std::optional<uint64_t> seed_of_draw(nb::handle seed);
uint64_t next_of_seed(uint64_t seed);
void start_seeds_anew(uint64_t global_seed);
struct Seed {
  std::optional<uint64_t> value;
};
template <>
struct Parameter<Seed> {
  using Bound = Given;
  using Held = Seed;
  static Held take(Given given) { return {seed_of_draw(given.object)}; }
};

struct PaddingsArgument {
  std::vector<Padding> paddings;
  std::vector<TensorArgument> tensors = {};  // one: it says

  static PaddingsArgument take(nb::handle object);
  std::vector<Padding> read() const;
};
template <>
struct Parameter<std::vector<Padding>> {
  using Bound = Given;
  using Held = PaddingsArgument;
  static Held take(Given given) { return PaddingsArgument::take(given.object); }
};

}  // namespace brio::python
