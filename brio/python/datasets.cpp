// tf.data: datasets and their transforms, and iterators. The Python part (brio/data) knows the structure of elements
// and TensorFlow's names; here elements are lists of tensors.
#include "brio/python/datasets.h"
#include "brio/python/imported.h"

#include <nanobind/stl/shared_ptr.h>

#include <mutex>
#include <unordered_set>

#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/ir/recording.h"
#include "brio/ops/random/generator_scope.h"
#include "brio/runtime/evaluate.h"

namespace brio::python {
namespace {

using data::Dataset;

// ---- iterators

// Functions of the pipeline may run in this thread, which may be tracing or running a function itself.
class ReadApart {
 public:
  ReadApart() {
    const Recording& now = current_recording();
    if (now.kind != Recording::Kind::eager || now.in_host_call) scope_.emplace(own_);
  }
  void finish() {
    if (scope_) flush(own_);
  }

 private:
  Recording own_;
  std::optional<RecordInto> scope_;
};

// At the interpreter's end, threads that want its lock would never come back: their iterators are closed before.
class PythonIterator;
std::mutex open_mutex;
std::unordered_set<PythonIterator*> open_iterators;

class PythonIterator {
 public:
  PythonIterator(const Dataset& dataset, nb::handle example) {
    std::vector<Tensor> leaves;
    nest_ = Nest::flatten(example, leaves, {});
    const Unlocked release;
    iterator_.emplace(dataset.iterator());
    const std::lock_guard lock(open_mutex);
    open_iterators.insert(this);
  }
  PythonIterator(const PythonIterator&) = delete;
  ~PythonIterator() {
    {
      const std::lock_guard lock(open_mutex);
      open_iterators.erase(this);
    }
    close();
  }
  void close() {
    const Unlocked release;  // its threads may want the lock
    // With the pipeline go functions of the user's, and with these what they hold: this object, perhaps.
    std::optional<data::Iterator> gone;
    {
      const std::lock_guard lock(mutex_);
      gone.swap(iterator_);
    }
  }

  nb::object next() {
    nb::object element = next_or_none();
    if (!element.is_valid()) throw nb::stop_iteration();
    return element;
  }
  nb::object get_next() {
    nb::object element = next_or_none();
    if (element.is_valid()) return element;
    PyErr_SetString(nb::object(imported(Imported::errors).attr("OutOfRangeError")).ptr(), "End of sequence");
    throw nb::python_error();
  }
  nb::bytes save() {
    const std::string state = with([](data::Iterator& i) { return i.save(); });
    return nb::bytes(state.data(), state.size());
  }
  void restore(nb::bytes state) {
    const std::string_view bytes(state.c_str(), state.size());
    with([&](data::Iterator& i) { return i.restore(bytes), 0; });
  }
  std::string report() {
    return with([](data::Iterator& i) { return i.report().str(); });
  }

 private:
  nb::object next_or_none() {
    data::Item item;
    bool ended = false;
    {
      const Unlocked release;
      const std::lock_guard lock(mutex_);
      ReadApart apart;
      ended = !iterator_ || !iterator_->next(item);
      apart.finish();
    }
    return ended ? nb::object() : nest_.unflatten(item);
  }

  template <typename F>
  std::invoke_result_t<F, data::Iterator&> with(F f) {
    const Unlocked release;
    const std::lock_guard lock(mutex_);
    if (!iterator_) throw InvalidArgument("[Dataset] the iterator is closed");
    return f(*iterator_);
  }

  Nest nest_;
  std::mutex mutex_;
  std::optional<data::Iterator> iterator_;
};

void close_all() {
  for (;;) {
    PythonIterator* one = nullptr;
    {
      const std::lock_guard lock(open_mutex);
      if (open_iterators.empty()) return;
      one = *open_iterators.begin();
      open_iterators.erase(one);
    }
    one->close();
  }
}

// ---- functions

// f(*tensors) → a dataset.
data::DatasetFunction dataset_function(nb::object f) {
  return [f = kept(std::move(f))](const data::Item& item) {
    const Locked locked;
    nb::list tensors;
    for (const Tensor& x : item) tensors.append(wrap(x));
    return given_as<Dataset>((*f)(*tensors));
  };
}

data::KeyFunction key_function(std::shared_ptr<Replayed> f, const char* who) {
  return [f = std::move(f), who](const data::Item& item) {
    const std::vector<Tensor> key = (*f)(item);
    if (key.size() != 1 || key[0].size() != 1 || !is_integer(key[0].dtype()))
      throw InvalidArgument(cat("[", who, "] the function must return one integer"));
    const Array& array = key[0].array();
    return integer_at(array.buffer ? array.data() : key[0].impl()->data(), key[0].dtype(), 0);
  };
}

std::vector<std::vector<int64_t>> shapes_from(nb::handle h) {
  std::vector<std::vector<int64_t>> shapes;
  if (!h.is_none())
    for (nb::handle shape : nb::iter(h)) shapes.push_back(dims_from(shape));
  return shapes;
}
std::vector<Tensor> values_from(nb::handle h) {
  return h.is_none() ? std::vector<Tensor>() : tensors_with_own_dtype(h);
}

nb::object first_elements(const Dataset& dataset, int64_t n) {
  std::vector<data::Item> items;
  {
    const Unlocked release;
    ReadApart apart;
    constexpr int64_t kMoreTries = 6;  // elements that are broken are passed over
    data::Iterator iterator = dataset.take(n + kMoreTries).iterator(0);
    std::exception_ptr error;
    for (int64_t i = 0; i < n + kMoreTries && static_cast<int64_t>(items.size()) < n; ++i) {
      try {
        data::Item item;
        if (!iterator.next(item)) break;
        items.push_back(std::move(item));
      } catch (const Interrupted&) {
        throw;
      } catch (...) {
        if (!items.empty()) break;
        if (!error) error = std::current_exception();
      }
    }
    if (items.empty() && error) std::rethrow_exception(error);
    apart.finish();
  }
  nb::list list;
  for (const data::Item& item : items) list.append(to_python(item));
  return list;
}

void bind_transforms(nb::class_<Dataset>& type) {
  type.def("batch", [](const Dataset& d, int64_t n, bool drop) { return d.batch(n, {.drop_remainder = drop}); })
      .def(
          "padded_batch",
          [](const Dataset& d, int64_t n, nb::object shapes, nb::object values, bool drop) {
            return d.padded_batch(n, {shapes_from(shapes), values_from(values), drop});
          },
          nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg())
      .def("ragged_batch",
           [](const Dataset& d, int64_t n, bool drop, const std::vector<size_t>& dense) {
             return d.ragged_batch(n, {.drop_remainder = drop, .dense_parts = dense});
           })
      .def("unbatch", &Dataset::unbatch)
      .def("rebatch", [](const Dataset& d, const std::vector<int64_t>& sizes,
                         bool drop) { return d.rebatch(sizes, {.drop_remainder = drop}); })
      .def("window",
           [](const Dataset& d, int64_t size, int64_t shift, int64_t stride, bool drop) {
             return d.window(size, {shift, stride, drop});
           })
      .def(
          "shuffle",
          [](const Dataset& d, int64_t n, nb::object seed, bool again) {
            return d.shuffle(n, {seed_from(seed), again});
          },
          nb::arg(), nb::arg().none(), nb::arg())
      .def("repeat", &Dataset::repeat)
      .def("take", &Dataset::take)
      .def("skip", &Dataset::skip)
      .def("concatenate", &Dataset::concatenate)
      .def("enumerate", &Dataset::enumerate)
      .def("shard", &Dataset::shard)
      .def("unique", &Dataset::unique)
      .def("cache", &Dataset::cache)
      .def("ignore_errors", &Dataset::ignore_errors)
      .def("prefetch", &Dataset::prefetch)
      .def("with_options",
           [](const Dataset& d, bool deterministic, int64_t cpu_budget, int64_t ram_budget) {
             return d.with_options({deterministic, cpu_budget, ram_budget});
           })
      .def("map",
           [](const Dataset& d, const std::shared_ptr<Replayed>& f, bool traced, nb::object results, int64_t calls,
              std::string name) {
             return d.map(element_function(f, traced), {.num_parallel_calls = calls,
                                                        .seed = f->seed(),
                                                        .structure = structure_of(results),
                                                        .name = std::move(name)});
           })
      .def("filter", [](const Dataset& d, const std::shared_ptr<Replayed>& f,
                        bool traced) { return d.filter(element_function(f, traced)); })
      .def("take_while", [](const Dataset& d, const std::shared_ptr<Replayed>& f,
                            bool traced) { return d.take_while(element_function(f, traced)); })
      .def("scan",
           [](const Dataset& d, nb::object state, const std::shared_ptr<Replayed>& f, bool traced,
              nb::object results) {
             return d.scan(values_from(state), element_function(f, traced), structure_of(results));
           })
      .def("reduce",
           [](const Dataset& d, nb::object state, const std::shared_ptr<Replayed>& f, bool traced) {
             const std::vector<Tensor> initial = values_from(state);
             std::vector<Tensor> last;
             {
               const Unlocked release;
               last = d.reduce(initial, element_function(f, traced));
             }
             return to_python(last);
           })
      .def("flat_map",
           [](const Dataset& d, nb::object f, nb::object inner) {
             return d.flat_map(dataset_function(std::move(f)), {.structure = structure_of(inner)});
           })
      .def("interleave",
           [](const Dataset& d, nb::object f, nb::object inner, int64_t cycle, int64_t block, int64_t calls) {
             return d.interleave(dataset_function(std::move(f)), {.cycle_length = cycle,
                                                                  .block_length = block,
                                                                  .num_parallel_calls = calls,
                                                                  .structure = structure_of(inner)});
           })
      .def("group_by_window",
           [](const Dataset& d, const std::shared_ptr<Replayed>& key, nb::object reduce, nb::object size,
              nb::object inner) {
             auto reduced = [f = kept(std::move(reduce))](int64_t k, const Dataset& window) {
               const Locked locked;
               return given_as<Dataset>((*f)(k, window));
             };
             auto sized = [f = kept(std::move(size))](int64_t k) {
               const Locked locked;
               return integer_from((*f)(k));
             };
             return d.group_by_window(key_function(key, "group_by_window"), reduced, sized,
                                      {.structure = structure_of(inner)});
           })
      .def(
          "bucket_by_sequence_length",
          [](const Dataset& d, const std::shared_ptr<Replayed>& length, const std::vector<int64_t>& boundaries,
             const std::vector<int64_t>& sizes, nb::object shapes, nb::object values, bool to_boundary, bool drop) {
            return d.bucket_by_sequence_length(key_function(length, "bucket_by_sequence_length"), boundaries, sizes,
                                               {shapes_from(shapes), values_from(values), to_boundary, drop});
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg());
}

}  // namespace

data::Structure structure_of(const Nest& nest) {
  std::vector<data::Structure> items;
  for (const Nest& item : nest.items()) items.push_back(structure_of(item));
  switch (nest.kind()) {
    case Nest::Kind::tensor: return {};
    case Nest::Kind::other: throw nb::type_error("the elements of a dataset are tensors");
    case Nest::Kind::dict: {
      std::vector<std::string> names;
      for (nb::handle key : nest.object()) names.emplace_back(text_for(key));
      return data::Structure::named(std::move(names), std::move(items));
    }
    default: return data::Structure::tuple(std::move(items));
  }
}
data::Structure structure_of(nb::handle example) {
  std::vector<Tensor> leaves;
  return structure_of(Nest::flatten(example, leaves, {}));
}

data::ElementFunction element_function(const std::shared_ptr<Replayed>& f, bool traced) {
  return {[f](const std::vector<Tensor>& element) { return (*f)(element); }, traced};
}

void bind_datasets(nb::module_& m) {
  nb::class_<Replayed>(m, "_Replayed")
      .def(nb::init<nb::object, std::string>())
      .def("learn",
           [](Replayed& f, nb::list example) {
             Generator generator(0);  // what is drawn here takes nothing from the program's own numbers
             const GeneratorScope scope(generator);
             return to_python(f.learn(tensors_with_own_dtype(example)));
           })
      .def("can_be_traced",
           [](Replayed& f, nb::list example) {
             Generator generator(0);
             const GeneratorScope scope(generator);
             return f.can_be_traced(tensors_with_own_dtype(example));
           })
      .def("__call__",
           [](Replayed& f, nb::list element) {
             const std::vector<Tensor> tensors = tensors_with_own_dtype(element);
             std::vector<Tensor> results;
             {
               const Unlocked release;
               Generator generator(0);
               const GeneratorScope scope(generator);
               results = f(tensors);
               for (const Tensor& x : results) x.array();
             }
             return to_python(results);
           })
      .def_prop_ro("journals", &Replayed::journals)
      .def_prop_ro("runs_as_python", &Replayed::runs_as_python)
      .def_prop_ro("python_calls", &Replayed::python_calls);

  nb::class_<Dataset> type(m, "_Dataset");
  bind_transforms(type);
  type.def("cardinality", &Dataset::cardinality)
      .def("describe", &Dataset::describe)
      .def("structure", [](const Dataset& d) { return d.structure().str(); })
      .def("first", first_elements)
      .def("reorder",
           [](const Dataset& d, const std::vector<size_t>& order, nb::object example) {
             auto moved = [order](const std::vector<Tensor>& element) {
               std::vector<Tensor> results;
               for (const size_t i : order) results.push_back(element.at(i));
               return results;
             };
             return d.map(data::ElementFunction{moved, false}, {.structure = structure_of(example)});
           })
      .def(
          "iterate", [](const Dataset& d, nb::object example) { return new PythonIterator(d, example); },
          nb::rv_policy::take_ownership)
      .def("explain", [](const Dataset& d, double seconds) {
        const Unlocked release;
        return d.explain(seconds).str();
      });
  nb::class_<PythonIterator>(m, "_DatasetIterator", nb::dynamic_attr(), nb::is_weak_referenceable(),
                             "The elements of a dataset, one after the other; it can be saved and restored.")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &PythonIterator::next)
      .def("next", &PythonIterator::next, "The next element, or StopIteration behind the last.")
      .def("get_next", &PythonIterator::get_next, "The next element, or OutOfRangeError behind the last.")
      .def("save", &PythonIterator::save, "Where it stands, as bytes for restore().")
      .def("restore", &PythonIterator::restore, "Goes on where save() was called.")
      .def("report", &PythonIterator::report, "Where the time went, as text.")
      .def("close", &PythonIterator::close, "Stops its threads.");
  m.def("_shape_unseen", [](const Tensor& x) { return shape_object(x.shape()); });  // no journal is told
  m.def("_close_iterators", close_all);
  imported(Imported::atexit).attr("register")(m.attr("_close_iterators"));
}

}  // namespace brio::python
