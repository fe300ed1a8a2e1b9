// What graph mode (python/brio/_graph) needs of the core: an op tried on tensors without values, and random numbers
// that belong to one op of one session.
#include "brio/ir/shapes_only.h"
#include "brio/ir/trace.h"
#include "brio/python/bind.h"

namespace brio::python {

void bind_graph_mode(nb::module_& m) {
  // Calls f with tensors of these (shape, dtype) that have no values, and forgets what was recorded. Sizes that data
  // decide become symbols from `first` on; `named`: f sees expressions in shapes, not None. Returns whether random
  // numbers were drawn, whether there were effects, and the first symbol that is free after it.
  m.def("_infer", [](nb::list specs, nb::object f, uint32_t first, bool named) {
    std::vector<Aval> avals;
    for (nb::handle spec : specs) avals.push_back({shape_from(spec[0]), dtype_from(spec[1])});
    static auto* const no_numbers = new OpDraws(0, 0);
    const OpDrawsScope draws(*no_numbers);
    const ShapesOnly shapes_only(first, named);
    BodyTrace trace(Recording::Kind::loop, avals, [&](const std::vector<Tensor>& tensors) {
      f(to_python(tensors));
      return std::vector<Tensor>{};
    });
    return nb::make_tuple(trace.has_draws(), trace.has_effects(), shapes_only.next());
  });
  nb::class_<OpDraws>(m, "_OpDraws")
      .def(nb::init<std::optional<uint64_t>, uint64_t>(), nb::arg("graph_seed").none(), nb::arg("op"))
      .def("call", [](OpDraws& self, nb::object f) {
        const OpDrawsScope scope(self);
        return f();
      });
}

}  // namespace brio::python
