// Trains a small network on random labels: a whole training program.
#include <brio/brio.h>
using namespace brio;
int main() {
  Tensor x = random::uniform({10000, 100}, {.seed = 1});
  Tensor y = cast(random::uniform({10000, 1}, {.seed = 2}) > 0.5f, f32);
  nn::Sequential model({nn::Dense(64, {.activation = "relu"}), nn::Dense(1, {.activation = "sigmoid"})});
  model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
  model.fit(x, y, {.epochs = 10, .batch_size = 32});
}
