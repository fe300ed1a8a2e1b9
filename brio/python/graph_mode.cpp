// What graph mode (python/brio/_graph) needs of the core: an op tried on tensors without values, and random numbers
// that belong to one op of one session.
#include "brio/ir/trace.h"
#include "brio/python/bind.h"

namespace brio::python {

void bind_graph_mode(nb::module_& m) {
  // Calls f with tensors of these (shape, dtype) that have no values, and forgets what was recorded. Returns whether
  // random numbers were drawn, and whether there were effects.
  m.def("_infer", [](nb::list specs, nb::object f) {
    std::vector<Aval> avals;
    for (nb::handle spec : specs) avals.push_back({shape_from(spec[0]), dtype_from(spec[1])});
    static auto* const no_numbers = new OpDraws(0, 0);
    const OpDrawsScope draws(*no_numbers);
    BodyTrace trace(Recording::Kind::loop, avals, [&](const std::vector<Tensor>& tensors) {
      f(to_python(tensors));
      return std::vector<Tensor>{};
    });
    return nb::make_tuple(trace.has_draws(), trace.has_effects());
  });
  nb::class_<OpDraws>(m, "_OpDraws")
      .def(nb::init<std::optional<uint64_t>, uint64_t>(), nb::arg("graph_seed").none(), nb::arg("op"))
      .def("call", [](OpDraws& self, nb::object f) {
        const OpDrawsScope scope(self);
        return f();
      });
}

}  // namespace brio::python
