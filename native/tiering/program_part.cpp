#include "native/tiering/program_part.h"

#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <unordered_map>

namespace sourir::native {

namespace {

bool names_function(NameRole role) {
  return role == NameRole::FunRef || role == NameRole::ExitFunction ||
         role == NameRole::ExitFunRef || role == NameRole::WithFunRef;
}

std::unordered_map<FunName, std::size_t> index_of(const Program& program) {
  std::unordered_map<FunName, std::size_t> index;
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    index.emplace(program.functions[f].name, f);
  return index;
}

class PartBuilder {
public:
  explicit PartBuilder(const Program& program)
      : program_(program), index_(index_of(program)), taken_(program.functions.size()) {}

  void add(FunName name) {
    const auto found = index_.find(name);
    if (found == index_.end() || taken_[found->second]) return;
    taken_[found->second] = true;
    work_.push_back(found->second);
  }
  void add_mentioned(const Expr& e) {
    for_each_name(e, NameRole::Use, NameRole::FunRef, [&](NameUse use) { add(use); });
  }
  Program take() && {
    while (!work_.empty()) {
      const Function& function = program_.functions[work_.back()];
      work_.pop_back();
      for (const Version& version : function.versions) {
        for (const Expr& e : version.when) add_mentioned(e);
        for (const Stmt& stmt : version.body)
          for_each_name(stmt.instr, [&](NameUse use) { add(use); });
      }
    }
    Program part;
    for (std::size_t f = 0; f < taken_.size(); ++f)
      if (taken_[f]) part.functions.push_back(program_.functions[f]);
    return part;
  }

private:
  void add(NameUse use) {
    if (names_function(use.role)) add(FunName{use.id});
  }

  const Program& program_;
  std::unordered_map<FunName, std::size_t> index_;
  std::vector<bool> taken_;
  std::vector<std::size_t> work_;
};

} // namespace

Program part_for(const Program& program, FunName function, const Feedback& feedback,
                 std::span<const Expr> guards) {
  PartBuilder part(program);
  part.add(function);
  for (const Feedback::BranchCounts& counts : feedback.branches) part.add(counts.at.function);
  for (const Feedback::Predicate& held : feedback.predicates) {
    part.add(held.at.function);
    part.add_mentioned(held.predicate);
  }
  for (const Expr& guard : guards) part.add_mentioned(guard);
  return std::move(part).take();
}

Program with_part(const Program& program, const Program& part) {
  const auto index = index_of(part);
  Program all;
  for (const Function& function : program.functions) {
    const auto found = index.find(function.name);
    all.functions.push_back(found == index.end() ? function : part.functions[found->second]);
  }
  const auto known = index_of(program);
  for (const Function& function : part.functions)
    if (!known.contains(function.name)) all.functions.push_back(function);
  return all;
}

} // namespace sourir::native
