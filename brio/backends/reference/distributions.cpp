#include "brio/ops/random/distributions.h"

#include "brio/backends/reference/kernel.h"
#include "brio/ops/random/distribution_kernels.h"

namespace brio::reference {
namespace {

void run_distribution(const Call& call) {
  const DistributionDraw draw{call.op, call.in_avals, call.out_avals[0], call.attrs};
  draw.check(call.args.in);
  draw.fill(call.args.in, call.args.out[0], 0, call.out_shape().elements());
}

}  // namespace

void add_distributions(Registry& r) {
  for (const OpDef* op : {&op::random_integers, &op::random_gamma, &op::random_poisson})
    add<run_distribution>(r, *op);
}

}  // namespace brio::reference
