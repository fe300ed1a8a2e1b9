// from_generator: elements that a function of the program makes, one after the other.
#include "brio/base/error.h"
#include "brio/data/dataset.h"

namespace brio::data {
namespace {

class GeneratorStage final : public Stage {
 public:
  GeneratorStage(Pipeline& pipeline, const std::function<Next()>& make, size_t parts)
      : Stage(pipeline, "generator"), make_(make), parts_(parts) {}

  bool claim(Ticket& ticket) override {
    if (!next_) next_ = make_();
    values_.clear();
    if (ended_ || !make_next()) {
      ended_ = true;
      return false;
    }
    if (values_.size() != parts_)
      throw InvalidArgument(cat("[from_generator] element ", place_.at, " has ", values_.size(), " tensors; ", parts_,
                                " were promised"));
    ticket.element.resize(parts_);
    for (size_t i = 0; i < parts_; ++i) {
      if (!values_[i].defined())
        throw InvalidArgument(cat("[from_generator] tensor ", i, " of element ", place_.at, " is none"));
      ticket.element.share(i, values_[i].array());
    }
    values_.clear();
    place_.take(ticket);
    return true;
  }
  void compute(Ticket& ticket, Element& out, Worker&) override {
    out.resize(ticket.element.size());
    for (size_t i = 0; i < ticket.element.size(); ++i) out.take(i, ticket.element, i);
  }
  void describe(profile::StageFacts& facts) const override { facts.kind = profile::StageKind::generator; }
  void reset(uint64_t epoch) override {
    next_ = nullptr;
    ended_ = false;
    place_.begin(epoch);
  }
  // Only the function knows how it goes on: it is called again as often as before.
  void save(StateWriter& state) const override { place_.save(state); }
  void restore(StateReader& state) override {
    reset(state.number());
    const int64_t passed = state.count();
    if (skip(passed) != passed) StateReader::refuse("the generator now ends earlier");
  }

 private:
  bool make_next() {
    const ClaimTimer timer(stats());
    return next_(values_);
  }

  const std::function<Next()>& make_;
  Next next_;
  size_t parts_;
  std::vector<Tensor> values_;
  Place place_;
  bool ended_ = false;
};

class GeneratorNode final : public Node {
 public:
  GeneratorNode(std::function<Next()> make, Structure structure)
      : make_(std::move(make)), structure_(std::move(structure)) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<GeneratorStage>(pipeline, make_, structure_.parts());
  }
  std::string describe() const override { return "from_generator"; }
  Structure structure() const override { return structure_; }
  int64_t cardinality() const override { return kUnknown; }

 private:
  std::function<Next()> make_;
  Structure structure_;
};

}  // namespace

Dataset from_generator(std::function<Next()> make, Structure structure) {
  if (!make) throw InvalidArgument("[from_generator] the function is empty");
  return Dataset(std::make_shared<GeneratorNode>(std::move(make), std::move(structure)));
}

}  // namespace brio::data
