// parse_example: serialized tf.train.Examples into parts. Numbers of fixed shapes are written to where the parts are
// wanted, as a rule the rows of a batch.
#include <algorithm>

#include "brio/base/error.h"
#include "brio/data/sources/sources.h"
#include "brio/ir/graph.h"
#include "brio/tensor/strings.h"

namespace brio::data {
namespace {

using formats::DataError;
using formats::ExampleParser;
using formats::FixedLen;
using formats::NamedSpec;
using formats::ParsedFeature;
using formats::VarLen;

class ParseStage final : public WholeStage {
 public:
  ParseStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const ExampleParser& parser)
      : WholeStage(pipeline, "parse_example", std::move(inputs)), parser_(parser) {
    if (!parser.has_rows()) return;
    for (const NamedSpec& named : parser.specs()) {
      const auto& fixed = std::get<FixedLen>(named.spec);
      rows_.push_back({fixed.shape, fixed.dtype});
    }
  }

  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    Element& in = scratch(worker);
    input().make(ticket, in, worker);
    if (in.size() != 1 || in.aval(0).dtype != DType::string || in.aval(0).shape.rank() > 1)
      throw InvalidArgument(cat("[parse_example] an element is ",
                                in.size() == 1 ? format_aval(in.aval(0)) : cat(in.size(), " tensors"),
                                "; it must be one string, or a batch of strings"));
    try {
      if (in.aval(0).shape.rank() == 1) parse_batch(in, out);
      else parse_one(string_at(in.data(0), 0), out, worker);
    } catch (const DataError& error) {
      if (const std::optional<FilePlace> from = origin(ticket))
        throw DataError({from->file, from->offset}, error.offset(), error.reason());
      throw DataError({name_of(ticket)}, error.offset(), error.reason());
    }
  }

 private:
  static std::string name_of(const Ticket& ticket) { return cat("element ", ticket.index); }

  void parse_one(std::string_view text, Element& out, Worker& worker) const {
    if (rows_.empty()) return put(parser_.parse_single(text), out);
    auto& places = private_of<std::vector<void*>>(worker);
    places.resize(rows_.size());
    out.resize(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i) places[i] = out.write(i, rows_[i]);
    parser_.parse_rows(text, places);
  }
  void parse_batch(const Element& in, Element& out) const {
    std::vector<std::string_view> texts(static_cast<size_t>(in.aval(0).shape[0]));
    for (size_t i = 0; i < texts.size(); ++i) texts[i] = string_at(in.data(0), static_cast<int64_t>(i));
    put(parser_.parse(texts), out);
  }
  void put(const std::vector<ParsedFeature>& features, Element& out) const {
    out.resize(0);
    for (size_t i = 0; i < features.size(); ++i) {
      out.share(out.size(), features[i].values);
      if (std::holds_alternative<VarLen>(parser_.specs()[i].spec)) out.share(out.size(), features[i].row_lengths);
    }
  }

  const ExampleParser& parser_;
  std::vector<Aval> rows_;  // empty: not all features are numbers of fixed shapes
};

class ParseNode final : public Transform {
 public:
  ParseNode(NodePtr input, std::vector<NamedSpec> specs) : Transform(std::move(input)), parser_(std::move(specs)) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<ParseStage>(pipeline, open_input(pipeline), parser_);
  }
  std::string describe() const override {
    std::string keys;
    for (const NamedSpec& named : parser_.specs()) keys += cat(keys.empty() ? "" : ", ", named.key);
    return cat("parse_example(", keys, ")");
  }
  Structure structure() const override {
    std::vector<std::string> names;
    std::vector<Structure> items;
    for (const NamedSpec& named : parser_.specs()) {
      names.push_back(named.key);
      items.push_back(std::holds_alternative<VarLen>(named.spec) ? Structure::named_tensors({"values", "row_lengths"})
                                                                 : Structure());
    }
    return Structure::named(std::move(names), std::move(items));
  }

 private:
  ExampleParser parser_;
};

}  // namespace

Dataset parse_example(const Dataset& strings, std::vector<NamedSpec> specs) {
  if (strings.structure().parts() != 1)
    throw InvalidArgument(cat("[parse_example] an element has ", strings.structure().parts(), " parts: ",
                              strings.structure().str(), "; it must be one string, or a batch of strings"));
  return Dataset(std::make_shared<ParseNode>(strings.node(), std::move(specs)));
}

}  // namespace brio::data
