// The training thread could run and gets no processor.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> cpu_contention(const Evidence& e) {
  constexpr double kMuch = 0.15;
  const double lost = std::max(e.waited_cpu, e.throttled);
  if (lost < kMuch || e.samples.size() < 3 || e.wall < 1) return {};
  const double own = e.step > 0 ? e.cpu_a_step / e.step : 0;  // processors that we keep busy
  const bool too_many = e.threads > e.cpus;
  if (e.throttled < kMuch && !too_many && own > 0.8 * e.cpus) return {};  // it is our own work
  Finding f{.id = "cpu_contention",
            .where = e.throttled >= kMuch ? "the control group's quota"
                     : too_many           ? "threads"
                                          : "other processes"};
  f.evidence = {{"waited_share", e.waited_cpu},
                {"throttled_share", e.throttled},
                {"cpus", static_cast<double>(e.cpus)},
                {"threads", static_cast<double>(e.threads)},
                {"cpus_busy", own}};
  f.symptom = cat("the training thread waited ", percent(lost), " of the time for a processor (", f.where, ")");
  f.remedy = e.throttled >= kMuch ? "raise the CPU quota of the container"
             : too_many           ? cat("BRIO_THREADS=", e.cpus)
                                  : "run it when the machine is free, or on other cores: taskset -c CORES COMMAND";
  f.gain = gain_of(e.step, e.step * (1 - lost), e.step * (1 - 0.5 * lost), e.step * (1 - lost), How::computed);
  f.confidence = 0.6;
  return f;
}

}  // namespace brio::doctor
