#include "brio/ops/random/distributions.h"

#include <limits>
#include <numbers>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/control/scan_ops.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/indexing/sorting.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kDistributionAttrs[] = {
    {"dtype", AttrKind::dtype}, {"offset", AttrKind::integer}, {"shape", AttrKind::extents}};

void infer_integers(const OpCall& call, std::vector<Aval>& out) {
  const DType dtype = check_draw(call);
  if (!is_integer(dtype))
    throw_invalid(call.op, cat("makes integers, not ", dtype, "; draw float32 with random::uniform"));
  for (size_t i = 2; i < 4; ++i)
    if (*call.in[i] != Aval{Shape(), i64})
      throw_invalid(call.op, cat("low and high must be int64 scalars, but one is ", call.in[i]->dtype, " of shape ",
                                 call.in[i]->shape));
  out.push_back({checked_shape(call.op, call.attrs.extents(2)), dtype});
}

template <bool same_dtype>
void infer_of_parameter(const OpCall& call, std::vector<Aval>& out) {
  const DType dtype = check_draw(call);
  const Aval& parameter = *call.in[2];
  if (!is_floating(parameter.dtype))
    throw_invalid(
        call.op, cat("its parameter must be of a floating-point dtype, but is ", parameter.dtype, "; cast it first"));
  if (same_dtype ? dtype != parameter.dtype : dtype == boolean)
    throw_invalid(call.op, cat("cannot make ", dtype, " of a parameter of ", parameter.dtype, "; cast the result"));
  std::vector<Size> dims;
  for (const int64_t word : call.attrs.list(2)) dims.push_back(Size::of_word(word));
  dims.insert(dims.end(), parameter.shape.begin(), parameter.shape.end());
  out.push_back({checked_shape(call.op, dims), dtype});
}

template <int flops_per_element>
Cost rejection_cost(const OpCall& call, std::span<const Aval> out) {
  return {flops_per_element * static_cast<double>(out[0].shape.elements()), total_bytes(call, out)};
}

random::Drawn drawn_from(const random::Source& source) {
  return random::next_stream(source.seed, source.generator, source.stream);
}
std::vector<int64_t> attributes(DType dtype, int64_t offset, const Shape& shape) {
  std::vector<int64_t> words = {static_cast<int64_t>(dtype), offset, shape.rank()};
  for (const Size size : shape) words.push_back(size.word());
  return words;
}
Tensor draw_of_parameter(const OpDef& op, const Shape& shape, const Tensor& parameter, DType dtype,
                         const random::Source& source) {
  const random::Drawn drawn = drawn_from(source);
  return record(op, attributes(dtype, drawn.offset, shape), drawn.seed, drawn.counter, parameter);
}

template <typename Options>
Options with_seed(std::string_view function, Options options, random::StatelessSeed seed) {
  if (options.seed || options.generator)
    throw_invalid(function, "its options hold a seed or a generator; give the two numbers alone");
  const random::Source source = random::stateless(seed);
  options.seed = source.seed;
  options.stream = source.stream;
  return options;
}

}  // namespace

namespace op {
#define DISTRIBUTION(ident, what, inputs, rule, reason, flops) \
  const OpDef ident{.name = #ident,                            \
                    .summary = what,                           \
                    .kind = OpKind::random,                    \
                    .min_inputs = inputs,                      \
                    .max_inputs = inputs,                      \
                    .attrs = kDistributionAttrs,               \
                    .infer = rule,                             \
                    .no_grad = reason,                         \
                    .cost = rejection_cost<flops>,             \
                    .may_fail = true};
DISTRIBUTION(random_integers, "integers from [low, high), each equally often", 4, infer_integers,
             "it depends on integers alone", 20)
DISTRIBUTION(random_gamma, "gamma distribution of the given alpha and scale 1", 3, infer_of_parameter<true>,
             "the implicit derivative by alpha is not made", 200)
DISTRIBUTION(random_poisson, "Poisson distribution of the given rate", 3, infer_of_parameter<false>,
             "its values are whole numbers", 200)
#undef DISTRIBUTION
}  // namespace op

void register_distributions() {
  static const OpDef* const rows[] = {&op::random_integers, &op::random_gamma, &op::random_poisson};
  register_ops(rows);
}

namespace random {

Tensor integers(const Shape& shape, IntegerOptions options) {
  const OpDef& op = op::random_integers;
  if (options.low >= options.high)
    throw_invalid(
        op, cat("low is ", options.low, " and high ", options.high, "; high is not included and must lie above"));
  if (is_integer(options.dtype))
    visit(options.dtype, [&](auto t) {
      using T = decltype(t);
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        using Limits = std::numeric_limits<T>;
        const bool fits = options.low >= (Limits::is_signed ? static_cast<int64_t>(Limits::min()) : 0) &&
                          (sizeof(T) == 8 || options.high - 1 <= static_cast<int64_t>(Limits::max()));
        if (!fits)
          throw_invalid(op, cat(options.dtype, " does not hold all of [", options.low, ", ", options.high,
                                "); choose a wider dtype"));
      }
    });
  const Drawn drawn = next_stream(options.seed, options.generator, options.stream);
  return record(op, attributes(options.dtype, drawn.offset, shape), drawn.seed, drawn.counter,
                host_scalar(static_cast<uint64_t>(options.low), i64),
                host_scalar(static_cast<uint64_t>(options.high), i64));
}

Tensor truncated_normal(const Shape& shape, NormalOptions options) {
  if (!(options.stddev >= 0))
    throw_invalid("truncated_normal", cat("stddev is ", options.stddev, "; it must be ≥ 0"));
  if (!is_floating(options.dtype))
    throw_invalid("truncated_normal",
                  cat("makes floating-point tensors, not ", options.dtype, "; draw float32 and cast it"));
  // By inversion: a uniform number x within erf(±√2), the share of a normal within two deviations, gives √2 ·
  // erfinv(x).
  constexpr double kErfOfCut = 0.95449973610364158;
  const DType wide = options.dtype == f64 ? f64 : f32;
  const Tensor unit =
      uniform(shape, {.dtype = wide, .seed = options.seed, .stream = options.stream, .generator = options.generator});
  const Tensor x = unit * constant(2 * kErfOfCut, wide) - constant(kErfOfCut, wide);
  const Tensor z = erfinv(x) * constant(std::numbers::sqrt2, wide);
  const Tensor cut = maximum(minimum(z, constant(2, wide)), constant(-2, wide));
  const Tensor result = cut * options.stddev + options.mean;
  return cast(result, options.dtype);
}

Tensor gamma(const Shape& shape, const Tensor& alpha, const Tensor& beta, Source source) {
  const OpDef& op = op::random_gamma;
  required(op, alpha);
  Tensor shapes = alpha;
  if (beta.defined()) {
    Shape both;
    if (!broadcast(alpha.shape(), beta.shape(), both))
      throw_invalid(op,
                    cat("alpha of shape ", alpha.shape(), " and beta of shape ", beta.shape(), " do not broadcast"));
    if (beta.dtype() != alpha.dtype())
      throw_invalid(op, cat("alpha is ", alpha.dtype(), ", but beta ", beta.dtype(), "; cast one of them"));
    if (!(both == alpha.shape())) shapes = broadcast_to(alpha, both);
  }
  const Tensor standard = draw_of_parameter(op, shape, shapes, alpha.dtype(), source);
  const Tensor scaled = beta.defined() ? standard / beta : standard;
  // As TensorFlow: what rounds to 0 becomes the least number that has a logarithm.
  double least = 0x1p-126;
  if (alpha.dtype() == f64) least = std::numeric_limits<double>::min();
  if (alpha.dtype() == f16) least = 0x1p-14;
  return maximum(scaled, constant(least, alpha.dtype()));
}

Tensor poisson(const Shape& shape, const Tensor& rate, DType dtype, Source source) {
  return draw_of_parameter(op::random_poisson, shape, required(op::random_poisson, rate), dtype, source);
}

Tensor bernoulli(const Shape& shape, const Tensor& probability, DType dtype, Source source) {
  required("bernoulli", probability);
  if (!is_floating(probability.dtype()))
    throw_invalid("bernoulli", cat("probabilities are floating-point numbers, but got ", probability.dtype()));
  Shape both;
  if (!broadcast(shape, probability.shape(), both) || both != shape)
    throw_invalid("bernoulli", cat("probabilities of shape ", probability.shape(), " do not broadcast to ", shape));
  const DType wide = probability.dtype() == f64 ? f64 : f32;
  const Tensor unit =
      uniform(shape, {.dtype = wide, .seed = source.seed, .stream = source.stream, .generator = source.generator});
  return cast(less(unit, cast(probability, wide)), dtype);
}

Tensor categorical(const Tensor& logits, int64_t num_samples, DType dtype, Source source) {
  constexpr std::string_view name = "categorical";
  required(name, logits);
  if (!is_floating(logits.dtype()) || logits.rank() != 2)
    throw_invalid(name, cat("takes floating-point logits of shape (rows, classes), but got ", logits.dtype(),
                            " of shape ", logits.shape()));
  if (num_samples < 0) throw_invalid(name, cat("num_samples is ", num_samples, "; it must be 0 or more"));
  if (!is_integer(dtype)) throw_invalid(name, cat("class numbers are integers, not ", dtype));
  const Size rows = logits.shape()[0], classes = logits.shape()[1];
  if (classes == 0) throw_invalid(name, cat("logits of shape ", logits.shape(), " have no classes"));
  // By inversion, in double: where in the running sum of probabilities a uniform number falls.
  const Tensor wide = cast(logits, f64);
  const Tensor sums = cumsum(exp(wide - max(wide, -1, true)), -1);
  const Tensor unit =
      uniform(Shape{rows, num_samples},
              {.dtype = f64, .seed = source.seed, .stream = source.stream, .generator = source.generator});
  const Tensor total = slice(sums, {{}, {.begin = classes - 1}});
  const Tensor found = searchsorted(sums, unit * total, Side::right, i64);
  return cast(minimum(found, constant(classes - 1, i64)), dtype);
}

Tensor shuffle(const Tensor& x, Source source) {
  required("shuffle", x);
  if (x.rank() == 0) throw_invalid("shuffle", "takes tensors of rank 1 or more, but got a scalar");
  // Rows with equal keys keep their order: 32 bits are enough for a million, where that befalls about 100 pairs of
  // the 5e11, and are sorted in half the time.
  const DType key = x.shape()[0] <= 1 << 20 ? u32 : u64;
  const Tensor keys =
      bits(Shape{x.shape()[0]},
           {.dtype = key, .seed = source.seed, .stream = source.stream, .generator = source.generator});
  return gather(x, argsort(keys));
}

// Two numbers become a seed and one of its streams, which a draw from a generator with such a seed does not meet.
Source stateless(StatelessSeed seed) {
  const RandomStream mixed{static_cast<uint64_t>(seed[0]), static_cast<uint64_t>(seed[1])};
  return {.seed = mixed.u64(0), .stream = mixed.u64(1)};
}

Tensor stateless_uniform(const Shape& shape, StatelessSeed seed, UniformOptions options) {
  return uniform(shape, with_seed("stateless_uniform", options, seed));
}
Tensor stateless_integers(const Shape& shape, StatelessSeed seed, IntegerOptions options) {
  return integers(shape, with_seed("stateless_integers", options, seed));
}
Tensor stateless_normal(const Shape& shape, StatelessSeed seed, NormalOptions options) {
  return normal(shape, with_seed("stateless_normal", options, seed));
}
Tensor stateless_truncated_normal(const Shape& shape, StatelessSeed seed, NormalOptions options) {
  return truncated_normal(shape, with_seed("stateless_truncated_normal", options, seed));
}
Tensor stateless_gamma(const Shape& shape, StatelessSeed seed, const Tensor& alpha, const Tensor& beta) {
  return gamma(shape, alpha, beta, stateless(seed));
}
Tensor stateless_poisson(const Shape& shape, StatelessSeed seed, const Tensor& rate, DType dtype) {
  return poisson(shape, rate, dtype, stateless(seed));
}
Tensor stateless_bernoulli(const Shape& shape, StatelessSeed seed, const Tensor& probability, DType dtype) {
  return bernoulli(shape, probability, dtype, stateless(seed));
}
Tensor stateless_categorical(const Tensor& logits, int64_t num_samples, StatelessSeed seed, DType dtype) {
  return categorical(logits, num_samples, dtype, stateless(seed));
}
Tensor stateless_shuffle(const Tensor& x, StatelessSeed seed) { return shuffle(x, stateless(seed)); }

}  // namespace random
}  // namespace brio
