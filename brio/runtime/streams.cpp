// Streams of threads, memory in the order of streams, and the device that a thread works on.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/profile/recorder.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/devices.h"

namespace brio {

// The streams that a thread works with, one for each device it has used, and those for copies beside them.
class ThreadStreams {
 public:
  ~ThreadStreams() {
    for (const auto* rows : {&work_, &copies_})
      for (const auto& [device, stream] : *rows) {
        const std::lock_guard lock(device->mutex_);
        device->idle_.push_back(stream);
      }
    ended = true;
  }
  // What a thread still does while it ends is done on a stream of another one.
  static Stream& of_ended(Device& device) {
    const std::lock_guard lock(device.mutex_);
    return device.streams_.empty() ? make(device) : *device.streams_[0];
  }
  Stream& for_work(Device& device) { return of(device, work_); }
  Stream& for_copies(Device& device) { return of(device, copies_); }

  static constinit thread_local bool ended;

 private:
  using Rows = std::vector<std::pair<Device*, Stream*>>;

  static Stream& make(Device& device) {
    device.streams_.push_back(device.make_stream());
    device.streams_.back()->device_ = &device;
    device.idle_.reserve(device.streams_.size());
    return *device.streams_.back();
  }
  static Stream& of(Device& device, Rows& rows) {
    for (const auto& [known, stream] : rows)
      if (known == &device) return *stream;
    rows.reserve(rows.size() + 1);
    const std::lock_guard lock(device.mutex_);
    Stream* stream = nullptr;
    if (device.idle_.empty()) {
      stream = &make(device);
    } else {
      stream = device.idle_.back();
      device.idle_.pop_back();
    }
    rows.emplace_back(&device, stream);
    return *stream;
  }

  Rows work_, copies_;
};

constinit thread_local bool ThreadStreams::ended = false;

namespace {

thread_local ThreadStreams thread_streams;

// Guards Buffer::use. Held for as long as it takes to look and to write.
std::mutex& uses_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

void start_after(Stream& stream, const Use& use) {
  if (use.stream && use.stream != &stream) stream.wait_for(*use.stream, use.ticket);
}

// Sizes are rounded up to one of eight steps per power of two.
size_t rounded(size_t bytes) {
  if (bytes <= 512) return 512;
  const size_t step = size_t{1} << (std::bit_width(bytes - 1) - 4);
  return (bytes + step - 1) / step * step;
}

}  // namespace

Stream& Device::stream() {
  return ThreadStreams::ended ? ThreadStreams::of_ended(*this) : thread_streams.for_work(*this);
}
Stream& Device::copy_stream() {
  return ThreadStreams::ended ? ThreadStreams::of_ended(*this) : thread_streams.for_copies(*this);
}

void Stream::launch_all(const Section& section, void** pointers, char* arena) {
  for (const Launch& l : section.launches) {
    const void* const* const in = const_cast<const void* const*>(pointers + l.in);
    if (l.led) l.led->lead({in, pointers + l.out, arena + l.scratch, pointers + section.table}, *this);
    else launch(*l.kernel, {in, l.out - l.in}, {pointers + l.out, l.end - l.out}, arena + l.scratch);
  }
}

void Stream::keep_pace() {
  uint64_t behind = 0;
  {
    const std::lock_guard lock(pace_mutex_);
    plans_.push_back(mark());
    if (plans_.size() <= kAhead) return;
    behind = plans_.front();
    plans_.pop_front();
  }
  wait(behind);
}

void* DeviceMemory::allocate(size_t bytes) {
  const size_t size = rounded(bytes);
  Stream& stream = device_.stream();
  {
    const std::lock_guard lock(mutex_);
    peak_ = std::max(peak_, used_ += size);
    std::vector<Block>& blocks = free_[size];
    if (!blocks.empty()) {
      // One that this stream has used needs no waiting. The latest that came back: a loop then has the same addresses
      // in each round, of which a device may make something.
      const auto own = std::find_if(blocks.rbegin(), blocks.rend(),
                                    [&](const Block& block) { return block.last.stream == &stream; });
      const auto chosen = own == blocks.rend() ? blocks.end() - 1 : own.base() - 1;
      const Block block = *chosen;
      blocks.erase(chosen);
      kept_ -= size;
      start_after(stream, block.last);
      return block.data;
    }
  }
  void* data = map(size);
  if (!data) {
    trim();
    data = map(size);
  }
  if (!data) {
    const std::lock_guard lock(mutex_);
    used_ -= size;
  }
  if (!data) {
    std::string owners;
    for (const LedgerRow& row : memory_ledger())
      if (row.bytes > 0) owners += cat(owners.empty() ? "" : ", ", name_of(row.owner), " ", row.bytes);
    throw ResourceError(cat("memory: ", device_.name(), " has no ", size, " bytes left beside the ", usage().bytes,
                            " in use; of all devices and the host: ", owners,
                            ". Use a smaller batch, mixed precision, or free tensors"));
  }
  return data;
}

void DeviceMemory::release(void* data, size_t bytes, const Use& last) noexcept {
  const size_t size = rounded(bytes);
  {
    const std::lock_guard lock(mutex_);
    used_ -= size;
    try {
      if (kept_ + size <= most_kept_) {
        free_[size].push_back({data, last});
        kept_ += size;
        return;
      }
    } catch (const std::bad_alloc&) {
    }
  }
  give_up(data, size, last);
}

DeviceMemory::Usage DeviceMemory::usage() {
  const std::lock_guard lock(mutex_);
  return {used_, peak_};
}

void DeviceMemory::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = used_;
}

void DeviceMemory::give_up(void* data, size_t size, const Use& last) noexcept {
  if (last.stream) last.stream->pass(last.ticket);
  unmap(data, size);
}

void DeviceMemory::trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [size, blocks] : free_) {
    for (const Block& block : blocks) give_up(block.data, size, block.last);
    blocks.clear();
  }
  kept_ = 0;
}

void DeviceMemory::copy_to_host(void* host, const Buffer& from, size_t offset, size_t bytes) {
  if (bytes == 0) return;
  const profile::Scope scope(profile::Part::run);  // the host waits for what leads to it
  Stream& stream = device_.stream();
  BufferUses uses(stream);
  uses.add(&from);
  stream.copy_to_host(host, static_cast<const char*>(from.data()) + offset, bytes);
  device_.traffic.count_out(bytes);
  uses.publish();
  stream.synchronize();
}

void DeviceMemory::copy_from_host(const Buffer& to, const void* host, size_t bytes) {
  if (bytes == 0) return;
  Stream& stream = device_.stream();
  BufferUses uses(stream);
  uses.add(&to);
  stream.copy_to_device(to.data(), host, bytes);
  device_.traffic.count_in(bytes);
  uses.publish();
}

// Within a device it is work of its stream; between two it goes over the host.
void copy_on_devices(const Buffer& to, const Buffer& from, size_t offset, size_t bytes) {
  if (&to.memory() != &from.memory()) {
    const BufferRef between = BufferRef::allocate(bytes, Owner::other);
    from.memory().copy_to_host(between->data(), from, offset, bytes);
    to.memory().copy_from_host(to, between->data(), bytes);
    return;
  }
  Stream& stream = to.memory().device()->stream();
  BufferUses uses(stream);
  uses.add(&from);
  uses.add(&to);
  stream.copy(to.data(), static_cast<const char*>(from.data()) + offset, bytes);
  uses.publish();
}

void BufferUses::add(const Buffer* buffer) {
  buffers_.push_back(buffer);
  const std::lock_guard lock(uses_mutex());
  start_after(stream_, buffer->use);
}

void BufferUses::publish(Stream& stream, const Buffer* buffer) {
  const std::lock_guard lock(uses_mutex());
  start_after(stream, buffer->use);
  buffer->use = {&stream, stream.mark()};
  buffer->only_read = false;
}

void BufferUses::read_on(Stream& stream, const Buffer* buffer) {
  const std::lock_guard lock(uses_mutex());
  if (!buffer->only_read) start_after(stream, buffer->use);
}

void BufferUses::publish() {
  const std::lock_guard lock(uses_mutex());
  // Others may have used them since: this stream's ticket stands for their work too.
  for (const Buffer* buffer : buffers_) start_after(stream_, buffer->use);
  const uint64_t ticket = stream_.mark();
  for (const Buffer* buffer : buffers_) {
    buffer->use = {&stream_, ticket};
    buffer->only_read = false;
  }
  for (const Buffer* buffer : read_) buffer->only_read = true;
}

namespace {

Device& named_device(std::string_view name) {
  const std::optional<DeviceSpec> spec = parse_device(name);
  Device* const found = spec ? find_device(*spec) : nullptr;
  return found ? *found : registry().device(name);  // which says what there is
}

}  // namespace

constinit std::atomic<Device*> detail::device_of_programs = nullptr;
Device& detail::choose_default_device() {
  const char* name = std::getenv("BRIO_DEVICE");
  Device& chosen = name && *name ? named_device(name) : registry().host();
  look_for_candidates_later();
  device_of_programs.store(&chosen, std::memory_order_release);
  return chosen;
}
Device& current_device() { return scope_device() ? *scope_device() : default_device(); }

namespace {

// What this thread has recorded runs where it was recorded. Ops of a trace are marked: the function runs where it is
// called, but for these.
void work_on(Device* device, uint16_t place) {
  Recording& recording = current_recording();
  if (recording.kind == Recording::Kind::eager) {
    const auto named = [](Device* d) { return d ? d : &default_device(); };
    if (named(recording.device) != named(device)) flush(recording);
    recording.device = device;
  } else {
    recording.place = place;
  }
  scope_device() = device;
}

}  // namespace

DeviceScope::DeviceScope(std::string_view name) : DeviceScope(named_device(name)) {}
DeviceScope::DeviceScope(Device& device) : before_(scope_device()), place_before_(current_recording().place) {
  work_on(&device, registry().place_of(device));
}
DeviceScope::DeviceScope(std::nullptr_t) : before_(scope_device()), place_before_(current_recording().place) {
  work_on(nullptr, 0);
}
DeviceScope::~DeviceScope() {
  try {
    work_on(before_, place_before_);
  } catch (const std::exception& error) {  // whoever reads a value that failed is told so; of an effect nobody reads
    std::fprintf(stderr, "brio: what a DeviceScope left pending failed when it ended: %s\n", error.what());
    work_on(before_, place_before_);
  }
}

}  // namespace brio
