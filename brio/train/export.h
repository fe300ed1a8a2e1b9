// What a model computes, for others: as a graph, without the code that made it.
//
//   nn::export_model(model, "model.onnx");                       // for ONNX' runtimes
//   nn::export_model(model, "folder", {.format = "tf_saved_model"});  // tf.saved_model.load("folder") of the Python
//   door
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
  // "onnx" or "tf_saved_model"; none: by the name, which ends in .onnx or is that of a folder.
  std::string format = {};
  std::string about = {};  // a text that goes with it, where the format has room: ONNX' metadata, under "brio"
};
// The call of the model with training = false and any number of samples. Throws InvalidArgument that names op and
// layer where the format has no such op.
void export_model(const Model& model, const std::string& path, const ExportOptions& options = {});

}  // namespace brio::nn

namespace brio::train {

struct OnnxNames {
  std::vector<std::string> inputs = {}, outputs = {};  // those that are missing are made up
  std::string graph = {}, about = {};
};
// The trace of a function as an ONNX file. Throws InvalidArgument.
void write_onnx(const std::string& path, const SavedTrace& trace, const OnnxNames& names);

}  // namespace brio::train
