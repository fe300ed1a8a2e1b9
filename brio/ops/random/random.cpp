#include "brio/ops/random/random.h"

#include <random>
#include <utility>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/ir/trace.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/random/generator_scope.h"
#include "brio/ops/shapes/arrange.h"

namespace brio {
namespace {

constexpr AttrSpec kRandomAttrs[] = {
    {"dtype", AttrKind::dtype}, {"offset", AttrKind::integer}, {"shape", AttrKind::extents}};

template <bool floats>
void infer_random(const OpCall& call, std::vector<Aval>& out) {
  const DType dtype = check_draw(call);
  if (floats && !is_floating(dtype))
    throw_invalid(call.op, cat("makes floating-point tensors, not ", dtype, "; draw float32 and cast it"));
  if (!floats && dtype != u32 && dtype != u64)
    throw_invalid(call.op, cat("makes uint32 or uint64 tensors, not ", dtype, "; draw uint32 and cast it"));
  out.push_back({checked_shape(call.op, call.attrs.extents(2)), dtype});
}

template <int flops_per_element>
Cost random_cost(const OpCall&, std::span<const Aval> out) {
  return {flops_per_element * static_cast<double>(out[0].shape.elements()), static_cast<double>(out[0].bytes())};
}

constexpr std::string_view kNoGradOfDraws = "it depends on integers alone";

Tensor host_u64(uint64_t value) { return host_scalar(value, u64); }

// Where a trace keeps what it drew from a generator. Seed and counter are parameters, bound at each call or round.
Recording::Draw& draw_in(Recording& trace, Generator& generator) {
  for (Recording::Draw& draw : trace.draws)
    if (draw.generator == &generator) return draw;
  const ValueId seed = add_parameter(trace, {Shape(), u64}).impl()->value;
  const ValueId counter = add_parameter(trace, {Shape(), u64}).impl()->value;
  trace.draws.push_back({&generator, seed, counter, 0});
  return trace.draws.back();
}

Tensor handle(Recording& trace, ValueId value) {
  TensorImpl* impl = trace.values[value];
  impl->refs.increment();
  return Tensor::adopt(impl);
}

template <typename Options>
Tensor draw(const OpDef& op, const Shape& shape, const Options& options) {
  const random::Drawn drawn = random::next_stream(options.seed, options.generator, options.stream);
  int64_t attrs[3 + kMaxRank] = {static_cast<int64_t>(options.dtype), drawn.offset, shape.rank()};
  for (int i = 0; i < shape.rank(); ++i) attrs[3 + i] = shape[i].word();
  return record(op, std::span<const int64_t>(attrs, static_cast<size_t>(3 + shape.rank())), drawn.seed,
                drawn.counter);
}

}  // namespace

DType check_draw(const OpCall& call) {
  constexpr std::string_view names[] = {"seed", "counter"};
  for (size_t i = 0; i < 2; ++i)
    if (call.in[i]->dtype != u64 || call.in[i]->shape.rank() != 0)
      throw_invalid(call.op, cat("the ", names[i], " must be a uint64 scalar, but is ", call.in[i]->dtype,
                                 " of shape ", call.in[i]->shape));
  if (call.attrs[0] < 0 || call.attrs[0] >= kRealDTypeCount)
    throw_invalid(call.op, cat("no dtype has number ", call.attrs[0]));
  return static_cast<DType>(call.attrs[0]);
}

namespace op {
#define RANDOM(ident, what, floats, flops)         \
  const OpDef ident{.name = #ident,                \
                    .summary = what,               \
                    .kind = OpKind::random,        \
                    .min_inputs = 2,               \
                    .max_inputs = 2,               \
                    .attrs = kRandomAttrs,         \
                    .infer = infer_random<floats>, \
                    .no_grad = kNoGradOfDraws,     \
                    .cost = random_cost<flops>};
RANDOM(random_uniform, "numbers from [0, 1), a function of seed, counter + offset and index", true, 12)
RANDOM(random_normal, "numbers of mean 0 and deviation 1, a function of seed, counter + offset and index", true, 40)
RANDOM(random_bits, "random words, a function of seed, counter + offset and index", false, 10)
#undef RANDOM
}  // namespace op

void register_random() {
  static const OpDef* const rows[] = {&op::random_uniform, &op::random_normal, &op::random_bits};
  register_ops(rows);
}

namespace random {

Tensor uniform(const Shape& shape, UniformOptions options) {
  if (!(options.low <= options.high))
    throw_invalid(op::random_uniform,
                  cat("low is ", options.low, ", which lies above high, ", options.high, "; swap them"));
  Tensor unit = draw(op::random_uniform, shape, options);
  if (options.low == 0 && options.high == 1) return unit;
  const Tensor scaled = unit * (options.high - options.low);
  return options.low == 0 ? scaled : scaled + options.low;
}

Tensor normal(const Shape& shape, NormalOptions options) {
  if (!(options.stddev >= 0)) throw_invalid(op::random_normal, cat("stddev is ", options.stddev, "; it must be ≥ 0"));
  Tensor result = draw(op::random_normal, shape, options);
  if (options.stddev != 1) result = result * options.stddev;
  if (options.mean != 0) result = result + options.mean;
  return result;
}

Tensor bits(const Shape& shape, BitsOptions options) { return draw(op::random_bits, shape, options); }

namespace {
constinit thread_local const Drawn* scoped_stream = nullptr;
}

Drawn next_stream(std::optional<uint64_t> seed, Generator* from, uint64_t stream) {
  if (seed) return {host_u64(*seed), host_u64(stream), 0};
  return scoped_stream ? *scoped_stream : next_streams(from, 1);
}

Drawn next_streams(Generator* from, uint64_t count) {
  Generator& generator = from ? *from : random::generator();
  // A branch takes its streams from what is around it; a loop body counts its own, anew in every round.
  Recording* home = &current_recording();
  while (home->kind == Recording::Kind::branch) home = home->parent;
  if (home->kind != Recording::Kind::eager) {
    Recording::Draw& drawn = draw_in(*home, generator);
    const auto offset = static_cast<int64_t>(std::exchange(drawn.drawn, drawn.drawn + count));
    return {handle(*home, drawn.seed), handle(*home, drawn.counter), offset};
  }
  const Generator::State state = generator.advance(count);
  return {host_u64(state.seed), host_u64(state.counter), 0};
}

namespace {
constinit thread_local Generator* scoped_generator = nullptr;
}

Generator& generator() {
  if (scoped_generator) return *scoped_generator;
  static auto* global = [] {
    std::random_device device;
    return new Generator(uint64_t{device()} << 32 | device());
  }();
  return *global;
}

void set_seed(uint64_t seed) { generator().restore({seed, 0}); }

}  // namespace random

GeneratorScope::GeneratorScope(Generator& generator) : before_(std::exchange(random::scoped_generator, &generator)) {}
GeneratorScope::~GeneratorScope() { random::scoped_generator = before_; }

StreamScope::StreamScope(const Tensor& pair) {
  if (pair.rank() != 1 || pair.shape()[0] != 2 || !is_integer(pair.dtype()))
    throw_invalid(op::random_bits, cat("the seed of a stateless function is two integers, but got ", pair.dtype(),
                                       " of shape ", pair.shape()));
  const std::vector<Tensor> numbers = unstack(cast(pair, u64));
  const int64_t attrs[] = {static_cast<int64_t>(u64), 0, 1, 2};
  const std::vector<Tensor> mixed = unstack(record(op::random_bits, attrs, numbers[0], numbers[1]));
  stream_ = {mixed[0], mixed[1], 0};
  before_ = std::exchange(random::scoped_stream, &stream_);
}
StreamScope::~StreamScope() { random::scoped_stream = before_; }

}  // namespace brio
