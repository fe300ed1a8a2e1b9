#include <algorithm>

#include "brio/base/error.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/host_kernel.h"

namespace brio {

void Registry::add_device(std::unique_ptr<Device> device) {
  const size_t at = count_.load(std::memory_order_relaxed);
  BRIO_CHECK(at < entries_.size(), "too many devices");
  entries_[at].device = std::move(device);
  count_.store(at + 1, std::memory_order_release);
}

void Registry::find_devices() const {
  std::call_once(found_, [this] {
    auto& self = const_cast<Registry&>(*this);  // what is found was there before
    for (const auto& finder : finders_) {
      const size_t before = entries().size();
      if (std::string why = finder(self); !why.empty()) missing_.push_back(std::move(why));
      for (size_t i = before; i < entries().size(); ++i) register_led_kernels(self, entries_[i].device->name());
    }
  });
}

const std::vector<std::string>& Registry::missing() const {
  find_devices();
  return missing_;
}

void Registry::add(std::string_view device, const OpDef& op, const Implementation& implementation) {
  for (Entry& entry : std::span(entries_.data(), count_.load(std::memory_order_relaxed))) {
    if (entry.device->name() != device) continue;
    std::vector<Implementation>& list = entry.kernels[&op];
    list.insert(std::ranges::find_if(list, [&](const auto& i) { return i.priority < implementation.priority; }),
                implementation);
    return;
  }
  BRIO_CHECK(false, "no device is called ", device);
}

Device& Registry::device(std::string_view name) const {
  if (name != host().name()) find_devices();
  std::string known;
  for (const Entry& entry : entries()) {
    if (entry.device->name() == name) return *entry.device;
    known += cat(known.empty() ? "" : ", ", entry.device->name());
  }
  throw InvalidArgument(cat("[device] no device is called '", name, "'; there are: ", known));
}

Device& Registry::host() const {
  BRIO_CHECK(!entries().empty(), "no backend is registered");
  return *entries().front().device;
}

Device& Registry::at_place(uint16_t place) const {
  BRIO_CHECK(place >= 1 && place <= entries().size(), "no device has the number ", place);
  return *entries_[place - 1].device;
}

uint16_t Registry::place_of(const Device& device) const {
  const std::span<const Entry> all = entries();
  const auto it = std::ranges::find(all, &device, [](const Entry& entry) { return entry.device.get(); });
  BRIO_CHECK(it != all.end(), "the device ", device.name(), " is not registered");
  return static_cast<uint16_t>(it - all.begin() + 1);
}

std::vector<std::string_view> Registry::device_names() const {
  find_devices();
  std::vector<std::string_view> names;
  for (const Entry& entry : entries()) names.push_back(entry.device->name());
  return names;
}

const std::vector<Implementation>& Registry::implementations(const Device& device, const OpDef& op) const {
  static const std::vector<Implementation> none;
  for (const Entry& entry : entries()) {
    if (entry.device.get() != &device) continue;
    const auto found = entry.kernels.find(&op);
    return found == entry.kernels.end() ? none : found->second;
  }
  return none;
}

Choice choose(const Registry& registry, Device& device, const NodeView& given) {
  const NodeView node{given.graph, given.node, &device};
  Choice choice;
  for (const Implementation& implementation : registry.implementations(device, *node.node.op)) {
    Support support = implementation.supports(node);
    if (support.yes) {
      choice.kernel = implementation.prepare(node);
      choice.implementation = implementation.name;
      return choice;
    }
    choice.skipped.emplace_back(implementation.name, std::move(support.reason));
  }
  if (!device.is_host()) {
    Choice on_host = choose(registry, registry.host(), given);
    choice.kernel = run_on_host(std::move(on_host.kernel), node);
    choice.implementation = on_host.implementation;
    choice.kernel->description =
        cat("on the host, with copies", choice.kernel->description.empty() ? "" : ": ", choice.kernel->description);
    return choice;
  }
  std::string reasons;
  for (const auto& [name, reason] : choice.skipped) reasons += cat(" ", name, ": ", reason, ";");
  BRIO_CHECK(false, "nothing on ", device.name(), " runs ", format_node(node.graph, node.node), ":", reasons);
  return choice;
}

}  // namespace brio
