// What tf.function makes of a Python function: traced once for each kind of arguments, then run without Python.
#include "brio/runtime/function.h"

#include "brio/base/error.h"
#include "brio/ir/trace.h"
#include "brio/ops/control.h"
#include "brio/ops/effects.h"
#include "brio/python/bind.h"
#include "brio/python/nest.h"
#include "brio/python/saved.h"

namespace brio::python {
namespace {

class Function {
 public:
  // `prepare`, where it is not None, makes other arguments of those that are given: prepare(args, kwargs).
  Function(nb::object f, nb::object prepare) : python_(kept(std::move(f))), prepare_(kept(std::move(prepare))) {}
  Function(const Function&) = delete;

  nb::object call(nb::args args, nb::kwargs kwargs) {
    if (!prepare_->is_none()) {
      const nb::object made = (*prepare_)(args, kwargs);
      return run(nb::cast<nb::tuple>(made[0]), nb::cast<nb::dict>(made[1]));
    }
    return run(args, kwargs);
  }

  size_t traces() const {
    size_t n = 0;
    for (const auto& variant : variants_) n += variant->traced->traces();
    return n;
  }

  // (arguments, results, trace) of each trace, the oldest first. In the structures a tensor is its number.
  nb::list saved_traces() const {
    nb::list list;
    for (size_t i = 0; i < variants_.size(); ++i) {  // another thread may add some meanwhile
      const Variant* const variant = variants_[i].get();
      std::vector<TracedGraph> graphs;
      {
        const nb::gil_scoped_release release;  // who holds the function's lock may wait for the interpreter's
        graphs = variant->traced->graphs();
      }
      for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph) {
        nb::object arguments = numbered(variant->arguments, graph->arguments.size());
        nb::object results = numbered(variant->results_for(graph->arguments), graph->results);
        SharedTrace trace{std::make_shared<const SavedTrace>(std::move(*graph))};
        list.append(nb::make_tuple(arguments, results, nb::cast(std::move(trace))));
      }
    }
    return list;
  }

 private:
  static nb::object numbered(const Nest& nest, size_t n) {
    std::vector<Tensor> numbers;
    for (size_t i = 0; i < n; ++i) numbers.push_back(Tensor(static_cast<int64_t>(i), i64));
    return nest.unflatten(numbers);
  }

  // Arguments that differ in something else than tensors.
  struct Variant {
    Nest arguments, results;
    // What tensors of some shapes gave in another structure.
    std::vector<std::pair<std::vector<Aval>, Nest>> other_results;
    std::unique_ptr<detail::TracedFunction> traced;
    bool was_traced = false;

    void note(const std::vector<Tensor>& tensors, Nest made) {
      if (!std::exchange(was_traced, true)) {
        results = std::move(made);
        return;
      }
      const std::vector<Aval> avals = avals_of(tensors);
      std::erase_if(other_results, [&](const auto& one) { return one.first == avals; });
      if (!(made == results)) other_results.emplace_back(avals, std::move(made));
    }
    const Nest& results_for(const std::vector<Tensor>& tensors) const {
      return other_results.empty() ? results : results_for(avals_of(tensors));
    }
    const Nest& results_for(const std::vector<Aval>& avals) const {
      for (const auto& [of, made] : other_results)
        if (of == avals) return made;
      return results;
    }
    static std::vector<Aval> avals_of(const std::vector<Tensor>& tensors) {
      std::vector<Aval> avals;
      for (const Tensor& x : tensors) avals.push_back(x.aval());
      return avals;
    }
  };

  nb::object run(const nb::tuple& args, const nb::dict& kwargs) {
    // In a trace the ops are part of it, and a journal writes them down.
    if (current_journal || current_recording().kind != Recording::Kind::eager) return (*python_)(*args, **kwargs);
    std::vector<Tensor> tensors;
    Nest arguments = Nest::flatten(nb::make_tuple(args, kwargs), tensors, {});
    Variant& variant = find(std::move(arguments));
    std::vector<Tensor> results;
    {
      const nb::gil_scoped_release release;
      variant.traced->call(tensors.data(), tensors.size(), results);
    }
    return variant.results_for(tensors).unflatten(results);
  }

  Variant& find(Nest arguments) {
    for (const auto& variant : variants_)
      if (variant->arguments == arguments) return *variant;
    variants_.push_back(std::make_unique<Variant>());
    Variant& made = *variants_.back();
    made.arguments = std::move(arguments);
    made.traced = std::make_unique<detail::TracedFunction>([this, &made](const std::vector<Tensor>& tensors) {
      const nb::gil_scoped_acquire locked;
      const TracedDraws draws;
      const nb::object all = made.arguments.unflatten(tensors);
      const nb::object result = (*python_)(*nb::object(all[0]), **nb::object(all[1]));
      std::vector<Tensor> results;
      made.note(tensors, Nest::flatten(result, results, {.numbers = true, .variables = true}));
      return results;
    });
    return made;
  }

  std::shared_ptr<nb::object> python_, prepare_;
  std::vector<std::unique_ptr<Variant>> variants_;
};

}  // namespace

void bind_function(nb::module_& m) {
  nb::class_<Function>(m, "_Function", nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(nb::init<nb::object, nb::object>(), nb::arg("function"), nb::arg("prepare").none())
      .def("__call__", &Function::call)
      .def_prop_ro("traces", &Function::traces)
      .def("saved_traces", &Function::saved_traces);

  // For AutoGraph: functions of lists of tensors.
  m.def("_tracing", [] { return current_recording().kind != Recording::Kind::eager; });
  m.def("_readable", [](const Tensor& x) { return readable(x); });
  m.def("_cond", [](Given predicate, nb::object on_true, nb::object on_false) {
    auto branch = [](const nb::object& f) { return [&f] { return tensors_with_own_dtype(f()); }; };
    return to_python(cond(tensor_of(predicate.object), Branch(branch(on_true)), Branch(branch(on_false))));
  });
  m.def("_while", [](nb::object condition, nb::object body, nb::handle initial) {
    return to_python(
        while_loop([&](const std::vector<Tensor>& state) { return tensor_of(condition(to_python(state))); },
                   [&](const std::vector<Tensor>& state) { return tensors_with_own_dtype(body(to_python(state))); },
                   tensors_with_own_dtype(initial)));
  });
  // Calls f, and forgets the ops that it recorded.
  m.def("_trial", [](nb::object f) {
    BodyTrace(Recording::Kind::loop, {}, [&](const std::vector<Tensor>&) {
      f();
      return std::vector<Tensor>{};
    });
  });
  m.def("_assert", [](Given condition, const std::string& message) {
    debugging::assert_true(tensor_of(condition.object), message);
  });
}

}  // namespace brio::python
