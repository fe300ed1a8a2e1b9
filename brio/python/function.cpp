// What tf.function makes of a Python function: traced once for each kind of arguments, then run without Python.
#include "brio/runtime/function.h"

#include <list>
#include <unordered_map>

#include "brio/base/error.h"
#include "brio/ir/trace.h"
#include "brio/ops/control/control.h"
#include "brio/ops/control/effects.h"
#include "brio/profile/named.h"
#include "brio/python/bind.h"
#include "brio/python/errors.h"
#include "brio/python/imported.h"
#include "brio/python/nest.h"
#include "brio/python/saved.h"

namespace brio::python {
namespace {

size_t tensors_in(const Nest& nest) {
  size_t n = nest.kind() == Nest::Kind::tensor ? 1 : 0;
  for (const Nest& item : nest.items()) n += tensors_in(item);
  return n;
}

class Function {
 public:
  // `prepare`, where it is not None, makes other arguments of those that are given: prepare(args, kwargs). Then
  // `signature` are these with a number in the place of each tensor, and `shapes` theirs by these numbers; a size
  // that is None is left open. `relax`: so are sizes in which calls differ. `op_by_op`: what cannot be traced runs
  // so.
  Function(nb::object f, nb::object prepare, nb::object signature, nb::object shapes, bool relax, bool op_by_op)
      : python_(kept(std::move(f))),
        prepare_(kept(std::move(prepare))),
        sizes_(relax ? Sizes::open : Sizes::fixed),
        op_by_op_(op_by_op) {
    if (signature.is_none()) return;
    std::vector<Tensor> numbers;
    (void)Nest::flatten(nb::make_tuple(signature, nb::dict()), numbers, {});
    signature_ = avals_for(numbers, shapes);
    if (std::ranges::all_of(signature_, [](const Aval& aval) { return aval.shape.known(); })) signature_.clear();
  }
  Function(const Function&) = delete;

  nb::object call(nb::args args, nb::kwargs kwargs) {
    if (!prepare_->is_none()) {
      const nb::object made = (*prepare_)(args, kwargs);
      return run(given_as<nb::tuple>(made[0]), given_as<nb::dict>(made[1]));
    }
    return run(args, kwargs);
  }

  // (arguments, results, trace) for arguments of the kinds that `shapes` says, without a call: in the structures a
  // tensor is its number. None where there is no trace for all such arguments.
  nb::object trace(const nb::tuple& args, const nb::dict& kwargs, nb::object shapes) {
    if (current_journal || current_recording().kind != Recording::Kind::eager) return nb::none();
    std::vector<Tensor> numbers;
    const std::shared_ptr<Variant> variant = find(Nest::flatten(nb::make_tuple(args, kwargs), numbers, {}));
    const std::vector<Aval> avals = avals_for(numbers, shapes);
    std::optional<TracedGraph> graph;
    try {
      const Unlocked release;
      graph = variant->traced->trace(avals);
    } catch (nb::python_error& error) {
      if (!op_by_op_ || !is_unknown_value(error)) throw;
    }
    return graph ? described(*variant, std::move(*graph)) : nb::none();
  }

  size_t traces() const {
    size_t n = forgotten_traces_;
    for (const auto& variant : variants_) n += variant->traced->traces();
    return n;
  }

  // (arguments, results, trace) of each trace, the oldest first. In the structures a tensor is its number.
  nb::list saved_traces() const {
    nb::list list;
    const std::vector<std::shared_ptr<Variant>> all(variants_.rbegin(),
                                                    variants_.rend());  // another thread may add some
    for (const auto& variant : all) {
      std::vector<TracedGraph> graphs;
      {
        const Unlocked release;  // who holds the function's lock may wait for the interpreter's
        graphs = variant->traced->graphs();
      }
      for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph)
        list.append(described(*variant, std::move(*graph)));
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
    uint64_t hash = 0;
    bool was_traced = false;
    int refusals = 0;  // of a trace

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

  static nb::object described(const Variant& variant, TracedGraph graph) {
    nb::object arguments = numbered(variant.arguments, graph.arguments.size());
    nb::object results = numbered(variant.results_for(graph.arguments), graph.results);
    SharedTrace trace{std::make_shared<const SavedTrace>(std::move(graph))};
    return nb::make_tuple(arguments, results, nb::cast(std::move(trace)));
  }

  // A symbol for each size that is None.
  static std::vector<Aval> avals_for(const std::vector<Tensor>& numbers, const nb::object& shapes) {
    std::vector<Aval> avals;
    uint32_t symbols = 0;
    for (const Tensor& number : numbers) {
      const nb::object spec = shapes[nb::int_(number.item<int64_t>())];
      std::vector<Size> sizes;
      for (const int64_t size : dims_from(spec[0])) sizes.push_back(size < 0 ? Size::unknown(symbols++) : Size(size));
      avals.push_back({Shape(sizes), dtype_from(spec[1])});
    }
    return avals;
  }

  using Index = std::unordered_multimap<uint64_t, std::list<std::shared_ptr<Variant>>::iterator>;

  nb::object run(const nb::tuple& args, const nb::dict& kwargs) {
    // In a trace the ops are part of it, and a journal writes them down.
    if (current_journal || current_recording().kind != Recording::Kind::eager) return (*python_)(*args, **kwargs);
    std::vector<Tensor> tensors;
    Nest arguments = Nest::flatten(nb::make_tuple(args, kwargs), tensors, {});
    const std::shared_ptr<Variant> variant = find(std::move(arguments));
    if (variant->refusals >= kMostRefusals) return untraced(*variant, tensors);
    bool refused = false;
    std::vector<Tensor> results;
    try {
      const Unlocked release;
      variant->traced->call(tensors.data(), tensors.size(), results);
    } catch (nb::python_error& error) {
      if (!op_by_op_ || !is_unknown_value(error)) throw;
      refused = true;
      if (++variant->refusals == kMostRefusals) warn_once(error);
    }
    return refused ? untraced(*variant, tensors) : variant->results_for(tensors).unflatten(results);
  }

  // What cannot be traced (strings, sizes and attributes that a tensor decides) runs as if there were no function.
  // The first call may make variables that the second one finds, so that it is tried twice.
  static constexpr int kMostRefusals = 2;
  nb::object untraced(const Variant& variant, const std::vector<Tensor>& tensors) {
    const nb::object all = variant.arguments.unflatten(tensors);
    return (*python_)(*nb::object(all[0]), **nb::object(all[1]));
  }

  void warn_once(const nb::python_error& why) {
    if (std::exchange(warned_, true)) return;
    const std::string name =
        nb::hasattr(*python_, "__name__") ? nb::cast<std::string>(python_->attr("__name__")) : "it";
    const std::string text =
        cat("[tf.function] ", name,
            " runs op by op, as it cannot be traced: ", nb::cast<std::string>(nb::str(why.value())));
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
  }

  std::shared_ptr<Variant> find(Nest arguments) {
    if (!variants_.empty() && variants_.front()->arguments == arguments) return variants_.front();
    const uint64_t hash = arguments.hash();
    // Comparing may run code of the user's, which may call this function: so over a copy.
    std::vector<std::shared_ptr<Variant>> alike;
    for (auto [it, end] = index_.equal_range(hash); it != end; ++it) alike.push_back(*it->second);
    for (const auto& variant : alike)
      if (variant->arguments == arguments) {
        if (const auto at = place_of(hash, variant.get()); at != index_.end())
          variants_.splice(variants_.begin(), variants_, at->second);
        return variant;
      }
    variants_.push_front(std::make_shared<Variant>());
    index_.emplace(hash, variants_.begin());
    std::shared_ptr<Variant> variant = variants_.front();
    if (variants_.size() > kMostVariants) forget_oldest();
    Variant& made = *variant;
    made.hash = hash;
    made.arguments = std::move(arguments);
    const auto body = [this, &made](const std::vector<Tensor>& tensors) {
      const Locked locked;
      const TracedDraws draws;
      const nb::object all = made.arguments.unflatten(tensors);
      const nb::object result =
          traced_call([&] { return nb::object((*python_)(*nb::object(all[0]), **nb::object(all[1]))); });
      std::vector<Tensor> results;
      made.note(tensors, Nest::flatten(result, results, {.numbers = true, .variables = true}));
      return results;
    };
    made.traced = signature_.empty() ? std::make_unique<detail::TracedFunction>(body, sizes_)
                                     : std::make_unique<detail::TracedFunction>(body, signature_);
    made.traced->set_name([this] { return shown_name(); });
    made.traced->set_step_key(this);
    if (variants_.size() > 1) tell_difference(**std::next(variants_.begin()), made);
    return variant;
  }

  // "train_step (train.py:12)"
  const std::string& shown_name() {
    if (!name_.empty()) return name_;
    const Locked locked;
    try {
      const nb::object f = imported(Imported::inspect).attr("unwrap")(*python_);
      name_ = nb::cast<std::string>(nb::str(nb::getattr(f, "__qualname__", nb::str("a function"))));
      if (const nb::object code = nb::getattr(f, "__code__", nb::none()); !code.is_none()) {
        const std::string file = nb::cast<std::string>(nb::str(code.attr("co_filename")));
        name_ += cat(" (", file.substr(file.find_last_of('/') + 1), ":",
                     nb::cast<int64_t>(code.attr("co_firstlineno")), ")");
      }
    } catch (const std::exception&) {
      name_ = "a function";
    }
    return name_;
  }

  // For the doctor: which argument made another variant.
  void tell_difference(const Variant& before, const Variant& now) {
    try {
      const auto shown = [](const Variant& variant) {
        const std::vector<Tensor> none(tensors_in(variant.arguments), Tensor(0, i32));
        return nb::object(variant.arguments.unflatten(none));
      };
      const nb::object why = imported(Imported::function).attr("_difference")(*python_, shown(before), shown(now));
      if (profile::NamedRow* row = profile::row_of(profile::NameKind::function, shown_name()); row && !why.is_none())
        profile::set_detail(*row, nb::cast<std::string>(why));
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): then nothing is said of it
    }
  }

  auto place_of(uint64_t hash, const Variant* variant) -> Index::iterator {
    for (auto [it, end] = index_.equal_range(hash); it != end; ++it)
      if (it->second->get() == variant) return it;
    return index_.end();
  }

  void forget_oldest() {
    const std::shared_ptr<Variant> oldest = variants_.back();
    forgotten_traces_ += oldest->traced->traces();
    index_.erase(place_of(oldest->hash, oldest.get()));
    variants_.pop_back();
  }

  // A number that changes in every call makes a variant each time: the longest unused are traced again if they
  // return.
  static constexpr size_t kMostVariants = 1024;

  std::shared_ptr<nb::object> python_, prepare_;
  std::vector<Aval> signature_;  // with a symbol for each size that is open; empty where none is
  Sizes sizes_;
  std::list<std::shared_ptr<Variant>> variants_;  // most recently used first
  Index index_;                                   // by hash
  size_t forgotten_traces_ = 0;
  bool op_by_op_, warned_ = false;
  std::string name_;  // once it was asked for
};

}  // namespace

void bind_function(nb::module_& m) {
  nb::class_<Function>(m, "_Function", nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(nb::init<nb::object, nb::object, nb::object, nb::object, bool, bool>(), nb::arg("function"),
           nb::arg("prepare").none(), nb::arg("signature") = nb::none(), nb::arg("shapes") = nb::none(),
           nb::arg("relax") = false, nb::arg("op_by_op") = false)
      .def("__call__", &Function::call)
      .def_prop_ro("traces", &Function::traces)
      .def("_trace", &Function::trace)
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
