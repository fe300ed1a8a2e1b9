// The measurements of a pipeline: a row for each stage, and the decisions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brio/data/engine/tuner.h"

namespace brio::data {

struct StageReport {
  std::string name;
  int depth = 0;                  // 1: inputs of a stage that joins several, or pipelines that it opens; and so on
  uint64_t timed = 0;             // number of timed elements
  double seconds_an_element = 0;  // its own time, without its inputs
  double share = 0;               // of the time of all stages for one element of the pipeline
  int64_t held_bytes = 0;
};

// Elements that ignore_errors(), or a source with on_error = OnError::skip, left out.
struct SkippedElement {
  std::string why;
  int64_t times = 0;  // for example once per epoch
};
struct Skipped {
  int64_t count = 0;                  // in all
  std::vector<SkippedElement> first;  // the first ones that differ
  std::string str() const;            // some lines; empty if there are none
};

struct Report {
  std::vector<StageReport> stages;      // the source first
  std::vector<ParallelReport> threads;  // the reader's last
  Skipped skipped;
  std::vector<std::string>
      choices;              // what stages chose by themselves, and why: "map: up to 32 elements at a time, …"
  std::string limit;        // what limits the pipeline: a stage's name, or "the reader"
  void finish();            // shares and the limit, from the rest
  std::string str() const;  // a table
};

}  // namespace brio::data
