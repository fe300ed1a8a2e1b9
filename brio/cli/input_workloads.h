// The workloads of `brio bench` that read input; bench/README.md defines each.
#pragma once

#include "brio/cli/workloads.h"

namespace brio::cli {

Work make_jpeg();
Work make_jpeg_train();
Work make_packed();
Work make_rows();
Work make_rows_map();
Work make_shuffle();
Work make_tfrecord();
Work make_example();
// Records that are not in memory, shuffled in full and by blocks.
Work make_cold_full();
Work make_cold_blocks();
// A step of 5 ms whose input takes 5 ms too; the step sleeps, as for a device, or works.
Work make_overlap();
Work make_overlap_busy();

}  // namespace brio::cli
