// Random tensors. A number is a pure function of (seed, stream, index) through Philox (base/philox.h), so it does not
// depend on threads, on the order of other draws, or on fusing.
//
//   random::uniform({10000, 100}, {.seed = 1})   // the same numbers each time
//   random::normal({64}, {.stddev = 0.05})       // the next numbers of the global generator
//
// Seed and counter are inputs of a plan, not part of its structure: another draw needs no new plan.
//
// A loop draws new numbers in every round: it takes one stream from its surroundings, whose first word is the seed of
// its own streams, and carries their counter.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "brio/base/philox.h"
#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
// Inputs: seed and counter, uint64 scalars. The stream is counter + offset.
extern const OpDef random_uniform, random_normal, random_bits;
}  // namespace op

// A seed and a counter of streams. Each draw takes one stream, so two draws never share numbers. A function's trace
// takes its streams at each call. It must outlive the functions that drew from it. Safe to use from several threads.
class Generator {
 public:
  struct State {
    uint64_t seed = 0, counter = 0;
    bool operator==(const State&) const = default;
  };

  explicit Generator(uint64_t seed) : state_{seed, 0} {}
  State state() const {
    std::lock_guard lock(mutex_);
    return state_;
  }
  void restore(State state) {
    std::lock_guard lock(mutex_);
    state_ = state;
  }
  // Returns the state and moves past `streams` of them.
  State advance(uint64_t streams) {
    std::lock_guard lock(mutex_);
    const State before = state_;
    state_.counter += streams;
    return before;
  }

 private:
  mutable std::mutex mutex_;
  State state_;
};

// For shape rules: inputs 0 and 1 must be seed and counter, attributes dtype, offset and shape. Throws
// InvalidArgument.
DType check_draw(const OpCall& call);

namespace random {

struct UniformOptions {
  double low = 0, high = 1;  // [low, high)
  DType dtype = f32;
  std::optional<uint64_t> seed = {};
  uint64_t stream = 0;             // the number of the seed's stream
  Generator* generator = nullptr;  // used without a seed; default: the global one
};
struct NormalOptions {
  double mean = 0, stddev = 1;
  DType dtype = f32;
  std::optional<uint64_t> seed = {};
  uint64_t stream = 0;             // the number of the seed's stream
  Generator* generator = nullptr;  // used without a seed; default: the global one
};
struct BitsOptions {
  DType dtype = u32;  // or u64
  std::optional<uint64_t> seed = {};
  uint64_t stream = 0;
  Generator* generator = nullptr;
};

Tensor uniform(const Shape& shape, UniformOptions options = {});
Tensor normal(const Shape& shape, NormalOptions options = {});
Tensor bits(const Shape& shape, BitsOptions options = {});

// For ops that draw: a stream of their own, whose number is counter + offset. With a seed it is that seed's `stream`;
// otherwise the generator's next stream (default: the global generator). In a function or loop body it is the next
// one at each call or round.
struct Drawn {
  Tensor seed, counter;
  int64_t offset = 0;
};
Drawn next_stream(std::optional<uint64_t> seed, Generator* from, uint64_t stream = 0);
// Several streams of a generator at once: numbers counter + offset and up.
Drawn next_streams(Generator* from, uint64_t count);

// The generator of draws without a seed. It starts with a seed from the system.
Generator& generator();
void set_seed(uint64_t seed);

// Narrow uniforms have as many bits as the dtype has below 1, so that none rounds up to 1.
inline Half uniform_f16(const RandomStream& stream, uint64_t index) {
  return Half(static_cast<float>(stream.u32(index) >> 21) * 0x1p-11f);
}
inline BFloat16 uniform_bf16(const RandomStream& stream, uint64_t index) {
  return BFloat16(static_cast<float>(stream.u32(index) >> 24) * 0x1p-8f);
}

}  // namespace random
}  // namespace brio
