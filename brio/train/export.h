// Writes a model for other programs: as a graph, without the code that made it.
//
//   nn::export_model(model, "model.onnx");  // for ONNX' runtimes
//   // for tf.saved_model.load("folder") of the Python door:
//   nn::export_model(model, "folder", {.format = "tf_saved_model"});
#pragma once

#include <span>
#include <string>
#include <vector>

#include "brio/train/model.h"

namespace brio {
class SavedTrace;
}

namespace brio::nn {

struct ExportOptions {
  // "onnx" or "tf_saved_model"; empty: from the name, which ends in .onnx or is a folder.
  std::string format = {};
  std::string about = {};  // a text to store, if the format allows: in ONNX' metadata, under "brio"
};
// Exports the call with training = false, for any number of samples. If the format lacks an op, throws
// InvalidArgument with the op and its layer.
void export_model(const Model& model, const std::string& path, const ExportOptions& options = {});

}  // namespace brio::nn

namespace brio::train {

struct OnnxNames {
  std::vector<std::string> inputs = {}, outputs = {};  // missing names are generated
  std::string graph = {}, about = {};
};
// The trace of a function as an ONNX file. Throws InvalidArgument.
void write_onnx(const std::string& path, const SavedTrace& trace, const OnnxNames& names);

}  // namespace brio::train
