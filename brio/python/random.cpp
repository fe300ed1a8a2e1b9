// tf.random: numbers of the global generator, of a seed, or of a generator of one's own.
#include "brio/ops/random/random.h"

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/distributions.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

// A draw that is a function of no tensors.
template <typename F>
nb::object drawn(const SourceArgument& from, const ShapeArgument& shape, F f) {
  return perform<false>(f, std::tuple{from, shape});
}
template <typename Options>
Options with_source(Options options, const DrawSource& from) {
  options.seed = from.source.seed;
  options.stream = from.source.stream;
  options.generator = from.source.generator;
  return options;
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

nb::object uniform(const SourceArgument& from, const ShapeArgument& shape, nb::handle minval, nb::handle maxval,
                   DType dtype) {
  if (is_integer(dtype)) {
    if (maxval.is_none()) throw InvalidArgument(cat("[random.uniform] integers of ", dtype, " need a maxval"));
    return perform<false>(
        [dtype](const DrawSource& source, const Shape& to, int64_t low, int64_t high) {
          return random::integers(
              to, with_source(random::IntegerOptions{.low = low, .high = high, .dtype = dtype}, source));
        },
        std::tuple{from, shape, IntegerArgument::take(minval), IntegerArgument::take(maxval)});
  }
  random::UniformOptions options{.dtype = dtype};
  const nb::object one = nb::float_(1.0);
  const nb::handle end = maxval.is_none() ? nb::handle(one) : maxval;
  const Wanted wanted{.preferred = dtype, .as_input = true};
  const Tensor low = tensor_of(minval, wanted), high = tensor_of(end, wanted);
  if (low.rank() == 0 && high.rank() == 0 && are_numbers(minval, end)) {
    options.low = scalar_from(minval).real();
    options.high = scalar_from(end).real();
    return drawn(from, shape, [options](const DrawSource& source, const Shape& to) {
      return random::uniform(to, with_source(options, source));
    });
  }
  return perform<false>(
      [options](const DrawSource& source, const Shape& to, const Tensor& from_low, const Tensor& to_high) {
        return add(mul(random::uniform(to, with_source(options, source)), sub(to_high, from_low)), from_low);
      },
      std::tuple{from, shape, TensorArgument{low}, TensorArgument{high}});
}

using Normal = Tensor (*)(const Shape&, random::NormalOptions);
nb::object normal(Normal f, const SourceArgument& from, const ShapeArgument& shape, nb::handle mean,
                  nb::handle stddev, DType dtype) {
  const Wanted wanted{.preferred = dtype, .as_input = true};
  const Tensor middle = tensor_of(mean, wanted), width = tensor_of(stddev, wanted);
  random::NormalOptions options{.dtype = dtype};
  if (middle.rank() == 0 && width.rank() == 0 && are_numbers(mean, stddev)) {
    options.mean = scalar_from(mean).real();
    options.stddev = scalar_from(stddev).real();
    return drawn(from, shape, [f, options](const DrawSource& source, const Shape& to) {
      return f(to, with_source(options, source));
    });
  }
  return perform<false>([f, options](const DrawSource& source, const Shape& to, const Tensor& m,
                                     const Tensor& s) { return add(mul(f(to, with_source(options, source)), s), m); },
                        std::tuple{from, shape, TensorArgument{middle}, TensorArgument{width}});
}

nb::object gamma(const SourceArgument& from, const ShapeArgument& shape, nb::handle alpha, nb::handle beta,
                 DType dtype) {
  const Wanted wanted{.preferred = dtype, .as_input = true};
  return perform<false>(
      [](const DrawSource& source, const Shape& to, const Tensor& a, const std::optional<Tensor>& b) {
        return random::gamma(to, a, b.value_or(Tensor()), source.source);
      },
      std::tuple{from, shape, TensorArgument{tensor_of(alpha, wanted)},
                 beta.is_none() ? std::nullopt : std::optional(TensorArgument{tensor_of(beta, wanted)})});
}

nb::object poisson(const SourceArgument& from, const ShapeArgument& shape, nb::handle lam, DType dtype) {
  return perform<false>(
      [dtype](const DrawSource& source, const Shape& to, const Tensor& x) {
        return random::poisson(to, x, dtype, source.source);
      },
      std::tuple{from, shape, TensorArgument{tensor_of(lam, {.preferred = f32, .as_input = true})}});
}

void bind_stateful(nb::module_& m) {
  m.def(
      "set_seed",
      [](Given seed) {
        const bool real = PyFloat_Check(seed.object.ptr());  // 1.0 is 1, as in TensorFlow
        set_global_seed(static_cast<uint64_t>(
            integer_from(real ? owned(PyNumber_Long(seed.object.ptr())) : nb::borrow(seed.object))));
      },
      nb::arg("seed"), "Starts the global generator anew from a seed.");
  m.def(
      "uniform",
      [](Given shape, Given minval, Given maxval, Given dtype, Given seed, Given) {
        return uniform(SourceArgument::of_seed(seed.object), Parameter<Shape>::take(shape), minval.object,
                       maxval.object, dtype_from(dtype.object));
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
          return normal(f, SourceArgument::of_seed(seed.object), Parameter<Shape>::take(shape), mean.object,
                        stddev.object, dtype_from(dtype.object));
        },
        nb::arg("shape"), nb::arg("mean") = 0.0, nb::arg("stddev") = 1.0, nb::arg("dtype") = "float32",
        nb::arg("seed") = nb::none(), nb::arg("name") = nb::none(), doc);
  m.def(
      "gamma",
      [](Given shape, Given alpha, Given beta, Given dtype, Given seed, Given) {
        return gamma(SourceArgument::of_seed(seed.object), Parameter<Shape>::take(shape), alpha.object, beta.object,
                     dtype_from(dtype.object));
      },
      nb::arg("shape"), nb::arg("alpha"), nb::arg("beta") = nb::none(), nb::arg("dtype") = "float32",
      nb::arg("seed") = nb::none(), nb::arg("name") = nb::none(), "Numbers of a gamma distribution.");
  m.def(
      "poisson",
      [](Given shape, Given lam, Given dtype, Given seed, Given) {
        return poisson(SourceArgument::of_seed(seed.object), Parameter<Shape>::take(shape), lam.object,
                       dtype_from(dtype.object));
      },
      nb::arg("shape"), nb::arg("lam"), nb::arg("dtype") = "float32", nb::arg("seed") = nb::none(),
      nb::arg("name") = nb::none(), "Numbers of a Poisson distribution.");
  define_draw(
      m, "categorical",
      [](const Tensor& logits, int64_t num_samples, std::optional<DType> dtype, const DrawSource& seed) {
        return random::categorical(logits, num_samples, dtype.value_or(i64), seed.source);
      },
      nb::arg("logits"), nb::arg("num_samples"), nb::arg("dtype") = nb::none(), nb::arg("seed") = nb::none(),
      "Class numbers, drawn for each row of logits.");
  define_draw(
      m, "shuffle", [](const Tensor& x, const DrawSource& seed) { return random::shuffle(x, seed.source); },
      nb::arg("value"), nb::arg("seed") = nb::none(), "The rows in another order.");
}

void bind_stateless(nb::module_& m) {
  m.def(
      "stateless_uniform",
      [](Given shape, Given seed, Given minval, Given maxval, Given dtype, Given, Given) {
        return uniform(SourceArgument::of_pair(seed.object), Parameter<Shape>::take(shape), minval.object,
                       maxval.object, dtype_from(dtype.object));
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
          return normal(f, SourceArgument::of_pair(seed.object), Parameter<Shape>::take(shape), mean.object,
                        stddev.object, dtype_from(dtype.object));
        },
        nb::arg("shape"), nb::arg("seed"), nb::arg("mean") = 0.0, nb::arg("stddev") = 1.0,
        nb::arg("dtype") = "float32", nb::arg("name") = nb::none(), nb::arg("alg") = "auto_select",
        "Numbers of a normal distribution, a function of the seed alone.");
  m.def(
      "stateless_gamma",
      [](Given shape, Given seed, Given alpha, Given beta, Given dtype, Given) {
        return gamma(SourceArgument::of_pair(seed.object), Parameter<Shape>::take(shape), alpha.object, beta.object,
                     dtype_from(dtype.object));
      },
      nb::arg("shape"), nb::arg("seed"), nb::arg("alpha"), nb::arg("beta") = nb::none(), nb::arg("dtype") = "float32",
      nb::arg("name") = nb::none(), "Numbers of a gamma distribution, a function of the seed alone.");
  m.def(
      "stateless_poisson",
      [](Given shape, Given seed, Given lam, Given dtype, Given) {
        return poisson(SourceArgument::of_pair(seed.object), Parameter<Shape>::take(shape), lam.object,
                       dtype_from(dtype.object));
      },
      nb::arg("shape"), nb::arg("seed"), nb::arg("lam"), nb::arg("dtype") = "int32", nb::arg("name") = nb::none(),
      "Numbers of a Poisson distribution, a function of the seed alone.");
  m.def(
      "stateless_categorical",
      [](Given logits, Given num_samples, Given seed, Given dtype, Given) {
        return perform(
            [as = dtype_from(dtype.object)](const DrawSource& source, const Tensor& x, int64_t n) {
              return random::categorical(x, n, as, source.source);
            },
            std::tuple{SourceArgument::of_pair(seed.object), Parameter<Tensor>::take(logits),
                       IntegerArgument::take(num_samples.object)});
      },
      nb::arg("logits"), nb::arg("num_samples"), nb::arg("seed"), nb::arg("dtype") = "int64",
      nb::arg("name") = nb::none(), "Class numbers for each row of logits, a function of the seed alone.");
  m.def(
      "_stateless_shuffle",
      [](Given value, Given seed) {
        return perform([](const DrawSource& source, const Tensor& x) { return random::shuffle(x, source.source); },
                       std::tuple{SourceArgument::of_pair(seed.object), Parameter<Tensor>::take(value)});
      },
      nb::arg("value"), nb::arg("seed"));
  m.def(
      "_bits64",  // as many numbers of 64 bits, a function of the seed alone
      [](Given shape, Given seed) {
        return drawn(SourceArgument::of_pair(seed.object), Parameter<Shape>::take(shape),
                     [](const DrawSource& source, const Shape& to) {
                       return random::bits(to, with_source(random::BitsOptions{.dtype = u64}, source));
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
            return uniform({{.generator = self.generator}}, Parameter<Shape>::take(shape), minval.object,
                           maxval.object, dtype_from(dtype.object));
          },
          nb::arg("shape"), nb::arg("minval") = 0, nb::arg("maxval") = nb::none(), nb::arg("dtype") = "float32",
          nb::arg("name") = nb::none(), "Numbers from [minval, maxval), each equally often.")
      .def(
          "normal",
          [](const Handle& self, Given shape, Given mean, Given stddev, Given dtype, Given) {
            return normal(random::normal, {{.generator = self.generator}}, Parameter<Shape>::take(shape), mean.object,
                          stddev.object, dtype_from(dtype.object));
          },
          nb::arg("shape"), nb::arg("mean") = 0.0, nb::arg("stddev") = 1.0, nb::arg("dtype") = "float32",
          nb::arg("name") = nb::none(), "Numbers of a normal distribution.")
      .def(
          "truncated_normal",
          [](const Handle& self, Given shape, Given mean, Given stddev, Given dtype, Given) {
            return normal(random::truncated_normal, {{.generator = self.generator}}, Parameter<Shape>::take(shape),
                          mean.object, stddev.object, dtype_from(dtype.object));
          },
          nb::arg("shape"), nb::arg("mean") = 0.0, nb::arg("stddev") = 1.0, nb::arg("dtype") = "float32",
          nb::arg("name") = nb::none(), "Numbers of a normal distribution within two deviations of the mean.");
}

}  // namespace

void bind_random(nb::module_& m) {
  nb::module_ random = m.def_submodule("_random", "tf.random.");
  bind_stateful(random);
  bind_stateless(random);
  bind_generator(random);
}

}  // namespace brio::python
