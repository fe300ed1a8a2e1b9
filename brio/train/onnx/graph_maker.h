// What the translation of ops into ONNX writes into: the nodes of a graph and of the bodies within it, weights, and
// sizes that are not known, which become a few nodes of their own.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "brio/formats/onnx.h"
#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio::train {

namespace onnx = formats::onnx;

using Settings = std::vector<std::pair<std::string, onnx::Setting>>;

class OnnxGraphMaker {
 public:
  // An input of the model. A size that it has along an axis stands for that symbol from now on.
  std::string input(const std::string& name, const Aval& aval);
  std::vector<onnx::Dimension> dimensions(const Shape& shape) const;

  // A node of one result, or of more; their names.
  std::string node(const char* op, std::vector<std::string> in, Settings settings = {});
  std::vector<std::string> node(const char* op, std::vector<std::string> in, size_t results, Settings settings = {});
  void copy(const std::string& from, const std::string& to);  // `to` is a name of the caller's

  // Numbers, each once.
  std::string weight(const std::string& name, const Tensor& value);
  std::string integers(const std::vector<int64_t>& values);  // i64[n]
  std::string scalar(double value, DType dtype);

  // i64[1] and i64[n] of sizes that need not be known.
  std::string size(Size size);
  std::string sizes(const std::vector<Size>& sizes);

  // Nodes go into a body until it ends. Names from outside are seen in there.
  void begin_body();
  std::shared_ptr<const onnx::Graph> end_body(std::vector<onnx::Value> inputs, std::vector<onnx::Value> outputs);

  // Where nodes come from, for their names: "mlp/dense_1".
  void set_place(std::string place) { place_ = std::move(place); }
  const std::string& place() const { return place_; }
  std::string unused(const std::string& name);  // the name, or one made of it

  onnx::Graph finish(std::string name, std::vector<onnx::Value> outputs);

 private:
  std::string product(int64_t number, std::vector<std::string> factors);

  onnx::Graph graph_;
  std::vector<std::shared_ptr<onnx::Graph>> bodies_;  // that are open
  std::set<std::string, std::less<>> names_;
  std::map<std::string, int> numbers_;  // of names that were wanted again
  std::map<std::vector<int64_t>, std::string> integers_;
  std::map<std::pair<double, DType>, std::string> scalars_;
  std::map<const TensorImpl*, std::string> weights_;
  std::vector<Tensor> kept_;                    // whose addresses are known above
  std::vector<std::string> symbols_;            // i64[1] of each symbol
  std::map<int64_t, std::string> expressions_;  // by word
  std::string place_;
};

}  // namespace brio::train
