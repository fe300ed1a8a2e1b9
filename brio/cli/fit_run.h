// The folder of a run of `brio fit`: its settings, so that it can go on, its checkpoints, log, model and report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "brio/cli/arguments.h"

namespace brio::cli {

class FitRun {
 public:
  // Begins a run, or goes on with the one that is there. Throws Misuse where RUN holds one and `resume` is false, and
  // where an option is given that differs from that of the run.
  FitRun(std::string folder, bool resume, const Arguments& arguments, const std::string& source);

  // An option: as given, else as the run that goes on has it, else `otherwise`. It is kept from now on.
  std::string setting(const std::string& option, const std::string& otherwise);
  bool goes_on() const { return goes_on_; }
  void keep_settings() const;  // written once all are known

  std::string file(const char* name) const;

 private:
  std::string folder_;
  bool goes_on_ = false;
  const Arguments& arguments_;
  nlohmann::ordered_json before_ = nlohmann::ordered_json::object(), settings_ = nlohmann::ordered_json::object();
};

}  // namespace brio::cli
