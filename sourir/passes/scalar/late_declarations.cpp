#include "sourir/passes/scalar/late_declarations.h"

#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/traverse.h"

#include <unordered_map>

namespace sourir {
namespace {

// The value of a declaration that reads no variable and cannot fail.
std::optional<SimpleExpr> plain_value(const Instruction& instr) {
  const auto* const decl = std::get_if<Decl>(&instr);
  if (decl == nullptr) return std::nullopt;
  if (!decl->value) return SimpleExpr(Nil{});
  const auto* const simple = std::get_if<SimpleExpr>(&*decl->value);
  return simple != nullptr && !std::holds_alternative<Var>(*simple) ? std::optional(*simple)
                                                                    : std::nullopt;
}

bool ends_function(const Instruction& instr) {
  return std::holds_alternative<Return>(instr) || std::holds_alternative<Stop>(instr);
}

class StraightLine {
public:
  StraightLine(VersionTask& task, const Block& block) : task_(task), block_(block) {}

  void rewrite() {
    for (Position at = block_.begin; at < block_.end; ++at) visit(at);
    if (block_.begin < block_.end && ends_function(instr(block_.end - 1)))
      for (Position at = block_.end - 1; at-- > block_.begin && is_drop(at);) task_.edit.remove(at);
  }

private:
  struct PendingDeclaration {
    Position at;
    SimpleExpr value;
  };

  const Instruction& instr(Position at) const { return task_.version.body[at].instr; }
  bool is_drop(Position at) const { return std::holds_alternative<Drop>(instr(at)); }

  void visit(Position at) {
    if (const auto* const assign = std::get_if<Assign>(&instr(at))) {
      const auto found = pending_.find(assign->name);
      if (found != pending_.end() && !mentions(assign->value, assign->name)) {
        declare_here(found->second, at, *assign);
        pending_.erase(found);
      }
    }
    // A hint is a mention like any other: the variable has to be in scope there.
    for_each_name(instr(at), [&](NameUse use) {
      switch (use.role) {
      case NameRole::Assign:
      case NameRole::Update:
      case NameRole::Drop:
      case NameRole::ExitUse:
      case NameRole::WithUse:
      case NameRole::WithUpdate:
      case NameRole::Use: pending_.erase(Var{use.id}); break;
      default: break;
      }
    });
    if (const auto value = plain_value(instr(at)))
      pending_.insert_or_assign(std::get<Decl>(instr(at)).name, PendingDeclaration{at, *value});
  }

  void declare_here(const PendingDeclaration& first, Position at, const Assign& assign) {
    task_.edit.remove(first.at);
    task_.edit.replace(at, Decl{assign.name, assign.value});
    if (task_.input.maps)
      for (Position between = first.at + 1; between <= at; ++between)
        task_.edit.optimize_out(between, assign.name, Expr(first.value));
  }

  VersionTask& task_;
  const Block& block_;
  std::unordered_map<Var, PendingDeclaration>
      pending_; // declared in this block, not mentioned since
};

} // namespace

std::optional<PassResult> late_declarations(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    const Cfg& cfg = task.facts.cfg();
    for (const BlockId b : cfg.reverse_postorder()) StraightLine(task, cfg[b]).rewrite();
  });
}

} // namespace sourir
