#include "sourir/bisim/live_variables.h"

#include "sourir/syntax/match.h"

#include <algorithm>
#include <queue>

namespace sourir {
namespace {

// A set that instructions are applied to backwards; small, as scopes are.
class SlotSet {
public:
  explicit SlotSet(std::vector<Slot> slots) : slots_(std::move(slots)) {}

  void add(const std::vector<Slot>& others) {
    for (const Slot x : others) add(x);
  }
  void add(Slot x) {
    if (x == code::kLiteral) return;
    const auto at = std::lower_bound(slots_.begin(), slots_.end(), x);
    if (at == slots_.end() || *at != x) slots_.insert(at, x);
  }
  void add(const code::Expr& e) {
    add(e.a.slot);
    if (e.shape == code::Shape::Binary || e.shape == code::Shape::Index) add(e.b.slot);
  }
  void add(const std::vector<code::Expr>& es) {
    for (const code::Expr& e : es) add(e);
  }
  void remove(Slot x) {
    const auto at = std::lower_bound(slots_.begin(), slots_.end(), x);
    if (at != slots_.end() && *at == x) slots_.erase(at);
  }
  std::vector<Slot> take() { return std::move(slots_); }

private:
  std::vector<Slot> slots_;
};

void before(SlotSet& live, const code::Decl& i) {
  live.remove(i.x);
  if (i.e) live.add(*i.e);
}
void before(SlotSet& live, const code::ArrayDecl& i) { live.remove(i.x), live.add(i.length); }
void before(SlotSet& live, const code::ArrayDef& i) { live.remove(i.x), live.add(i.elements); }
void before(SlotSet& live, const code::ArrayUpdate& i) {
  live.add(i.x), live.add(i.index), live.add(i.value);
}

// What leaving reads: the varmaps read behind the block.
void add_exit(SlotSet& live, const code::Exit& exit) {
  SlotSet used({});
  const auto frame = [&](const code::Frame& f) {
    for (const code::Entry& entry : f.varmap) used.add(entry.value);
  };
  frame(exit.frame);
  for (const code::OuterFrame& outer : exit.outer) frame(outer.frame);
  for (auto line = exit.with.rbegin(); line != exit.with.rend(); ++line)
    match(*line, [&](const auto& i) { before(used, i); });
  live.add(used.take());
}

void before(SlotSet& live, const code::Instr& instr) {
  match(
      instr, [&](const code::Decl& i) { before(live, i); },
      [&](const code::Drop& i) { live.remove(i.x); },
      [&](const code::Assign& i) { live.remove(i.x), live.add(i.e); },
      [&](const code::ArrayDecl& i) { before(live, i); },
      [&](const code::ArrayDef& i) { before(live, i); },
      [&](const code::ArrayUpdate& i) { before(live, i); },
      [&](const code::Branch& i) { live.add(i.e); }, [](const code::Goto&) {},
      [&](const code::Print& i) { live.add(i.e); }, [&](const code::Read& i) { live.remove(i.x); },
      [&](const code::Assert& i) { live.add(i.e); },
      [&](const code::Call& i) { live.remove(i.x), live.add(i.callee), live.add(i.arguments); },
      [&](const code::Return& i) { live.add(i.e); }, [&](const code::Stop& i) { live.add(i.e); },
      [&](const code::Assume& i) { live.add(i.guards), add_exit(live, i.exit); },
      [&](const code::Anchor& i) { add_exit(live, i.exit); }, [](const code::GuardHint&) {});
}

struct Next {
  bool falls = true;
  const Pc *first = nullptr, *second = nullptr;
};

Next next_of(const code::Instr& instr) {
  if (const auto* branch = std::get_if<code::Branch>(&instr))
    return {false, &branch->if_true, &branch->if_false};
  if (const auto* go = std::get_if<code::Goto>(&instr)) return {false, &go->target, nullptr};
  return {!std::holds_alternative<code::Return>(instr) &&
              !std::holds_alternative<code::Stop>(instr),
          nullptr, nullptr};
}

// The least solution, from the back to the front, and again where a loop has added something.
class Solver {
public:
  explicit Solver(const InstrStream& code)
      : code_(code), live_(code.instrs.size() + 2), from_(live_.size()), waiting_(live_.size()) {
    for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
      const Next next = next_of(code.instrs[pc]);
      for (const Pc* target : {next.first, next.second})
        if (target != nullptr) from_[*target].push_back(pc);
      push(pc);
    }
  }

  std::vector<std::vector<Slot>> solve() {
    while (!work_.empty()) {
      const Pc pc = work_.top();
      work_.pop();
      waiting_[pc] = false;
      std::vector<Slot> now = live_before(pc);
      if (now == live_[pc]) continue;
      live_[pc] = std::move(now);
      if (pc > 0 && next_of(code_.instrs[pc - 1]).falls) push(pc - 1);
      for (const Pc p : from_[pc]) push(p);
    }
    return std::move(live_);
  }

private:
  void push(Pc pc) {
    if (waiting_[pc]) return;
    waiting_[pc] = true;
    work_.push(pc);
  }

  std::vector<Slot> live_before(Pc pc) const {
    const Next next = next_of(code_.instrs[pc]);
    SlotSet live(next.falls ? live_[pc + 1] : std::vector<Slot>());
    for (const Pc* target : {next.first, next.second})
      if (target != nullptr) live.add(live_[*target]);
    before(live, code_.instrs[pc]);
    return live.take();
  }

  const InstrStream& code_;
  std::vector<std::vector<Slot>> live_;
  std::vector<std::vector<Pc>> from_; // where jumps to a position come from
  std::vector<bool> waiting_;
  std::priority_queue<Pc> work_;
};

} // namespace

const std::vector<Slot>& LiveVariables::at(const InstrStream& code, Pc pc) {
  const auto [found, fresh] = versions_.try_emplace(&code);
  if (fresh) found->second = Solver(code).solve();
  return found->second[pc];
}

} // namespace sourir
