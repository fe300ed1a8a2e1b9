// batch() over resized pictures on a device that decodes them by itself (runtime/device_pictures.h): threads read the
// files, and what the device does not take is made on the host, as always, and copied there. Places, their order and
// the state are those of the batch on the host, which stays below and is only not computed.
#pragma once

#include "brio/data/engine/stage.h"

namespace brio::data {

// The node in whose place a device may make batches: the outermost batch(), unless a step behind it looks at its
// elements. Null: there is none that a device can make, for the reason `why`.
const Node* batch_for_device(const Node& root, std::string& why);

// Makes on `device` what `batch`, the stage of such a node, would make on the host. `about`: for Report.
std::unique_ptr<Stage> batch_on_device(Pipeline& pipeline, std::unique_ptr<Stage> batch, Device& device,
                                       std::string about);

}  // namespace brio::data
