// map(f): f over each element. A function over samples reads and writes memory; one over tensors is recorded once for
// each thread and shape, and its plan is run.
#include <mutex>

#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/data/engine/gather.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/row_block.h"
#include "brio/data/engine/seeds.h"
#include "brio/data/engine/tensor_call.h"
#include "brio/ir/trace.h"
#include "brio/passes/batch_axis.h"
#include "brio/tensor/strings.h"

namespace brio::data {

void Sample::check(size_t i, DType dtype) const {
  if (i >= in_.size())
    throw InvalidArgument(cat("[map] part ", i, " was asked for, but an element has ", in_.size()));
  if (in_.aval(i).dtype != dtype)
    throw InvalidArgument(cat("[map] part ", i, " is ", in_.aval(i).dtype, ", not ", dtype));
}

std::string_view Sample::text(size_t i) const {
  check(i, DType::string);
  if (in_.aval(i).shape.elements() != 1)
    throw InvalidArgument(cat("[map] part ", i, " is not one string: its shape is ", in_.aval(i).shape));
  return string_at(in_.data(i), 0);
}

void Sample::write_text(size_t i, std::string_view text) {
  char* to = out_.write_text(i, text.size());
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
}

namespace {

// f, which is over one element, over several along a new first axis. Throws where an op of f has no rule for that.
ElementFunction over_rows(const ElementFunction& f) {
  return {[call = f.call](const std::vector<Tensor>& rows) {
    if (rows.empty()) throw InvalidArgument("[map] an element has no parts");
    std::vector<Aval> row;
    for (const Tensor& part : rows) row.push_back(row_of(part.aval()));
    BodyTrace trace(Recording::Kind::branch, row, call);
    if (trace.has_effects() || trace.has_draws() || !trace.recording().cells.empty())
      throw InvalidArgument("[map] the function prints, draws random numbers or assigns a variable for each element");
    const TracedBody body = trace.finish();
    std::vector<Tensor> inputs = rows;
    inputs.insert(inputs.end(), body.captured.begin(), body.captured.end());
    return replay(with_batch_axis(*body.graph, rows.size(), rows[0].shape()[0]), inputs);
  }};
}

// A seed that was not given is part of the state: a pipeline that is built again goes on with the old one.
class MapStage : public FollowingStage {
 public:
  MapStage(Pipeline& pipeline, const std::string& name, std::vector<std::unique_ptr<Stage>> inputs, uint64_t seed)
      : FollowingStage(pipeline, name, std::move(inputs)), seed_(seed) {}
  void save(StateWriter& state) const override {
    state.number(seed_);
    input().save(state);
  }
  void restore(StateReader& state) override {
    seed_ = state.number();
    input().restore(state);
  }
  bool has_work() const override { return true; }
  void describe(profile::StageFacts& facts) const override {
    facts.kind = profile::StageKind::map;
    facts.ops = ops_.read();
    if (ops_.rounds() > 0)
      for (profile::OpTime& op : facts.ops) op.seconds /= static_cast<double>(ops_.rounds());
  }

  int64_t parts(const Ticket& ticket) const override { return input().parts(ticket); }
  void start(Ticket& ticket, Element&, Worker& worker) override { input().start(ticket, between(ticket), worker); }
  void compute_part(Ticket& ticket, int64_t part, Element& out, Worker& worker) override {
    if (input().parts(ticket) == 1) return make(ticket, out, worker);
    input().compute_part(ticket, part, between(ticket), worker);
  }
  void finish(Ticket& ticket, Element& out, Worker& worker) override {
    input().finish(ticket, between(ticket), worker);
    apply_timed(ticket, between(ticket), out, worker);
  }
  void compute(Ticket& ticket, Element& out, Worker& worker) final {
    Element& in = scratch(worker);
    input().make(ticket, in, worker);
    apply_timed(ticket, in, out, worker);
  }

 protected:
  virtual void apply(const Ticket& ticket, Element& in, Element& out, Worker& worker) = 0;
  // Where what the plans of elements that are timed spend their time on is written down.
  profile::OpTimes* ops_for(const Worker& worker, size_t elements) {
    if (!worker.timed) return nullptr;
    ops_.begin_round(elements);
    return &ops_;
  }
  uint64_t seed_;

 private:
  void apply_timed(const Ticket& ticket, Element& in, Element& out, Worker& worker) {
    const profile::TimeOps timing(ops_for(worker, 1));
    apply(ticket, in, out, worker);
  }
  profile::OpTimes ops_;

  Element& between(Ticket& ticket) const {
    if (ticket.between.size() < pipeline_.stages.size()) ticket.between.resize(pipeline_.stages.size());
    return ticket.between[number()];
  }
};

class SampleMap final : public MapStage {
 public:
  SampleMap(Pipeline& pipeline, const std::string& name, std::vector<std::unique_ptr<Stage>> inputs, uint64_t seed,
            const SampleFunction& f, size_t results)
      : MapStage(pipeline, name, std::move(inputs), seed), f_(f), results_(results) {}

 private:
  void apply(const Ticket& ticket, Element& in, Element& out, Worker&) override {
    out.resize(0);
    Sample sample(in, out, stream_of(seed_, ticket));
    f_(sample);
    if (out.size() != results_)
      throw InvalidArgument(
          cat("[map] the function wrote ", out.size(), " parts; MapOptions::results says ", results_));
  }
  const SampleFunction& f_;
  size_t results_;
};

// Before a batch it is run once for several elements, where that gives the same bits.
class TensorMap final : public MapStage {
 public:
  TensorMap(Pipeline& pipeline, const std::string& name, std::vector<std::unique_ptr<Stage>> inputs, uint64_t seed,
            const ElementFunction& f, size_t results)
      : MapStage(pipeline, name, std::move(inputs), seed), f_(f), rows_f_(over_rows(f)), results_(results) {}

  int64_t rows_at_once() const override {
    asked_.store(true, std::memory_order_relaxed);
    const int64_t most = most_rows_.load(std::memory_order_relaxed);
    if (most < 2) return 1;
    const int64_t below = input().rows_at_once();
    // What is made one by one at some cost is shared among threads.
    return below > 1 || input().has_work() ? std::min(most, std::max(below, kRowsOfWork)) : most;
  }
  bool compute_rows(std::span<Ticket> tickets, Element& block, Worker& worker) override {
    Private& mine = private_of<Private>(worker, f_, rows_f_);
    const bool below = input().rows_at_once() > 1;
    Element& rows = below ? scratch(worker) : mine.rows.block();
    const bool alike = below ? input().make_rows(tickets, rows, worker) : mine.rows.gather(input(), tickets, worker);
    if (alike) {
      const profile::TimeOps timing(ops_for(worker, tickets.size()));
      if (apply_to_rows(mine, rows, block)) return true;
    }
    if (alike) split_rows(rows, tickets);
    for (Ticket& ticket : tickets) {
      Element made;
      apply(ticket, ticket.result, made, worker);
      ticket.result = std::move(made);
    }
    return false;
  }
  std::string choice() const override {
    const std::lock_guard lock(mutex_);
    return choice_;
  }
  void describe(profile::StageFacts& facts) const override {
    MapStage::describe(facts);
    facts.traced = f_.traced;
    facts.pure = pure_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr int64_t kRowsOfWork = 4, kBlockBytes = 256 * 1024;
  struct Private {
    Private(const ElementFunction& f, const ElementFunction& rows_f) : call(f), rows_call(rows_f) {}
    TensorCall call, rows_call;
    RowBlock rows;
  };

  void apply(const Ticket& ticket, Element& in, Element& out, Worker& worker) override {
    TensorCall& call = private_of<Private>(worker, f_, rows_f_).call;
    if (worker.timed) look_at(in);
    give(call(in, stream_of(seed_, ticket).u64(0)), out);
    if (worker.timed && !f_.traced) pure_.store(!call.drew(), std::memory_order_relaxed);
    if (asked_.load(std::memory_order_relaxed) && !choosing_.load(std::memory_order_relaxed) &&
        !choosing_.exchange(true))
      choose(in, out);
  }
  void give(const std::vector<Tensor>& results, Element& out) const {
    if (results.size() != results_)
      throw InvalidArgument(cat("[map] the function returned ", results.size(), " tensors; its structure has ",
                                results_, "; MapOptions::results says how many a vector has"));
    out.resize(results.size());
    for (size_t i = 0; i < results.size(); ++i) out.share(i, results[i].array());
  }
  // False: it cannot be shown that rows of this shape get the same bits.
  bool apply_to_rows(Private& mine, const Element& rows, Element& block) const {
    try {
      give(mine.rows_call(rows), block);
      return true;
    } catch (const std::exception&) {  // one by one it says what is wrong, if something is
      return false;
    }
  }

  // Whether it gives the same for the same element: it draws no numbers, prints nothing and calls no host code.
  void look_at(const Element& in) {
    if (!f_.traced || looked_.exchange(true)) return;
    try {
      std::vector<Aval> row;
      for (size_t i = 0; i < in.size(); ++i) row.push_back(in.aval(i));
      BodyTrace trace(Recording::Kind::branch, row, f_.call);
      pure_ = !trace.has_effects() && !trace.has_draws() && trace.recording().cells.empty();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): then it is not known to be
    }
  }

  void choose(const Element& in, const Element& out) {
    int64_t most = 1;
    size_t bytes = 0;
    std::string choice;
    for (size_t i = 0; i < in.size(); ++i) bytes += in.aval(i).bytes();
    for (size_t i = 0; i < out.size(); ++i) bytes += out.aval(i).bytes();
    if (std::string why = obstacle(in); !why.empty()) {
      choice = cat("one element at a time: ", why);
    } else if (most = kBlockBytes / std::max<int64_t>(1, static_cast<int64_t>(bytes)); most < 2) {
      most = 1;
      choice = cat("one element at a time: each has ", bytes, " bytes, before and after");
    } else {
      choice = cat("up to ", most, " elements at a time, which gives the same bits");
    }
    most_rows_.store(most, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    choice_ = std::move(choice);
  }
  std::string obstacle(const Element& in) const {
    if (!f_.traced) return "the function is not recorded";
    try {
      Recording recording;
      recording.kind = Recording::Kind::function;
      const RecordInto scope(recording);
      std::vector<Tensor> rows;
      for (size_t i = 0; i < in.size(); ++i) rows.push_back(add_parameter(recording, stacked("map", in.aval(i), 2)));
      rows_f_.call(rows);
      return {};
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  const ElementFunction& f_;
  const ElementFunction rows_f_;  // f over several elements at once
  size_t results_;
  mutable std::atomic<bool> asked_{false};  // somebody wants several elements at once
  std::atomic<bool> choosing_{false};       // or it is done
  std::atomic<bool> looked_{false}, pure_{false};
  std::atomic<int64_t> most_rows_{1};
  mutable std::mutex mutex_;
  std::string choice_;
};

class MapNode final : public Transform {
 public:
  MapNode(NodePtr input, SampleFunction samples, ElementFunction tensors, MapOptions options)
      : Transform(std::move(input)),
        samples_(std::move(samples)),
        tensors_(std::move(tensors)),
        options_(std::move(options)),
        seed_(seed_or_new(options_.seed)) {}

  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto inputs = open_input(pipeline);
    std::unique_ptr<Stage> stage;
    if (samples_)
      stage = std::make_unique<SampleMap>(pipeline, options_.name, std::move(inputs), seed_, samples_,
                                          structure().parts());
    else
      stage = std::make_unique<TensorMap>(pipeline, options_.name, std::move(inputs), seed_, tensors_,
                                          structure().parts());
    if (options_.num_parallel_calls == kAutotune) return stage;
    // A number of threads that was asked for is theirs alone.
    return std::make_unique<ParallelStage>(
        pipeline, std::move(stage),
        ParallelOptions{.workers = options_.num_parallel_calls, .depth = options_.num_parallel_calls});
  }
  std::string describe() const override {
    return options_.num_parallel_calls == kAutotune ? "map" : cat("map(", options_.num_parallel_calls, " threads)");
  }
  Structure structure() const override {
    if (options_.structure) return *options_.structure;
    return options_.results == 1 ? Structure() : Structure::tuple_of(options_.results);
  }

 private:
  SampleFunction samples_;
  ElementFunction tensors_;
  MapOptions options_;
  uint64_t seed_;
};

void check_calls(int64_t calls) {
  if (calls != kAutotune && (calls < 1 || calls > 1024))
    throw InvalidArgument(cat("[map] num_parallel_calls is ", calls, "; it must be from 1 to 1024, or kAutotune"));
}

}  // namespace

Dataset Dataset::map_samples(SampleFunction f, MapOptions options) const {
  check_calls(options.num_parallel_calls);
  if (!f) throw InvalidArgument("[map] the function is empty");
  return Dataset(std::make_shared<MapNode>(node_, std::move(f), ElementFunction{}, std::move(options)));
}

Dataset Dataset::map(ElementFunction f, MapOptions options) const {
  check_calls(options.num_parallel_calls);
  if (!f.call) throw InvalidArgument("[map] the function is empty");
  return Dataset(std::make_shared<MapNode>(node_, SampleFunction(), std::move(f), std::move(options)));
}

void Dataset::check_arity(const char* name, size_t arity, size_t before) const {
  const Structure structure = this->structure();
  if (structure.parts() + before == arity) return;
  throw InvalidArgument(cat("[", name, "] the function takes ", arity, " tensors, but ",
                            before == 0 ? "" : cat("the state has ", before, " and "), "an element has ",
                            structure.parts(), ": ", structure.str()));
}

}  // namespace brio::data
