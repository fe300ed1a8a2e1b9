// "Why is TensorFlow slower than a plain loop?": its three listings on a matrix of 3 × 2. By hand, eager under a
// tape, and as a graph that is made once and fed; examples/gradient_descent.cpp has the last two without the
// comparison.
#include <array>
#include <cmath>

#include "listings.h"

using namespace brio;
using Theta = std::array<double, 2>;

constexpr double kX[3][2] = {{1, 2}, {3, 4}, {5, 6}}, kY[3] = {7, 8, 9};
constexpr int kSteps = 1000;

// 1: the plain loop. `scale`: the gradient of the mean square is twice what the page's loop takes.
Theta by_hand(double scale) {
  Theta theta = {};
  for (int step = 0; step < kSteps; ++step) {
    Theta gradient = {};
    for (int i = 0; i < 3; ++i) {
      const double error = kX[i][0] * theta[0] + kX[i][1] * theta[1] - kY[i];
      for (size_t k = 0; k < 2; ++k) gradient[k] += kX[i][k] * error / 3;
    }
    for (size_t k = 0; k < 2; ++k) theta[k] -= 0.01 * scale * gradient[k];
  }
  return theta;
}

bool close(const Variable& found, const Theta& wanted) {
  const std::vector<float> values = found.value().to_vector<float>();
  return std::abs(values[0] - wanted[0]) < 1e-3 && std::abs(values[1] - wanted[1]) < 1e-3;
}

// 2: eager. Every step is recorded anew, and finds its plan.
Variable under_a_tape(const Tensor& x, const Tensor& y) {
  const Variable theta(zeros({2}));
  const nn::SGD optimizer(0.01);
  for (int step = 0; step < kSteps; ++step) {
    GradientTape tape;
    const Tensor loss = mean(square(matvec(x, theta) - y));
    optimizer.apply_gradients(tape.gradient(loss, {theta}), {theta});
  }
  return theta;
}

// 3: what the page does with placeholders and a session: a graph that takes x and y, made once.
Variable as_a_graph(const Tensor& x, const Tensor& y) {
  const Variable theta(zeros({2}));
  const nn::SGD optimizer(0.01);
  auto train = function([&](const Tensor& some_x, const Tensor& some_y) {
    GradientTape tape;
    const Tensor loss = mean(square(matvec(some_x, theta) - some_y));
    optimizer.apply_gradients(tape.gradient(loss, {theta}), {theta});
  });
  for (int step = 0; step < kSteps; ++step) train(x, y);
  return theta;
}

int main() {
  const Theta half = by_hand(1), whole = by_hand(2);
  expect(std::abs(kX[0][0] * half[0] + kX[0][1] * half[1] - kY[0]) < 2, "the plain loop comes near");
  const Tensor x({{1, 2}, {3, 4}, {5, 6}}), y({7, 8, 9});
  expect(close(under_a_tape(x, y), whole), "eager steps come to the same");
  expect(close(as_a_graph(x, y), whole), "so does a graph");
}
