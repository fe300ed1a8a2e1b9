// Parts of a graph that run on another device than the rest. Each becomes one node, whose body is planned for its
// device. Values between the parts go over the host.
#pragma once

#include "brio/runtime/backend.h"

namespace brio {

namespace op {
// placed(inputs of its body…): made by the planner; never recorded, and never written to a file.
extern const OpDef placed;
}  // namespace op

bool has_places(const Graph& graph);  // checks its own nodes

// For a graph that runs on `device`. Orders nodes so that the place changes rarely; nodes with strings keep their
// position. Afterwards no node has a place.
void set_places_apart(Graph& graph, Device& device);

// The place of most nodes: the device on which the whole graph runs and its values are. `called_on` is the place of
// nodes without one. If the result is another device, these nodes are marked with their place.
Device& main_place(Graph& graph, Device& called_on);

}  // namespace brio
