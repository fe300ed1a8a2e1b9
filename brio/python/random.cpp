// tf.random: numbers of the global generator, of a seed, or of a generator of one's own.
#include "brio/ops/random.h"

#include <unordered_map>

#include "brio/base/error.h"
#include "brio/ops/distributions.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/shape_ops.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

using Stateless = random::StatelessSeed;
Stateless stateless_from(nb::handle h) {
  const std::vector<int64_t> seed = dims_from(h);
  if (seed.size() != 2)
    throw InvalidArgument(cat("[random] the seed of a stateless function is two integers, but got ", seed.size()));
  return {seed[0], seed[1]};
}

// Where a call's numbers come from: a seed, a pair of them, or a generator.
struct From {
  std::optional<uint64_t> seed = {};
  uint64_t stream = 0;
  Generator* generator = nullptr;
};
From of_seed(nb::handle seed) { return {.seed = seed_of_draw(seed)}; }
From of_pair(nb::handle seed) {
  const random::Source source = random::stateless(stateless_from(seed));
  return {.seed = source.seed, .stream = source.stream};
}
random::Source source_of(const From& from) { return {from.seed, from.stream, from.generator}; }

// A draw that is a function of no tensors.
template <typename F>
nb::object drawn(const ShapeArgument& shape, F f) {
  return perform<false>(f, std::tuple{shape});
}
// Can both be numbers of the draw itself? A tensor that a journal follows, or that is not known yet, cannot.
bool are_numbers(nb::handle a, nb::handle b) {
  for (nb::handle h : {a, b}) {
    if (!is_tensor(h) && !is_variable(h)) continue;
    const Tensor x = tensor_of(h, {.as_input = true});
    if (current_journal || x.rank() != 0 || !readable(x)) return false;
  }
  return true;
}

nb::object uniform(const From& from, const ShapeArgument& shape, nb::handle minval, nb::handle maxval, DType dtype) {
  if (is_integer(dtype)) {
    if (maxval.is_none()) throw InvalidArgument(cat("[random.uniform] integers of ", dtype, " need a maxval"));
    return perform<false>(
        [=](const Shape& to, int64_t low, int64_t high) {
          return random::integers(to, {.low = low,
                                       .high = high,
                                       .dtype = dtype,
                                       .seed = from.seed,
                                       .stream = from.stream,
                                       .generator = from.generator});
        },
        std::tuple{shape, IntegerArgument::take(minval), IntegerArgument::take(maxval)});
  }
  random::UniformOptions options{
      .dtype = dtype, .seed = from.seed, .stream = from.stream, .generator = from.generator};
  const nb::object one = nb::float_(1.0);
  const nb::handle end = maxval.is_none() ? nb::handle(one) : maxval;
  const Wanted wanted{.preferred = dtype, .as_input = true};
  const Tensor low = tensor_of(minval, wanted), high = tensor_of(end, wanted);
  if (low.rank() == 0 && high.rank() == 0 && are_numbers(minval, end)) {
    options.low = scalar_from(minval).real();
    options.high = scalar_from(end).real();
    return drawn(shape, [=](const Shape& to) { return random::uniform(to, options); });
  }
  return perform<false>(
      [=](const Shape& to, const Tensor& from_low, const Tensor& to_high) {
        return add(mul(random::uniform(to, options), sub(to_high, from_low)), from_low);
      },
      std::tuple{shape, TensorArgument{low}, TensorArgument{high}});
}

using Normal = Tensor (*)(const Shape&, random::NormalOptions);
nb::object normal(Normal f, const From& from, const ShapeArgument& shape, nb::handle mean, nb::handle stddev,
                  DType dtype) {
  const Wanted wanted{.preferred = dtype, .as_input = true};
  const Tensor middle = tensor_of(mean, wanted), width = tensor_of(stddev, wanted);
  random::NormalOptions options{
      .dtype = dtype, .seed = from.seed, .stream = from.stream, .generator = from.generator};
  if (middle.rank() == 0 && width.rank() == 0 && are_numbers(mean, stddev)) {
    options.mean = scalar_from(mean).real();
    options.stddev = scalar_from(stddev).real();
    return drawn(shape, [=](const Shape& to) { return f(to, options); });
  }
  return perform<false>(
      [=](const Shape& to, const Tensor& m, const Tensor& s) { return add(mul(f(to, options), s), m); },
      std::tuple{shape, TensorArgument{middle}, TensorArgument{width}});
}

nb::object gamma(const From& from, const ShapeArgument& shape, nb::handle alpha, nb::handle beta, DType dtype) {
  const Wanted wanted{.preferred = dtype, .as_input = true};
  return perform<false>(
      [=](const Shape& to, const Tensor& a, const std::optional<Tensor>& b) {
        return random::gamma(to, a, b.value_or(Tensor()), source_of(from));
      },
      std::tuple{shape, TensorArgument{tensor_of(alpha, wanted)},
                 beta.is_none() ? std::nullopt : std::optional(TensorArgument{tensor_of(beta, wanted)})});
}

nb::object poisson(const From& from, const ShapeArgument& shape, nb::handle lam, DType dtype) {
  return perform<false>(
      [=](const Shape& to, const Tensor& x) { return random::poisson(to, x, dtype, source_of(from)); },
      std::tuple{shape, TensorArgument{tensor_of(lam, {.preferred = f32, .as_input = true})}});
}

void bind_stateful(nb::module_& m) {
  m.def(
      "set_seed",
      [](Given seed) {
        const auto value = static_cast<uint64_t>(integer_from(seed.object));
        random::set_seed(value);
        start_seeds_anew(value);
      },
      nb::arg("seed"), "Starts the global generator anew from a seed.");
  m.def(
      "uniform",
      [](Given shape, Given minval, Given maxval, Given dtype, Given seed, Given) {
        return uniform(of_seed(seed.object), Parameter<Shape>::take(shape), minval.object, maxval.object,
                       dtype_from(dtype.object));
      },
      nb::arg("shape"), nb::arg("minval") = 0, nb::arg("maxval") = nb::none(), nb::arg("dtype") = "float32",
      nb::arg("seed") = nb::none(), nb::arg("name") = nb::none(),
      "Numbers from [minval, maxval), each equally often.");
  for (const auto& [name, f, doc] :
       {std::tuple{"normal", static_cast<Normal>(random::normal), "Numbers of a normal distribution."},
        std::tuple{"truncated_normal", static_cast<Normal>(random::truncated_normal),
                   "Numbers of a normal distribution within two deviations of the mean."}})
    m.def(
        name,
        [f = f](Given shape, Given mean, Given stddev, Given dtype, Given seed, Given) {
          return normal(f, of_seed(seed.object), Parameter<Shape>::take(shape), mean.object, stddev.object,
                        dtype_from(dtype.object));
        },
        nb::arg("shape"), nb::arg("mean") = 0.0, nb::arg("stddev") = 1.0, nb::arg("dtype") = "float32",
        nb::arg("seed") = nb::none(), nb::arg("name") = nb::none(), doc);
  m.def(
      "gamma",
      [](Given shape, Given alpha, Given beta, Given dtype, Given seed, Given) {
        return gamma(of_seed(seed.object), Parameter<Shape>::take(shape), alpha.object, beta.object,
                     dtype_from(dtype.object));
      },
      nb::arg("shape"), nb::arg("alpha"), nb::arg("beta") = nb::none(), nb::arg("dtype") = "float32",
      nb::arg("seed") = nb::none(), nb::arg("name") = nb::none(), "Numbers of a gamma distribution.");
  m.def(
      "poisson",
      [](Given shape, Given lam, Given dtype, Given seed, Given) {
        return poisson(of_seed(seed.object), Parameter<Shape>::take(shape), lam.object, dtype_from(dtype.object));
      },
      nb::arg("shape"), nb::arg("lam"), nb::arg("dtype") = "float32", nb::arg("seed") = nb::none(),
      nb::arg("name") = nb::none(), "Numbers of a Poisson distribution.");
  define_draw(
      m, "categorical",
      [](const Tensor& logits, int64_t num_samples, std::optional<DType> dtype, Seed seed) {
        random::Source source;
        source.seed = seed.value;
        return random::categorical(logits, num_samples, dtype.value_or(i64), source);
      },
      nb::arg("logits"), nb::arg("num_samples"), nb::arg("dtype") = nb::none(), nb::arg("seed") = nb::none(),
      "Class numbers, drawn for each row of logits.");
  define_draw(
      m, "shuffle",
      [](const Tensor& x, Seed seed) {
        random::Source source;
        source.seed = seed.value;
        return random::shuffle(x, source);
      },
      nb::arg("value"), nb::arg("seed") = nb::none(), "The rows in another order.");
}

void bind_stateless(nb::module_& m) {
  m.def(
      "stateless_uniform",
      [](Given shape, Given seed, Given minval, Given maxval, Given dtype, Given, Given) {
        return uniform(of_pair(seed.object), Parameter<Shape>::take(shape), minval.object, maxval.object,
                       dtype_from(dtype.object));
      },
      nb::arg("shape"), nb::arg("seed"), nb::arg("minval") = 0, nb::arg("maxval") = nb::none(),
      nb::arg("dtype") = "float32", nb::arg("name") = nb::none(), nb::arg("alg") = "auto_select",
      "Numbers from [minval, maxval), a function of the seed alone.");
  for (const auto& [name, f] :
       {std::tuple{"stateless_normal", static_cast<Normal>(random::normal)},
        std::tuple{"stateless_truncated_normal", static_cast<Normal>(random::truncated_normal)}})
    m.def(
        name,
        [f = f](Given shape, Given seed, Given mean, Given stddev, Given dtype, Given, Given) {
          return normal(f, of_pair(seed.object), Parameter<Shape>::take(shape), mean.object, stddev.object,
                        dtype_from(dtype.object));
        },
        nb::arg("shape"), nb::arg("seed"), nb::arg("mean") = 0.0, nb::arg("stddev") = 1.0,
        nb::arg("dtype") = "float32", nb::arg("name") = nb::none(), nb::arg("alg") = "auto_select",
        "Numbers of a normal distribution, a function of the seed alone.");
  m.def(
      "stateless_gamma",
      [](Given shape, Given seed, Given alpha, Given beta, Given dtype, Given) {
        return gamma(of_pair(seed.object), Parameter<Shape>::take(shape), alpha.object, beta.object,
                     dtype_from(dtype.object));
      },
      nb::arg("shape"), nb::arg("seed"), nb::arg("alpha"), nb::arg("beta") = nb::none(), nb::arg("dtype") = "float32",
      nb::arg("name") = nb::none(), "Numbers of a gamma distribution, a function of the seed alone.");
  m.def(
      "stateless_poisson",
      [](Given shape, Given seed, Given lam, Given dtype, Given) {
        return poisson(of_pair(seed.object), Parameter<Shape>::take(shape), lam.object, dtype_from(dtype.object));
      },
      nb::arg("shape"), nb::arg("seed"), nb::arg("lam"), nb::arg("dtype") = "int32", nb::arg("name") = nb::none(),
      "Numbers of a Poisson distribution, a function of the seed alone.");
  m.def(
      "stateless_categorical",
      [](Given logits, Given num_samples, Given seed, Given dtype, Given) {
        return perform(
            [n = integer_from(num_samples.object), pair = stateless_from(seed.object), as = dtype_from(dtype.object)](
                const Tensor& x) { return random::stateless_categorical(x, n, pair, as); },
            std::tuple{Parameter<Tensor>::take(logits)});
      },
      nb::arg("logits"), nb::arg("num_samples"), nb::arg("seed"), nb::arg("dtype") = "int64",
      nb::arg("name") = nb::none(), "Class numbers for each row of logits, a function of the seed alone.");
  m.def(
      "_stateless_shuffle",
      [](Given value, Given seed) {
        return perform(
            [pair = stateless_from(seed.object)](const Tensor& x) { return random::stateless_shuffle(x, pair); },
            std::tuple{Parameter<Tensor>::take(value)});
      },
      nb::arg("value"), nb::arg("seed"));
  m.def(
      "_bits64",  // as many numbers of 64 bits, a function of the seed alone
      [](Given shape, Given seed) {
        const From from = of_pair(seed.object);
        return drawn(Parameter<Shape>::take(shape), [from](const Shape& to) {
          return random::bits(to, {.dtype = u64, .seed = from.seed, .stream = from.stream});
        });
      },
      nb::arg("shape"), nb::arg("seed"));
}

// tf.random.Generator. The C++ one must outlive the functions that drew from it, so it is never freed.
void bind_generator(nb::module_& m) {
  struct Handle {
    Generator* generator;
  };
  nb::class_<Handle>(m, "_Generator", nb::dynamic_attr())
      .def("__init__",
           [](Handle* self, int64_t seed) {
             static std::mutex mutex;
             static auto* all = new std::vector<std::unique_ptr<Generator>>();
             const std::lock_guard lock(mutex);
             all->push_back(std::make_unique<Generator>(static_cast<uint64_t>(seed)));
             new (self) Handle{all->back().get()};
           })
      .def_static("_global", [] { return Handle{&random::generator()}; })
      .def("_state",
           [](const Handle& self) {
             const auto state = self.generator->state();
             return nb::make_tuple(state.seed, state.counter);
           })
      .def("_restore",
           [](const Handle& self, uint64_t seed, uint64_t counter) {
             self.generator->restore({seed, counter});
           })
      .def("_skip", [](const Handle& self, uint64_t n) { self.generator->advance(n); })
      .def(
          "uniform",
          [](const Handle& self, Given shape, Given minval, Given maxval, Given dtype, Given) {
            return uniform({.generator = self.generator}, Parameter<Shape>::take(shape), minval.object, maxval.object,
                           dtype_from(dtype.object));
          },
          nb::arg("shape"), nb::arg("minval") = 0, nb::arg("maxval") = nb::none(), nb::arg("dtype") = "float32",
          nb::arg("name") = nb::none(), "Numbers from [minval, maxval), each equally often.")
      .def(
          "normal",
          [](const Handle& self, Given shape, Given mean, Given stddev, Given dtype, Given) {
            return normal(random::normal, {.generator = self.generator}, Parameter<Shape>::take(shape), mean.object,
                          stddev.object, dtype_from(dtype.object));
          },
          nb::arg("shape"), nb::arg("mean") = 0.0, nb::arg("stddev") = 1.0, nb::arg("dtype") = "float32",
          nb::arg("name") = nb::none(), "Numbers of a normal distribution.")
      .def(
          "truncated_normal",
          [](const Handle& self, Given shape, Given mean, Given stddev, Given dtype, Given) {
            return normal(random::truncated_normal, {.generator = self.generator}, Parameter<Shape>::take(shape),
                          mean.object, stddev.object, dtype_from(dtype.object));
          },
          nb::arg("shape"), nb::arg("mean") = 0.0, nb::arg("stddev") = 1.0, nb::arg("dtype") = "float32",
          nb::arg("name") = nb::none(), "Numbers of a normal distribution within two deviations of the mean.");
}

struct Seeds {
  uint64_t global = 0;
  std::unordered_map<uint64_t, uint64_t> calls;  // of each seed, so far
};
Seeds seeds;  // the interpreter's lock guards it

uint64_t mixed(uint64_t x) {  // as SplitMix64 does
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace

uint64_t next_of_seed(uint64_t seed) {
  constexpr size_t kMost = 1 << 16;  // whoever uses more seeds than this wants one draw of each
  if (seeds.calls.size() >= kMost) seeds.calls.clear();
  const uint64_t call = seeds.calls[seed]++;
  return call == 0 && seeds.global == 0 ? seed : mixed(mixed(seed ^ mixed(seeds.global)) + call);
}
void start_seeds_anew(uint64_t global_seed) { seeds = {global_seed, {}}; }

void bind_random(nb::module_& m) {
  nb::module_ random = m.def_submodule("_random", "tf.random.");
  bind_stateful(random);
  bind_stateless(random);
  bind_generator(random);
}

}  // namespace brio::python
