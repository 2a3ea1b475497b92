#include "sourir/semantics/step.h"
#include "sourir/syntax/printer.h"

#include <unordered_set>

namespace sourir {

namespace {

void append_scalar(std::string &out, Value v, const Names &names) {
  if (v.is(Tag::Unbound))
    out += "(not in scope)";
  else if (v.is(Tag::Float))
    out += print_float(v.as_float());
  else if (v.is(Tag::Int))
    out += std::to_string(v.as_int());
  else
    out += print(*to_literal(v), names);
}

// Walks arrays with a stack of its own, however deep they nest.
class Renderer {
public:
  Renderer(std::string &out, const Heap &heap, const Names &names, std::uint64_t limit)
      : out_(out), heap_(heap), names_(names), start_(out.size()), limit_(limit) {}

  bool render(Value value) {
    append(value);
    while (!open_.empty() && fits()) {
      auto &[address, next] = open_.back();
      const std::vector<Value> &block = heap_.blocks[address];
      if (next == block.size()) {
        out_ += ']';
        inside_.erase(address);
        open_.pop_back();
        continue;
      }
      if (next > 0)
        out_ += ", ";
      const Value element = block[next++];
      append(element);
    }
    return fits();
  }

private:
  struct Open {
    std::uint32_t address;
    std::size_t next;
  };

  bool fits() const { return out_.size() - start_ <= limit_; }

  void append(Value v) {
    if (!v.is(Tag::Array)) {
      append_scalar(out_, v, names_);
    } else if (!inside_.insert(v.as_array().index).second) {
      out_ += "[...]";
    } else {
      out_ += '[';
      open_.push_back({v.as_array().index, 0});
    }
  }

  std::string &out_;
  const Heap &heap_;
  const Names &names_;
  std::size_t start_;
  std::uint64_t limit_;
  std::vector<Open> open_;
  std::unordered_set<std::uint32_t> inside_; // the arrays that are open
};

} // namespace

bool render(std::string &out, Value value, const Heap &heap, const Names &names,
            std::uint64_t limit) {
  if (value.is(Tag::Array))
    return Renderer(out, heap, names, limit).render(value);
  const std::size_t before = out.size();
  append_scalar(out, value, names);
  return out.size() - before <= limit;
}

std::string show(Value value, const Heap &heap, const Names &names, std::size_t limit) {
  std::string out;
  if (!render(out, value, heap, names, limit)) {
    while (limit > 0 && (static_cast<unsigned char>(out[limit]) & 0xC0) == 0x80)
      --limit; // not inside a UTF-8 sequence
    out.resize(limit);
    out += "...";
  }
  return out;
}

} // namespace sourir
