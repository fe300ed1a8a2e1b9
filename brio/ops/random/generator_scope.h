// Where a thread draws its random numbers from while the scope lives.
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

// Draws that name no seed are a function of a pair of integers, as random::stateless makes it of numbers: of a
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
