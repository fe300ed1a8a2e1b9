// Walks a dataset: opens its stages, reads through threads, keeps the position.
#include <chrono>

#include "brio/base/cpu_count.h"
#include "brio/base/error.h"
#include "brio/base/hashes.h"
#include "brio/base/memory_limit.h"
#include "brio/data/dataset.h"
#include "brio/data/engine/facts.h"
#include "brio/data/engine/measure.h"
#include "brio/data/engine/options_node.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/restore_time.h"
#include "brio/data/engine/skip_log.h"
#include "brio/data/pictures/device_choice.h"
#include "brio/profile/gauges.h"
#include "brio/runtime/backend.h"

namespace brio::data {
namespace {

constexpr uint64_t kStateVersion = 2;
constexpr int64_t kMostOnDevice = int64_t{1} << 30;

// The steps of a pipeline, the source first.
void describe(const Node& node, std::string& text) {
  for (const Node* input : node.inputs()) describe(*input, text);
  text += node.describe();
  text += '\n';
}

}  // namespace

Item::Item(const Element& element, std::shared_ptr<const Structure> structure) : structure_(std::move(structure)) {
  for (size_t i = 0; i < element.size(); ++i) emplace_back(element.array(i));
}

const Tensor& Item::operator[](std::string_view name) const {
  const size_t item = structure_->find(name);
  if (structure_->items()[item].kind() != Structure::Kind::tensor)
    throw InvalidArgument(cat("[dataset] '", name, "' is not one tensor but ", structure_->items()[item].str()));
  return (*this)[structure_->first_part(item)];
}

std::string Dataset::describe() const {
  std::string text;
  data::describe(*node_, text);
  return text;
}

struct Iterator::Impl {
  Impl(const Dataset& dataset, uint64_t first_epoch, OnDevice on_device = {})
      : node(dataset.node()),
        structure(std::make_shared<Structure>(dataset.structure())),
        fingerprint(murmur_hash64(dataset.describe(), kStateVersion)),
        epoch(first_epoch) {
    const Options options = options_of(*node);
    pipeline.deterministic = options.deterministic;
    pipeline.cpu_budget = options.cpu_budget > 0 ? options.cpu_budget : usable_cpus();
    pipeline.ram_budget = options.ram_budget > 0 ? options.ram_budget : available_memory() / 4;
    pipeline.skipped = std::make_shared<SkipLog>();
    pipeline.replay = std::make_shared<Replay>();
    restore_seconds = options.restore_seconds;
    pipeline.on_device = std::move(on_device);
    // What is read ahead lies in the device's memory then.
    if (pipeline.on_device.batch) pipeline.ram_budget = std::min(pipeline.ram_budget, kMostOnDevice);
    root = node->open(pipeline);
    root->reset(epoch);
    // Elements that wait in a ring of their own are not read ahead a second time.
    const bool ahead = dynamic_cast<ParallelStage*>(root.get()) != nullptr;
    reader = std::make_unique<Parallel>(*root, pipeline,
                                        ahead ? ParallelOptions{.workers = 0, .depth = 1} : ParallelOptions{});
    open.emplace([this] { return facts(); });
    [[maybe_unused]] static const bool gauged = (profile::add_gauge(profile::kReadAhead, bytes_read_ahead), true);
  }

  profile::PipelineFacts facts() const {
    profile::PipelineFacts made;
    made.key = fingerprint;
    data::describe(*node, made.steps);
    made.cardinality = node->cardinality();
    add_facts(*root, *reader, made);
    return made;
  }

  NodePtr node;
  std::shared_ptr<const Structure> structure;
  uint64_t fingerprint, epoch;
  double restore_seconds = 0;
  Pipeline pipeline;
  std::unique_ptr<Stage> root;
  std::unique_ptr<Parallel> reader;  // destroyed first: its threads use the rest
  Element element;
  std::optional<profile::OpenPipeline> open;  // the doctor may ask it as long as all of the above exists
};

Iterator::Iterator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Iterator::Iterator(Iterator&&) noexcept = default;
Iterator& Iterator::operator=(Iterator&&) noexcept = default;
Iterator::~Iterator() = default;

Iterator Dataset::iterator() const { return iterator(node_->iterations.fetch_add(1)); }
Iterator Dataset::iterator(uint64_t epoch) const { return Iterator(std::make_unique<Iterator::Impl>(*this, epoch)); }
Iterator Dataset::iterator(uint64_t epoch, Device& device, MadeBy made_by) const {
  if (device.is_host()) return iterator(epoch);
  const PictureChoice choice = choose_for_pictures(*this, device, made_by == MadeBy::device);
  return Iterator(std::make_unique<Iterator::Impl>(*this, epoch, OnDevice{choice.batch, &device, choice.why}));
}

Report Dataset::explain(double seconds) const {
  Iterator iterator = this->iterator(0);
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (Item item; std::chrono::steady_clock::now() < until && iterator.next(item);) {
  }
  return iterator.report();
}

std::vector<Item> Dataset::as_vector() const {
  std::vector<Item> items;
  Iterator all = iterator();
  for (Item item; all.next(item);) items.push_back(std::move(item));
  return items;
}

bool Iterator::next(Item& item) {
  const profile::Scope scope(profile::Part::input);
  item.clear();
  if (!impl_->reader->next(impl_->element)) return false;
  if (item.structure_ != impl_->structure) item.structure_ = impl_->structure;
  for (size_t i = 0; i < impl_->element.size(); ++i) item.emplace_back(impl_->element.array(i));
  return true;
}

const Structure& Iterator::structure() const { return *impl_->structure; }

std::string Iterator::save() const {
  StateWriter body;
  body.number(kStateVersion);
  body.number(impl_->fingerprint);
  impl_->reader->save(body);
  StateWriter whole;
  whole.text(body.bytes());
  whole.number(murmur_hash64(body.bytes(), kStateVersion));
  return whole.bytes();
}

void Iterator::restore(std::string_view bytes) {
  StateReader whole(bytes);
  const std::string_view text = whole.text();
  if (whole.number() != murmur_hash64(text, kStateVersion) || !whole.done())
    StateReader::refuse("its bytes are damaged");
  StateReader body(text);
  if (const uint64_t version = body.number(); version != kStateVersion)
    StateReader::refuse(cat("it has version ", version, ", this is ", kStateVersion));
  if (body.number() != impl_->fingerprint) StateReader::refuse("it was saved by a pipeline of other steps");
  try {
    const Replay::Scope limit(*impl_->pipeline.replay, impl_->restore_seconds);
    impl_->reader->restore(body);
    if (!body.done()) StateReader::refuse("there is more in it than the stages read");
  } catch (...) {  // some stages have read their part, others have not
    impl_->reader->reset(impl_->epoch);
    throw;
  }
}

void Iterator::reset(uint64_t epoch) { impl_->reader->reset(epoch); }

Report Iterator::report() const {
  Report report;
  std::vector<StageTotals> rows;
  measure(*impl_->root, 0, rows);
  for (StageTotals& row : rows) {
    const double each =
        row.timed ? std::max(0.0, static_cast<double>(row.own_ns)) * 1e-9 / static_cast<double>(row.timed) : 0;
    report.stages.push_back({std::move(row.name), row.depth, row.timed, each, 0, row.held_bytes});
  }
  for (const Stage* stage : impl_->pipeline.stages) {
    if (const std::string choice = stage->choice(); !choice.empty())
      report.choices.push_back(cat(stage->name(), ": ", choice));
    if (const auto* ahead = dynamic_cast<const ParallelStage*>(stage)) report.threads.push_back(ahead->report());
  }
  report.threads.push_back(impl_->reader->report());
  report.skipped = impl_->pipeline.skipped->read();
  report.finish();
  return report;
}

}  // namespace brio::data
