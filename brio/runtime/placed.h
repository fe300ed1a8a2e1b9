// Parts of a graph that run on other devices than the rest: each becomes one node, whose body is planned for its
// device. Values that pass between the parts go over the host.
#pragma once

#include "brio/runtime/backend.h"

namespace brio {

namespace op {
// placed(inputs of its body…): made by the planner, never recorded and never written to a file.
extern const OpDef placed;
}  // namespace op

bool has_places(const Graph& graph);  // of its own nodes

// For a graph that runs on `device`. Nodes are put in an order in which they change places seldom; those that have to
// do with strings stay. Afterwards no node has a place of its own.
void set_places_apart(Graph& graph, Device& device);

// Where most nodes are: the device that the whole graph runs on, where its values lie; `called_on` is that of nodes
// without a place. These are given theirs if it is another device.
Device& main_place(Graph& graph, Device& called_on);

}  // namespace brio
