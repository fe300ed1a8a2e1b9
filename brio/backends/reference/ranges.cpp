#include "brio/ops/shapes/ranges.h"

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

void run_iota(const Call& call) {
  visit_numbers(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < call.out_shape().elements(); ++i)
      call.out<T>()[i] = static_cast<T>(static_cast<Wide<T>>(i));
  });
}

void run_size(const Call& call) {
  visit_numbers(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    *call.out<T>() = static_cast<T>(static_cast<Wide<T>>(int64_t{call.attrs.extents(1)[0]}));
  });
}

}  // namespace

void add_ranges(Registry& r) {
  add<run_iota>(r, op::iota);
  add<run_size>(r, op::size);
}

}  // namespace brio::reference
