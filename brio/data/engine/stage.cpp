#include "brio/data/engine/stage.h"

#include <chrono>

#include "brio/base/error.h"
#include "brio/data/engine/restore_time.h"

namespace brio::data {
namespace {

class Stopwatch {
 public:
  int64_t ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Ticket& Ticket::add_inner() {
  if (inner.size() == count) inner.emplace_back();
  Ticket& ticket = inner[count++];
  ticket.count = 0;
  return ticket;
}

void Place::save(StateWriter& state) const {
  state.number(epoch);
  state.number(static_cast<uint64_t>(at));
}

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

Stage::Stage(Pipeline& pipeline, std::string name, std::vector<std::unique_ptr<Stage>> inputs)
    : pipeline_(pipeline), name_(std::move(name)), inputs_(std::move(inputs)), number_(pipeline.stages.size()) {
  pipeline.stages.push_back(this);
}

int64_t Stage::skip(int64_t n) {
  Ticket passed;
  for (int64_t i = 0; i < n; ++i) {
    if (i % 64 == 0) pipeline_.replay->check();
    passed.count = 0;
    if (!claim(passed)) return i;
  }
  return n;
}

void Stage::locate(int64_t, Ticket&) { BRIO_CHECK(false, "a stage without numbered elements was asked for one"); }

void Stage::compute_part(Ticket& ticket, int64_t, Element& out, Worker& worker) { make(ticket, out, worker); }

bool Stage::has_work() const {
  for (const auto& each : inputs_)
    if (each->has_work()) return true;
  return false;
}

Element& Stage::scratch(Worker& worker) const {
  if (worker.scratch.size() <= number_) worker.scratch.resize(pipeline_.stages.size());
  return worker.scratch[number_];
}

bool Stage::compute_rows(std::span<Ticket>, Element&, Worker&) {
  BRIO_CHECK(false, "a stage that makes elements one by one was asked for several");
  return false;
}

void Stage::took(size_t elements, int64_t ns) {
  stats_.timed.fetch_add(elements, std::memory_order_relaxed);
  stats_.inclusive_ns.fetch_add(static_cast<uint64_t>(ns), std::memory_order_relaxed);
}

void Stage::make_timed(Ticket& ticket, Element& out, Worker& worker) {
  const uint64_t python = profile::python_ticks();
  const Stopwatch watch;
  compute(ticket, out, worker);
  const int64_t ns = watch.ns();
  if (const uint64_t in_python = profile::python_ticks() - python)
    stats_.python_ns.fetch_add(profile::ns_of(in_python), std::memory_order_relaxed);
  uint64_t bytes = 0;
  for (size_t i = 0; i < out.size(); ++i) bytes += out.aval(i).bytes();
  if (bytes > stats_.out_bytes.load(std::memory_order_relaxed))
    stats_.out_bytes.store(bytes, std::memory_order_relaxed);
  took(1, ns);
}

bool Stage::make_rows(std::span<Ticket> tickets, Element& block, Worker& worker) {
  if (!worker.timed) return compute_rows(tickets, block, worker);
  const uint64_t python = profile::python_ticks();
  const Stopwatch watch;
  const bool alike = compute_rows(tickets, block, worker);
  took(tickets.size(), watch.ns());
  if (const uint64_t in_python = profile::python_ticks() - python)
    stats_.python_ns.fetch_add(profile::ns_of(in_python), std::memory_order_relaxed);
  return alike;
}

}  // namespace brio::data
