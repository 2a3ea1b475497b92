#include "sourir/passes/core/correspondence.h"

#include "sourir/syntax/exits.h"
#include "sourir/syntax/successors.h"

#include <algorithm>

namespace sourir {
namespace {

struct Side {
  const Version& version;
  std::unordered_map<Label, std::uint32_t> labels = label_positions(version);

  bool at_end(Position at) const { return at >= version.body.size(); }
  const Instruction& operator[](Position at) const { return version.body[at].instr; }
};

struct Pair {
  Position copy, source;
  friend bool operator==(Pair, Pair) = default;
};

const std::vector<Expr>* guards_of(const Instruction& instr) {
  static const std::vector<Expr> none;
  if (const auto* const assume = std::get_if<Assume>(&instr)) return &assume->guards;
  return std::holds_alternative<Anchor>(instr) ? &none : nullptr;
}

bool all_in(const std::vector<Expr>& some, const std::vector<Expr>& all) {
  return std::all_of(some.begin(), some.end(), [&](const Expr& guard) {
    return std::find(all.begin(), all.end(), guard) != all.end();
  });
}

class Walk {
public:
  Walk(const Version& copy, const Version& source)
      : copy_{copy}, source_{source}, found_(copy.body.size() + 1), invalid_(found_.size()) {}

  std::vector<std::optional<Position>> result() {
    pair(0, 0);
    while (!pairs_.empty()) {
      const Pair next = pairs_.back();
      pairs_.pop_back();
      step(next);
    }
    for (std::size_t at = 0; at < found_.size(); ++at)
      if (invalid_[at] != 0) found_[at].reset();
    return std::move(found_);
  }

private:
  // Anchors and assumes without guards change nothing: the first position after them.
  Position after_empty_guards(Position source) const {
    while (!source_.at_end(source)) {
      const auto* const guards = guards_of(source_[source]);
      if (guards == nullptr || !guards->empty()) break;
      ++source;
    }
    return source;
  }

  void pair(Position copy, Position source) {
    if (invalid_[copy] != 0) return;
    auto& known = found_[copy];
    if (!known) {
      known = source;
      pairs_.push_back({copy, source});
    } else if (after_empty_guards(*known) != after_empty_guards(source)) {
      invalidate(copy);
    }
  }

  // Removes the correspondence of the position and of all that it reaches.
  void invalidate(Position from) {
    std::vector<Position> work = {from};
    while (!work.empty()) {
      const Position at = work.back();
      work.pop_back();
      if (invalid_[at] != 0) continue;
      invalid_[at] = 1;
      if (copy_.at_end(at)) continue;
      const Successors next = successors(copy_[at]);
      if (next.next) work.push_back(at + 1);
      for (const Label* const label : {next.first, next.second})
        if (label != nullptr) work.push_back(copy_.labels.at(*label));
    }
  }

  void spoil_successors(Position at) {
    const Successors next = successors(copy_[at]);
    if (next.next) invalidate(at + 1);
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr) invalidate(copy_.labels.at(*label));
  }

  void step(Pair at) {
    if (copy_.at_end(at.copy) || invalid_[at.copy] != 0) return;
    const Instruction& mine = copy_[at.copy];
    if (const auto* const guards = guards_of(mine)) {
      const Position there = after_empty_guards(at.source);
      const auto* const tested = source_.at_end(there) ? nullptr : guards_of(source_[there]);
      // After a test that the source does not make, its position is unchanged.
      pair(at.copy + 1, tested != nullptr && all_in(*tested, *guards) ? there + 1 : at.source);
      return;
    }
    const Position source = after_empty_guards(at.source);
    if (source_.at_end(source) || !same(mine, source_[source]))
      spoil_successors(at.copy);
    else
      follow(at.copy, mine, source, source_[source]);
  }

  static bool same(const Instruction& mine, const Instruction& other) {
    if (const auto* const branch = std::get_if<Branch>(&mine)) {
      const auto* const there = std::get_if<Branch>(&other);
      return there != nullptr && there->condition == branch->condition;
    }
    if (std::holds_alternative<Goto>(mine)) return std::holds_alternative<Goto>(other);
    return mine == other;
  }

  void follow(Position copy, const Instruction& mine, Position source, const Instruction& other) {
    const Successors next = successors(mine), there = successors(other);
    if (next.next) pair(copy + 1, source + 1);
    const auto jump = [&](const Label* from, const Label* to) {
      if (from != nullptr) pair(copy_.labels.at(*from), source_.labels.at(*to));
    };
    jump(next.first, there.first), jump(next.second, there.second);
  }

  Side copy_, source_;
  std::vector<std::optional<Position>> found_;
  std::vector<std::uint8_t> invalid_;
  std::vector<Pair> pairs_;
};

} // namespace

std::vector<std::optional<Position>> corresponding_positions(const Version& copy,
                                                             const Version& source) {
  return Walk(copy, source).result();
}

const Version* next_version(const Function& function, const Version& active) {
  const Version* any = nullptr;
  for (const Version& v : function.versions) {
    if (&v <= &active || v.cont) continue;
    if (v.when == active.when) return &v;
    if (v.when.empty() && any == nullptr) any = &v;
  }
  return any;
}

} // namespace sourir
