#include "brio/cli/explain.h"

#include "brio/runtime/explain.h"

namespace brio::cli {

using Json = nlohmann::ordered_json;

Json to_json(const data::Report& report) {
  Json stages = Json::array(), queues = Json::array();
  for (const data::StageReport& stage : report.stages)
    stages.push_back({{"name", stage.name},
                      {"depth", stage.depth},
                      {"seconds_an_element", stage.seconds_an_element},
                      {"share", stage.share},
                      {"timed", stage.timed},
                      {"held_bytes", stage.held_bytes}});
  for (const data::ParallelReport& queue : report.threads) {
    Json decisions = Json::array();
    for (const data::Decision& each : queue.decisions) {
      decisions.push_back({{"seconds", each.seconds},
                           {"what", each.what},
                           {"from", each.from},
                           {"to", each.to},
                           {"why", each.why},
                           {"predicted", each.predicted}});
      if (each.measured > -1) decisions.back()["measured"] = each.measured;
    }
    queues.push_back({{"reads", queue.stage},
                      {"elements", queue.elements},
                      {"seconds", static_cast<double>(queue.wall_ns) * 1e-9},
                      {"waited", queue.waited()},
                      {"threads", queue.workers},
                      {"depth", queue.depth},
                      {"filled", queue.mean_filled()},
                      {"held_bytes", queue.bytes * queue.filled},
                      {"decisions", std::move(decisions)}});
  }
  return {{"limit", report.limit},
          {"stages", std::move(stages)},
          {"queues", std::move(queues)},
          {"choices", report.choices},
          {"skipped", report.skipped.count}};
}

Json to_json(const train::BatchChoice& choice) {
  Json tried = Json::array();
  for (const train::BatchChoice::Tried& each : choice.tried)
    tried.push_back(
        {{"batch_size", each.batch_size}, {"samples_a_second", each.samples_a_second}, {"bytes", each.bytes}});
  return {{"batch_size", choice.batch_size}, {"tried", std::move(tried)}, {"why_no_larger", choice.why_no_larger}};
}

Json placement_json() {
  Json list = Json::array();
  for (const TrafficCount& t : traffic_counts()) {
    Json ops = Json::array();
    for (const FallbackCount& f : fallback_counts())
      if (f.device == t.device)
        ops.push_back({{"op", f.op},
                       {"runs", f.runs},
                       {"bytes", f.bytes},
                       {"seconds", static_cast<double>(f.nanoseconds) * 1e-9}});
    list.push_back({{"device", t.device},
                    {"copies_in", t.copies_in},
                    {"bytes_in", t.bytes_in},
                    {"copies_out", t.copies_out},
                    {"bytes_out", t.bytes_out},
                    {"host_ops", std::move(ops)}});
  }
  return list;
}

}  // namespace brio::cli
