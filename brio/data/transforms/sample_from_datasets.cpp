// sample_from_datasets: each element comes from a dataset that is drawn at random, by weight. A draw is a pure
// function of seed, epoch and the number of draws before it; datasets that have ended are no longer drawn.
#include <cmath>

#include "brio/base/error.h"
#include "brio/data/engine/directed_stage.h"
#include "brio/data/engine/seeds.h"

namespace brio::data {
namespace {

class SampleStage final : public DirectedStage {
 public:
  SampleStage(Pipeline& pipeline, const char* name, std::vector<std::unique_ptr<Stage>> inputs,
              const std::vector<double>& weights, uint64_t seed, bool stop)
      : DirectedStage(pipeline, name, std::move(inputs), weights.size(), stop), weights_(weights), seed_(seed) {}
  void reset(uint64_t epoch) override {
    drawn_ = 0;
    DirectedStage::reset(epoch);
  }
  void save(StateWriter& state) const override {
    state.number(seed_);
    state.number(drawn_);
    DirectedStage::save(state);
  }
  void restore(StateReader& state) override {
    seed_ = state.number();
    drawn_ = state.number();
    DirectedStage::restore(state);
  }

 private:
  int64_t choose() override {
    double total = 0;
    for (size_t i = 0; i < weights_.size(); ++i) total += ended(i) ? 0 : weights_[i];
    const RandomStream numbers{RandomStream{seed_, epoch()}.u64(0), 2};
    double drawn = static_cast<double>(numbers.u64(drawn_++) >> 11) * 0x1p-53 * total;
    int64_t last = -1;  // rounding may lead behind the last one
    for (size_t i = 0; i < weights_.size(); ++i) {
      if (ended(i) || weights_[i] == 0) continue;
      last = static_cast<int64_t>(i);
      if (drawn < weights_[i]) break;
      drawn -= weights_[i];
    }
    return last;
  }
  const std::vector<double>& weights_;
  uint64_t seed_, drawn_ = 0;
};

class SampleNode final : public DirectedNode {
 public:
  SampleNode(const std::vector<Dataset>& datasets, SampleFromOptions options)
      : DirectedNode("sample_from_datasets", datasets),
        options_(std::move(options)),
        seed_(seed_or_new(options_.seed)) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<SampleStage>(pipeline, name_, open_inputs(pipeline), options_.weights, seed_,
                                         options_.stop_on_empty_dataset);
  }
  std::string describe() const override {
    std::string text = cat(name_, "(");
    for (size_t i = 0; i < options_.weights.size(); ++i) text += cat(i ? ", " : "", options_.weights[i]);
    return text + (options_.stop_on_empty_dataset ? ", stop_on_empty_dataset)" : ")");
  }
  // Without a stop all elements come, but those of datasets that are never drawn.
  int64_t cardinality() const override {
    int64_t sum = 0;
    bool unknown = options_.stop_on_empty_dataset, infinite = false;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (options_.weights[i] == 0) continue;
      const int64_t n = inputs_[i]->cardinality();
      infinite |= n == kInfinite;
      unknown |= n == kUnknown;
      if (n >= 0) infinite |= __builtin_add_overflow(sum, n, &sum);
    }
    return unknown ? kUnknown : infinite ? kInfinite : sum;
  }

 private:
  SampleFromOptions options_;
  uint64_t seed_;
};

}  // namespace

Dataset sample_from_datasets(const std::vector<Dataset>& datasets, SampleFromOptions options) {
  if (options.weights.empty()) options.weights.assign(datasets.size(), 1.0);
  if (options.weights.size() != datasets.size())
    throw InvalidArgument(cat("[sample_from_datasets] there are ", options.weights.size(), " weights for ",
                              datasets.size(), " datasets; give one for each"));
  double sum = datasets.empty() ? 1 : 0;
  for (const double weight : options.weights) {
    if (!(weight >= 0) || !std::isfinite(weight))
      throw InvalidArgument(cat("[sample_from_datasets] a weight is ", weight, "; it must be 0 or more"));
    sum += weight;
  }
  if (!(sum > 0) || !std::isfinite(sum))
    throw InvalidArgument(
        cat("[sample_from_datasets] the weights sum to ", sum, "; the sum must be above 0 and finite"));
  return Dataset(std::make_shared<SampleNode>(datasets, std::move(options)));
}

}  // namespace brio::data
