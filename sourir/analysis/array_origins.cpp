#include "sourir/analysis/array_origins.h"

#include "sourir/syntax/exit_frames.h"

#include <vector>

namespace sourir {
namespace {

// x gets everything that y has.
struct Flow {
  Var from, to;
};

class Collection {
public:
  Collection(const Function& function, std::unordered_map<Var, Origins>& of)
      : function_(function), of_(of) {}

  std::vector<Flow> flows;

  void visit(const Instruction& instr) {
    match(
        instr,
        [&](const Decl& i) {
          if (i.value) assign(i.name, *i.value);
        },
        [](const Drop&) {}, [&](const Assign& i) { assign(i.name, i.value); },
        [&](const ArrayDecl& i) { add(i.name, Origins::fresh()); },
        [&](const ArrayDef& i) { add(i.name, Origins::fresh()); }, [](const ArrayUpdate&) {},
        [](const Branch&) {}, [](const Goto&) {}, [](const Print&) {}, [](const Read&) {},
        [](const Assert&) {}, [&](const Call& i) { add(i.result, Origins::any()); },
        [](const Return&) {}, [](const Stop&) {}, [&](const Assume& i) { exit(i.exit); },
        [&](const Anchor& i) { exit(i.exit); }, [](const GuardHint&) {});
  }
  void add(Var x, Origins origins) {
    of_.try_emplace(x, Origins::none()).first->second.join(origins);
  }

private:
  void assign(Var x, const Expr& e) {
    if (std::holds_alternative<Index>(e)) return add(x, Origins::any());
    const auto* const simple = std::get_if<SimpleExpr>(&e);
    const Var* const y = simple != nullptr ? std::get_if<Var>(simple) : nullptr;
    if (y != nullptr) flows.push_back({*y, x});
  }

  // Names that a block makes count as variables of the function.
  void exit(const Metadata& exit) {
    for (const Deferred& d : exit.with)
      match(
          d.instr,
          [&](const Decl& i) {
            if (i.value) assign(i.name, *i.value);
          },
          [&](const ArrayDecl& i) { add(i.name, Origins::fresh()); },
          [&](const ArrayDef& i) { add(i.name, Origins::fresh()); }, [](const ArrayUpdate&) {});
    for (std::size_t n = 0; n < frame_count(exit); ++n) {
      const ExitFrame frame = frame_at(exit, n);
      if (frame.target->function != function_.name) continue;
      for (const Binding& b : *frame.varmap) assign(b.name, b.value);
      if (frame.result != nullptr) add(*frame.result, Origins::any());
    }
  }

  const Function& function_;
  std::unordered_map<Var, Origins>& of_;
};

} // namespace

ArrayOrigins::ArrayOrigins(const Function& function) {
  Collection collection(function, of_);
  for (std::size_t n = 0; n < function.params.size(); ++n)
    collection.add(function.params[n], Origins::parameter(n));
  for (const Version& version : function.versions)
    for (const Stmt& stmt : version.body) collection.visit(stmt.instr);
  std::unordered_map<Var, std::vector<Var>> to;
  std::vector<Var> work;
  for (const Flow& flow : collection.flows) to[flow.from].push_back(flow.to);
  for (const auto& [x, origins] : of_) work.push_back(x);
  while (!work.empty()) {
    const Var x = work.back();
    work.pop_back();
    const auto found = to.find(x);
    if (found == to.end()) continue;
    const Origins origins = of(x);
    for (const Var y : found->second)
      if (of_.try_emplace(y, Origins::none()).first->second.join(origins)) work.push_back(y);
  }
}

Origins ArrayOrigins::of(Var x) const {
  const auto found = of_.find(x);
  return found != of_.end() ? found->second : Origins::none();
}

} // namespace sourir
