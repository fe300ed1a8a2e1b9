// What a gradient rule gets for its node. The rule records the gradient with ordinary ops, so gradients have
// gradients.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

class GradContext {
 public:
  virtual ~GradContext() = default;

  const OpDef* op = nullptr;
  Attrs attrs;
  std::span<const std::shared_ptr<const Graph>> graphs;
  std::vector<Tensor> in, out;
  std::vector<Tensor> cotangents;  // of the outputs; "none" if nothing flows
  std::vector<uint8_t> needed;     // per input: is its gradient wanted?

  const Tensor& cotangent() const { return cotangents[0]; }
  bool needs(size_t input) const { return needed[input]; }
  void set(size_t input, Tensor gradient) { result[input] = std::move(gradient); }

  // For control ops: the graph that maps (inputs of `body`, cotangents of its outputs) to the cotangents of its
  // inputs. `connected` is false for an input that gets none or has an integer dtype.
  virtual std::shared_ptr<const Graph> reverse(const Graph& body, std::span<const bool> wanted,
                                               std::vector<bool>& connected) = 0;

  // Sets the gradients by differentiating `definition`, which records the same computation with other ops.
  using Definition = std::function<std::vector<Tensor>(std::span<const Tensor> in)>;
  virtual void through(const Definition& definition) = 0;
  // For composite ops: the plain form is the definition.
  void through_plain() {
    const std::vector<int64_t> words(attrs.words().begin(), attrs.words().end());
    through([plain = op->plain, &words](std::span<const Tensor> copies) { return plain(copies, Attrs(words)); });
  }

  std::vector<Tensor> result;  // per input; "none" if nothing flows
};

}  // namespace brio
