// Training: compile, fit, evaluate, predict. The work is brio/train's, without the interpreter's lock; Python is
// called back for what is written in Python: callbacks, steps, losses.
#include <chrono>
#include <iostream>

#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/profile/pipelines.h"
#include "brio/python/bind.h"
#include "brio/python/called.h"
#include "brio/python/imported.h"
#include "brio/train/callbacks.h"
#include "brio/train/model.h"
#include "brio/train/progress_bar.h"
#include "brio/train/turns.h"

namespace brio::python {
namespace {

// Text that C++ prints, to where Python prints.
class PythonStream : public std::streambuf {
 protected:
  int overflow(int c) override {
    if (c != EOF) text_ += static_cast<char>(c);
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize n) override {
    text_.append(text, static_cast<size_t>(n));
    return n;
  }
  int sync() override {
    if (text_.empty()) return 0;
    const Locked locked;
    const nb::object out = imported(Imported::sys).attr("stdout");
    // A character may end in the next piece.
    out.attr("write")(owned(PyUnicode_DecodeUTF8(text_.data(), static_cast<Py_ssize_t>(text_.size()), "replace")));
    out.attr("flush")();
    text_.clear();
    return 0;
  }

 private:
  std::string text_;
};

nb::dict to_dict(const train::Logs& logs) {
  nb::dict dict;
  for (const auto& [name, value] : logs) dict[name.c_str()] = value;
  return dict;
}

// Calls the Python part's list of callbacks. Its methods return whether training should stop.
class PythonCallbacks : public train::Callback {
 public:
  std::string shown_name() const override { return {}; }  // the list times each of its own
  explicit PythonCallbacks(nb::object list) : list_(kept(std::move(list))) {
    const nb::object hooks = list_->attr("batch_hooks");
    train_batches_ = given_as<bool>(hooks[0]);
    test_batches_ = given_as<bool>(hooks[1]);
    predict_batches_ = given_as<bool>(hooks[2]);
  }

  void on_train_begin(train::Progress& p) override {
    const Locked locked;
    list_->attr("_resumed") = p.resumed;
    if (p.order) list_->attr("order") = nb::make_tuple(p.order->seed, p.order->counter);
    call(p, "on_train_begin", {});
    // Of a run that was cut off.
    if (p.resumed) return;  // by C++
    if (const nb::object epoch = list_->attr("initial_epoch"); !epoch.is_none())
      p.initial_epoch = given_as<int64_t>(epoch);
    if (const nb::object step = list_->attr("initial_step"); !step.is_none())
      p.initial_step = given_as<int64_t>(step);
    if (const nb::object order = list_->attr("order"); p.order && !order.is_none())
      p.order = Generator::State{nb::cast<uint64_t>(order[0]), nb::cast<uint64_t>(order[1])};
  }
  void save(train::CallbackState& state) const override {
    const Locked locked;
    state.texts["python"] = given_as<std::string>(list_->attr("_save_state")());
  }
  void restore(train::Progress&, const train::CallbackState& state) override {
    const Locked locked;
    if (const auto found = state.texts.find("python"); found != state.texts.end())
      list_->attr("_load_state")(found->second);
  }
  void on_train_end(train::Progress& p, const train::Logs& logs) override { call(p, "on_train_end", logs); }
  void on_epoch_begin(train::Progress& p, int64_t epoch) override { call(p, "on_epoch_begin", {}, epoch); }
  void on_epoch_end(train::Progress& p, int64_t epoch, train::Logs& logs) override {
    const Locked locked;
    const nb::dict dict = to_dict(logs);
    p.stop_training |= given_as<bool>(list_->attr("on_epoch_end")(epoch, dict));
    for (auto [key, value] : dict)  // what callbacks added
      if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr()))
        logs.set(given_as<std::string>(key), double_from(value));
  }
  void on_train_batch_begin(train::Progress& p, int64_t step) override {
    if (train_batches_) call(p, "on_train_batch_begin", {}, step);
  }
  void on_train_batch_end(train::Progress& p, int64_t step) override {
    if (train_batches_) call(p, "on_train_batch_end", p.read(), step);
    check_signals();
  }
  void on_test_begin(train::Progress& p) override { call(p, "on_test_begin", {}); }
  void on_test_end(train::Progress& p, const train::Logs& logs) override { call(p, "on_test_end", logs); }
  void on_test_batch_begin(train::Progress& p, int64_t step) override {
    if (test_batches_) call(p, "on_test_batch_begin", {}, step);
  }
  void on_test_batch_end(train::Progress& p, int64_t step) override {
    if (test_batches_) call(p, "on_test_batch_end", p.read(), step);
    check_signals();
  }
  void on_predict_begin(train::Progress& p) override { call(p, "on_predict_begin", {}); }
  void on_predict_end(train::Progress& p) override { call(p, "on_predict_end", {}); }
  void on_predict_batch_begin(train::Progress& p, int64_t step) override {
    if (predict_batches_) call(p, "on_predict_batch_begin", {}, step);
  }
  void on_predict_batch_end(train::Progress& p, int64_t step) override {
    if (predict_batches_) call(p, "on_predict_batch_end", {}, step);
    check_signals();
  }

 private:
  template <typename... A>
  void call(train::Progress& progress, const char* method, const train::Logs& logs, A... number) {
    const Locked locked;
    progress.stop_training |= given_as<bool>(list_->attr(method)(number..., to_dict(logs)));
  }
  // Ctrl-C is seen within a twentieth of a second and the running step.
  void check_signals() {
    const auto now = std::chrono::steady_clock::now();
    if (now - checked_ < std::chrono::milliseconds(50)) return;
    checked_ = now;
    check_interrupt();
  }

  std::shared_ptr<nb::object> list_;
  bool train_batches_ = false, test_batches_ = false, predict_batches_ = false;
  std::chrono::steady_clock::time_point checked_{};
};

// Batches that Python makes: start(epoch) gives an iterator of (x, y, sample_weight), each a list of tensors; `steps`
// is how many there are, or None.
class PythonBatches : public train::BatchSource {
 public:
  explicit PythonBatches(nb::object batches) : batches_(kept(std::move(batches))) {
    const nb::object steps = batches_->attr("steps");
    if (!steps.is_none()) steps_ = given_as<int64_t>(steps);
    open_.emplace([this] { return facts(); });
  }
  void reset(int64_t epoch) override {
    const Locked locked;
    iterator_ = kept(batches_->attr("start")(epoch));
  }
  bool next(train::Batch& batch) override {
    const Clock clock(*this);
    const Locked locked;
    const nb::object item = nb::steal(PyIter_Next(iterator_->ptr()));
    if (!item.is_valid()) {
      if (PyErr_Occurred()) throw nb::python_error();
      return false;
    }
    auto list = [&](int i) {
      const nb::object part = item[i];
      return part.is_none() ? train::TensorList() : train::TensorList(tensors_with_own_dtype(part));
    };
    batch = {list(0), list(1), list(2)};
    return true;
  }
  std::optional<int64_t> steps() const override { return steps_; }

 private:
  // What the doctor is told: a source that makes batches one after the other while the step waits.
  profile::PipelineFacts facts() const {
    const double seconds = profile::seconds_of(ticks_.load());
    const auto n = static_cast<double>(std::max<int64_t>(1, taken_.load()));
    profile::PipelineFacts facts;
    facts.key = reinterpret_cast<uintptr_t>(batches_->ptr());
    facts.read = taken_;
    facts.cardinality = steps_.value_or(-1);
    profile::StageFacts& stage = facts.stages.emplace_back();
    stage.name = "generator";
    stage.kind = profile::StageKind::generator;
    stage.elements = 1;
    stage.seconds = stage.serial = stage.python = seconds / n;
    stage.traced = false;  // it is no dataset
    facts.rings.push_back({.stage = "generator", .elements = taken_, .waited = seconds, .computed = seconds});
    return facts;
  }
  struct Clock {
    explicit Clock(PythonBatches& of) : batches(of) {}
    ~Clock() {
      batches.ticks_ += profile::ticks() - begin;
      ++batches.taken_;
    }
    PythonBatches& batches;
    uint64_t begin = profile::ticks();
  };

  std::shared_ptr<nb::object> batches_, iterator_;
  std::optional<int64_t> steps_;
  std::atomic<uint64_t> ticks_{0};
  std::atomic<int64_t> taken_{0};
  std::optional<profile::OpenPipeline> open_;
};
bool is_batches(nb::handle x) { return nb::hasattr(x, "start") && nb::hasattr(x, "steps"); }

// The bar, where Python prints.
struct Screen {
  PythonStream buffer;
  std::ostream stream{&buffer};
  std::shared_ptr<train::ProgressBar> bar;  // null: nothing is shown

  explicit Screen(int verbose) {
    if (verbose <= 0) return;
    const nb::object out = imported(Imported::sys).attr("stdout");
    const bool terminal = nb::hasattr(out, "isatty") && given_as<bool>(out.attr("isatty")());
    bar = std::make_shared<train::ProgressBar>(verbose, stream, terminal);
  }
};

// Callbacks of one run, and the bar behind them.
struct Run : Screen {
  nn::Callbacks callbacks;

  Run(nb::object list, int verbose) : Screen(verbose) {
    if (!list.is_none()) callbacks.push_back(std::make_shared<PythonCallbacks>(std::move(list)));
    if (bar) callbacks.push_back(bar);
  }
};

// The bar for the loops that are written in Python: those of run_eagerly.
class LoopBar {
 public:
  explicit LoopBar(int verbose) : screen_(verbose) {}
  void begin(int64_t epoch, int64_t epochs, std::optional<int64_t> steps) {
    if (!screen_.bar) return;
    progress_.epochs = epochs;
    progress_.steps = steps;
    screen_.bar->on_epoch_begin(progress_, epoch);
  }
  void advance(int64_t done, nb::dict logs) {
    if (!screen_.bar) return;
    progress_.read = [&] { return numbers_in(logs); };
    screen_.bar->on_train_batch_end(progress_, done - 1);
  }
  void end(nb::dict logs) {
    if (!screen_.bar) return;
    train::Logs numbers = numbers_in(logs);
    screen_.bar->on_epoch_end(progress_, 0, numbers);
  }

 private:
  static train::Logs numbers_in(const nb::dict& logs) {
    train::Logs numbers;
    for (auto [key, value] : logs)
      if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr()))
        numbers.set(given_as<std::string>(key), double_from(value));
    return numbers;
  }

  Screen screen_;
  train::Progress progress_;
};

train::TensorList list_from(nb::handle h) {
  if (h.is_none()) return {};
  return train::TensorList(tensors_with_own_dtype(h));
}

nn::Optimizer optimizer_from(nb::handle h) { return given_as<nn::Optimizer>(h); }

std::vector<nn::Metric> metrics_from(nb::handle h) {
  std::vector<nn::Metric> metrics;
  for (nb::handle item : nb::iter(h)) metrics.push_back(given_as<nn::Metric>(item));
  return metrics;
}

// f(x, y, sample_weight) in Python, each a list of tensors → {name: value}.
nn::Step step_from(nb::handle h) {
  if (h.is_none()) return {};
  return [f = kept(nb::borrow(h))](const train::Batch& batch) {
    const Locked locked;
    const nb::object logs = (*f)(to_python(batch.x), to_python(batch.y), to_python(batch.sample_weight));
    nn::NamedTensors named;
    for (auto [key, value] : given_as<nb::dict>(logs))
      named.emplace_back(given_as<std::string>(key), tensor_of(value));
    return named;
  };
}

// Whatever may wait for another thread, which may wait for the interpreter's lock.
template <typename F>
auto unlocked(F&& f) {
  const Unlocked release;
  return f();
}

void compile(const nn::Model& model, nb::handle optimizer, nb::list outputs, bool auto_scale_loss,
             nb::handle train_step, nb::handle test_step, int64_t steps_per_execution) {
  nn::CompileOptions options{.optimizer = optimizer_from(optimizer),
                             .auto_scale_loss = auto_scale_loss,
                             .steps_per_execution = steps_per_execution,
                             .train_step = step_from(train_step),
                             .test_step = step_from(test_step)};
  std::vector<nn::OutputOptions> all;
  for (nb::handle row : outputs) {  // (loss, weight, metrics, weighted metrics)
    nn::OutputOptions output{.loss_weight = given_as<double>(row[1]),
                             .metrics = metrics_from(row[2]),
                             .weighted_metrics = metrics_from(row[3])};
    const nb::object loss = row[0];
    if (!loss.is_none()) output.loss = given_as<nn::Loss>(loss);
    all.push_back(std::move(output));
  }
  if (all.size() == 1) {
    options.loss = all[0].loss;
    options.metrics = all[0].metrics;
    options.weighted_metrics = all[0].weighted_metrics;
  } else {
    options.outputs = std::move(all);
  }
  unlocked([&] { model.compile(std::move(options)); });
}

nb::dict history_dict(const train::History& history) {
  nb::dict columns;
  for (const auto& [name, values] : history.columns) columns[name.c_str()] = nb::cast(values);
  nb::dict dict;
  dict["history"] = columns;
  dict["epoch"] = nb::cast(history.epoch);
  if (const auto& choice = history.batch_choice) {
    nb::dict rates;
    for (const auto& tried : choice->tried) rates[nb::int_(tried.batch_size)] = tried.samples_a_second;
    nb::dict chosen;
    chosen["batch_size"] = choice->batch_size;
    chosen["samples_a_second"] = rates;
    chosen["why_no_larger"] = choice->why_no_larger;
    dict["batch_choice"] = chosen;
  }
  if (const auto& memory = history.step_memory) {
    nb::dict step;
    step["bytes"] = memory->bytes();
    step["rows"] = memory->rows;
    step["parts"] = memory->parts;
    step["computed_again"] = memory->repeated;
    step["more_work"] = memory->repeated_work;
    dict["step_memory"] = step;
  }
  return dict;
}

nn::FitOptions fit_options(nb::dict o) {
  nn::FitOptions options;
  Called c("fit", nb::tuple(), o);
  c("epochs", options.epochs), c("accumulate", options.accumulate);
  if (const nb::handle size = c.find_keyword("batch_size"); size.ptr())
    options.batch_size = nb::isinstance<nb::str>(size) ? train::BatchSize(given_as<std::string>(size).c_str())
                                                       : train::BatchSize(integer_from(size));
  c("validation_split", options.validation_split), c("shuffle", options.shuffle);
  c("initial_epoch", options.initial_epoch), c("steps_per_epoch", options.steps_per_epoch);
  c("validation_batch_size", options.validation_batch_size), c("validation_steps", options.validation_steps);
  c("validation_freq", options.validation_freq);
  c("memory_limit", options.memory_limit);
  if (const nb::handle what = c.find_keyword("memory"); what.ptr())
    options.memory = train::on_memory_from(given_as<std::string>(what));
  if (const nb::handle what = c.find_keyword("on_bad_number"); what.ptr())
    options.on_bad_number = train::on_bad_number_from(given_as<std::string>(what));
  c("doctor", options.doctor), c("doctor_traces", options.doctor_traces);
  c("resume", options.checkpoint.directory), c("save_freq", options.checkpoint.every_steps);
  options.resume = !options.checkpoint.directory.empty();
  if (const nb::handle weights = c.find_keyword("class_weight"); weights.ptr())
    for (auto [key, value] : given_as<nb::dict>(weights))
      options.class_weight[integer_from(key)] = double_from(value);
  if (const nb::handle weight = c.find_keyword("sample_weight"); weight.ptr())
    options.sample_weight = list_from(weight);
  if (const nb::handle v = c.find_keyword("validation_data"); v.ptr()) {
    if (nb::isinstance<data::Dataset>(v)) options.validation_data.dataset = given_as<data::Dataset>(v);
    else {
      options.validation_data.x = list_from(v[0]);
      options.validation_data.y = list_from(v[1]);
      options.validation_data.sample_weight = list_from(v[2]);
    }
  }
  c.finish();
  return options;
}

nb::dict fit(const nn::Model& model, nb::handle x, nb::handle y, int verbose, nb::object callbacks, nb::dict o) {
  nn::FitOptions options = fit_options(o);
  Run run(std::move(callbacks), verbose);
  options.verbose = 0;
  options.callbacks = run.callbacks;
  train::History history;
  if (nb::isinstance<data::Dataset>(x)) {
    const auto dataset = given_as<data::Dataset>(x);
    const Unlocked release;
    history = model.fit(dataset, std::move(options));
  } else if (is_batches(x)) {
    PythonBatches batches(nb::borrow(x));
    const Unlocked release;
    history = model.fit(batches, std::move(options));
  } else {
    const train::TensorList inputs = list_from(x), targets = list_from(y);
    const Unlocked release;
    history = model.fit(inputs, targets, std::move(options));
  }
  run.stream.flush();
  return history_dict(history);
}

nb::dict evaluate(const nn::Model& model, nb::handle x, nb::handle y, nb::handle sample_weight, int64_t batch_size,
                  int verbose, std::optional<int64_t> steps, nb::object callbacks) {
  nn::EvaluateOptions options{
      .batch_size = batch_size, .verbose = 0, .sample_weight = list_from(sample_weight), .steps = steps};
  Run run(std::move(callbacks), verbose);
  options.callbacks = run.callbacks;
  train::Logs logs;
  if (nb::isinstance<data::Dataset>(x)) {
    const auto dataset = given_as<data::Dataset>(x);
    const Unlocked release;
    logs = model.evaluate(dataset, std::move(options));
  } else if (is_batches(x)) {
    PythonBatches batches(nb::borrow(x));
    const Unlocked release;
    logs = model.evaluate(batches, std::move(options));
  } else {
    const train::TensorList inputs = list_from(x), targets = list_from(y);
    const Unlocked release;
    logs = model.evaluate(inputs, targets, std::move(options));
  }
  run.stream.flush();
  return to_dict(logs);
}

nb::object predict(const nn::Model& model, nb::handle x, int64_t batch_size, int verbose,
                   std::optional<int64_t> steps, nb::object callbacks) {
  nn::PredictOptions options{.batch_size = batch_size, .verbose = 0, .steps = steps};
  Run run(std::move(callbacks), verbose);
  options.callbacks = run.callbacks;
  nn::Tensors results;
  if (nb::isinstance<data::Dataset>(x)) {
    const auto dataset = given_as<data::Dataset>(x);
    const Unlocked release;
    results = model.predict_all(dataset, std::move(options));
  } else {
    const train::TensorList inputs = list_from(x);
    const Unlocked release;
    results = model.predict_all(inputs, std::move(options));
  }
  run.stream.flush();
  return to_python(std::move(results));
}

nn::BatchOptions batch_options(nb::handle sample_weight, nb::handle class_weight) {
  nn::BatchOptions options{.sample_weight = list_from(sample_weight)};
  if (!class_weight.is_none())
    for (auto [key, value] : given_as<nb::dict>(class_weight))
      options.class_weight[integer_from(key)] = double_from(value);
  return options;
}

}  // namespace

void bind_models(nb::module_& m) {
  m.def("_goes_up", [](const std::string& name) { return train::goes_up(name); });
  nb::class_<LoopBar>(m, "_LoopBar")
      .def(nb::init<int>(), nb::arg("verbose"))
      .def("begin", &LoopBar::begin, nb::arg("epoch"), nb::arg("epochs"), nb::arg("steps").none())
      .def("advance", &LoopBar::advance, nb::arg("done"), nb::arg("logs"))
      .def("end", &LoopBar::end, nb::arg("logs"));
  nb::class_<nn::Model>(m, "_Model")
      .def("__init__", [](nn::Model* self, const nn::Layer& layer) { new (self) nn::Model(layer); })
      .def("compile", compile, nb::arg("optimizer"), nb::arg("outputs"), nb::arg("auto_scale_loss"),
           nb::arg("train_step").none(), nb::arg("test_step").none(), nb::arg("steps_per_execution"))
      .def("fit", fit, nb::arg("x"), nb::arg("y").none(), nb::arg("verbose"), nb::arg("callbacks").none(),
           nb::arg("options"))
      .def("evaluate", evaluate, nb::arg("x"), nb::arg("y").none(), nb::arg("sample_weight").none(),
           nb::arg("batch_size"), nb::arg("verbose"), nb::arg("steps").none(), nb::arg("callbacks").none())
      .def("predict", predict, nb::arg("x"), nb::arg("batch_size"), nb::arg("verbose"), nb::arg("steps").none(),
           nb::arg("callbacks").none())
      .def(
          "train_on_batch",
          [](const nn::Model& model, nb::handle x, nb::handle y, nb::handle w, nb::handle c) {
            const train::TensorList inputs = list_from(x), targets = list_from(y);
            nn::BatchOptions options = batch_options(w, c);
            return to_dict(unlocked([&] { return model.train_on_batch(inputs, targets, std::move(options)); }));
          },
          nb::arg("x"), nb::arg("y").none(), nb::arg("sample_weight").none(), nb::arg("class_weight").none())
      .def(
          "test_on_batch",
          [](const nn::Model& model, nb::handle x, nb::handle y, nb::handle w) {
            const train::TensorList inputs = list_from(x), targets = list_from(y);
            nn::BatchOptions options = batch_options(w, nb::none());
            return to_dict(unlocked([&] { return model.test_on_batch(inputs, targets, std::move(options)); }));
          },
          nb::arg("x"), nb::arg("y").none(), nb::arg("sample_weight").none())
      .def("reset_metrics", [](const nn::Model& model) { unlocked([&] { model.reset_metrics(); }); })
      .def("take_turn", [](const nn::Model& model) { unlocked([&] { model.turns().take(); }); })
      .def("leave_turn", [](const nn::Model& model) { model.turns().leave(); })
      .def("optimizer", [](const nn::Model& model) { return model.optimizer(); })
      .def("summary_text", [](const nn::Model& model) { return model.summary_text(); });
}

}  // namespace brio::python
