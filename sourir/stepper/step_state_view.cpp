// A configuration as one canonical text's worth of data.
#include "sourir/stepper/step_view.h"

#include <algorithm>
#include <fmt/format.h>

namespace sourir {

namespace {

constexpr std::size_t kFrames = 50, kBlocks = 50, kElements = 50, kLines = 20;

// FNV-1a.
class Digest {
public:
  void add(std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) byte(static_cast<unsigned char>(word >> shift));
  }
  void add(Value value) { add(static_cast<std::uint64_t>(value.tag())), add(bits(value)); }
  void add(std::string_view text) {
    for (const char c : text) byte(static_cast<unsigned char>(c));
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

private:
  static std::uint64_t bits(Value value) { return static_cast<std::uint64_t>(value.as_int()); }
  void byte(unsigned char b) { state_ = (state_ ^ b) * 0x100000001b3; }

  std::uint64_t state_ = 0xcbf29ce484222325;
};

std::string digest(const Viewed& v, const std::vector<Address>& heap) {
  const Config& c = v.config();
  Digest all;
  all.add(v.program.place(v.walker.position()));
  for (const Continuation& k : c.frames)
    all.add(v.program.place({k.code, k.pc})), all.add(k.result), all.add(k.base);
  for (const Value value : c.stack) all.add(value);
  for (const Address a : heap) {
    all.add(a.index), all.add(c.heap.blocks[a.index].size());
    for (const Value value : c.heap.blocks[a.index]) all.add(value);
  }
  all.add(v.walker.output());
  return all.text();
}

} // namespace

StateView view_state(const Viewed& v, bool whole) {
  const Config& c = v.config();
  const auto most = [&](std::size_t n) { return whole ? ~std::size_t{0} : n; };
  StateView state{.here = view_here(v)};
  OutputView printed = view_output(v, 0, most(kLines));
  bool cut = printed.total > printed.lines.size();
  state.printed = std::move(printed.lines);
  state.input = c.input_position;
  state.opportunities = c.opportunities;
  state.returned = c.returned;
  if (c.stopped()) return state;
  state.environment = view_environment(v, *c.code, c.env(), reference_text);
  for (std::uint64_t n = 1; n <= c.frames.size() && n <= most(kFrames); ++n)
    state.continuations.push_back(view_frame(v, n, reference_text));
  cut = cut || state.continuations.size() < c.frames.size();
  bool unbounded = false;
  std::vector<Address> heap = reachable(c, ~std::size_t{0}, ~std::uint64_t{0}, unbounded);
  std::ranges::sort(heap, {}, &Address::index);
  for (const Address a : heap) {
    if (state.heap.size() == most(kBlocks)) break;
    cut = cut || c.heap.blocks[a.index].size() > most(kElements);
    state.heap.push_back(view_block(v, a, most(kElements)));
  }
  if (cut || state.heap.size() < heap.size()) state.left_out = digest(v, heap);
  return state;
}

} // namespace sourir
