#include "brio/data/engine/predicate.h"

#include "brio/base/error.h"
#include "brio/ir/graph.h"

namespace brio::data {

bool Predicate::operator()(const Ticket& ticket) {
  const std::vector<Tensor>& result = call_(ticket.element, stream_of(seed_, ticket).u64(0));
  if (result.size() != 1 || result[0].dtype() != DType::boolean || result[0].size() != 1)
    throw InvalidArgument(cat("[", name_, "] the function returned ",
                              result.size() == 1 ? format_aval(result[0].aval()) : cat(result.size(), " tensors"),
                              "; it must return one bool"));
  return *static_cast<const bool*>(result[0].array().data());
}

}  // namespace brio::data
