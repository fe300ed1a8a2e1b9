// Merge several inputs, element by element or side by side. Inputs of lower rank get axes of 1 after the batch.
//
//   nn::Symbol y = nn::Add()({a, b});      // or nn::add({a, b}), or a + b
//   Tensor t = nn::concatenate({u, v});
//
// The result has a mask if every input has one: steps that count in any of them. (Concatenate: if one has.)
#pragma once

#include <vector>

#include "brio/nn/functional.h"
#include "brio/nn/module.h"

namespace brio::nn {

#define BRIO_MERGING(Name, function)                                             \
  class Name : public Layer {                                                    \
   public:                                                                       \
    explicit Name(LayerOptions options = {});                                    \
    static Layer from_config(Fields& fields);                                    \
  };                                                                             \
  Tensor function(const std::vector<Tensor>& inputs, LayerOptions options = {}); \
  Symbol function(const std::vector<Symbol>& inputs, LayerOptions options = {});
BRIO_MERGING(Add, add)
BRIO_MERGING(Subtract, subtract)  // of two inputs
BRIO_MERGING(Multiply, multiply)  // masked steps count as 1, and as 0 if masked in all inputs
BRIO_MERGING(Average, average)
BRIO_MERGING(Maximum, maximum)  // masked steps are ignored
BRIO_MERGING(Minimum, minimum)
#undef BRIO_MERGING

struct ConcatenateOptions {
  int64_t axis = -1;
  Policy dtype = {};
  std::string name = {};
};
class Concatenate : public Layer {
 public:
  explicit Concatenate(ConcatenateOptions options = {});
  static Layer from_config(Fields& fields);
};
Tensor concatenate(const std::vector<Tensor>& inputs, ConcatenateOptions options = {});
Symbol concatenate(const std::vector<Symbol>& inputs, ConcatenateOptions options = {});

struct DotOptions {
  bool normalize = false;  // both to length 1 along the axis: the result is the cosine
  Policy dtype = {};
  std::string name = {};
};
// Sums of products along an axis of each of two inputs (one axis for both, or a pair), sample by sample. The result
// has the other axes of the first input, then those of the second.
class Dot : public Layer {
 public:
  explicit Dot(std::vector<int> axes, DotOptions options = {});
  static Layer from_config(Fields& fields);
};
Tensor dot(const std::vector<Tensor>& inputs, std::vector<int> axes = {-1}, DotOptions options = {});
Symbol dot(const std::vector<Symbol>& inputs, std::vector<int> axes = {-1}, DotOptions options = {});

// These use the layers above if there is one; division, and operators with numbers, are Lambdas.
Symbol operator+(const Symbol& a, const Symbol& b);
Symbol operator-(const Symbol& a, const Symbol& b);
Symbol operator*(const Symbol& a, const Symbol& b);
Symbol operator/(const Symbol& a, const Symbol& b);
Symbol operator+(const Symbol& a, double b);
Symbol operator-(const Symbol& a, double b);
Symbol operator*(const Symbol& a, double b);
Symbol operator/(const Symbol& a, double b);
Symbol operator+(double a, const Symbol& b);
Symbol operator-(double a, const Symbol& b);
Symbol operator*(double a, const Symbol& b);
Symbol operator/(double a, const Symbol& b);
Symbol operator-(const Symbol& x);

}  // namespace brio::nn
