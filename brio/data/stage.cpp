#include "brio/data/stage.h"

#include <chrono>
#include <ctime>

#include "brio/base/error.h"
#include "brio/data/replay.h"

namespace brio::data {
namespace {

constexpr uint64_t kWorthAsking = 20'000;  // ns

class Stopwatch {
 public:
  int64_t ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

int64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

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
  // Asking how long the processor worked is a call of the system: for what takes long enough.
  const uint64_t timed = stats_.timed.load(std::memory_order_relaxed);
  const bool asks_cpu = timed > 0 && stats_.inclusive_ns.load(std::memory_order_relaxed) / timed > kWorthAsking;
  const uint64_t python = profile::python_ticks();
  const Stopwatch watch;  // around the questions: a thread that asks the system may lose its processor there
  const int64_t cpu = asks_cpu ? thread_cpu_ns() : 0;
  compute(ticket, out, worker);
  const int64_t worked = asks_cpu ? thread_cpu_ns() - cpu : 0;
  const int64_t ns = watch.ns();
  if (asks_cpu) {
    stats_.cpu_ns.fetch_add(static_cast<uint64_t>(worked), std::memory_order_relaxed);
    stats_.cpu_of_ns.fetch_add(static_cast<uint64_t>(ns), std::memory_order_relaxed);
  }
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
