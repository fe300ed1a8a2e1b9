// Gradient descent by hand: eager code under a tape, then the same step as a function, which keeps its plan.
#include <brio/brio.h>

#include <iostream>

using namespace brio;

int main() {
  Tensor X({{1, 2}, {3, 4}, {5, 6}}), y({7, 8, 9});
  Variable theta(zeros({2}));
  nn::SGD sgd(0.01);
  for (int i = 0; i < 1000; ++i) {
    GradientTape tape;
    Tensor loss = mean(square(matvec(X, theta) - y));
    sgd.apply_gradients(tape.gradient(loss, {theta}), {theta});
  }
  std::cout << theta << "\n";  // values, shape, dtype

  auto step = function([&] {  // keeps its plan: recording is skipped
    GradientTape tape;
    Tensor loss = mean(square(matvec(X, theta) - y));
    sgd.apply_gradients(tape.gradient(loss, {theta}), {theta});
  });
  for (int i = 0; i < 9000; ++i) step();
  std::cout << theta << "\n";

  // The least squares solution is (-6, 6.5).
  const std::vector<float> found = theta.value().to_vector<float>();
  return std::abs(found[0] + 6) < 1e-2f && std::abs(found[1] - 6.5f) < 1e-2f ? 0 : 1;
}
