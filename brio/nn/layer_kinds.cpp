#include "brio/nn/layer_kinds.h"

#include "brio/nn/activation.h"
#include "brio/nn/attention.h"
#include "brio/nn/chain.h"
#include "brio/nn/convolution.h"
#include "brio/nn/dense.h"
#include "brio/nn/dropout.h"
#include "brio/nn/flatten.h"
#include "brio/nn/functional.h"
#include "brio/nn/multi_head_attention.h"
#include "brio/nn/pooling.h"

namespace brio::nn {

std::span<const LayerKind> layer_kinds() {
  static constexpr LayerKind kKinds[] = {
      {"Activation", Activation::from_config},
      {"AdditiveAttention", AdditiveAttention::from_config},
      {"Attention", Attention::from_config},
      {"AveragePooling1D", AveragePooling1D::from_config},
      {"AveragePooling2D", AveragePooling2D::from_config},
      {"AveragePooling3D", AveragePooling3D::from_config},
      {"Conv1D", Conv1D::from_config},
      {"Conv1DTranspose", Conv1DTranspose::from_config},
      {"Conv2D", Conv2D::from_config},
      {"Conv2DTranspose", Conv2DTranspose::from_config},
      {"Conv3D", Conv3D::from_config},
      {"Conv3DTranspose", Conv3DTranspose::from_config},
      {"Dense", Dense::from_config},
      {"DepthwiseConv1D", DepthwiseConv1D::from_config},
      {"DepthwiseConv2D", DepthwiseConv2D::from_config},
      {"Dropout", Dropout::from_config},
      {"Flatten", Flatten::from_config},
      {"GlobalAveragePooling1D", GlobalAveragePooling1D::from_config},
      {"GlobalAveragePooling2D", GlobalAveragePooling2D::from_config},
      {"GlobalAveragePooling3D", GlobalAveragePooling3D::from_config},
      {"GlobalMaxPooling1D", GlobalMaxPooling1D::from_config},
      {"GlobalMaxPooling2D", GlobalMaxPooling2D::from_config},
      {"GlobalMaxPooling3D", GlobalMaxPooling3D::from_config},
      {"GroupQueryAttention", GroupQueryAttention::from_config},
      {"InputLayer", InputLayer::from_config},
      {"MaxPooling1D", MaxPooling1D::from_config},
      {"MaxPooling2D", MaxPooling2D::from_config},
      {"MaxPooling3D", MaxPooling3D::from_config},
      {"MultiHeadAttention", MultiHeadAttention::from_config},
      {"Sequential", Chain::from_config},
  };
  return kKinds;
}

}  // namespace brio::nn
