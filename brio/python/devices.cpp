// Devices: the scope of tf.device, where tensors are, what is there, and what went to and fro.
#include "brio/runtime/devices.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/python/bind.h"
#include "brio/python/devices.h"
#include "brio/runtime/explain.h"

namespace brio::python {
namespace {

// tf.device(name) from `with` to its end; without a name, where work goes outside of any scope.
class Scope {
 public:
  explicit Scope(Device* device) : device_(device) {}
  void enter() {
    scope_ = device_ ? std::make_unique<DeviceScope>(*device_) : std::make_unique<DeviceScope>(nullptr);
  }
  // What is pending is run first, so that its failure is raised here.
  void exit(bool failed) {
    if (!failed && current_recording().kind == Recording::Kind::eager && device_ && !device_->is_host()) {
      try {
        const Unlocked release;
        flush();
      } catch (...) {
        scope_.reset();
        throw;
      }
    }
    scope_.reset();
  }

 private:
  Device* device_;
  std::unique_ptr<DeviceScope> scope_;
};

Device& device_called(const std::string& name) { return registry().device(name); }

nb::dict memory_info(const std::string& name) {
  nb::dict info;
  Device& device = device_called(name);
  if (auto* memory = dynamic_cast<DeviceMemory*>(&device.memory())) {
    const DeviceMemory::Usage usage = memory->usage();
    info["current"] = usage.bytes;
    info["peak"] = usage.peak;
    return info;
  }
  int64_t bytes = 0, peak = 0;
  for (const LedgerRow& row : memory_ledger()) {
    bytes += row.bytes;
    peak += row.peak;
  }
  info["current"] = bytes;
  info["peak"] = peak;
  return info;
}

nb::dict traffic() {
  nb::dict all;
  for (const TrafficCount& t : traffic_counts()) {
    nb::dict row, ops;
    row["copies_in"] = t.copies_in;
    row["bytes_in"] = t.bytes_in;
    row["copies_out"] = t.copies_out;
    row["bytes_out"] = t.bytes_out;
    for (const FallbackCount& f : fallback_counts()) {
      if (f.device != t.device) continue;
      nb::dict op;
      op["runs"] = f.runs;
      op["bytes"] = f.bytes;
      op["seconds"] = static_cast<double>(f.nanoseconds) * 1e-9;
      ops[nb::str(f.op.c_str())] = op;
    }
    row["host_ops"] = ops;
    all[nb::str(t.device.c_str())] = row;
  }
  return all;
}

}  // namespace

std::string device_of(const Tensor& x) {
  TensorImpl* const impl = x.impl();
  if (!impl->computed.load(std::memory_order_acquire)) {
    Recording* const home = impl->recording.load(std::memory_order_acquire);
    if (home && home->kind != Recording::Kind::eager) {
      const uint32_t node = home->producers[impl->value];
      const uint16_t place = node == kNone ? uint16_t{0} : home->nodes[node].place;
      return place == 0 ? std::string() : full_name(registry().at_place(place));
    }
    const Unlocked release;
    evaluate(*impl);
  }
  Device* const device = impl->array.buffer ? impl->array.buffer->memory().device() : nullptr;
  return full_name(device ? *device : registry().host());
}

Tensor in_scope(Tensor x) {
  Device* const device = scope_device();
  if (!device || device->is_host() || x.dtype() == DType::string || current_journal ||
      current_recording().kind != Recording::Kind::eager)
    return x;
  const Unlocked release;
  evaluate(*x.impl());
  return Tensor(x.impl()->copy_in(device->memory()));
}

void bind_devices(nb::module_& m) {
  nb::class_<Scope>(m, "_DeviceScope")
      .def("__enter__", [](Scope& self) { self.enter(); })
      .def(
          "__exit__", [](Scope& self, nb::handle type, nb::handle, nb::handle) { self.exit(!type.is_none()); },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none());
  // As TensorFlow spells it. A name without a device in it changes nothing: None.
  m.def(
      "_device_scope",
      [](std::optional<std::string> name) -> std::optional<Scope> {
        if (!name) return Scope(nullptr);
        const std::optional<DeviceSpec> spec = parse_device(*name);
        return spec ? std::optional(Scope(&device_for(*spec))) : std::nullopt;
      },
      nb::arg("name").none());
  m.def("_devices", [](bool visible) {
    nb::list list;
    for (Device* device : visible ? visible_devices() : physical_devices()) {
      const DeviceSpec spec = spec_of(*device);
      list.append(nb::make_tuple(std::string(device->name()), spec.kind, spec.number, device->description()));
    }
    return list;
  });
  m.def("_set_visible_devices", [](const std::vector<std::string>& names) {
    std::vector<Device*> devices;
    for (const std::string& name : names) devices.push_back(&device_called(name));
    set_visible_devices(devices);
  });
  m.def("_canonical_device", [](const std::string& name) {
    const std::optional<DeviceSpec> spec = parse_device(name);
    return spec ? cat("/device:", spec->kind, ":", spec->number) : std::string();
  });
  m.def("_device_name", [](const std::string& name) -> std::optional<std::string> {
    const std::optional<DeviceSpec> spec = parse_device(name);
    Device* const device = spec ? find_device(*spec) : nullptr;
    return device ? std::optional(std::string(device->name())) : std::nullopt;
  });
  m.def("_set_soft_placement", [](bool soft) { set_soft_placement(soft); });
  m.def("_soft_placement", [] { return soft_placement(); });
  m.def("_set_log_placement", [](bool log) { set_log_placement(log); });
  m.def("_memory_info", &memory_info);
  m.def("_reset_memory_peak", [](const std::string& name) {
    if (auto* memory = dynamic_cast<DeviceMemory*>(&device_called(name).memory())) memory->reset_peak();
  });
  m.def("_device_traffic", &traffic);
  m.def("_reset_device_traffic", [] { reset_device_counts(); });
}

}  // namespace brio::python
