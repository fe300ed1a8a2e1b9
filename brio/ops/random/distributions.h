// Random tensors of distributions beyond random.h, and TensorFlow's stateless forms.
//
//   random::integers({10}, {.low = 1, .high = 7})                        // dice
//   random::gamma({100}, Tensor({0.5, 2}), Tensor(1.0))                  // (100, 2)
//   random::stateless_normal({3}, {1, 2})                                // a function of the two numbers alone
#pragma once

#include <array>
#include <optional>

#include "brio/ops/random/random.h"

namespace brio {

namespace op {
// Inputs: seed and counter, as in random.h, then low and high, scalars of the result's dtype.
extern const OpDef random_integers;
// … then alpha, or the rate. The result's shape is the attribute's and after it that of the parameter.
extern const OpDef random_gamma, random_poisson;
}  // namespace op

namespace random {

// The source of the numbers, for all of these.
struct Source {
  std::optional<uint64_t> seed = {};
  uint64_t stream = 0;             // the number of the seed's stream
  Generator* generator = nullptr;  // used without a seed; default: the global one
};

struct IntegerOptions {
  int64_t low = 0, high = 0;  // [low, high), each equally often; high must be given
  DType dtype = i32;          // any integer dtype that holds them
  std::optional<uint64_t> seed = {};
  uint64_t stream = 0;
  Generator* generator = nullptr;
};
Tensor integers(const Shape& shape, IntegerOptions options);

// A normal distribution without values more than two deviations from the mean.
Tensor truncated_normal(const Shape& shape, NormalOptions options = {});

// `shape` numbers for each element of alpha and beta, which broadcast: the result has shape + their shape, and their
// dtype. The density is proportional to x^(alpha - 1) · e^(-beta · x). There is a gradient for beta, none for alpha.
Tensor gamma(const Shape& shape, const Tensor& alpha, const Tensor& beta = {}, Source source = {});
// `shape` numbers for each rate.
Tensor poisson(const Shape& shape, const Tensor& rate, DType dtype = f32, Source source = {});
// 1 with that probability, else 0; the probabilities broadcast to `shape`.
Tensor bernoulli(const Shape& shape, const Tensor& probability, DType dtype = i32, Source source = {});
// For each row of logits (rows, classes), unnormalised log-probabilities: num_samples class numbers.
Tensor categorical(const Tensor& logits, int64_t num_samples, DType dtype = i64, Source source = {});
// The rows (of axis 0) in a random order; all orders are equally likely.
Tensor shuffle(const Tensor& x, Source source = {});

// The same as functions of a seed of two numbers. A seed or generator in the options is refused.
using StatelessSeed = std::array<int64_t, 2>;
Source stateless(StatelessSeed seed);  // for all that take a Source
Tensor stateless_uniform(const Shape& shape, StatelessSeed seed, UniformOptions options = {});
Tensor stateless_integers(const Shape& shape, StatelessSeed seed, IntegerOptions options);
Tensor stateless_normal(const Shape& shape, StatelessSeed seed, NormalOptions options = {});
Tensor stateless_truncated_normal(const Shape& shape, StatelessSeed seed, NormalOptions options = {});
Tensor stateless_gamma(const Shape& shape, StatelessSeed seed, const Tensor& alpha, const Tensor& beta = {});
Tensor stateless_poisson(const Shape& shape, StatelessSeed seed, const Tensor& rate, DType dtype = f32);
Tensor stateless_bernoulli(const Shape& shape, StatelessSeed seed, const Tensor& probability, DType dtype = i32);
Tensor stateless_categorical(const Tensor& logits, int64_t num_samples, StatelessSeed seed, DType dtype = i64);
Tensor stateless_shuffle(const Tensor& x, StatelessSeed seed);

}  // namespace random
}  // namespace brio
