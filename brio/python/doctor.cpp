// The recorder and the doctor, from Python.
#include <cstdio>

#include "brio/base/warning.h"
#include "brio/doctor/session.h"
#include "brio/doctor/verdict.h"
#include "brio/ir/recording.h"
#include "brio/profile/chrome_trace.h"
#include "brio/profile/drift.h"
#include "brio/profile/named.h"
#include "brio/profile/recorder.h"
#include "brio/python/bind.h"
#include "brio/python/imported.h"
#include "brio/python/user_line.h"
#include "brio/runtime/memory_report.h"
#include "brio/runtime/plan_cache.h"
#include "brio/tensor/memory.h"

namespace brio::python {
namespace {

// Calls a callback's method on the recorder's clock.
class CallbackTimer {
 public:
  CallbackTimer(const std::string& name, bool checkpoint)
      : row_(profile::row_of(profile::NameKind::callback, name)),
        part_(checkpoint ? profile::Part::checkpoint : profile::Part::callbacks) {
    if (row_ && checkpoint) profile::set_detail(*row_, "checkpoint");
  }
  nb::object call(nb::handle f, const nb::args& args) const {
    const profile::Scope scope(part_);
    const uint64_t begin = profile::ticks();
    nb::object result = f(*args);
    profile::count(row_, profile::ticks() - begin);
    return result;
  }

 private:
  profile::NamedRow* row_;
  profile::Part part_;
};

void print_in_python(const std::string& text) {
  const Locked locked;
  const nb::object out = imported(Imported::sys).attr("stdout");
  out.attr("write")(nb::str(text.c_str(), text.size()));
  out.attr("flush")();
}

// As long as Python can be asked: a thread of input may warn while it ends.
void warn_in_python(const std::string& line) {
  if (!Py_IsInitialized()) {
    std::fputs(line.c_str(), stderr);
    return;
  }
  const Locked locked;
  try {
    const nb::object out = imported(Imported::sys).attr("stderr");
    out.attr("write")(nb::str(line.c_str(), line.size()));
    out.attr("flush")();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("brio: a warning");
  }
}

std::string line_in_python() {
  const Locked locked;
  return user_line();
}

// Of an op that is called: where this thread has the interpreter's lock, for which none waits that holds others.
std::string line_of_op() { return PyGILState_Check() ? user_line() : std::string(); }

nb::dict ledger() {
  nb::dict owners;
  for (const LedgerRow& row : memory_ledger()) {
    nb::dict bytes;
    bytes["bytes"] = row.bytes;
    bytes["peak"] = row.peak;
    owners[nb::str(std::string(name_of(row.owner)).c_str())] = bytes;
  }
  return owners;
}

nb::dict plan_cache() {
  const PlanCacheStats stats = plan_cache_stats();
  nb::dict all;
  all["plans"] = stats.plans;
  all["bytes"] = stats.bytes;
  all["limit"] = stats.limit;
  all["hits"] = stats.hits;
  all["misses"] = stats.misses;
  all["evictions"] = stats.evictions;
  all["last_miss"] = stats.last_miss;
  return all;
}

nb::list kernel_times() {
  nb::list rows;
  const profile::OpTimes& ops = profile::training_ops();
  const double rounds = std::max<double>(1, static_cast<double>(ops.rounds()));
  for (const profile::OpTime& op : ops.read()) {
    nb::dict row;
    row["op"] = op.op;
    row["calls_a_step"] = static_cast<double>(op.calls) / rounds;
    row["seconds_a_step"] = op.seconds / rounds;
    rows.append(row);
  }
  return rows;
}

}  // namespace

void bind_doctor(nb::module_& m) {
  doctor::register_doctor();
  profile::count(profile::row_of(profile::NameKind::note, "python"), 0);
  doctor::set_printer(print_in_python);
  set_warner(warn_in_python);
  profile::set_user_line(line_in_python);
  set_line_of_call(line_of_op);
  nb::class_<CallbackTimer>(m, "_CallbackTimer")
      .def(nb::init<const std::string&, bool>(), nb::arg("name"), nb::arg("checkpoint"))
      .def("__call__", &CallbackTimer::call);
  m.def("_note", [](const std::string& what) { profile::count(profile::row_of(profile::NameKind::note, what), 0); });
  m.def("_doctor_json", [] {
    const Unlocked release;
    return doctor::judge().json();
  });
  m.def("_doctor_screen", [] {
    const Unlocked release;
    return doctor::judge().screen();
  });
  m.def("_doctor_at_end", [] {
    const Unlocked release;
    doctor::report_at_end();
  });
  m.def("_memory_ledger", ledger);
  m.def("_memory_report", [] { return memory_report().str(); });
  m.def("_plan_cache_stats", plan_cache);
  m.def("_kernel_times", kernel_times);
  m.def("_trace_begin", [] { return profile::ticks(); });
  m.def("_chrome_trace", [](uint64_t since) {
    const Unlocked release;
    return profile::chrome_trace(since);
  });
  m.def("_warn", [](const std::string& text) { warn(text); });
  m.def("_user_line", user_line);
  m.def("_sample_every", [](double seconds) { profile::sample_every(seconds); });
  m.def("_recording", [](bool on) { profile::set_recording(on); });
}

}  // namespace brio::python
