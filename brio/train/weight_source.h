// Weights in a file, by the paths of weight_paths.h: from HDF5, safetensors or the archive of a .keras file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "brio/nn/optimizers/optimizer.h"
#include "brio/nn/weight_paths.h"
#include "brio/tensor/aval.h"

namespace brio::train {

class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual std::vector<std::string> names(const std::string& path) const = 0;  // of the tensors directly under a path
  virtual Array read(const std::string& path, const std::string& name) const = 0;
};
// Chosen by the ending of the name. Verifies the checksum of the file. Throws InvalidArgument and DataError.
std::unique_ptr<WeightSource> open_weights(const std::string& path);
std::unique_ptr<WeightSource> weights_in_image(std::string_view hdf5, const std::string& name);

Array value_of(const Variable& variable);  // in its own dtype, for every policy

// The content of a file.
using Entries = std::vector<nn::WeightEntry>;
std::string hdf5_image(const std::string& name, const Entries& entries);
void write_hdf5(const std::string& path, const Entries& entries);  // with its checksum
void write_safetensors(const std::string& path, const Entries& entries);

struct LoadOptions {
  std::string what;            // the file, for messages
  bool skip_mismatch = false;  // weights that do not fit stay unchanged
  bool is_new = false;         // the optimizer is new: missing state keeps its initial values
};
// Everything is read and compared first, then assigned: a load that fails changes nothing. Weights are useful without
// the state of the optimizer: if that does not fit, a line on stderr says so. Throws InvalidArgument.
void load_weights(const nn::Layer& model, const nn::Optimizer* optimizer, const WeightSource& source,
                  const LoadOptions& options);

}  // namespace brio::train
