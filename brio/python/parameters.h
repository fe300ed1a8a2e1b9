// More kinds of parameters of functions that Python calls (operation.h): integers and lists of them, numbers, and
// tensors of one dtype.
#pragma once

#include <memory>

#include "brio/ops/random/distributions.h"
#include "brio/ops/random/generator_scope.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/operation.h"

namespace brio::python {

Scalar scalar_from(nb::handle object);  // a number, or a tensor of one
// Tensors of one expression, as operands_of(): those that have a dtype say what the others become.
std::vector<TensorArgument> alike(std::initializer_list<nb::handle> objects);
// The items of a list or tuple, or the one thing that is none.
std::vector<TensorArgument> one_or_many(nb::handle object);

// Pairs of integers, as tf.pad takes them.
std::vector<Padding> paddings_from(const Tensor& pairs);

inline int axis_from(nb::handle object) { return small_integer(integer_from(object)); }

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

// Where the numbers of a draw come from. As in TensorFlow, a seed starts a sequence in eager code: each call has the
// next numbers of it, until set_seed starts them all anew. In a traced function each draw has a sequence of its own,
// which goes on with each call of the function; and once set_seed was called, draws without a seed have one too, so
// that functions alike give the same numbers. In a function over a dataset's elements a seed is that of the whole:
// each element has numbers of its own, and they are the same each time.
struct DrawSource {
  random::Source source;
  std::unique_ptr<StreamScope> scope = {};
};
struct SourceArgument {
  random::Source source;
  std::vector<TensorArgument> tensors = {};  // one: a pair of integers that is not known yet

  static SourceArgument of_seed(nb::handle seed);
  static SourceArgument of_pair(nb::handle seed);  // the seed of a stateless function
  DrawSource read() const;
};
void set_global_seed(uint64_t seed);
// Draws of the function that this thread traces while the scope lives.
class TracedDraws {
 public:
  TracedDraws();
  TracedDraws(const TracedDraws&) = delete;
  ~TracedDraws();

 private:
  Generator* generator_ = nullptr;  // made when it is needed
  TracedDraws* around_;
  friend struct SourceArgument;
};
// What one op of a graph draws from in one session (graph mode): a generator for each seed that it names, so that the
// op goes on with its numbers in whatever run it takes part. Draws without a seed follow the graph's, if that has
// one.
class OpDraws {
 public:
  OpDraws(std::optional<uint64_t> graph_seed, uint64_t op) : graph_seed_(graph_seed), op_(op) {}
  Generator& of(std::optional<uint64_t> seed);

 private:
  std::optional<uint64_t> graph_seed_;
  uint64_t op_;
  std::vector<std::pair<std::optional<uint64_t>, Generator*>> generators_;
};
// Draws of this thread come from `draws` while the scope lives.
class OpDrawsScope {
 public:
  explicit OpDrawsScope(OpDraws& draws);
  OpDrawsScope(const OpDrawsScope&) = delete;
  ~OpDrawsScope();

 private:
  GeneratorScope generator_;
  OpDraws* before_;
};
template <>
struct Parameter<DrawSource> {
  using Bound = Given;
  using Held = SourceArgument;
  static Held take(Given given) { return SourceArgument::of_seed(given.object); }
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
