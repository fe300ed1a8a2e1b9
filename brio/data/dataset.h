// Dataset: where elements come from and what happens to them. It is immutable and cheap to copy. Each transform
// returns a new dataset, with the meaning that tf.data gives its name. An Iterator walks it.
//
//   data::Dataset rows = data::from_tensor_slices({x, y}).shuffle(kAutotune).batch(32);
//   for (const data::Item& item : rows) train(item[0], item[1]);
//
// Nothing is computed before an iterator is read. Order and values never depend on the number of threads.
#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brio/data/engine/report.h"
#include "brio/data/engine/sample.h"
#include "brio/data/engine/stage.h"
#include "brio/data/engine/transform_options.h"
#include "brio/ir/tensor.h"
#include "brio/runtime/function.h"

namespace brio::data {

// An element that has left the pipeline.
class Item : public std::vector<Tensor> {
 public:
  using std::vector<Tensor>::vector;
  using std::vector<Tensor>::operator[];
  Item(const Element& element, std::shared_ptr<const Structure> structure);  // shares the parts' memory
  const Tensor& operator[](std::string_view name) const;                     // a tensor among named fields
  const Structure& structure() const { return *structure_; }

 private:
  friend class Iterator;
  std::shared_ptr<const Structure> structure_ = std::make_shared<Structure>();
};

struct Options {
  bool deterministic = true;  // false: elements come in the order in which they are ready
  int64_t cpu_budget = 0;     // threads for input; 0: as many as the CPUs that this process may use
  int64_t ram_budget =
      0;  // bytes that input may hold; 0: a quarter of what the machine or its control group has free
  // Limit for making claims again in restore(), if elements have no numbers (a generator, a buffer's shuffle).
  double restore_seconds = 600;
};

using SampleFunction = std::function<void(Sample&)>;
using TensorFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// A function over all parts of an element, for any number of parts.
struct ElementFunction {
  TensorFunction call;
  bool traced = true;  // false: called for each element, so it may depend on values
};

struct MapOptions {
  int64_t num_parallel_calls = kAutotune;
  std::optional<uint64_t> seed = {};
  std::optional<Structure> structure = {};  // of the results; default: a tensor, or a tuple of what was written
  size_t results = 1;                       // parts that a function over samples, or one that returns a vector, makes
  std::string name = "map";                 // of the stage, in reports
};
// For a shuffle of all elements. Blocks: neighbours stay near each other, so elements of files are read in large
// pieces. The blocks come in a random order, and so do the elements of each window of blocks.
enum class ShuffleOrder : uint8_t {
  automatic,  // full, or blocks if the elements are in files that are slow to read here and there
  full,
  blocks
};
struct ShuffleOptions {
  std::optional<uint64_t> seed = {};
  bool reshuffle_each_iteration = true;
  ShuffleOrder order = ShuffleOrder::automatic;
};

// Who makes batches of pictures for a device that can decode: as BRIO_CUDA_PICTURES says (pictures/device_choice.h),
// or the device, wherever it can.
enum class MadeBy : uint8_t { as_set, device };

class Iterator;
class Dataset;
using DatasetFunction = std::function<Dataset(const Item&)>;
using KeyFunction = std::function<int64_t(const Item&)>;

class Dataset {
 public:
  explicit Dataset(NodePtr node) : node_(std::move(node)) {}

  // f is called with a Sample (worker threads run it, nothing is allocated) or with tensors (it is recorded once,
  // planned, and run by the threads).
  template <typename F>
  Dataset map(F f, MapOptions options = {}) const;
  Dataset map(ElementFunction f, MapOptions options = {}) const;
  template <typename F>
  Dataset filter(F f) const;  // over tensors; its result is one bool
  Dataset filter(ElementFunction f) const;

  Dataset batch(int64_t batch_size, BatchOptions options = {}) const;
  // kAutotune: all elements, if they are numbered without a buffer; otherwise as many as the RAM budget holds.
  Dataset shuffle(int64_t buffer_size, ShuffleOptions options = {}) const;
  Dataset repeat(int64_t count = kInfinite) const;
  Dataset take(int64_t count) const;
  Dataset skip(int64_t count) const;
  Dataset concatenate(const Dataset& other) const;
  Dataset enumerate(int64_t start = 0) const;  // (number, element)
  Dataset shard(int64_t num_shards, int64_t index) const;

  // Batches of elements with different shapes: padded, or with all values end to end beside the length of each.
  Dataset padded_batch(int64_t batch_size, PaddedBatchOptions options = {}) const;
  Dataset ragged_batch(int64_t batch_size, RaggedBatchOptions options = {}) const;
  Dataset unbatch() const;
  Dataset rebatch(int64_t batch_size, BatchOptions options = {}) const;
  Dataset rebatch(std::vector<int64_t> batch_sizes, BatchOptions options = {}) const;  // taken in turn
  // Windows of `size` elements, each `shift` behind the one before, taking every stride-th element: the result of
  // TensorFlow's window with .batch(size) over each of its datasets.
  Dataset window(int64_t size, WindowOptions options = {}) const;

  // The elements of the datasets that f makes from this dataset's elements: one after the other, or several in turn.
  Dataset flat_map(DatasetFunction f, FlatMapOptions options = {}) const;
  Dataset interleave(DatasetFunction f, InterleaveOptions options = {}) const;
  // Gathers elements of equal key. window_size of them, or the rest at the end, are a dataset, from which `reduce`
  // makes another one.
  using WindowReduce = std::function<Dataset(int64_t key, const Dataset& window)>;
  Dataset group_by_window(KeyFunction key, WindowReduce reduce, int64_t window_size, GroupOptions options = {}) const;
  Dataset group_by_window(KeyFunction key, WindowReduce reduce, std::function<int64_t(int64_t key)> window_size,
                          GroupOptions options = {}) const;
  // Padded batches of elements whose lengths are between the same two boundaries.
  Dataset bucket_by_sequence_length(KeyFunction element_length, std::vector<int64_t> bucket_boundaries,
                                    const std::vector<int64_t>& bucket_batch_sizes, BucketOptions options = {}) const;

  template <typename F>
  Dataset take_while(F f) const;  // over tensors; its result is one bool
  Dataset take_while(ElementFunction f) const;
  Dataset unique() const;  // drops elements that came before, bit for bit
  // f(state..., element...) -> (state..., result...)
  template <typename F>
  Dataset scan(std::vector<Tensor> initial_state, F f, ScanOptions options = {}) const;
  Dataset scan(std::vector<Tensor> initial_state, ElementFunction f, Structure results) const;
  // f(state..., element...) -> (state...), over all elements; the last state.
  template <typename F>
  std::vector<Tensor> reduce(const std::vector<Tensor>& initial_state, F f) const;
  std::vector<Tensor> reduce(const std::vector<Tensor>& initial_state, const ElementFunction& f) const;

  // Elements are made once, in the first epoch, and kept: in memory, or in a file that other processes read, too.
  Dataset cache(std::string file = {}) const;
  // Leaves out elements that cannot be made. Iterator::report() counts them and gives the reasons. Reasons that it
  // has not shown are printed to stderr when the iterator is destroyed.
  Dataset ignore_errors() const;
  Dataset on_error(OnError what) const { return what == OnError::skip ? ignore_errors() : *this; }
  Dataset prefetch(int64_t buffer_size = kAutotune) const;
  Dataset with_options(Options options) const;

  template <typename F>
  auto apply(F f) const {
    return f(*this);
  }
  std::vector<Item> as_vector() const;  // all elements

  Structure structure() const { return node_->structure(); }
  int64_t cardinality() const { return node_->cardinality(); }  // kInfinite, kUnknown
  std::string describe() const;                                 // one step per line, the source first
  const NodePtr& node() const { return node_; }

  // Reads for this time, or to the end, and reports where the time went.
  Report explain(double seconds = 1) const;

  Iterator iterator() const;  // each one is the next epoch
  Iterator iterator(uint64_t epoch) const;
  // Of elements that are for this device. Pictures may come as its tensors, from its own decoder, whose pixels are a
  // little other than the host's (pictures/device_choice.h); everything else is as ever.
  Iterator iterator(uint64_t epoch, Device& device, MadeBy made_by = MadeBy::as_set) const;
  class Cursor;
  Cursor begin() const;
  std::default_sentinel_t end() const { return {}; }

 private:
  Dataset map_samples(SampleFunction f, MapOptions options) const;
  void check_arity(const char* name, size_t arity, size_t before = 0) const;

  NodePtr node_;
};

// Sources.
Dataset from_tensors(std::vector<Tensor> parts, std::optional<Structure> structure = {});        // one element
Dataset from_tensor_slices(std::vector<Tensor> parts, std::optional<Structure> structure = {});  // rows along axis 0
Dataset range(int64_t stop);
Dataset range(int64_t start, int64_t stop, int64_t step = 1);
// Calls `make` at the start of each epoch; the function that it returns is called per element until it returns false.
using Next = std::function<bool(std::vector<Tensor>&)>;
Dataset from_generator(std::function<Next()> make, Structure structure = {});

// Several datasets as one.
Dataset zip(const std::vector<Dataset>& datasets);  // tuples of one element from each; ends with the shortest
Dataset zip(const std::vector<Dataset>& datasets, std::vector<std::string> names);  // named fields instead
Dataset choose_from_datasets(const std::vector<Dataset>& datasets, const Dataset& choice,
                             ChooseFromOptions options = {});  // choice: numbers of datasets, int64
Dataset sample_from_datasets(const std::vector<Dataset>& datasets, SampleFromOptions options = {});

class Iterator {
 public:
  Iterator(Iterator&&) noexcept;
  Iterator& operator=(Iterator&&) noexcept;
  ~Iterator();  // stops the threads

  bool next(Item& item);  // false at the end, and from then on

  // save() returns the position, in a few bytes. restore() continues at exactly the next element, also in another
  // process and with another number of threads. It throws InvalidArgument if the bytes are not of this pipeline, and
  // then stands at the first element.
  std::string save() const;
  void restore(std::string_view state);
  void reset(uint64_t epoch);

  Report report() const;
  const Structure& structure() const;

 private:
  friend class Dataset;
  struct Impl;
  explicit Iterator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class Dataset::Cursor {
 public:
  using value_type = Item;
  using difference_type = std::ptrdiff_t;
  explicit Cursor(Iterator iterator) : iterator_(std::make_shared<Iterator>(std::move(iterator))) { ++*this; }
  const Item& operator*() const { return item_; }
  Cursor& operator++() {
    done_ = !iterator_->next(item_);
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const { return done_; }

 private:
  std::shared_ptr<Iterator> iterator_;
  Item item_;
  bool done_ = false;
};

inline Dataset::Cursor Dataset::begin() const { return Cursor(iterator()); }

namespace detail {

// The result of a function as the structure of an element.
template <typename R>
struct structure_of {
  static Structure make(size_t results) { return Structure::tuple_of(results); }
};
template <>
struct structure_of<Tensor> {
  static Structure make(size_t) { return {}; }
};
template <typename... T>
struct structure_of<std::tuple<T...>> {
  static Structure make(size_t) { return Structure::tuple_of(sizeof...(T)); }
};

template <typename R>
inline constexpr size_t results_of = 0;  // a vector: any number
template <>
inline constexpr size_t results_of<Tensor> = 1;
template <typename... T>
inline constexpr size_t results_of<std::tuple<T...>> = sizeof...(T);

// Calls f with as many tensors as it takes.
template <typename F>
TensorFunction over_tensors(F f) {
  using Signature = brio::detail::Signature<F>;
  return [f = std::move(f)](const std::vector<Tensor>& parts) mutable {
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return brio::detail::Results<typename Signature::Result>::pack(f(parts[i]...));
    }
    (std::make_index_sequence<Signature::arity>());
  };
}

}  // namespace detail

template <typename F>
Dataset Dataset::map(F f, MapOptions options) const {
  if constexpr (std::is_invocable_v<F&, Sample&>) {
    return map_samples(std::move(f), std::move(options));
  } else {
    using Signature = brio::detail::Signature<F>;
    check_arity("map", Signature::arity);
    if (!options.structure)
      options.structure = detail::structure_of<typename Signature::Result>::make(options.results);
    return map(ElementFunction{detail::over_tensors(std::move(f))}, std::move(options));
  }
}

template <typename F>
Dataset Dataset::filter(F f) const {
  check_arity("filter", brio::detail::Signature<F>::arity);
  return filter(ElementFunction{detail::over_tensors(std::move(f))});
}

template <typename F>
Dataset Dataset::take_while(F f) const {
  check_arity("take_while", brio::detail::Signature<F>::arity);
  return take_while(ElementFunction{detail::over_tensors(std::move(f))});
}

template <typename F>
Dataset Dataset::scan(std::vector<Tensor> initial_state, F f, ScanOptions options) const {
  using Signature = brio::detail::Signature<F>;
  constexpr size_t results = detail::results_of<typename Signature::Result>;
  check_arity("scan", Signature::arity, initial_state.size());
  if (!options.structure) {
    const size_t rest = results - std::min(results, initial_state.size());
    options.structure = rest == 1 ? Structure() : Structure::tuple_of(rest);
  }
  return scan(std::move(initial_state), ElementFunction{detail::over_tensors(std::move(f))}, *options.structure);
}

template <typename F>
std::vector<Tensor> Dataset::reduce(const std::vector<Tensor>& initial_state, F f) const {
  check_arity("reduce", brio::detail::Signature<F>::arity, initial_state.size());
  return reduce(initial_state, ElementFunction{detail::over_tensors(std::move(f))});
}

}  // namespace brio::data
