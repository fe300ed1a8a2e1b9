// What a pipeline reports to the doctor.
#pragma once

#include "brio/data/engine/parallel.h"

namespace brio::data {

// For the stages up to `root`, which `reader` reads.
void add_facts(const Stage& root, const Parallel& reader, profile::PipelineFacts& facts);

}  // namespace brio::data
