#include "sourir/bisim/seen_frames.h"

#include "sourir/semantics/step.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

namespace sourir {
namespace {

constexpr std::size_t kFirst = 4, kLater = 8; // frames at one position
constexpr std::size_t kMostCells = 1'000;     // that a variable reaches

// Copies values from one heap into another: shared arrays stay shared.
class ValueCopy {
public:
  ValueCopy(const Heap& from, Heap& to) : from_(from), to_(to) {}

  // Empty: it reaches too many cells.
  std::optional<Value> copy(Value v) {
    if (!v.is(Tag::Array)) return v;
    const std::uint32_t root = v.as_array().index;
    if (cells(root) > kMostCells) return {};
    return Value(copied(root));
  }
  // That array is this one in the other heap.
  void know(Value array, Value there) { made_.emplace(array.as_array().index, there.as_array()); }

private:
  // Those of arrays that are not copied yet; at most one array more than kMostCells.
  std::size_t cells(std::uint32_t root) const {
    std::vector<std::uint32_t> open{root};
    std::unordered_set<std::uint32_t> met{root};
    std::size_t n = 0;
    while (!open.empty() && n <= kMostCells) {
      const std::uint32_t block = open.back();
      open.pop_back();
      if (made_.contains(block)) continue;
      n += from_.blocks[block].size() + 1;
      if (n > kMostCells) break;
      for (const Value v : from_.blocks[block])
        if (v.is(Tag::Array) && met.insert(v.as_array().index).second)
          open.push_back(v.as_array().index);
    }
    return n;
  }

  Address copied(std::uint32_t root) {
    std::vector<std::uint32_t> open;
    const auto made = [&](std::uint32_t block) {
      if (const auto at = made_.find(block); at != made_.end()) return at->second;
      const Address a = to_.allocate(from_.blocks[block]);
      made_.emplace(block, a);
      open.push_back(block);
      return a;
    };
    const Address copy = made(root);
    while (!open.empty()) {
      const std::uint32_t block = open.back();
      open.pop_back();
      const std::uint32_t there = made_.at(block).index;
      for (std::size_t i = 0; i < from_.blocks[block].size(); ++i)
        if (const Value v = from_.blocks[block][i]; v.is(Tag::Array)) {
          const Address inner = made(v.as_array().index);
          to_.blocks[there][i] = Value(inner);
        }
    }
    return copy;
  }

  const Heap& from_;
  Heap& to_;
  std::unordered_map<std::uint32_t, Address> made_; // by block
};

// Whether both look alike: arrays by their lengths.
bool alike(Value a, const Heap& of_a, Value b, const Heap& of_b) {
  if (!a.is(Tag::Array) || !b.is(Tag::Array)) return a == b;
  return of_a.length(a) == of_b.length(b);
}

} // namespace

std::uint64_t SeenFrames::record(Config c, std::uint64_t steps) {
  Limits limits = *c.limits;
  const std::uint64_t before = c.steps;
  limits.fuel = before + steps;
  c.limits = &limits;
  std::string printed;
  std::vector<At>* positions = nullptr; // of the call of the current frame
  const ResolvedVersion* code = nullptr;
  std::size_t depth = 0;
  do {
    if (code != c.code || depth != c.frames.size()) {
      code = c.code, depth = c.frames.size();
      Call call{code};
      if (depth > 0) call.caller = c.frames.back().code, call.after = c.frames.back().pc;
      positions = &calls_[call];
      positions->resize(code->instrs.size() + 1);
    }
    visit(c, (*positions)[c.pc]);
    printed.clear();
  } while (step(c, printed).status == StepStatus::Stepped && !c.stopped());
  return c.steps - before;
}

// The first frames stay; of the later ones it keeps those at visits that are powers of two, the
// newest ones.
void SeenFrames::visit(const Config& c, At& at) {
  if (++at.visits > kFirst && !std::has_single_bit(at.visits)) return;
  if (at.frames.size() == kFirst + kLater) at.frames.erase(at.frames.begin() + kFirst);
  Seen seen;
  ValueCopy values(c.heap, seen.heap);
  for (std::size_t x = 0; x < c.code->slots.size(); ++x)
    seen.env.push_back(values.copy(c.env()[x]).value_or(Value::unbound()));
  at.frames.push_back(std::move(seen));
}

const SeenFrames::Seen* SeenFrames::nearest(const Call& call, const NewFrame& frame,
                                            std::span<const Slot> live, const Heap& heap) const {
  const auto found = calls_.find(call);
  if (found == calls_.end()) return nullptr;
  const Seen* best = nullptr;
  std::size_t most = 0;
  const auto look_at = [&](const At& at) {
    for (const Seen& seen : at.frames) {
      std::size_t score = 1;
      for (const Slot x : live) {
        const Value held = seen.env[x];
        if (held.is(Tag::Unbound)) continue;
        const Value known = frame.env[x];
        score += known.is(Tag::Unbound) || alike(known, heap, held, seen.heap);
      }
      if (score > most) most = score, best = &seen;
    }
  };
  const std::vector<At>& positions = found->second;
  look_at(positions[frame.pc]);
  if (best == nullptr && frame.pc > 0) look_at(positions[frame.pc - 1]);
  if (best == nullptr) std::ranges::for_each(positions, look_at);
  return best;
}

bool SeenFrames::complete(NewFrame& frame, const NewFrame* caller, std::span<const Slot> live,
                          Heap& heap) const {
  const auto open = [&](Slot x) { return frame.env[x].is(Tag::Unbound); };
  if (std::ranges::none_of(live, open)) return true;
  Call call{frame.code};
  if (caller != nullptr) call.caller = caller->code, call.after = caller->pc;
  const Seen* const seen = nearest(call, frame, live, heap);
  if (seen == nullptr) return false;
  ValueCopy values(seen->heap, heap);
  for (const Slot x : live)
    if (frame.env[x].is(Tag::Array) && seen->env[x].is(Tag::Array))
      values.know(seen->env[x], frame.env[x]);
  for (const Slot x : live)
    if (open(x)) frame.env[x] = values.copy(seen->env[x]).value_or(Value::unbound());
  return std::ranges::none_of(live, open);
}

} // namespace sourir
