// Passes as text: what they make of a printed graph, and expectations of that.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "brio/brio.h"
#include "brio/passes/target.h"

namespace brio {

inline std::string after(std::initializer_list<bool (*)(Graph&)> passes, std::string_view text) {
  register_runtime();
  Graph graph = Graph::parse(text);
  verify(graph, "parsing");
  for (const auto pass : passes) {
    pass(graph);
    verify(graph, "a pass");
  }
  return graph.str();
}
inline std::string after(bool (*pass)(Graph&), std::string_view text) { return after({pass}, text); }

// A device with kernels for all fused ops.
struct OwnKernels : Target {
  bool has_own(const OpDef&) const override { return true; }
  bool prefers(const Graph&, const Node&) const override { return true; }
  double loop_op_bytes() const override { return 0.05; }
};

inline void expect_has(const std::string& text, std::string_view fragment) {
  EXPECT_NE(text.find(fragment), std::string::npos) << "no '" << fragment << "' in\n" << text;
}
inline void expect_lacks(const std::string& text, std::string_view fragment) {
  EXPECT_EQ(text.find(fragment), std::string::npos) << "'" << fragment << "' is in\n" << text;
}

}  // namespace brio
