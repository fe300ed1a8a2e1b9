// Ops that run other graphs. Their makers build bodies over a chain of tensors, each of which broadcasts to the one
// before: tensor i becomes a function of itself and tensor i + 1. The first ones are carried, the others captured.
#include "brio/ops/control/control.h"

#include <gtest/gtest.h>

#include <numeric>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/ir/trace.h"
#include "brio/ops/control/effects.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

using Avals = std::vector<Aval>;
using Tensors = std::vector<Tensor>;
using GraphRef = std::shared_ptr<const Graph>;

Avals chain(Rng& rng, DType dtype, int rank, int64_t n) {
  Avals avals{{random_shape(rng, rank), dtype}};
  while (static_cast<int64_t>(avals.size()) < n) avals.push_back({broadcastable(rng, avals.back().shape), dtype});
  return avals;
}

// Exact in every dtype, so that whatever order the ops run in gives the same bits.
Tensor mix(const Tensor& a, const Tensor& b) { return a.dtype() == boolean ? logical_xor(a, b) : a * b + b; }
Tensors mixed(const Tensors& t) {
  Tensors out;
  for (size_t i = 0; i < t.size(); ++i) out.push_back(mix(t[i], t[std::min(i + 1, t.size() - 1)]));
  return out;
}

Tensors part(const Tensors& t, size_t from, size_t n) {
  return {t.begin() + static_cast<std::ptrdiff_t>(from), t.begin() + static_cast<std::ptrdiff_t>(from + n)};
}

GraphRef body(const Avals& parameters, const BodyFn& f) {
  const TracedBody traced = trace_body(parameters, f);
  EXPECT_TRUE(traced.captured.empty());
  return traced.graph;
}

void add_inputs(Case& made, const Avals& avals) {
  for (const Aval& aval : avals) made.inputs.push_back({aval, -1, 1});
}

// One or two results; a branch may need nothing from outside.
Case branches(Rng& rng, DType dtype, int i) {
  const Avals a = chain(rng, dtype, i % 9, rng.range(1, 4));
  const size_t results = std::min<size_t>(a.size(), static_cast<size_t>(rng.range(1, 2)));
  Avals b(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(results));
  const GraphRef yes = body(a, [&](const Tensors& t) { return part(mixed(t), 0, results); });
  GraphRef no;
  if (rng.chance(0.25)) {
    no = body({}, [&](const Tensors&) {
      Tensors out;
      for (const Aval& aval : b)
        out.push_back(broadcast_to(dtype == boolean ? constant(true, dtype) : constant(1, dtype), aval.shape));
      return out;
    });
    b.clear();
  } else {
    no = body(b, [&](const Tensors& t) {
      Tensors out;
      for (const Tensor& x : t) out.push_back(mix(x, x));
      return out;
    });
  }
  Case made{{{{Shape(), boolean}}}, {}, {yes, no}};
  add_inputs(made, a);
  add_inputs(made, b);
  return made;
}

// Carried: a counter, then tensors. The limit of the rounds (maybe 0) is captured by the condition or part of it.
struct Loop {
  Avals carried{{Shape(), i32}}, captured;
  Case made;

  Loop(Rng& rng, DType dtype, int i) {
    const Avals tensors = chain(rng, dtype, i % 9, rng.range(1, 5));
    const int64_t n = rng.range(1, std::min<int64_t>(3, static_cast<int64_t>(tensors.size())));
    carried.insert(carried.end(), tensors.begin(), tensors.begin() + n);
    captured.assign(tensors.begin() + n, tensors.end());
    Avals tested = carried;
    const bool limit_captured = rng.chance(0.5);
    if (limit_captured) tested.push_back({Shape(), i32});
    const int64_t limit = rng.range(0, 4);
    const GraphRef condition = body(tested, [&](const Tensors& t) {
      return Tensors{less(t[0], limit_captured ? t.back() : constant(limit, i32))};
    });
    const GraphRef step = body(inputs_of_body(), [&](const Tensors& t) {
      Tensors out{t[0] + constant(1, i32)};
      const Tensors rest = part(mixed(part(t, 1, t.size() - 1)), 0, carried.size() - 1);
      out.insert(out.end(), rest.begin(), rest.end());
      return out;
    });
    made.inputs.push_back({carried[0], 0, 1});
    add_inputs(made, {carried.begin() + 1, carried.end()});
    if (limit_captured) made.inputs.push_back({{Shape(), i32}, 0, 4});
    add_inputs(made, captured);
    made.attrs = {static_cast<int64_t>(carried.size()), limit_captured, rng.chance(0.2) ? rng.range(0, 2) : -1};
    made.graphs = {condition, step};
  }
  Avals inputs_of_body() const {
    Avals all = carried;
    all.insert(all.end(), captured.begin(), captured.end());
    return all;
  }
};

// A step backwards need not be the gradient: any graph from (carried, captured, cotangents, sums) to the last two is
// one.
Case loop_gradient(Rng& rng, DType dtype, int i) {
  Loop loop(rng, dtype, i);
  const size_t floats = loop.carried.size() - 1;
  const Avals cotangents(loop.carried.begin() + 1, loop.carried.end());
  const size_t summed = loop.captured.empty() ? 0 : static_cast<size_t>(rng.range(0, 1));
  Avals parameters = loop.inputs_of_body();
  const size_t at = parameters.size();
  parameters.insert(parameters.end(), cotangents.begin(), cotangents.end());
  if (summed) parameters.push_back(loop.captured[0]);
  loop.made.graphs.push_back(body(parameters, [&](const Tensors& t) {
    Tensors out;
    for (size_t k = 0; k < floats; ++k) out.push_back(mix(t[at + k], t[1 + k]));
    if (summed) out.push_back(t.back() + t[1 + floats]);
    return out;
  }));
  add_inputs(loop.made, cotangents);
  return loop.made;
}

Case steps(Rng& rng, DType dtype, int i) {
  const int64_t carried = rng.range(0, 2), elements = rng.range(1, 2), captured = rng.range(0, 2);
  Avals avals = chain(rng, dtype, i % 8, carried + elements + captured);
  const int64_t results = rng.range(carried == 0 ? 1 : 0, elements), length = rng.range(0, 5);
  Case made{{}, {carried, elements, rng.chance(0.5), rng.chance(0.3)}, {body(avals, [&](const Tensors& t) {
              return part(mixed(t), 0, static_cast<size_t>(carried + results));
            })}};
  for (int64_t k = carried; k < carried + elements; ++k) {
    Shape& shape = avals[static_cast<size_t>(k)].shape;
    std::vector<int64_t> dims{length};
    dims.insert(dims.end(), shape.begin(), shape.end());
    shape = Shape(dims);
  }
  add_inputs(made, avals);
  return made;
}

// One space: every result has the shape of the first tensor, or folds its last axis.
Case one_loop(Rng& rng, DType dtype, int i) {
  const Avals avals = chain(rng, dtype, i % 9, rng.range(1, 4));
  const bool folds =
      dtype != boolean && avals[0].shape.rank() > 0 && avals[0].shape.elements() > 0 && rng.chance(0.4);
  Case made{{}, {}, {body(avals, [&](const Tensors& t) {
              Tensors out{mix(t[0], t.back())};
              for (const Tensor& x : t) {
                if (rng.chance(0.5)) out.push_back(out.back());
                out.back() = mix(out.back(), x);
              }
              if (folds) out.push_back(max(out.back(), -1));
              return out;
            })}};
  add_inputs(made, avals);
  return made;
}

// Parts of some tensors, at strides, backwards, transposed or repeated, one after another.
Case joined_views(Rng& rng, DType dtype, int i) {
  const Shape shape = random_shape(rng, std::max(1, i % 9));
  const int rank = shape.rank(), axis = static_cast<int>(rng.range(0, rank - 1));
  const Avals avals(static_cast<size_t>(rng.range(1, 3)), Aval{shape, dtype});
  std::vector<int> order(static_cast<size_t>(rank)), back(order.size());
  std::iota(order.rbegin(), order.rend(), 0);
  back = order;
  Case made{{}, {}, {body(avals, [&](const Tensors& t) {
              Tensors parts;
              for (const Tensor& x : t) {
                std::vector<Range> ranges(static_cast<size_t>(rank));
                if (shape[axis] > 0 && rng.chance(0.5))
                  ranges[static_cast<size_t>(axis)] = {rng.range(0, shape[axis] - 1), {}};
                if (rng.chance(0.5)) ranges[static_cast<size_t>(rng.range(0, rank - 1))].stride = -1;
                Tensor part = slice(x, ranges);
                if (rng.chance(0.3)) part = transpose(transpose(part, order), back);
                parts.push_back(part);
                if (rng.chance(0.2)) parts.push_back(x);
              }
              return Tensors{concat(parts, axis)};
            })}};
  add_inputs(made, avals);
  return made;
}
// Every other time a loop, or copies.
Case one_loop_or_copies(Rng& rng, DType dtype, int i) {
  return i % 2 ? joined_views(rng, dtype, i / 2) : one_loop(rng, dtype, i);
}

std::vector<OpTest> tests() {
  return {
      {.op = &op::cond, .dtypes = kAll, .make = branches, .exact = true},
      {.op = &op::while_loop,
       .dtypes = kAll,
       .make = [](Rng& rng, DType dtype, int i) { return Loop(rng, dtype, i).made; },
       .exact = true},
      {.op = &op::while_grad, .dtypes = kFloats, .make = loop_gradient, .exact = true},
      {.op = &op::scan, .dtypes = kAll, .make = steps, .exact = true},
      {.op = &op::cast_many,
       .dtypes = kFloats,
       .make =
           [](Rng& rng, DType dtype, int i) {
             Case made{{}, {static_cast<int64_t>(kFloats[static_cast<size_t>(i) % 4])}};
             for (int k = 0; k < 1 + i * 5; ++k)  // now and then more than one launch of a GPU takes, and a large one
               made.inputs.push_back({{k == 2 ? Shape{rng.range(1, 9000)} : random_shape(rng, k % 4), dtype}, -3, 3});
             return made;
           },
       .exact = true},
      {.op = &op::fused, .dtypes = kAll, .make = one_loop_or_copies, .exact = true},
  };
}

// ---- invalid calls

const Aval kScalar{Shape(), f32}, kPair{Shape{2}, f32}, kTriple{Shape{3}, f32}, kFlag{Shape(), boolean};

void record_with(const OpDef& op, const Tensors& in, const std::vector<int64_t>& attrs,
                 const std::vector<GraphRef>& graphs) {
  std::vector<TensorImpl*> impls;
  for (const Tensor& x : in) impls.push_back(x.impl());
  record_many(op, impls, attrs, graphs);
}

// (parameters) → the first `n` of them.
GraphRef keeps(const Avals& parameters, size_t n) {
  return body(parameters, [&](const Tensors& t) { return part(t, 0, n); });
}
// (parameters) → a constant.
GraphRef says(const Avals& parameters, DType dtype) {
  return body(parameters, [&](const Tensors&) {
    return Tensors{dtype == boolean ? constant(false, dtype) : constant(0, dtype)};
  });
}

LoopCondition never() {
  return [](const Tensors&) { return constant(false, boolean); };
}
Tensors same(const Tensors& t) { return t; }

std::vector<Invalid> invalid() {
  const Tensor flag = tensor({}, boolean), scalar = tensor({}), pair = tensor({2}), triple = tensor({3});
  const std::string bool_scalar = "bool scalar";
  const ScanBody walk = [](const Tensors& carried, const Tensors&) { return ScanStep{carried, {}}; };
  auto take = [](const Tensor& x) { return std::function<Tensor()>([x] { return identity(x); }); };
  auto loop = [](const OpDef& op, std::string what, Tensors in, std::vector<int64_t> attrs,
                 std::function<std::vector<GraphRef>()> graphs, std::vector<std::string> fragments) {
    return Invalid{&op, std::move(what), [=, &op] { record_with(op, in, attrs, graphs()); }, std::move(fragments)};
  };
  auto fused = [&](std::string what, const BodyFn& f, std::vector<std::string> fragments) {
    return loop(
        op::fused, std::move(what), {tensor({2, 2}), pair}, {},
        [=] {
          return std::vector{body({{Shape{2, 2}, f32}, kPair}, f)};
        },
        std::move(fragments));
  };
  return {
      // cond
      loop(op::cond, "one body", {flag}, {}, [] { return std::vector{says({}, f32)}; }, {"2 bodies", "has 1"}),
      {&op::cond, "a number", [=] { cond(scalar, take(pair), take(pair)); }, {bool_scalar, "float32", "any()"}},
      {&op::cond, "a vector", [=] { cond(tensor({2}, boolean), take(pair), take(pair)); }, {bool_scalar, "(2,)"}},
      {&op::cond, "no predicate", [=] { cond(Tensor(), take(pair), take(pair)); }, {"input 0", "none"}},
      {&op::cond,
       "numbers of results",
       [=] {
         cond(flag, Branch([&] { return Tensors{pair, pair}; }), Branch([&] { return Tensors{pair}; }));
       },
       {"2 tensors", "1"}},
      {&op::cond,
       "shapes of results",
       [=] { cond(flag, take(pair), take(triple)); },
       {"second branch 0", "(3,)", "(2,)"}},
      {&op::cond,
       "dtypes of results",
       [=] { cond(flag, take(pair), take(tensor({2}, i32))); },
       {"second branch 0", "int32", "float32"}},
      loop(op::cond, "an input too many", {flag, pair, pair, pair}, {},
           [] {
             return std::vector{keeps({kPair}, 1), keeps({kPair}, 1)};
           },
           {"2 inputs", "got 3"}),
      loop(op::cond, "an input of the first branch", {flag, triple, pair}, {},
           [] {
             return std::vector{keeps({kPair}, 1), keeps({kPair}, 1)};
           },
           {"input 0", "(3,)", "(2,)"}),
      loop(op::cond, "an input of the second branch", {flag, pair, triple}, {},
           [] {
             return std::vector{keeps({kPair}, 1), keeps({kPair}, 1)};
           },
           {"input 1", "(3,)", "(2,)"}),
      // while_loop
      loop(op::while_loop, "one body", {pair}, {1, 0, -1}, [] { return std::vector{says({kPair}, boolean)}; },
           {"2 bodies", "has 1"}),
      {&op::while_loop, "nothing to carry", [] { while_loop(never(), same, {}); }, {"at least one tensor"}},
      {&op::while_loop,
       "none",
       [=] {
         while_loop(never(), same, {pair, Tensor()});
       },
       {"carried tensor 1", "none"}},
      {&op::while_loop,
       "a condition that is a number",
       [=] { while_loop([](const Tensors& t) { return sum(t[0]); }, same, {pair}); },
       {bool_scalar, "any()"}},
      {&op::while_loop,
       "a condition per element",
       [=] { while_loop([](const Tensors& t) { return less(t[0], t[0]); }, same, {pair}); },
       {bool_scalar, "any()"}},
      loop(op::while_loop, "two conditions", {scalar}, {1, 0, -1},
           [] {
             return std::vector{body({kScalar},
                                     [](const Tensors& t) {
                                       return Tensors{less(t[0], t[0]), less(t[0], t[0])};
                                     }),
                                keeps({kScalar}, 1)};
           },
           {bool_scalar}),
      {&op::while_loop,
       "a body that returns less",
       [=] {
         while_loop(never(), [](const Tensors& t) { return part(t, 0, 1); }, {pair, pair});
       },
       {"returns 1", "given 2"}},
      {&op::while_loop,
       "a body that returns another shape",
       [=] { while_loop(never(), [=](const Tensors&) { return Tensors{triple}; }, {pair}); },
       {"result of the body 0", "(3,)", "(2,)"}},
      {&op::while_loop,
       "a body that returns another dtype",
       [=] { while_loop(never(), [](const Tensors& t) { return Tensors{cast(t[0], f64)}; }, {pair}); },
       {"result of the body 0", "float64", "float32"}},
      loop(op::while_loop, "a body that returns nothing", {pair}, {1, 0, -1},
           [] {
             return std::vector{says({kPair}, boolean), keeps({kPair}, 0)};
           },
           {"returns 0", "given 1"}),
      {&op::while_loop,
       "a condition with effects, and a body that returns less",
       [=] {
         auto checked = [](const Tensors& t) {
           debugging::assert_all_finite(t[0]);
           return constant(false, boolean);
         };
         while_loop(checked, [](const Tensors& t) { return part(t, 0, 1); }, {pair, pair});
       },
       {"returns 1", "given 2"}},
      loop(op::while_loop, "an input too many", {pair, pair}, {1, 0, -1},
           [] {
             return std::vector{says({kPair}, boolean), keeps({kPair}, 1)};
           },
           {"got 2 inputs", "1 of them carried", "the body 1"}),
      loop(op::while_loop, "a condition that takes less", {pair, pair}, {1, 1, -1},
           [] {
             return std::vector{says({kPair}, boolean), keeps({kPair}, 1)};
           },
           {"1 captured by the condition", "the condition takes 1"}),
      loop(op::while_loop, "a body that takes less than is carried", {flag}, {1, 0, -1},
           [] {
             return std::vector{says({kFlag}, boolean), says({}, boolean)};
           },
           {"the body 0"}),
      loop(op::while_loop, "an input of the condition", {pair, triple}, {1, 1, -1},
           [] {
             return std::vector{says({kPair, kPair}, boolean), keeps({kPair}, 1)};
           },
           {"input of the condition 1", "(3,)", "(2,)"}),
      loop(op::while_loop, "an input of the body", {pair, triple}, {1, 0, -1},
           [] {
             return std::vector{says({kPair}, boolean), keeps({kPair, kPair}, 1)};
           },
           {"input of the body 1", "(3,)", "(2,)"}),
      // while_grad: only the tape makes it
      loop(op::while_grad, "two bodies", {pair, pair}, {1, 0, -1},
           [] {
             return std::vector{says({kPair}, boolean), keeps({kPair}, 1)};
           },
           {"3 bodies", "has 2"}),
      // scan
      loop(op::scan, "no body", {pair, pair}, {1, 1, 0, 0}, [] { return std::vector<GraphRef>(); },
           {"1 bodies", "has 0"}),
      {&op::scan, "nothing to walk along", [=] { scan(walk, {pair}, {}); }, {"at least one tensor"}},
      {&op::scan, "none", [=] { scan(walk, {pair}, {Tensor()}); }, {"input 1", "none"}},
      {&op::scan,
       "a scalar to walk along",
       [=] {
         scan(walk, {pair}, {pair, scalar});
       },
       {"elements 1", "scalar"}},
      {&op::scan,
       "elements of two lengths",
       [=] {
         scan(walk, {scalar}, {pair, triple});
       },
       {"elements 1", "length 3", "first have 2"}},
      {&op::scan,
       "a body that carries less",
       [=] { scan([](const Tensors&, const Tensors&) { return ScanStep(); }, {scalar}, {pair}); },
       {"returns 0 carried", "given 1"}},
      {&op::scan,
       "a body that carries another shape",
       [=] {
         scan([](const Tensors&, const Tensors& e) { return ScanStep{{e[0]}, {}}; }, {pair}, {triple});
       },
       {"carried result 0", "()", "(2,)"}},
      {&op::scan,
       "results of rank 8",
       [=] {
         scan(
             [](const Tensors& c, const Tensors&) {
               return ScanStep{c, c};
             },
             {tensor(Shape{1, 1, 1, 1, 1, 1, 1, 1})}, {pair});
       },
       {"9 dimensions"}},
      loop(op::scan, "an input too many", {scalar, pair, pair}, {1, 1, 0, 0},
           [] {
             return std::vector{keeps({kScalar, kScalar}, 1)};
           },
           {"takes 2 inputs", "got 3"}),
      {&op::cast_many,
       "two dtypes",
       [] {
         call(op::cast_many, {tensor({2}), tensor({2}, f64)}, {static_cast<int64_t>(f16)});
       },
       {"float32 and float64", "float16"}},
      loop(op::scan, "more elements than inputs", {scalar, pair}, {1, 2, 0, 0},
           [] {
             return std::vector{keeps({kScalar, kScalar}, 1)};
           },
           {"1 carried", "2 walked along"}),
      loop(op::scan, "a body that returns less", {scalar, pair}, {1, 1, 0, 0},
           [] {
             return std::vector{keeps({kScalar, kScalar}, 0)};
           },
           {"returns 0 carried", "given 1"}),
      loop(op::scan, "scalar elements", {scalar, scalar}, {1, 1, 0, 0},
           [] {
             return std::vector{keeps({kScalar, kScalar}, 1)};
           },
           {"elements 0", "scalar"}),
      loop(op::scan, "an input of the body", {scalar, pair, pair}, {1, 1, 0, 0},
           [] {
             return std::vector{keeps({kScalar, kScalar, kTriple}, 1)};
           },
           {"input of the body 2", "(2,)", "(3,)"}),
      // fused: only the planner makes it
      loop(op::fused, "no body", {pair}, {}, [] { return std::vector<GraphRef>(); }, {"one body", "has 0"}),
      loop(op::fused, "an input too many", {pair, pair}, {}, [] { return std::vector{keeps({kPair}, 1)}; },
           {"takes 1 inputs", "got 2"}),
      loop(op::fused, "another shape", {triple}, {}, [] { return std::vector{keeps({kPair}, 1)}; },
           {"input 0", "f32[3]", "f32[2]"}),
      fused("a body without ops", [](const Tensors& t) { return t; }, {"computes nothing"}),
      fused("a product before a concat",
            [](const Tensors& t) {
              return Tensors{concat({matmul(t[0], t[0]), t[0]}, 0)};
            },
            {"matmul", "no view"}),
      fused("a concat and more",
            [](const Tensors& t) {
              return Tensors{concat({t[0], t[0]}, 0), t[0]};
            },
            {"concat", "its result"}),
      fused("a product", [](const Tensors& t) { return Tensors{matmul(t[0], t[0])}; }, {"matmul"}),
      fused("two spaces",
            [](const Tensors& t) {
              return Tensors{exp(t[0]), exp(t[1])};
            },
            {"(2, 2)", "(2,)"}),
      fused("a use of a reduction", [](const Tensors& t) { return Tensors{exp(t[0]) * max(t[0], 0, true)}; },
            {"reduce_max", "result"}),
      fused("two sets of axes",
            [](const Tensors& t) {
              return Tensors{max(t[0], 0), max(t[0], 1)};
            },
            {"(2, 2)", "axes"}),
  };
}

const AddOpTests add_tests(tests, invalid);

}  // namespace
}  // namespace brio::testing
