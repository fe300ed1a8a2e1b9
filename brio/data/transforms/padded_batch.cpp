// padded_batch(n): n elements as one, each filled up to a common shape.
#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/data/transforms/batch.h"
#include "brio/ir/graph.h"
#include "brio/tensor/strings.h"

namespace brio::data {
namespace {

std::string shape_text(const std::vector<int64_t>& dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) text += cat(i ? ", " : "", dims[i]);
  return text + (dims.size() == 1 ? ",)" : ")");
}

// Calls f(offset in `from`, offset in `to`, length) for each run of `from` that lies in one piece inside `to`.
template <typename F>
void for_each_run(const Shape& from, const Shape& to, F f) {
  const int rank = from.rank();
  if (from.elements() == 0) return;
  if (rank == 0) return f(0, 0, 1);
  const Strides steps = row_major(to);
  int64_t at[kMaxRank] = {};
  for (int64_t source = 0; source < from.elements(); source += from[rank - 1]) {
    int64_t target = 0;
    for (int axis = 0; axis < rank - 1; ++axis) target += at[axis] * steps[axis];
    f(source, target, from[rank - 1]);
    for (int axis = rank - 2; axis >= 0 && ++at[axis] == from[axis]; --axis) at[axis] = 0;
  }
}

class PaddedBatchStage final : public BatchStage {
 public:
  PaddedBatchStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, Structure structure, int64_t size,
                   const PaddedBatchOptions& options)
      : BatchStage(pipeline, "padded_batch", std::move(inputs), std::move(structure), size, options.drop_remainder),
        options_(options) {}
  void describe(profile::StageFacts& facts) const override {
    BatchStage::describe(facts);
    facts.kind = profile::StageKind::padded_batch;
    if (const uint64_t all = all_.load(); all > 0)
      facts.padding = 1 - static_cast<double>(given_.load()) / static_cast<double>(all);
  }

 private:
  // Numbers of its largest part: those that were given, and those that the batches have.
  std::atomic<uint64_t> given_{0}, all_{0};

  void gather(Ticket& ticket, Element& out) override {
    const size_t parts = check_sizes(ticket);
    out.resize(parts);
    for (size_t k = 0; k < parts; ++k) {
      const Aval all = stacked(name(), padded(ticket, k), ticket.count);
      if (all.dtype == DType::string) pad_strings(ticket, k, all.shape, out);
      else pad(ticket, k, all, out);
    }
    count_padding(ticket, out);
  }
  void count_padding(const Ticket& ticket, const Element& out) {
    size_t largest = 0;
    for (size_t k = 1; k < out.size(); ++k)
      if (out.aval(k).bytes() > out.aval(largest).bytes()) largest = k;
    if (out.size() == 0) return;
    uint64_t given = 0;
    for (size_t row = 0; row < ticket.count; ++row)
      given += static_cast<uint64_t>(int64_t{ticket.inner[row].result.aval(largest).shape.elements()});
    given_.fetch_add(given, std::memory_order_relaxed);
    all_.fetch_add(static_cast<uint64_t>(int64_t{out.aval(largest).shape.elements()}), std::memory_order_relaxed);
  }

  // What part k of every row becomes.
  Aval padded(const Ticket& ticket, size_t k) const {
    const Aval& first = ticket.inner[0].result.aval(k);
    std::vector<int64_t> dims(static_cast<size_t>(first.shape.rank()), -1);
    if (!options_.padded_shapes.empty()) {
      dims = options_.padded_shapes[k];
      if (static_cast<int>(dims.size()) != first.shape.rank())
        throw InvalidArgument(cat("[padded_batch] padded_shapes has ", shape_text(dims), " for ", part_name(k),
                                  format_aval(first), "; it must have as many dimensions"));
    }
    std::vector<int64_t> most = dims;
    for (size_t row = 0; row < ticket.count; ++row) {
      const Aval& aval = ticket.inner[row].result.aval(k);
      if (aval.dtype != first.dtype || aval.shape.rank() != first.shape.rank())
        throw InvalidArgument(cat("[padded_batch] elements of one batch must have one dtype and rank: the first has ",
                                  part_name(k), format_aval(first), ", element ", row, " has ", format_aval(aval)));
      for (size_t axis = 0; axis < dims.size(); ++axis) {
        const int64_t dim = aval.shape[static_cast<int>(axis)];
        if (dims[axis] < 0) most[axis] = std::max(most[axis], dim);
        else if (dim > dims[axis])
          throw InvalidArgument(cat("[padded_batch] element ", row, " of the batch has ", part_name(k),
                                    format_aval(aval), ", which does not fit padded_shapes ", shape_text(dims),
                                    "; -1 stands for the longest of the batch"));
      }
    }
    return {Shape(most), first.dtype};
  }

  const Tensor* value_of(size_t k, DType dtype) const {
    if (options_.padding_values.empty()) return nullptr;
    const Tensor& value = options_.padding_values[options_.padding_values.size() == 1 ? 0 : k];
    if (value.dtype() != dtype)
      throw InvalidArgument(cat("[padded_batch] the padding value of ", part_name(k), "is ", value.dtype(),
                                ", but the part is ", dtype));
    return &value;
  }

  void pad(const Ticket& ticket, size_t k, const Aval& all, Element& out) const {
    const size_t size = size_of(all.dtype);
    auto* to = static_cast<char*>(out.write(k, all));
    if (const Tensor* value = value_of(k, all.dtype)) {
      const auto* bits = value->array().as<char>();
      for (int64_t i = 0; i < all.shape.elements(); ++i) std::memcpy(to + static_cast<size_t>(i) * size, bits, size);
    } else {
      std::memset(to, 0, all.bytes());
    }
    const Shape row_shape(all.shape.dims().subspan(1));
    const size_t row_bytes = static_cast<size_t>(row_shape.elements()) * size;
    for (size_t row = 0; row < ticket.count; ++row) {
      const Element& from = ticket.inner[row].result;
      for_each_run(from.aval(k).shape, row_shape, [&](int64_t source, int64_t target, int64_t n) {
        std::memcpy(to + row * row_bytes + static_cast<size_t>(target) * size,
                    from.as<char>(k) + static_cast<size_t>(source) * size, static_cast<size_t>(n) * size);
      });
    }
  }

  void pad_strings(const Ticket& ticket, size_t k, const Shape& all, Element& out) const {
    const Tensor* value = value_of(k, DType::string);
    std::vector<std::string_view> texts(static_cast<size_t>(all.elements()),
                                        value ? string_at(value->array(), 0) : std::string_view());
    const Shape row_shape(all.dims().subspan(1));
    for (size_t row = 0; row < ticket.count; ++row) {
      const Element& from = ticket.inner[row].result;
      const size_t base = row * static_cast<size_t>(row_shape.elements());
      for_each_run(from.aval(k).shape, row_shape, [&](int64_t source, int64_t target, int64_t n) {
        for (int64_t i = 0; i < n; ++i)
          texts[base + static_cast<size_t>(target + i)] = string_at(from.data(k), source + i);
      });
    }
    out.share(k, string_array(texts, all));
  }

  const PaddedBatchOptions& options_;
};

class PaddedBatchNode final : public BatchNode {
 public:
  PaddedBatchNode(NodePtr input, int64_t size, PaddedBatchOptions options)
      : BatchNode("padded_batch", std::move(input), size, options.drop_remainder), options_(std::move(options)) {}
  bool is_plain() const override { return false; }
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<PaddedBatchStage>(pipeline, open_input(pipeline), input().structure(), size_, options_);
  }

 private:
  PaddedBatchOptions options_;
};

}  // namespace

Dataset Dataset::padded_batch(int64_t batch_size, PaddedBatchOptions options) const {
  const size_t parts = structure().parts();
  if (!options.padded_shapes.empty() && options.padded_shapes.size() != parts)
    throw InvalidArgument(cat("[padded_batch] there are ", options.padded_shapes.size(),
                              " padded_shapes, but an element has ", parts, " parts; give one for each, or none"));
  for (const auto& dims : options.padded_shapes)
    for (const int64_t dim : dims)
      if (dim < -1)
        throw InvalidArgument(cat("[padded_batch] padded_shapes has ", shape_text(dims),
                                  "; a dimension must be 0 or more, or -1 for the longest of the batch"));
  if (options.padding_values.size() > 1 && options.padding_values.size() != parts)
    throw InvalidArgument(cat("[padded_batch] there are ", options.padding_values.size(),
                              " padding_values, but an element has ", parts,
                              " parts; give one for each, one for all, or none"));
  for (const Tensor& value : options.padding_values) {
    if (!value.defined() || value.size() != 1)
      throw InvalidArgument(cat("[padded_batch] a padding value is ",
                                value.defined() ? format_aval(value.aval()) : "none", "; it must be a scalar"));
    value.array();  // computed here, by the thread that recorded it
  }
  return Dataset(std::make_shared<PaddedBatchNode>(node_, batch_size, std::move(options)));
}

}  // namespace brio::data
