#include "sourir/passes/scalar/declared_again.h"

#include "sourir/syntax/program_positions.h"
#include "sourir/syntax/scope_flow.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace sourir {
namespace {

const std::vector<Var>& start_names(const Function& function, const Version& version) {
  return version.cont ? version.cont->names : function.params;
}

std::unordered_set<Var> names_declared_again(const Function& function, const Version& version) {
  const auto& start = start_names(function, version);
  std::unordered_set<Var> once(start.begin(), start.end()), again;
  for (const Stmt& stmt : version.body)
    if (const Var* const x = scope_effect(stmt.instr).declares; x != nullptr)
      if (!once.insert(*x).second) again.insert(*x);
  return again;
}

// Which declarations stand for the same variable: an exit's stands for those that it meets.
class DeclarationClasses : public ScopeObserver {
public:
  DeclarationClasses(const Version& version, const std::unordered_set<Var>& again)
      : version_(version), again_(again), labels_(label_positions(version)),
        flow_(version, labels_), root_of_(version.body.size() + 1) {}

  void walk(const Function& function, const std::vector<ExitFrame>& entering) {
    for (const ExitFrame& frame : entering) entered_.insert(labels_.at(*frame.target->label));
    ScopeSet scope;
    flow_.run(0, start_names(function, version_), Declaration::parameter(), scope, *this);
    for (const ExitFrame& frame : entering) {
      ++root_;
      const Position at = labels_.at(*frame.target->label);
      if (!flow_.reached(at)) flow_.run(at, frame.domain(), Declaration::exit(), scope, *this);
    }
    for (Position at = 0; at < version_.body.size(); ++at)
      if (root_of_[at] == 0)
        if (const Var* const x = scope_effect(version_.body[at].instr).declares)
          mention(at, *x, Declaration::at(at));
  }

  void at(std::uint32_t position, const ScopeSet& scope) override {
    root_of_[position] = root_ + 1;
    const auto one = [&](Var x) {
      if (again_.contains(x)) mention(position, x, scope.declaration(x));
    };
    const bool end = position == version_.body.size();
    for (const ScopeNote& note : end ? version_.end.scopes : version_.body[position].marks.scopes)
      for (const Var x : note.names) one(x);
    if (entered_.contains(position)) scope.for_each([&](Var x, Declaration) { one(x); });
    if (end) return;
    for_each_name(version_.body[position].instr, [&](NameUse use) {
      switch (use.role) {
      case NameRole::Declare: {
        const Var x{use.id};
        if (again_.contains(x)) mention(position, x, Declaration::at(position));
        break;
      }
      case NameRole::Assign:
      case NameRole::Update:
      case NameRole::Drop:
      case NameRole::Use:
      case NameRole::ExitUse:
      case NameRole::WithUse:
        if (scope.contains(Var{use.id})) one(Var{use.id});
        break;
      default: break;
      }
    });
  }

  void differs(std::uint32_t, std::uint32_t target, const ScopeSet& scope) override {
    flow_.rebuild(target, rebuilt_);
    scope.for_each([&](Var x, Declaration here) {
      const Declaration there = rebuilt_.scope.declaration(x);
      if (!again_.contains(x) || there == here) return;
      unite(node(x, here, root_), node(x, there, root_of_[target] - 1));
    });
  }

  struct Mention {
    Position at;
    Var name;
    std::size_t node;
  };
  const std::vector<Mention>& mentions() const { return mentions_; }
  std::size_t find(std::size_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  // The variable and the declaration of a node; a root's names come first, then by position.
  struct Declared {
    Var name;
    Declaration by;
  };
  const Declared& declared(std::size_t node) const { return declared_[node]; }
  std::size_t size() const { return declared_.size(); }

private:
  std::size_t node(Var x, Declaration by, std::uint32_t root) {
    const bool of_exit = by == Declaration::exit();
    const auto key = std::tuple(x.id, by.code(), of_exit ? root : 0);
    const auto [found, fresh] = nodes_.emplace(key, declared_.size());
    if (fresh) {
      parent_.push_back(declared_.size());
      declared_.push_back({x, by});
    }
    return found->second;
  }
  void unite(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }
  void mention(Position at, Var x, Declaration by) {
    mentions_.push_back({at, x, node(x, by, root_)});
  }

  const Version& version_;
  const std::unordered_set<Var>& again_;
  LabelPositions labels_;
  ScopeFlow flow_;
  RebuiltScope rebuilt_;
  std::unordered_set<Position> entered_;
  std::uint32_t root_ = 0;
  std::vector<std::uint32_t> root_of_; // number + 1; 0: not reached
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> nodes_;
  std::vector<std::size_t> parent_;
  std::vector<Declared> declared_;
  std::vector<Mention> mentions_;
};

// The declarations of one variable, and the name that it gets.
struct Class {
  Var name;
  std::uint32_t first = ~0U; // code of the first declaration that the version itself has
  std::uint32_t bodies = 0;  // how many of them there are
};

} // namespace

EnteringFrames::EnteringFrames(const Program& program) {
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body) {
        const Metadata* const exit = exit_of(stmt.instr);
        for (std::size_t i = 0; exit != nullptr && i < frame_count(*exit); ++i) {
          const ExitFrame frame = frame_at(*exit, i);
          frames_[version_key(frame.target->function, frame.target->version)].push_back(frame);
        }
      }
}

const std::vector<ExitFrame>& EnteringFrames::of(FunName function, VerName version) const {
  static const std::vector<ExitFrame> none;
  const auto found = frames_.find(version_key(function, version));
  return found == frames_.end() ? none : found->second;
}

DeclaredAgain::DeclaredAgain(const Function& function, const Version& version,
                             const std::vector<ExitFrame>& entering, FreshNames& fresh) {
  const auto again = names_declared_again(function, version);
  if (again.empty()) return;
  DeclarationClasses all(version, again);
  all.walk(function, entering);
  std::map<std::size_t, Class> classes;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto& [x, by] = all.declared(n);
    Class& c = classes.try_emplace(all.find(n), Class{x, ~0U, 0}).first->second;
    if (by == Declaration::exit()) continue;
    c.first = std::min(c.first, by.code());
    ++c.bodies;
  }
  std::vector<std::pair<std::uint32_t, std::size_t>> in_order; // those with a declaration
  for (const auto& [number, c] : classes) {
    if (c.bodies > 0) in_order.emplace_back(c.first, number);
    if (c.bodies > 1) kept_.push_back(c.name);
  }
  std::sort(in_order.begin(), in_order.end());
  const auto& start = start_names(function, version);
  std::unordered_set<Var> taken(start.begin(), start.end());
  std::unordered_map<std::size_t, Var> names;
  for (const auto& [first, number] : in_order) {
    const Var old = classes.at(number).name;
    if (taken.insert(old).second || first == Declaration::parameter().code()) continue;
    const Var name = fresh.fresh<Var>(fresh.names().text(old));
    names.emplace(number, name);
    renamed_.emplace_back(old, name);
  }
  for (const auto& m : all.mentions())
    if (const auto found = names.find(all.find(m.node)); found != names.end())
      by_position_[m.at].variables.insert_or_assign(m.name, found->second);
}

const Renaming& DeclaredAgain::at(Position at) const {
  static const Renaming none;
  const auto found = by_position_.find(at);
  return found == by_position_.end() ? none : found->second;
}

} // namespace sourir
