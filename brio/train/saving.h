// What nn::Model saves by, for those who have a layer and what it was compiled with: callbacks, say.
#pragma once

#include <string>

#include "brio/train/model.h"

namespace brio::train {

// `compiled` may be null: the file says nothing of optimizer and loss then.
void save_model(const nn::Layer& model, const nn::CompileOptions* compiled, const std::string& path,
                const nn::SaveOptions& options = {});
void save_weights(const nn::Layer& model, const nn::CompileOptions* compiled, const std::string& path,
                  const nn::SaveOptions& options = {});

}  // namespace brio::train
