// What an input pipeline and a training run say of themselves, for machines. For people: Report::str() and
// BatchChoice::str().
#pragma once

#include <nlohmann/json.hpp>

#include "brio/data/engine/report.h"
#include "brio/train/batch_size.h"

namespace brio::cli {

nlohmann::ordered_json to_json(const data::Report& report);
nlohmann::ordered_json to_json(const train::BatchChoice& choice);
nlohmann::ordered_json placement_json();  // what went to devices and back, and what the host ran for them

}  // namespace brio::cli
