// ragged_batch(n): n elements whose lengths along axis 0 differ, as two tensors: all rows end to end, and the length
// of each element. What TensorFlow holds in a RaggedTensor.
#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/data/transforms/batch.h"
#include "brio/ir/graph.h"
#include "brio/tensor/strings.h"

namespace brio::data {
namespace {

class RaggedBatchStage final : public BatchStage {
 public:
  RaggedBatchStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, Structure structure, int64_t size,
                   bool drop_remainder, const std::vector<bool>& dense)
      : BatchStage(pipeline, "ragged_batch", std::move(inputs), std::move(structure), size, drop_remainder),
        dense_(dense) {}

 private:
  void gather(Ticket& ticket, Element& out) override {
    const size_t parts = check_sizes(ticket);
    out.resize(0);
    for (size_t k = 0; k < parts; ++k) {
      const Aval& first = ticket.inner[0].result.aval(k);
      for (size_t row = 0; row < ticket.count; ++row) check(k, first, row, ticket.inner[row].result.aval(k));
      if (dense_[k]) stack(ticket, k, out, out, out.size());
      else join(ticket, k, out);
    }
  }

  void check(size_t k, const Aval& first, size_t row, const Aval& aval) const {
    if (!dense_[k] && aval.shape.rank() == 0)
      throw InvalidArgument(cat("[ragged_batch] element ", row, " of the batch has ", part_name(k), format_aval(aval),
                                ", which has no length; list the part in dense_parts"));
    const int from = dense_[k] ? 0 : 1;
    bool alike = aval.dtype == first.dtype && aval.shape.rank() == first.shape.rank();
    for (int axis = from; alike && axis < aval.shape.rank(); ++axis) alike = aval.shape[axis] == first.shape[axis];
    if (!alike)
      throw InvalidArgument(cat(
          "[ragged_batch] the first element of the batch has ", part_name(k), format_aval(first), ", element ", row,
          " has ", format_aval(aval),
          dense_[k] ? "; a part among dense_parts must have one shape" : "; only the first dimension may differ"));
  }

  void join(const Ticket& ticket, size_t k, Element& out) const {
    Aval all = ticket.inner[0].result.aval(k);
    std::vector<int64_t> lengths;
    int64_t rows = 0;
    for (size_t row = 0; row < ticket.count; ++row) {
      lengths.push_back(ticket.inner[row].result.aval(k).shape[0]);
      rows += lengths.back();
    }
    all.shape.set(0, rows);
    if (all.dtype == DType::string) {
      std::vector<std::string_view> texts;
      for (size_t row = 0; row < ticket.count; ++row) {
        const Element& from = ticket.inner[row].result;
        for (int64_t i = 0; i < from.aval(k).shape.elements(); ++i) texts.push_back(string_at(from.data(k), i));
      }
      out.share(out.size(), string_array(texts, all.shape));
    } else {
      auto* to = static_cast<char*>(out.write(out.size(), all));
      for (size_t row = 0; row < ticket.count; ++row) {
        const Element& from = ticket.inner[row].result;
        std::memcpy(to, from.data(k), from.aval(k).bytes());
        to += from.aval(k).bytes();
      }
    }
    const Aval aval{{static_cast<int64_t>(ticket.count)}, i64};
    std::memcpy(out.write(out.size(), aval), lengths.data(), aval.bytes());
  }

  const std::vector<bool>& dense_;
};

// Each tensor that is ragged becomes (values, row lengths).
Structure with_lengths(const Structure& structure, const std::vector<bool>& dense, size_t& part) {
  if (structure.kind() == Structure::Kind::tensor) return dense[part++] ? Structure() : Structure::tuple_of(2);
  std::vector<Structure> items;
  for (const Structure& each : structure.items()) items.push_back(with_lengths(each, dense, part));
  return structure.kind() == Structure::Kind::tuple ? Structure::tuple(std::move(items))
                                                    : Structure::named(structure.names(), std::move(items));
}

class RaggedBatchNode final : public BatchNode {
 public:
  RaggedBatchNode(NodePtr input, int64_t size, bool drop_remainder, std::vector<bool> dense)
      : BatchNode("ragged_batch", std::move(input), size, drop_remainder), dense_(std::move(dense)) {}
  bool is_plain() const override { return false; }
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<RaggedBatchStage>(pipeline, open_input(pipeline), input().structure(), size_, drop_,
                                              dense_);
  }
  Structure structure() const override {
    size_t part = 0;
    return with_lengths(input().structure(), dense_, part);
  }

 private:
  std::vector<bool> dense_;
};

}  // namespace

Dataset Dataset::ragged_batch(int64_t batch_size, RaggedBatchOptions options) const {
  std::vector<bool> dense(structure().parts());
  for (const size_t part : options.dense_parts) {
    if (part >= dense.size())
      throw InvalidArgument(cat("[ragged_batch] dense_parts has ", part, ", but an element has ", dense.size(),
                                " parts, counted from 0"));
    dense[part] = true;
  }
  return Dataset(std::make_shared<RaggedBatchNode>(node_, batch_size, options.drop_remainder, std::move(dense)));
}

}  // namespace brio::data
