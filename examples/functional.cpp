// A model of two inputs and two outputs, made by calling layers on symbols; trained with early stopping, and cloned
// from its config.
#include <brio/brio.h>

#include <iostream>

using namespace brio;

int main() {
  set_random_seed(1);
  const Tensor picture = random::normal({256, 8, 8, 1}, {.seed = 1});
  const Tensor numbers = random::normal({256, 4}, {.seed = 2});
  const Tensor is_bright = cast(mean(picture, {1, 2, 3}) > 0.f, f32);
  const Tensor total = sum(numbers, 1, true);

  const nn::Symbol image = nn::Input({8, 8, 1}, {.name = "image"});
  const nn::Symbol table = nn::Input({4}, {.name = "table"});
  nn::Symbol x = nn::Conv2D(8, {3}, {.padding = "same", .use_bias = false})(image);
  x = nn::GlobalAveragePooling2D()(nn::Activation("relu")(nn::BatchNormalization()(x)));
  const nn::Symbol both = nn::Concatenate()({x, nn::Dense(16, {.activation = "relu"})(table)});
  const nn::Model model({image, table}, {nn::Dense(1, {.activation = "sigmoid", .name = "bright"})(both),
                                         nn::Dense(1, {.name = "total"})(both)});
  model.summary();
  model.compile({.optimizer = nn::AdamW(0.01),
                 .outputs = {{.loss = "binary_crossentropy", .metrics = {"accuracy"}},
                             {.loss = "mse", .loss_weight = 0.5, .metrics = {"mae"}}}});
  const train::History history =
      model.fit({picture, numbers}, {is_bright, total},
                {.epochs = 60,
                 .validation_split = 0.25,
                 .verbose = 0,
                 .callbacks = {train::early_stopping({.patience = 10, .restore_best_weights = true})}});
  std::cout << history.epoch.size() << " epochs; at the end loss " << history["loss"].back() << ", val_loss "
            << history["val_loss"].back() << "\n";

  const nn::Model copy = nn::model_from_json(nn::to_json(model));
  copy.set_weights(model.get_weights());
  const bool same = copy.predict_all({picture, numbers})[1].to_vector<float>() ==
                    model.predict_all({picture, numbers})[1].to_vector<float>();
  std::cout << "the copy " << (same ? "predicts the same" : "differs") << "\n";
  return same && history["loss"].back() < history["loss"].front() ? 0 : 1;
}
