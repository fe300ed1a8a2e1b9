#include "brio/nn/layer_kinds.h"

#include "brio/nn/activation.h"
#include "brio/nn/chain.h"
#include "brio/nn/convolution.h"
#include "brio/nn/dense.h"
#include "brio/nn/dropout.h"
#include "brio/nn/flatten.h"
#include "brio/nn/functional.h"
#include "brio/nn/image_layers.h"
#include "brio/nn/pooling.h"
#include "brio/nn/recurrent.h"
#include "brio/nn/recurrent_cells.h"
#include "brio/nn/recurrent_wrappers.h"

namespace brio::nn {

std::span<const LayerKind> layer_kinds() {
  static constexpr LayerKind kKinds[] = {
      {"Activation", Activation::from_config},
      {"AveragePooling1D", AveragePooling1D::from_config},
      {"AveragePooling2D", AveragePooling2D::from_config},
      {"AveragePooling3D", AveragePooling3D::from_config},
      {"Bidirectional", Bidirectional::from_config},
      {"CenterCrop", CenterCrop::from_config},
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
      {"GRU", GRU::from_config},
      {"GRUCell", GRUCell::from_config},
      {"GlobalAveragePooling1D", GlobalAveragePooling1D::from_config},
      {"GlobalAveragePooling2D", GlobalAveragePooling2D::from_config},
      {"GlobalAveragePooling3D", GlobalAveragePooling3D::from_config},
      {"GlobalMaxPooling1D", GlobalMaxPooling1D::from_config},
      {"GlobalMaxPooling2D", GlobalMaxPooling2D::from_config},
      {"GlobalMaxPooling3D", GlobalMaxPooling3D::from_config},
      {"InputLayer", InputLayer::from_config},
      {"LSTM", LSTM::from_config},
      {"LSTMCell", LSTMCell::from_config},
      {"MaxPooling1D", MaxPooling1D::from_config},
      {"MaxPooling2D", MaxPooling2D::from_config},
      {"MaxPooling3D", MaxPooling3D::from_config},
      {"RNN", RNN::from_config},
      {"RandomBrightness", RandomBrightness::from_config},
      {"RandomContrast", RandomContrast::from_config},
      {"RandomCrop", RandomCrop::from_config},
      {"RandomFlip", RandomFlip::from_config},
      {"RandomRotation", RandomRotation::from_config},
      {"RandomTranslation", RandomTranslation::from_config},
      {"RandomZoom", RandomZoom::from_config},
      {"Resizing", Resizing::from_config},
      {"Sequential", Chain::from_config},
      {"SimpleRNN", SimpleRNN::from_config},
      {"SimpleRNNCell", SimpleRNNCell::from_config},
      {"StackedRNNCells", StackedRNNCells::from_config},
      {"TimeDistributed", TimeDistributed::from_config},
  };
  return kKinds;
}

}  // namespace brio::nn
