// Where a thread draws its random numbers from while the scope lives: random::generator() is then this generator.
#pragma once

#include "brio/ops/random.h"

namespace brio {

class GeneratorScope {
 public:
  explicit GeneratorScope(Generator& generator);
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;
  ~GeneratorScope();

 private:
  Generator* before_;
};

}  // namespace brio
