// What a pipeline measured of itself: a row for each stage, and what was decided.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brio/data/engine/tuner.h"

namespace brio::data {

struct StageReport {
  std::string name;
  int depth = 0;                  // 1: what one that joins several is fed by, or opens while it runs; and so on
  uint64_t timed = 0;             // elements that were
  double seconds_an_element = 0;  // of its own, without its inputs
  double share = 0;               // of the time of all stages for one element of the pipeline
  int64_t held_bytes = 0;
};

// Elements that ignore_errors(), or a source with on_error = OnError::skip, left out.
struct SkippedElement {
  std::string why;
  int64_t times = 0;  // once an epoch, say
};
struct Skipped {
  int64_t count = 0;                  // in all
  std::vector<SkippedElement> first;  // the first that differ
  std::string str() const;            // some lines; none where there are none
};

struct Report {
  std::vector<StageReport> stages;      // the source first
  std::vector<ParallelReport> threads;  // the reader's last
  Skipped skipped;
  std::vector<std::string>
      choices;              // what stages chose by themselves, and why: "map: up to 32 elements at a time, …"
  std::string limit;        // what limits: a stage's name, or "the reader"
  void finish();            // shares and the limit, from the rest
  std::string str() const;  // a table
};

}  // namespace brio::data
