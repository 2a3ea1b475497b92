// Values as text, as `print` shows them, over any memory (eval.h).
#pragma once

#include "sourir/semantics/eval.h"

#include <string>
#include <unordered_set>

namespace sourir {

// Precondition: `v` is no array.
void append_scalar(std::string& out, Value v, const Names& names);

// Walks nested arrays with an explicit stack, so no depth of nesting exhausts the machine's.
template <Memory M>
class Renderer {
public:
  Renderer(std::string& out, const M& memory, const Names& names, std::uint64_t limit)
      : out_(out), memory_(memory), names_(names), start_(out.size()), limit_(limit) {}

  bool render(Value value) {
    append(value);
    while (!open_.empty() && fits()) {
      auto& [array, next] = open_.back();
      if (next == memory_.length(array)) {
        out_ += ']';
        inside_.erase(array.bits());
        open_.pop_back();
        continue;
      }
      if (next > 0) out_ += ", ";
      const Value element = memory_.element(array, next++);
      append(element);
    }
    return fits();
  }

private:
  struct Open {
    Value array;
    std::uint64_t next;
  };

  bool fits() const { return out_.size() - start_ <= limit_; }

  void append(Value v) {
    if (!v.is(Tag::Array)) {
      append_scalar(out_, v, names_);
    } else if (!inside_.insert(v.bits()).second) {
      out_ += "[...]";
    } else {
      out_ += '[';
      open_.push_back({v, 0});
    }
  }

  std::string& out_;
  const M& memory_;
  const Names& names_;
  std::size_t start_;
  std::uint64_t limit_;
  std::vector<Open> open_;
  std::unordered_set<std::uint64_t> inside_; // the arrays that are open
};

// Appends the value as `print` shows it: arrays with their elements, an array inside itself as
// [...]. False if that takes more than `limit` bytes (then a part may have been appended).
template <Memory M>
bool render(std::string& out, Value value, const M& memory, const Names& names,
            std::uint64_t limit = ~std::uint64_t{0}) {
  if (value.is(Tag::Array)) return Renderer<M>(out, memory, names, limit).render(value);
  const std::size_t before = out.size();
  append_scalar(out, value, names);
  return out.size() - before <= limit;
}
extern template bool render(std::string&, Value, const Heap&, const Names&, std::uint64_t);

// For messages: as above, cut after at most `limit` bytes, with "..." appended then.
std::string show(Value value, const Heap& heap, const Names& names, std::size_t limit = 200);

} // namespace sourir
