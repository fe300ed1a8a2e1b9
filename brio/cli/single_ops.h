// The rows of `brio bench ops`: one op each, eager, on sizes that programs use. bench/peers has the same rows, by
// name, for TensorFlow and PyTorch.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "brio/ir/tensor.h"

namespace brio::cli {

struct SingleOp {
  std::string family, name;  // "elementwise", "add 32x32"
  // Makes the inputs and returns the call; whoever times it reads what it returns.
  std::function<std::function<std::vector<Tensor>()>()> make;
};
std::vector<SingleOp> single_ops();

}  // namespace brio::cli
