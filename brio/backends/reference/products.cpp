#include "brio/ops/linear_algebra/products.h"

#include "brio/backends/reference/products.h"

namespace brio::reference {
namespace {

void run_matmul(const Call& call) {
  visit_numbers(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    matmul<T>(call, call.attrs[0], call.attrs[1],
              [&](int64_t i, int64_t, Accumulator<T> sum) { call.out<T>()[i] = rounded<T>(sum); });
  });
}

}  // namespace

void add_products(Registry& r) { add<run_matmul>(r, op::matmul); }

}  // namespace brio::reference
