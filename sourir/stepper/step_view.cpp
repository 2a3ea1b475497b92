#include "sourir/stepper/step_view.h"

#include "sourir/semantics/run.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>

namespace sourir {

std::string reference_text(Value value, const Viewed& v) {
  if (value.is(Tag::Array)) return fmt::format("@{}", value.as_array().index);
  return show(value, v.config().heap, v.names(), ~std::size_t{0});
}

std::string value_text(Value value, const Viewed& v, std::size_t limit) {
  const Heap& heap = v.config().heap;
  if (!value.is(Tag::Array)) return show(value, heap, v.names(), limit);
  const std::uint32_t address = value.as_array().index;
  if (address >= heap.blocks.size()) // made by the step that is looked at
    return fmt::format("@{}", address);
  return fmt::format("@{} {}", address, show(value, heap, v.names(), limit));
}

PlaceView view_place(const Viewed& v, Position at) {
  return {v.program.place(at), v.program.line(at), v.program.instruction(at)};
}

std::string view_end(const Viewed& v) {
  const Config& c = v.config();
  const StepResult end = v.walker.end();
  switch (end.status) {
  case StepStatus::Stepped: break;
  case StepStatus::Stopped: return "the program has stopped with " + value_text(c.result, v);
  case StepStatus::Stuck: {
    const bool no_input = end.why == StuckReason::InputExhausted && !v.has_input;
    return fmt::format("stuck: {}: {}{}", name_of(end.why), describe(c, end).message,
                       no_input ? "; give the program something to read with --input FILE" : "");
  }
  case StepStatus::AtLimit:
    return fmt::format("limit: {}: {}", name_of(end.limit), describe(c, end).message);
  }
  return {};
}

HereView view_here(const Viewed& v) {
  HereView here{v.config().steps, std::nullopt, {}, view_end(v)};
  if (v.config().stopped()) return here;
  here.at = view_place(v, v.walker.position());
  if (const Next found = next(v.config()); found.rule && here.end.empty())
    here.rule = found.rule->name;
  return here;
}

std::vector<VariableView> view_environment(const Viewed& v, const ResolvedVersion& code, Env env,
                                           ValueText text) {
  std::vector<VariableView> out;
  for (Slot slot = 0; slot < code.slots.size(); ++slot)
    if (!env[slot].is(Tag::Unbound))
      out.push_back({std::string(v.names().text(code.slots[slot])), env[slot], text(env[slot], v)});
  return out;
}

FrameView view_frame(const Viewed& v, std::uint64_t number, ValueText text) {
  const Config& c = v.config();
  if (number == 0) // nothing after stop
    return c.stopped() ? FrameView{}
                       : FrameView{0,
                                   view_place(v, v.walker.position()),
                                   {},
                                   view_environment(v, *c.code, c.env(), text)};
  const Continuation& k = c.frames[c.frames.size() - number];
  return {number, view_place(v, {k.code, k.pc}),
          std::string(v.names().text(k.code->slots[k.result])),
          view_environment(v, *k.code, c.stack.data() + k.base, text)};
}

StackView view_stack(const Viewed& v, std::size_t most) {
  const Config& c = v.config();
  StackView stack{{}, c.stopped() ? 0 : c.frames.size() + 1};
  const auto text = [](Value value, const Viewed& at) { return value_text(value, at, 40); };
  for (std::uint64_t number = 0; number < stack.total && number < most; ++number)
    stack.frames.push_back(view_frame(v, number, text));
  return stack;
}

std::vector<Address> reachable(const Config& c, std::size_t most, std::uint64_t budget, bool& cut) {
  std::vector<Address> found;
  std::vector<bool> seen(c.heap.blocks.size());
  const auto look = [&](const Value* begin, const Value* end) {
    for (; begin != end && !cut; ++begin) {
      cut = budget-- == 0;
      if (!begin->is(Tag::Array) || seen[begin->as_array().index]) continue;
      seen[begin->as_array().index] = true;
      if (found.size() == most)
        cut = true;
      else
        found.push_back(begin->as_array());
    }
  };
  const auto look_at_frame = [&](std::size_t base, std::size_t end) {
    look(c.stack.data() + base, c.stack.data() + end);
  };
  cut = false;
  look(&c.result, &c.result + 1);
  if (!c.stopped()) look_at_frame(c.base, c.stack.size());
  std::size_t end = c.base;
  for (auto k = c.frames.rbegin(); k != c.frames.rend() && !c.stopped(); end = k++->base)
    look_at_frame(k->base, end);
  for (std::size_t next = 0; next < found.size(); ++next) {
    const std::vector<Value>& block = c.heap.blocks[found[next].index];
    look(block.data(), block.data() + block.size());
  }
  return found;
}

BlockView view_block(const Viewed& v, Address address, std::size_t most_elements) {
  const std::vector<Value>& block = v.config().heap.blocks[address.index];
  BlockView view{address.index, block.size(), "["};
  for (std::size_t i = 0; i < block.size() && i < most_elements; ++i)
    view.elements += (i > 0 ? ", " : "") + reference_text(block[i], v);
  if (block.size() > most_elements)
    view.elements +=
        fmt::format("{}... {} elements in all", most_elements > 0 ? ", " : "", block.size());
  view.elements += "]";
  return view;
}

HeapView view_heap(const Viewed& v, std::size_t most) {
  constexpr std::uint64_t kBudget = 2'000'000;
  HeapView view;
  for (const Address a : reachable(v.config(), most, kBudget, view.cut))
    view.blocks.push_back(view_block(v, a, 32));
  view.allocated = v.config().heap.blocks.size();
  view.bytes = v.config().heap.bytes;
  return view;
}

ListView view_source(const Viewed& v, std::uint32_t line, std::uint32_t before,
                     std::uint32_t after) {
  const Source& source = v.program.source();
  const Config& c = v.config();
  const std::uint32_t here = c.stopped() ? 0 : v.program.line(v.walker.position());
  ListView view;
  const std::uint32_t first = line > before ? line - before : 1;
  for (std::uint32_t n = first; n <= source.lines() && n - first <= before + after; ++n) {
    std::uint32_t breakpoint = 0;
    if (!v.walker.breakpoints().empty())
      for (const Position at : v.program.positions_on(n))
        breakpoint = std::max(breakpoint, v.walker.breakpoints().at(at));
    view.lines.push_back({n, std::string(source.line(n)), n == here, breakpoint});
  }
  return view;
}

// A line can be as long as the output limit.
static std::string shortened(std::string_view line) {
  constexpr std::size_t kMost = 10'000;
  if (line.size() <= kMost) return std::string(line);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80)
    --end; // not inside a UTF-8 sequence
  return fmt::format("{}... {} bytes in all", line.substr(0, end), line.size());
}

OutputView view_output(const Viewed& v, std::size_t from, std::size_t most) {
  const std::string_view all = std::string_view(v.walker.output()).substr(from);
  OutputView view;
  view.total = static_cast<std::uint64_t>(std::ranges::count(all, '\n'));
  std::size_t end = all.size();
  std::deque<std::string> lines;
  while (end > 0 && lines.size() < most) {
    const std::size_t newline = end == 1 ? std::string_view::npos : all.rfind('\n', end - 2);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    lines.push_front(shortened(all.substr(begin, end - 1 - begin)));
    end = begin;
  }
  view.lines.assign(lines.begin(), lines.end());
  return view;
}

} // namespace sourir
