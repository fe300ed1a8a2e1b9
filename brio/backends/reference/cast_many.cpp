#include "brio/backends/reference/kernel.h"
#include "brio/ops/elementwise/fusion.h"

namespace brio::reference {
namespace {

void run_cast_many(const Call& call) {
  for (size_t i = 0; i < call.in_avals.size(); ++i)
    visit_floats(call.in_avals[i].dtype, [&](auto from) {
      visit_floats(call.out_avals[i].dtype, [&](auto to) {
        using From = decltype(from);
        using To = decltype(to);
        for (int64_t e = 0; e < call.in_shape(i).elements(); ++e)
          call.out<To>(i)[e] = rounded<To>(static_cast<double>(wide(call.in<From>(i)[e])));
      });
    });
}

}  // namespace

void add_cast_many(Registry& r) { add<run_cast_many>(r, op::cast_many); }

}  // namespace brio::reference
