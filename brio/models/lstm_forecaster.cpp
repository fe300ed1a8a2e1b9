#include "brio/models/models.h"
#include "brio/nn/layers/dense.h"
#include "brio/nn/layers/recurrent.h"

namespace brio::models {

nn::Model lstm_forecaster(LstmForecasterOptions o) {
  return nn::Sequential({nn::InputLayer({o.steps, o.features}), nn::LSTM(o.units), nn::Dense(o.outputs)},
                        {.name = "lstm_forecaster"});
}

}  // namespace brio::models
