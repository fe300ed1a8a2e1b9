// Sets the source of a thread's random numbers while the scope lives.
#pragma once

#include "brio/ops/random/random.h"

namespace brio {

// random::generator() is this generator.
class GeneratorScope {
 public:
  explicit GeneratorScope(Generator& generator);
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;
  ~GeneratorScope();

 private:
  Generator* before_;
};

// Draws without a seed depend on a pair of integers, as random::stateless makes it from numbers. Here the pair is a
// tensor, whose values need not be known yet.
class StreamScope {
 public:
  explicit StreamScope(const Tensor& pair);
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;
  ~StreamScope();

 private:
  random::Drawn stream_;
  const random::Drawn* before_;
};

}  // namespace brio
