// Lists of dtypes for ops that take complex numbers too.
#pragma once

#include "tests/ops/harness.h"

namespace brio::testing {

inline const std::vector<DType> kComplexNumbers = {c64, c128};

inline std::vector<DType> with_complex(std::vector<DType> dtypes) {
  dtypes.insert(dtypes.end(), kComplexNumbers.begin(), kComplexNumbers.end());
  return dtypes;
}

}  // namespace brio::testing
