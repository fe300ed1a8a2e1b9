#include "brio/ops/indexing/nd_indexing.h"

#include <cstring>

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

// The indices of a call, none of which lies outside.
NdIndices checked(const Call& call) {
  const NdIndices indices(call.op, call.in_avals[0], call.in_avals[1], call.attrs);
  for (int64_t i = 0; i < indices.count; ++i) indices.place(call.args.in[1], i);
  return indices;
}

// Calls body(position of an update, position in the tensor) for every element that the indices name.
template <typename Body>
void for_each_element(const Call& call, const NdIndices& indices, Body&& body) {
  for (int64_t i = 0; i < indices.count; ++i)
    for (int64_t k = 0, place = indices.place(call.args.in[1], i); place >= 0 && k < indices.slice; ++k)
      body(i * indices.slice + k, place * indices.slice + k);
}

void run_gather_nd(const Call& call) {
  const NdIndices indices = checked(call);
  visit(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < call.out_shape().elements(); ++i) call.out<T>()[i] = T();
    for_each_element(call, indices, [&](int64_t to, int64_t from) { call.out<T>()[to] = call.in<T>(0)[from]; });
  });
}

// Every update rounds to the dtype.
template <typename T, typename Combine>
void scatter(const Call& call, Combine&& combine) {
  const NdIndices indices = checked(call);
  if (call.out_avals[0].bytes() != 0) std::memcpy(call.out<void>(), call.in<void>(0), call.out_avals[0].bytes());
  for_each_element(call, indices, [&](int64_t from, int64_t to) {
    call.out<T>()[to] = static_cast<T>(combine(wide(call.out<T>()[to]), wide(call.in<T>(2)[from])));
  });
}
template <typename Combine>
void scatter_numbers(const Call& call, Combine&& combine) {
  visit_numbers(call.out_avals[0].dtype, [&](auto t) { scatter<decltype(t)>(call, combine); });
}

void run_update(const Call& call) {
  visit(call.out_avals[0].dtype, [&](auto t) { scatter<decltype(t)>(call, [](auto, auto y) { return y; }); });
}
void run_add(const Call& call) {
  scatter_numbers(call, [](auto x, auto y) { return plus(x, y); });
}
void run_mul(const Call& call) {
  scatter_numbers(call, [](auto x, auto y) { return times(x, y); });
}
void run_scatter_max(const Call& call) {
  scatter_numbers(call, [](auto x, auto y) { return y > x || y != y ? y : x; });
}
void run_scatter_min(const Call& call) {
  scatter_numbers(call, [](auto x, auto y) { return y < x || y != y ? y : x; });
}

}  // namespace

void add_nd_indexing(Registry& r) {
  add<run_gather_nd>(r, op::gather_nd);
  add<run_update>(r, op::tensor_scatter_update);
  add<run_add>(r, op::tensor_scatter_add);
  add<run_mul>(r, op::tensor_scatter_mul);
  add<run_scatter_max>(r, op::tensor_scatter_max);
  add<run_scatter_min>(r, op::tensor_scatter_min);
}

}  // namespace brio::reference
