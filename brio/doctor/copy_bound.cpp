// Steps on a device wait for copies: of batches to it, of what the program reads from it, or of values that an op
// without a kernel there needs.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> copy_bound(const Evidence& e) {
  const DeviceSteps& d = e.device;
  if (d.device.empty() || d.copying_in + d.copying_out <= 0) return {};
  // fit() hands batches over beside the step before: the longer of the two is what a step takes.
  const bool beside = e.kind == profile::RunKind::fit && d.fallbacks == 0;
  const double in = beside && d.copying_in < 0.7 * e.step ? 0 : d.copying_in;
  const bool to_it = in >= d.copying_out;
  const double own = std::min(to_it ? in : d.copying_out, 0.95 * e.step);
  constexpr double kMuch = 0.2;  // of a step: rates are those of long copies
  if (own / e.step < kMuch) return {};
  Finding f{.id = "copy_bound", .where = cat(to_it ? "to " : "from ", d.device)};
  f.evidence = {{"share", own / e.step},
                {"copies_in_a_step", d.copies_in},
                {"bytes_in_a_step", d.bytes_in},
                {"copies_out_a_step", d.copies_out},
                {"bytes_out_a_step", d.bytes_out}};
  f.symptom = cat("copies ", f.where, " take about ", duration(own), " a step (", percent(own / e.step),
                  "): ", size_text(to_it ? d.bytes_in : d.bytes_out), " in ",
                  std::llround(to_it ? d.copies_in : d.copies_out), " copies");
  double left = 0;  // of what they take
  if (d.fallbacks > 0) {
    f.where = cat(d.fallback, " on ", d.device);
    f.evidence.emplace_back("fallbacks_a_step", d.fallbacks);
    f.symptom += cat("; ", d.fallback, " has no kernel there and runs on the host");
    f.remedy = e.from_python ? "with tf.device(\"CPU:0\"):  # around training, or use another op in its place"
                             : "const DeviceScope scope(registry().host());  // around training, or use another op";
    // The whole step on the host, by what was measured of both.
    const double after = d.on_host + e.part(Part::host) + e.part(Part::input);
    if (after >= e.step / (1 + kWorthSaying)) return {};
    f.gain = gain_of(e.step, after, 1.5 * after, 0.7 * after, How::computed);
    f.confidence = 0.5;
    return f;
  }
  if (to_it) {
    left = 0.5;
    f.remedy =
        e.from_python
            ? "ds = ds.map(lambda x, y: (tf.cast(x, tf.float16), y))  # last: half the bytes; layers cast it"
            : "ds = ds.map([](const Tensor& x, const Tensor& y) { return std::tuple(cast(x, f16), y); });  // last";
    f.confidence = 0.55;
  } else {
    constexpr double kEvery = 100;
    left = 1 / kEvery;
    if (!e.read_lines.empty()) f.where += cat(", ", e.read_lines[0].name);
    f.remedy = e.from_python ? "if step % 100 == 0:  # around the line that reads"
                             : "if (step % 100 == 0)  // around the line that reads";
    f.confidence = 0.65;
  }
  const double after = e.step - own * (1 - left);
  f.gain = gain_of(e.step, after, after + 0.4 * (e.step - after), e.step - own, How::computed);
  return f;
}

}  // namespace brio::doctor
