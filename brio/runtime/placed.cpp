#include "brio/runtime/placed.h"

#include <algorithm>
#include <map>

#include "brio/base/error.h"
#include "brio/runtime/placement.h"
#include "brio/runtime/plan_cache.h"
#include "brio/runtime/symbolic.h"

namespace brio {
namespace {

void infer_placed(const OpCall& call, std::vector<Aval>& out) {
  const Graph& body = *call.graphs[0];
  for (const ValueId v : body.outputs) out.push_back(body.values[v]);
}

constexpr AttrSpec kAttrs[] = {{"place", AttrKind::integer}};

bool has_string(const Graph& graph, const Node& node) {
  const auto is_string = [&](ValueId v) { return graph.values[v].dtype == DType::string; };
  return std::ranges::any_of(node.in, is_string) || std::ranges::any_of(node.out, is_string);
}

// The nodes of one place that run one after another.
struct Part {
  uint16_t place;
  std::vector<uint32_t> nodes;
};

class Apart {
 public:
  explicit Apart(Graph& graph) : g_(graph), maker_(graph.values.size(), nullptr) {
    for (const Node& node : g_.nodes)
      for (const ValueId v : node.out) maker_[v] = &node;
  }

  void run() {
    const std::vector<Part> parts = in_parts();
    // Constants are wherever they are used.
    std::vector<Node> nodes;
    for (const Node& node : g_.nodes)
      if (is_constant(node)) nodes.push_back(node);
    std::vector<uint32_t> part_of(g_.values.size(), 0);
    for (uint32_t p = 0; p < parts.size(); ++p)
      for (const uint32_t n : parts[p].nodes)
        for (const ValueId v : g_.nodes[n].out) part_of[v] = p + 1;
    std::vector<bool> leaves(g_.values.size(), false);
    for (const ValueId v : g_.outputs) leaves[v] = true;
    for (uint32_t p = 0; p < parts.size(); ++p)
      for (const uint32_t n : parts[p].nodes)
        for (const ValueId v : g_.nodes[n].in)
          if (part_of[v] != p + 1) leaves[v] = true;
    for (const Part& part : parts) {
      if (part.place != 0) {
        nodes.push_back(as_one(part, leaves));
        continue;
      }
      for (const uint32_t n : part.nodes) nodes.push_back(g_.nodes[n]);
    }
    for (Node& node : nodes) node.place = 0;
    g_.nodes = std::move(nodes);
  }

 private:
  // As long as some node of the present place can run, the next is one of these.
  std::vector<Part> in_parts() const {
    std::vector<uint32_t> waits(g_.nodes.size(), 0);
    std::vector<std::vector<uint32_t>> readers(g_.nodes.size());
    std::map<uint16_t, std::vector<uint32_t>> ready;  // by place; the first node last
    for (uint32_t n = 0; n < g_.nodes.size(); ++n) {
      for (const ValueId v : g_.nodes[n].in)
        if (maker_[v] && !is_constant(*maker_[v])) {
          readers[static_cast<size_t>(maker_[v] - g_.nodes.data())].push_back(n);
          ++waits[n];
        }
      if (waits[n] == 0 && !is_constant(g_.nodes[n])) ready[g_.nodes[n].place].push_back(n);
    }
    for (auto& [place, list] : ready) std::ranges::sort(list, std::greater<>());
    std::vector<Part> parts;
    const auto first_ready = [&] {
      return std::ranges::min_element(
          ready, {}, [](const auto& row) { return row.second.empty() ? ~uint32_t{0} : row.second.back(); });
    };
    for (auto at = first_ready(); at != ready.end() && !at->second.empty(); at = first_ready()) {
      Part& part = parts.emplace_back(Part{at->first, {}});
      while (!at->second.empty()) {
        const uint32_t n = at->second.back();
        at->second.pop_back();
        part.nodes.push_back(n);
        for (const uint32_t reader : readers[n]) {
          if (--waits[reader] != 0) continue;
          auto& list = ready[g_.nodes[reader].place];
          list.insert(std::ranges::lower_bound(list, reader, std::greater<>()), reader);
        }
      }
    }
    return parts;
  }

  Node as_one(const Part& part, const std::vector<bool>& leaves) const {
    Graph body;
    Node one{&op::placed, {}, {}, {part.place}, {}};
    std::map<ValueId, ValueId> inside;
    const auto value_of = [&](ValueId v) {
      if (const auto it = inside.find(v); it != inside.end()) return it->second;
      if (maker_[v] && is_constant(*maker_[v])) {
        Node constant = *maker_[v];
        constant.place = 0;
        constant.out = {body.add_value(g_.values[v])};
        body.nodes.push_back(constant);
        return inside[v] = constant.out[0];
      }
      one.in.push_back(v);
      return inside[v] = body.add_input(g_.values[v]);
    };
    for (const uint32_t n : part.nodes) {
      Node node = g_.nodes[n];
      node.place = 0;
      for (ValueId& v : node.in) v = value_of(v);
      for (ValueId& v : node.out) v = inside[v] = body.add_value(g_.values[v]);
      body.nodes.push_back(std::move(node));
      for (const ValueId v : g_.nodes[n].out) {
        if (!leaves[v]) continue;
        body.outputs.push_back(inside[v]);
        one.out.push_back(v);
      }
    }
    one.graphs.push_back(intern(std::move(body)));
    return one;
  }

  Graph& g_;
  std::vector<const Node*> maker_;  // per value
};

// Takes its inputs to the other device, runs, and brings the results back.
class PlacedKernel final : public LedKernel {
 public:
  explicit PlacedKernel(const NodeView& node)
      : there_(registry().at_place(static_cast<uint16_t>(node.attrs()[0]))),
        plan_(std::make_shared<const CachedPlan>(make_plan(*node.node.graphs[0], there_).plan)) {
    for (size_t i = 0; i < node.node.in.size(); ++i) in_.push_back(node.in(i));
    for (size_t i = 0; i < node.node.out.size(); ++i) out_.push_back(node.out(i));
    description = cat("on ", there_.name(), ", in ", plan_->plan().step_count(), " steps");
  }
  size_t heap_bytes() const override { return plan_->bytes(); }

  void run(const KernelArgs& args) const override { run_between(args.in, args.out); }

  void lead(const KernelArgs& args, Stream& stream) const override {
    std::vector<Array> in, out;
    std::vector<const void*> in_data;
    std::vector<void*> out_data;
    for (const Aval& aval : in_) in_data.push_back(in.emplace_back(Array::allocate(aval)).data());
    for (size_t i = 0; i < out_.size(); ++i)
      out_data.push_back(args.out[i] ? out.emplace_back(Array::allocate(out_[i])).data() : nullptr);
    for (size_t i = 0; i < in_.size(); ++i) {
      if (in_[i].bytes() == 0) continue;
      stream.copy_to_host(in[i].data(), args.in[i], in_[i].bytes());
      stream.device().traffic.count_out(in_[i].bytes());
    }
    stream.synchronize();
    run_between(in_data.data(), out_data.data());
    for (size_t i = 0; i < out_.size(); ++i) {
      if (out_[i].bytes() == 0 || !args.out[i]) continue;
      stream.copy_to_device(args.out[i], out_data[i], out_[i].bytes());
      stream.device().traffic.count_in(out_[i].bytes());
    }
  }

 private:
  // Between memory of the host and the other device.
  void run_between(const void* const* in, void* const* out) const {
    const Plan& plan = plan_->plan();
    Memory& memory = there_.memory();
    std::vector<BufferRef> inputs, fresh;
    std::vector<const Buffer*> buffers;
    std::vector<const void*> in_data(in, in + in_.size());
    std::vector<void*> fresh_data;
    for (size_t i = 0; i < in_.size() && !there_.is_host(); ++i) {
      const size_t bytes = in_[i].bytes();
      inputs.push_back(BufferRef::allocate(std::max<size_t>(bytes, 1), Owner::activations, memory));
      memory.copy_from_host(*inputs[i].get(), in[i], bytes);
      in_data[i] = inputs[i]->data();
      buffers.push_back(inputs[i].get());
    }
    for (const size_t bytes : plan.fresh_buffers()) {
      fresh.push_back(BufferRef::allocate(bytes, Owner::activations, memory));
      fresh_data.push_back(fresh.back()->data());
      if (!there_.is_host()) buffers.push_back(fresh.back().get());
    }
    plan_->run(in_data.data(), fresh_data.data(), buffers);
    for (size_t i = 0; i < out_.size(); ++i) {
      const Plan::Output& output = plan.outputs()[i];
      const size_t bytes = out_[i].bytes();
      if (bytes == 0 || !out[i]) continue;
      if (output.is_input) std::memcpy(out[i], static_cast<const char*>(in[output.index]) + output.offset, bytes);
      else if (there_.is_host())
        std::memcpy(out[i], static_cast<const char*>(fresh_data[output.index]) + output.offset, bytes);
      else memory.copy_to_host(out[i], *fresh[output.index].get(), output.offset, bytes);
    }
  }

  Device& there_;
  std::shared_ptr<const CachedPlan> plan_;
  std::vector<Aval> in_, out_;
};

}  // namespace

namespace op {
const OpDef placed{.name = "placed",
                   .summary = "a part of a graph that runs on another device",
                   .kind = OpKind::control,
                   .min_inputs = 0,
                   .max_inputs = -1,
                   .attrs = kAttrs,
                   .infer = infer_placed,
                   .no_grad = "the planner makes it, of what was differentiated",
                   .also_takes = kComplex};
}  // namespace op

bool has_places(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) { return node.place != 0; });
}

void set_places_apart(Graph& graph, Device& device) {
  const uint16_t here = registry().place_of(device);
  for (Node& node : graph.nodes)
    if (node.place == here || has_string(graph, node)) node.place = 0;
  if (has_places(graph)) Apart(graph).run();
}

Device& main_place(Graph& graph, Device& called_on) {
  const uint16_t outside = registry().place_of(called_on);
  std::map<uint16_t, size_t> counts;
  for (Node& node : graph.nodes)
    if (!is_constant(node)) ++counts[node.place == 0 ? outside : node.place];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& row) { return row.second; });
  if (most == counts.end() || most->first == outside) return called_on;
  for (Node& node : graph.nodes)
    if (node.place == 0) node.place = outside;
  return registry().at_place(most->first);
}

void register_placed_kernel(Registry& registry, std::string_view device) {
  registry.add(device, op::placed,
               {.name = "another device",
                .priority = 0,
                .supports = [](const NodeView&) { return Support::can(); },
                .prepare = [](const NodeView& node) -> std::unique_ptr<Kernel> {
                  return std::make_unique<PlacedKernel>(node);
                }});
}

}  // namespace brio
