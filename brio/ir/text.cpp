// The text form of the IR: printer and parser.
#include <charconv>
#include <cstdlib>
#include <optional>
#include <unordered_map>

#include "brio/base/error.h"
#include "brio/ir/graph.h"

namespace brio {
namespace {

std::string format_word(const AttrSpec& spec, int64_t word) {
  switch (spec.kind) {
    case AttrKind::flag: return word ? "true" : "false";
    case AttrKind::dtype: return std::string(info(static_cast<DType>(word)).ir_name);
    case AttrKind::real: {
      char text[32];
      const auto end = std::to_chars(text, text + sizeof text, from_bits<double>(static_cast<uint64_t>(word))).ptr;
      return std::string(text, end);
    }
    case AttrKind::name: return std::string(spec.names[static_cast<size_t>(word)]);
    case AttrKind::extents: return Size::of_word(word).str();
    default: return std::to_string(word);
  }
}

std::string format_attrs(const Node& node) {
  std::string text;
  size_t at = 0;
  for (const AttrSpec& spec : node.op->attrs) {
    text += cat(text.empty() ? "" : ", ", spec.name, "=");
    if (!is_list(spec.kind)) {
      text += format_word(spec, node.attrs[at++]);
      continue;
    }
    const auto count = static_cast<size_t>(node.attrs[at++]);
    text += "[";
    for (size_t i = 0; i < count; ++i) text += cat(i ? "," : "", format_word(spec, node.attrs[at++]));
    text += "]";
  }
  return text.empty() ? "" : " {" + text + "}";
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') result += "\\n";
    else result += c;
  }
  return result + "\"";
}

void indent_into(std::string& out, const std::string& text) {
  for (char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
}

// A hand-written scanner: the grammar is small and errors must name line and reason.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Graph graph() {
    if (++depth_ > kMostDepth) fail(cat("bodies lie in each other more than ", kMostDepth, " deep"));
    Graph result;
    std::unordered_map<int64_t, ValueId> names;
    expect("(");
    if (!accept(")")) {
      do {
        const int64_t name = value_name();
        expect(":");
        const Aval type = aval();
        names[name] = result.add_input(type, accept("donated"));
      } while (accept(","));
      expect(")");
    }
    expect("{");
    while (!accept("return")) node(result, names);
    if (peek() == '%') do {
        result.outputs.push_back(use(names, value_name()));
      } while (accept(","));
    expect("}");
    --depth_;
    return result;
  }
  void end() {
    if (peek() != 0) fail("text after the graph");
  }

 private:
  void node(Graph& result, std::unordered_map<int64_t, ValueId>& names) {
    std::vector<int64_t> out;
    do {
      out.push_back(value_name());
    } while (accept(","));
    expect("=");
    const std::string_view name = word();
    const OpDef* op = find_op(name);
    if (!op) fail(cat("no op is called '", name, "'"));
    std::vector<ValueId> in;
    if (peek() == '%') do {
        in.push_back(use(names, value_name()));
      } while (accept(","));
    std::vector<int64_t> attrs;
    if (accept("{")) {
      for (size_t i = 0; i < op->attrs.size(); ++i) {
        if (i) expect(",");
        expect(op->attrs[i].name);
        expect("=");
        attribute(op->attrs[i], attrs);
      }
      expect("}");
    } else if (!op->attrs.empty()) {
      fail(cat(op->name, " needs attributes, beginning with ", op->attrs[0].name));
    }
    std::vector<std::shared_ptr<const Graph>> graphs;
    while (peek() == '(') graphs.push_back(intern(graph()));
    if (accept("host")) graphs.push_back(host());
    Node* made = nullptr;
    try {
      made = &result.add(*op, std::move(in), std::move(attrs), std::move(graphs));
    } catch (const InvalidArgument& error) {
      fail(error.what());
    }
    if (made->out.size() != out.size())
      fail(cat(op->name, " has ", made->out.size(), " outputs, but ", out.size(), " are named"));
    for (size_t i = 0; i < out.size(); ++i) names[out[i]] = made->out[i];
    expect(":");
    for (size_t i = 0; i < out.size(); ++i) {
      if (i) expect(",");
      if (const Aval type = aval(); !(type == result.values[made->out[i]]))
        fail(cat("the text says ", format_aval(type), ", the shape rule ", format_aval(result.values[made->out[i]])));
    }
  }

  // The code itself is not in the text: what is read can be looked at and rewritten, not run.
  std::shared_ptr<const Graph> host() {
    Graph body;
    auto code = std::make_shared<HostCode>();
    code->name = quoted_text();
    expect("(");
    if (!accept(")")) {
      do {
        body.outputs.push_back(body.add_value(aval()));
      } while (accept(","));
      expect(")");
    }
    body.host = std::move(code);
    auto& known = hosts_[body.str()];  // equal text is one body, as it was before it was printed
    if (!known) known = std::make_shared<const Graph>(std::move(body));
    return known;
  }

  void attribute(const AttrSpec& spec, std::vector<int64_t>& attrs) {
    switch (spec.kind) {
      case AttrKind::flag:
        if (accept("true")) attrs.push_back(1);
        else if (accept("false")) attrs.push_back(0);
        else fail("true or false is expected");
        return;
      case AttrKind::dtype: attrs.push_back(static_cast<int64_t>(dtype_from_name(word()))); return;
      case AttrKind::real: attrs.push_back(static_cast<int64_t>(to_bits(real()))); return;
      case AttrKind::name: {
        const std::string_view name = word();
        for (size_t i = 0; i < spec.names.size(); ++i)
          if (spec.names[i] == name) return attrs.push_back(static_cast<int64_t>(i));
        fail(cat("'", name, "' is no ", spec.name));
      }
      case AttrKind::integer: attrs.push_back(integer()); return;
      case AttrKind::list:
      case AttrKind::extents: {
        expect("[");
        const size_t at = attrs.size();
        attrs.push_back(0);
        if (accept("]")) return;
        do {
          attrs.push_back(spec.kind == AttrKind::extents ? size().word() : integer());
        } while (accept(","));
        expect("]");
        attrs[at] = static_cast<int64_t>(attrs.size() - at - 1);
      }
    }
  }

  Aval aval() {
    const DType dtype = dtype_from_name(word());
    std::vector<Size> dims;
    expect("[");
    if (!accept("]")) {
      do {
        dims.push_back(size());
      } while (accept(","));
      expect("]");
    }
    return {Shape(std::span<const Size>(dims)), dtype};
  }

  // Up to the comma or bracket behind it.
  Size size() {
    skip();
    size_t end = at_;
    for (int depth = 0; end < text_.size(); ++end) {
      if (depth == 0 && (text_[end] == ',' || text_[end] == ']')) break;
      depth += text_[end] == '(' ? 1 : text_[end] == ')' ? -1 : 0;
    }
    const std::string_view text = text_.substr(at_, end - at_);
    try {
      const Size parsed = Size::parse(text);
      at_ = end;
      return parsed;
    } catch (const InvalidArgument& error) {
      fail(error.what());
    }
  }

  int64_t value_name() {
    expect("%");
    return integer();
  }
  ValueId use(const std::unordered_map<int64_t, ValueId>& names, int64_t name) {
    auto it = names.find(name);
    if (it == names.end()) fail(cat("%", name, " is not defined before it is used"));
    return it->second;
  }

  int64_t integer() {
    skip();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("an integer is expected");
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }
  double real() {
    skip();
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number is expected");
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }
  std::string quoted_text() {
    expect("\"");
    std::string result;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
      if (escaped) ++at_;
      result += escaped && text_[at_] == 'n' ? '\n' : text_[at_];
    }
    expect("\"");
    return result;
  }
  std::string_view word() {
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    if (start == at_) fail("a name is expected");
    return text_.substr(start, at_ - start);
  }
  void skip() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '#')
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      if (at_ >= text_.size() || !std::isspace(static_cast<unsigned char>(text_[at_]))) return;
    }
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : 0;
  }
  bool accept(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    const size_t after = at_ + token.size();
    if (std::isalpha(static_cast<unsigned char>(token[0])) && after < text_.size() &&
        (std::isalnum(static_cast<unsigned char>(text_[after])) || text_[after] == '_'))
      return false;
    at_ = after;
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(cat("'", token, "' is expected"));
  }
  [[noreturn]] void fail(const std::string& reason) {
    size_t line = 1;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n';
    throw InvalidArgument(cat("[ir] line ", line, ": ", reason));
  }

  static constexpr int kMostDepth = 100;

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::unordered_map<std::string, std::shared_ptr<const Graph>> hosts_;
};

}  // namespace

std::string format_aval(const Aval& aval) {
  std::string text(info(aval.dtype).ir_name);
  text += "[";
  for (int i = 0; i < aval.shape.rank(); ++i) text += cat(i ? "," : "", aval.shape[i].str());
  return text + "]";
}

std::string format_node(const Graph& graph, const Node& node) {
  std::string text;
  for (size_t i = 0; i < node.out.size(); ++i) text += cat(i ? ", " : "", "%", node.out[i]);
  text += cat(" = ", node.op->name);
  for (size_t i = 0; i < node.in.size(); ++i) text += cat(i ? ", " : " ", "%", node.in[i]);
  text += format_attrs(node);
  for (const auto& body : node.graphs) text += cat(" ", body->str());
  text += " : ";
  for (size_t i = 0; i < node.out.size(); ++i) text += cat(i ? ", " : "", format_aval(graph.values[node.out[i]]));
  return text;
}

std::string Graph::str() const {
  if (host) {
    std::string text = cat("host ", in_quotes(host->name), " (");
    for (size_t i = 0; i < outputs.size(); ++i) text += cat(i ? ", " : "", format_aval(values[outputs[i]]));
    return text + ")";
  }
  std::string text = "(";
  for (size_t i = 0; i < inputs.size(); ++i)
    text += cat(i ? ", " : "", "%", inputs[i].value, ": ", format_aval(values[inputs[i].value]),
                inputs[i].donated ? " donated" : "");
  text += ") {\n";
  for (const Node& node : nodes) {
    text += "  ";
    indent_into(text, format_node(*this, node));
    text += "\n";
  }
  text += "  return";
  for (size_t i = 0; i < outputs.size(); ++i) text += cat(i ? ", " : " ", "%", outputs[i]);
  return text + "\n}";
}

Graph Graph::parse(std::string_view text) {
  Parser parser(text);
  Graph graph = parser.graph();
  parser.end();
  return graph;
}

}  // namespace brio
