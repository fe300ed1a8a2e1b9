#include "brio/nn/layer_kinds.h"

#include "brio/nn/activation.h"
#include "brio/nn/activation_layers.h"
#include "brio/nn/chain.h"
#include "brio/nn/convolution.h"
#include "brio/nn/dense.h"
#include "brio/nn/dropout.h"
#include "brio/nn/einsum_dense.h"
#include "brio/nn/embedding.h"
#include "brio/nn/flatten.h"
#include "brio/nn/functional.h"
#include "brio/nn/image_layers.h"
#include "brio/nn/merging.h"
#include "brio/nn/normalization.h"
#include "brio/nn/pooling.h"
#include "brio/nn/reshaping.h"
#include "brio/nn/separable_convolution.h"

namespace brio::nn {

std::span<const LayerKind> layer_kinds() {
  static constexpr LayerKind kKinds[] = {
      {"Activation", Activation::from_config},
      {"ActivityRegularization", ActivityRegularization::from_config},
      {"Add", Add::from_config},
      {"AlphaDropout", AlphaDropout::from_config},
      {"Average", Average::from_config},
      {"AveragePooling1D", AveragePooling1D::from_config},
      {"AveragePooling2D", AveragePooling2D::from_config},
      {"AveragePooling3D", AveragePooling3D::from_config},
      {"BatchNormalization", BatchNormalization::from_config},
      {"CenterCrop", CenterCrop::from_config},
      {"Concatenate", Concatenate::from_config},
      {"Conv1D", Conv1D::from_config},
      {"Conv1DTranspose", Conv1DTranspose::from_config},
      {"Conv2D", Conv2D::from_config},
      {"Conv2DTranspose", Conv2DTranspose::from_config},
      {"Conv3D", Conv3D::from_config},
      {"Conv3DTranspose", Conv3DTranspose::from_config},
      {"Cropping1D", Cropping1D::from_config},
      {"Cropping2D", Cropping2D::from_config},
      {"Cropping3D", Cropping3D::from_config},
      {"Dense", Dense::from_config},
      {"DepthwiseConv1D", DepthwiseConv1D::from_config},
      {"DepthwiseConv2D", DepthwiseConv2D::from_config},
      {"Dot", Dot::from_config},
      {"Dropout", Dropout::from_config},
      {"ELU", ELU::from_config},
      {"EinsumDense", EinsumDense::from_config},
      {"Embedding", Embedding::from_config},
      {"Flatten", Flatten::from_config},
      {"GaussianDropout", GaussianDropout::from_config},
      {"GaussianNoise", GaussianNoise::from_config},
      {"GlobalAveragePooling1D", GlobalAveragePooling1D::from_config},
      {"GlobalAveragePooling2D", GlobalAveragePooling2D::from_config},
      {"GlobalAveragePooling3D", GlobalAveragePooling3D::from_config},
      {"GlobalMaxPooling1D", GlobalMaxPooling1D::from_config},
      {"GlobalMaxPooling2D", GlobalMaxPooling2D::from_config},
      {"GlobalMaxPooling3D", GlobalMaxPooling3D::from_config},
      {"GroupNormalization", GroupNormalization::from_config},
      {"Identity", Identity::from_config},
      {"InputLayer", InputLayer::from_config},
      {"LayerNormalization", LayerNormalization::from_config},
      {"LeakyReLU", LeakyReLU::from_config},
      {"Masking", Masking::from_config},
      {"MaxPooling1D", MaxPooling1D::from_config},
      {"MaxPooling2D", MaxPooling2D::from_config},
      {"MaxPooling3D", MaxPooling3D::from_config},
      {"Maximum", Maximum::from_config},
      {"Minimum", Minimum::from_config},
      {"Multiply", Multiply::from_config},
      {"PReLU", PReLU::from_config},
      {"Permute", Permute::from_config},
      {"RMSNormalization", RMSNormalization::from_config},
      {"RandomBrightness", RandomBrightness::from_config},
      {"RandomContrast", RandomContrast::from_config},
      {"RandomCrop", RandomCrop::from_config},
      {"RandomFlip", RandomFlip::from_config},
      {"RandomRotation", RandomRotation::from_config},
      {"RandomTranslation", RandomTranslation::from_config},
      {"RandomZoom", RandomZoom::from_config},
      {"ReLU", ReLU::from_config},
      {"RepeatVector", RepeatVector::from_config},
      {"Reshape", Reshape::from_config},
      {"Resizing", Resizing::from_config},
      {"SeparableConv1D", SeparableConv1D::from_config},
      {"SeparableConv2D", SeparableConv2D::from_config},
      {"Sequential", Chain::from_config},
      {"Softmax", Softmax::from_config},
      {"SpatialDropout1D", SpatialDropout1D::from_config},
      {"SpatialDropout2D", SpatialDropout2D::from_config},
      {"SpatialDropout3D", SpatialDropout3D::from_config},
      {"SpectralNormalization", SpectralNormalization::from_config},
      {"Subtract", Subtract::from_config},
      {"UnitNormalization", UnitNormalization::from_config},
      {"UpSampling1D", UpSampling1D::from_config},
      {"UpSampling2D", UpSampling2D::from_config},
      {"UpSampling3D", UpSampling3D::from_config},
      {"ZeroPadding1D", ZeroPadding1D::from_config},
      {"ZeroPadding2D", ZeroPadding2D::from_config},
      {"ZeroPadding3D", ZeroPadding3D::from_config},
  };
  return kKinds;
}

}  // namespace brio::nn
