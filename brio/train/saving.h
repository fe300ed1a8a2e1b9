// The functions behind nn::Model's save methods, for code with a layer and compile options, such as callbacks.
#pragma once

#include <string>

#include "brio/train/model.h"

namespace brio::train {

// `compiled` may be null: the file then has no optimizer and loss.
void save_model(const nn::Layer& model, const nn::CompileOptions* compiled, const std::string& path,
                const nn::SaveOptions& options = {});
void save_weights(const nn::Layer& model, const nn::CompileOptions* compiled, const std::string& path,
                  const nn::SaveOptions& options = {});

}  // namespace brio::train
