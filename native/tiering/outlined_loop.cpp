#include "native/tiering/outlined_loop.h"

#include "sourir/analysis/liveness.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <unordered_set>

namespace sourir::native {

namespace {

const Function& function_of(const Program& program, FunName name) {
  return *std::ranges::find(program.functions, name, &Function::name);
}

FunName unused_name(const Program& program, const Program& part, FunName function, Names& names) {
  const auto is_used = [](const Program& in, FunName name) {
    return std::ranges::find(in.functions, name, &Function::name) != in.functions.end();
  };
  const std::string base = std::string(names.text(function)) + "_loop";
  for (std::size_t n = 0;; ++n) {
    const auto name = names.intern<FunName>(n == 0 ? base : base + "_" + std::to_string(n));
    if (!is_used(program, name) && !is_used(part, name)) return name;
  }
}

void add_label(std::vector<Label>& labels, Label label) {
  if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
}

// A label that the version does not have.
Label unused_label(const Version& version, Names& names) {
  const auto is_used = [&](Label label) {
    if (version.cont && version.cont->entry == label) return true;
    const auto has = [&](const auto& at) {
      return std::ranges::find(at.leading.labels, label) != at.leading.labels.end();
    };
    return std::ranges::any_of(version.body, has) ||
           std::ranges::find(version.end.labels, label) != version.end.labels.end();
  };
  for (std::size_t n = 0;; ++n) {
    const auto label = names.intern<Label>(n == 0 ? "entry" : "entry_" + std::to_string(n));
    if (!is_used(label)) return label;
  }
}

// The positions reachable from the head.
std::vector<bool> reached_from(const Cfg& cfg, const Version& version, Pc head) {
  std::vector<bool> reached(version.body.size());
  std::vector<BlockId> work{cfg.block_of(head)};
  while (!work.empty()) {
    const Block& block = cfg[work.back()];
    work.pop_back();
    if (block.begin == block.end || reached[block.begin]) continue;
    for (Position at = block.begin; at < block.end; ++at) reached[at] = true;
    for (const BlockId next : block.successors) work.push_back(next);
  }
  return reached;
}

// Names that neither the version nor its scope at the head has, for the callee's parameters.
std::vector<Var> unused_variables(const Version& version, const std::vector<Var>& scope,
                                  std::size_t count, Names& names) {
  std::unordered_set<std::uint32_t> used;
  for (const Var x : scope) used.insert(x.id);
  for (const Stmt& stmt : version.body)
    for_each_name(stmt.instr, [&](NameUse use) { used.insert(use.id); });
  std::vector<Var> fresh;
  for (std::size_t n = 0; fresh.size() < count; ++n)
    if (const auto x = names.intern<Var>("of_callee_" + std::to_string(n)); !used.contains(x.id))
      fresh.push_back(x);
  return fresh;
}

class Outliner {
public:
  explicit Outliner(const std::vector<Var>& parameters)
      : parameters_(parameters.begin(), parameters.end()) {}

  // A parameter stays in scope: a declaration becomes an assignment, a drop an assignment of nil.
  // Arrays and results of calls have no such form.
  std::optional<Instruction> instr(const Instruction& i) const {
    if (const auto* const decl = std::get_if<Decl>(&i); decl != nullptr && is_parameter(decl->name))
      return Assign{decl->name, decl->value.value_or(Expr(SimpleExpr(Nil{})))};
    if (const auto* const drop = std::get_if<Drop>(&i); drop != nullptr && is_parameter(drop->name))
      return Assign{drop->name, Expr(SimpleExpr(Nil{}))};
    if (std::holds_alternative<Assign>(i) || std::holds_alternative<Read>(i) ||
        std::holds_alternative<ArrayUpdate>(i))
      return i;
    const Var* const defined = defined_by(i);
    if (defined != nullptr && is_parameter(*defined)) return std::nullopt;
    return i;
  }

private:
  bool is_parameter(Var x) const { return std::ranges::find(parameters_, x) != parameters_.end(); }
  std::vector<Var> parameters_;
};

} // namespace

std::optional<OutlinedLoop> outline_loop(const Program& program, Program part, FunName function,
                                         VerName version, Pc head, Names& names,
                                         const OutlinedCallee* callee) {
  const Function& f = function_of(part, function);
  const Version& v = *std::ranges::find(f.versions, version, &Version::name);
  auto scope = scope_at(part, f, v, head);
  if (!scope || head >= v.body.size() || !v.when.empty()) return std::nullopt;
  const std::vector<bool> reached = reached_from(Cfg(v, {}), v, head);
  Function made;
  made.name = unused_name(program, part, function, names);
  std::vector<Var> given;
  if (callee != nullptr) {
    given = unused_variables(v, *scope, callee->parameters, names);
    std::erase(*scope, callee->result);
  }
  made.params = given;
  made.params.insert(made.params.end(), scope->begin(), scope->end());
  Version& out = made.versions.emplace_back();
  out.name = version;
  const std::vector<Label>& at_head = v.body[head].leading.labels;
  const Label entry = at_head.empty() ? unused_label(v, names) : at_head.front();
  if (callee != nullptr) {
    Call call{callee->result, SimpleExpr(callee->function), {}};
    for (const Var x : given) call.arguments.emplace_back(SimpleExpr(x));
    out.body.push_back({{}, std::move(call)});
  }
  const std::size_t shift = out.body.size() + 1;
  out.body.push_back({{}, Goto{entry}});
  const Outliner outliner(*scope);
  for (Position at = 0; at < v.body.size(); ++at) {
    std::optional<Instruction> instr =
        reached[at] ? outliner.instr(v.body[at].instr) : v.body[at].instr;
    if (!instr) return std::nullopt;
    out.body.push_back({{v.body[at].leading.labels, {}, {}}, std::move(*instr)});
  }
  if (at_head.empty()) out.body[head + shift].leading.labels = {entry};
  if (v.cont) add_label(out.body[shift].leading.labels, v.cont->entry);
  if (names.text(function) == "main")
    out.body.push_back({{v.end.labels, {}, {}}, Stop{}});
  else
    out.end.labels = v.end.labels;
  const FunName name = made.name;
  part.functions.push_back(std::move(made));
  return OutlinedLoop{std::make_unique<Program>(std::move(part)), name};
}

} // namespace sourir::native
