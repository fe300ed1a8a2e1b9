// How single ops are written in ONNX.
#pragma once

#include "brio/train/onnx/translation.h"

namespace brio::train {

// One call of an op, as its function sees it.
class OnnxTranslation::Call {
 public:
  Call(OnnxTranslation& translation, const Graph& graph, const Node& node, std::vector<Value*> in,
       std::vector<Value*> out)
      : to(translation.to_),
        graph_(graph),
        node_(node),
        translation_(translation),
        in_(std::move(in)),
        out_(std::move(out)) {}

  OnnxGraphMaker& to;
  Attrs attrs() const { return Attrs(node_.attrs); }
  const OpDef& op() const { return *node_.op; }
  size_t inputs() const { return in_.size(); }
  const Aval& aval(size_t i) const { return graph_.values[node_.in[i]]; }
  const Aval& result(size_t i = 0) const { return graph_.values[node_.out[i]]; }
  Value& value(size_t i) { return *in_[i]; }
  const Tensor& known(size_t i) const { return in_[i]->known; }  // undefined: it depends on inputs

  std::string in(size_t i) { return translation_.name(*in_[i], aval(i)); }
  std::string first(size_t i) { return translation_.channels_first(*in_[i], aval(i)); }
  bool is_first(size_t i) const { return !in_[i]->channels_first.empty(); }
  // A weight made of a known input, or nodes that make it of another.
  std::string transposed(size_t i, const std::vector<int>& permutation);
  std::string cast(const std::string& x, DType from, DType to_dtype);

  void give(std::string name, size_t i = 0) { out_[i]->plain = std::move(name); }
  void give_first(std::string name) { out_[0]->channels_first = std::move(name); }
  void give_same(size_t input) { *out_[0] = *in_[input]; }
  bool is_used(size_t i) const { return out_[i] != nullptr; }
  [[noreturn]] void refuse(const std::string& why) const { translation_.refuse(node_, why); }

 private:
  const Graph& graph_;
  const Node& node_;
  OnnxTranslation& translation_;
  std::vector<Value*> in_, out_;
};

using OnnxRule = void (*)(OnnxTranslation::Call& call);
OnnxRule onnx_rule_of(const OpDef& op);  // null: there is none

}  // namespace brio::train
