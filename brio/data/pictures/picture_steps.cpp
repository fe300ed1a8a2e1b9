#include "brio/data/pictures/picture_steps.h"

#include <cmath>

#include "brio/base/error.h"
#include "brio/data/engine/seeds.h"
#include "brio/data/pictures/picture_stages.h"
#include "brio/ir/graph.h"

namespace brio::data {
namespace {

class StepsStage final : public WholeStage {
 public:
  StepsStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const PictureFinish& finish)
      : WholeStage(pipeline, finish.names().substr(1), std::move(inputs)), finish_(finish) {}

  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    Element& in = scratch(worker);
    input().make(ticket, in, worker);
    const Aval& from = in.aval(0);
    if (from.shape.rank() != 3 || (from.dtype != f32 && from.dtype != u8))
      throw InvalidArgument(cat("[", name(),
                                "] takes single pictures (height, width, channels) of float32 or uint8, ",
                                "but part 0 is ", format_aval(from), "; put it before batch()"));
    out.resize(in.size());
    PictureFinisher& rows = private_of<PictureFinisher>(worker);
    rows.begin(finish_, from.shape, from.dtype, finish_.turn_of(ticket),
               out.write(0, {from.shape, finish_.result(from.dtype)}));
    const int64_t numbers = from.shape[1] * from.shape[2];
    for (int64_t y = 0; y < from.shape[0]; ++y) {
      if (from.dtype == u8) {
        rows.finish_row(y, in.as<uint8_t>(0) + y * numbers);
      } else {
        std::copy_n(in.as<float>(0) + y * numbers, numbers, rows.row(y));
        rows.finish_row(y);
      }
    }
    pass_labels(in, out);
  }
  void save(StateWriter& state) const override {
    finish_.save(state);
    WholeStage::save(state);
  }
  void restore(StateReader& state) override {
    finish_.restore(state);
    WholeStage::restore(state);
  }

 private:
  PictureFinish finish_;
};

class StepsNode final : public PictureRowsNode {
 public:
  using PictureRowsNode::PictureRowsNode;
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<StepsStage>(pipeline, open_input(pipeline), finish_);
  }
  std::string describe() const override { return finish_.describe().substr(3); }
  NodePtr with(const PictureFinish& finish) const override {
    return std::make_shared<StepsNode>(input_, finish_.then(finish));
  }
};

// In the pass of the step before, where that goes over rows.
Dataset finished(const Dataset& pictures, const PictureFinish& finish) {
  if (const auto* rows = dynamic_cast<const PictureRowsNode*>(pictures.node().get()))
    return Dataset(rows->with(finish));
  return Dataset(std::make_shared<StepsNode>(pictures.node(), finish));
}

}  // namespace

Dataset random_flip(const Dataset& pictures, const RandomFlipOptions& options) {
  if (!options.horizontal && !options.vertical)
    throw InvalidArgument("[random_flip] neither horizontal nor vertical is asked for");
  return finished(pictures, {.flips = {{options.horizontal, options.vertical, seed_or_new(options.seed)}}});
}

Dataset normalize(const Dataset& pictures, const NormalizeOptions& options) {
  if (options.mean.empty() || options.deviation.empty())
    throw InvalidArgument("[normalize] mean and deviation need a number, or one for each channel");
  for (const float deviation : options.deviation)
    if (!(std::abs(deviation) > 0))
      throw InvalidArgument(cat("[normalize] a deviation is ", deviation, "; it must not be 0"));
  return finished(pictures, {.arithmetic = {{true, options.mean, options.deviation}}});
}

Dataset rescale(const Dataset& pictures, const RescaleOptions& options) {
  return finished(pictures, {.arithmetic = {{false, {options.scale}, {options.offset}}}});
}

}  // namespace brio::data
