// from_tensors: one element. from_tensor_slices: the rows of tensors.
#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/ir/graph.h"

namespace brio::data {
namespace {

class TensorStage final : public IndexedStage {
 public:
  TensorStage(Pipeline& pipeline, const std::vector<Tensor>& parts, bool slices)
      : IndexedStage(pipeline, slices ? "tensor slices" : "tensors") {
    for (const Tensor& part : parts) {
      Array row = part.array();
      if (slices) {
        Aval aval{{}, row.aval.dtype};
        for (int axis = 1; axis < row.aval.shape.rank(); ++axis) aval.shape.push_back(row.aval.shape[axis]);
        rows_ = row.aval.shape[0];
        row.aval = aval;
      }
      bytes_.push_back(row.aval.bytes());
      steps_.push_back(slices ? row.aval.bytes() : 0);
      parts_.push_back(std::move(row));
    }
  }
  int64_t indexed() const override { return rows_; }
  void compute(Ticket& ticket, Element& out, Worker&) override {
    out.resize(parts_.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
      const size_t offset = static_cast<size_t>(ticket.index) * steps_[i];
      if (void* place = out.place_for(i, parts_[i].aval)) {
        std::memcpy(place, parts_[i].as<char>() + offset, bytes_[i]);
        continue;
      }
      Array row = parts_[i];
      row.offset += offset;
      out.share(i, row);
    }
  }

 private:
  std::vector<Array> parts_;  // the first row of each
  std::vector<size_t> bytes_, steps_;
  int64_t rows_ = 1;
};

class TensorNode final : public Node {
 public:
  TensorNode(std::vector<Tensor> parts, Structure structure, bool slices)
      : parts_(std::move(parts)), structure_(std::move(structure)), slices_(slices) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<TensorStage>(pipeline, parts_, slices_);
  }
  std::string describe() const override {
    std::string text = slices_ ? "from_tensor_slices(" : "from_tensors(";
    for (size_t i = 0; i < parts_.size(); ++i) text += cat(i ? ", " : "", format_aval(parts_[i].aval()));
    return text + ")";
  }
  Structure structure() const override { return structure_; }
  int64_t cardinality() const override { return slices_ ? parts_[0].shape()[0] : Size(1); }

 private:
  std::vector<Tensor> parts_;
  Structure structure_;
  bool slices_;
};

Dataset make(const char* name, std::vector<Tensor> parts, std::optional<Structure> structure, bool slices) {
  if (parts.empty()) throw InvalidArgument(cat("[", name, "] there are no tensors"));
  const Structure own = structure           ? std::move(*structure)
                        : parts.size() == 1 ? Structure()
                                            : Structure::tuple_of(parts.size());
  if (own.parts() != parts.size())
    throw InvalidArgument(cat("[", name, "] ", parts.size(), " tensors do not fill the structure ", own.str()));
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].defined()) throw InvalidArgument(cat("[", name, "] tensor ", i, " is none"));
    parts[i].array();  // computed here, by the thread that recorded it
    if (!slices) continue;
    if (parts[i].rank() == 0)
      throw InvalidArgument(cat("[", name, "] tensor ", i, " is a scalar; its axis 0 must number the elements"));
    if (parts[i].shape()[0] != parts[0].shape()[0])
      throw InvalidArgument(cat("[", name, "] tensor 0 has ", parts[0].shape()[0], " rows, but tensor ", i, " has ",
                                parts[i].shape()[0], " (shape ", parts[i].shape(), ")"));
  }
  return Dataset(std::make_shared<TensorNode>(std::move(parts), own, slices));
}

}  // namespace

Dataset from_tensors(std::vector<Tensor> parts, std::optional<Structure> structure) {
  return make("from_tensors", std::move(parts), std::move(structure), false);
}
Dataset from_tensor_slices(std::vector<Tensor> parts, std::optional<Structure> structure) {
  return make("from_tensor_slices", std::move(parts), std::move(structure), true);
}

}  // namespace brio::data
