#include "native/tiering/outlined_loop.h"

#include "sourir/analysis/liveness.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <map>
#include <unordered_map>
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

// The positions reachable from the head.
std::vector<bool> reached_from(const Cfg& cfg, const Version& version, Pc head) {
  std::vector<bool> reached(version.body.size());
  const Block& first = cfg[cfg.block_of(head)];
  for (Position at = head; at < first.end; ++at) reached[at] = true;
  std::vector<BlockId> work(first.successors.begin(), first.successors.end());
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
  explicit Outliner(std::vector<Var> stay) : stay_(std::move(stay)) {}

  // A variable that stays in scope is assigned where it is declared, and nil where it is dropped.
  // Precondition: no array and no result of a call is declared under its name.
  Instruction instr(const Instruction& i) const {
    if (const auto* const decl = std::get_if<Decl>(&i); decl != nullptr && stays(decl->name))
      return Assign{decl->name, decl->value.value_or(Expr(SimpleExpr(Nil{})))};
    if (const auto* const drop = std::get_if<Drop>(&i); drop != nullptr && stays(drop->name))
      return Assign{drop->name, Expr(SimpleExpr(Nil{}))};
    return i;
  }

private:
  bool stays(Var x) const { return std::ranges::find(stay_, x) != stay_.end(); }
  std::vector<Var> stay_;
};

// The positions from the head on that have variables in scope that do not stay there, once more:
// for the first result of the callee, which the loop's own call declares, too, and for parameters
// that are dropped and declared again. Where all variables stay in scope the copies go on in the
// version itself.
class FirstCopies {
public:
  explicit FirstCopies(const Version& version, FreshNames& fresh)
      : version_(version), positions_(label_positions(version)), fresh_(fresh),
        copied_(version.body.size()) {}

  void copy_from(Pc head, const Scopes& scopes, const std::vector<Var>& stay) {
    const std::unordered_set<Var> in_both(stay.begin(), stay.end());
    const auto other = [&](Var x) { return !in_both.contains(x); };
    std::vector<Pc> work{head};
    while (!work.empty()) {
      const Pc at = work.back();
      work.pop_back();
      if (at >= copied_.size() || copied_[at] || std::ranges::none_of(*scopes[at], other)) continue;
      copied_[at] = true;
      const Successors next = successors(version_.body[at].instr);
      for (const Label* const label : {next.first, next.second})
        if (label != nullptr) work.push_back(positions_.at(*label));
      if (next.next) work.push_back(at + 1);
    }
  }

  bool copies(Pc at) const { return at < copied_.size() && copied_[at]; }
  const std::vector<bool>& copied() const { return copied_; }

  // Appends the copies.
  void add_to(std::vector<Stmt>& body, std::vector<Pc>& origins, const Outliner& outliner) {
    for (Pc at = 0; at < copied_.size(); ++at) {
      if (!copied_[at]) continue;
      Instruction instr = outliner.instr(version_.body[at].instr);
      const bool falls = successors(instr).next;
      body.push_back({{version_.body[at].leading.labels, {}, {}}, renamed(std::move(instr))});
      for (Label& label : body.back().leading.labels) label = copy_of(label);
      if (const auto own = own_labels_.find(at); own != own_labels_.end())
        add_label(body.back().leading.labels, own->second);
      origins.push_back(at);
      if (!falls || copies(at + 1)) continue;
      body.push_back({{}, Goto{label_at(at + 1)}});
      origins.push_back(at + 1);
    }
  }

  // A label of the position, or of its copy: one that it has, or a fresh one, which `own_labels`
  // then has.
  Label label_at(Pc at) {
    const std::vector<Label>& there =
        at < copied_.size() ? version_.body[at].leading.labels : version_.end.labels;
    if (!there.empty()) return copies(at) ? copy_of(there.front()) : there.front();
    const auto [found, added] = own_labels_.try_emplace(at);
    if (added) found->second = fresh_.fresh<Label>("entry");
    return found->second;
  }
  const std::map<Pc, Label>& own_labels() const { return own_labels_; }

private:
  Label copy_of(Label label) {
    const auto [found, added] = labels_.try_emplace(label);
    if (added) found->second = fresh_.fresh<Label>(fresh_.names().text(label));
    return found->second;
  }

  Instruction renamed(Instruction instr) {
    const auto rename = [&](Label& label) {
      if (copies(positions_.at(label))) label = copy_of(label);
    };
    if (auto* const branch = std::get_if<Branch>(&instr))
      rename(branch->if_true), rename(branch->if_false);
    else if (auto* const go = std::get_if<Goto>(&instr))
      rename(go->target);
    return instr;
  }

  const Version& version_;
  std::unordered_map<Label, std::uint32_t> positions_;
  FreshNames& fresh_;
  std::vector<bool> copied_;
  std::unordered_map<Label, Label> labels_; // of copies
  std::map<Pc, Label> own_labels_;
};

// Whether one of the positions does.
bool declares(const Version& version, const std::vector<bool>& positions, Var x) {
  for (Position at = 0; at < positions.size(); ++at)
    if (const ScopeEffect effect = scope_effect(version.body[at].instr);
        positions[at] && effect.declares != nullptr && *effect.declares == x)
      return true;
  return false;
}

// The arrays and the results of calls that the positions declare.
std::unordered_set<Var> declared_anew(const Version& version, const std::vector<bool>& positions) {
  std::unordered_set<Var> found;
  for (Position at = 0; at < positions.size(); ++at) {
    const Instruction& instr = version.body[at].instr;
    if (!positions[at] || std::holds_alternative<Decl>(instr)) continue;
    if (const ScopeEffect effect = scope_effect(instr); effect.declares != nullptr)
      found.insert(*effect.declares);
  }
  return found;
}

// The labels of the version are used.
FreshNames fresh_labels(const Version& version, Names& names) {
  FreshNames fresh(names);
  if (version.cont) fresh.use(version.cont->entry);
  for (const Stmt& stmt : version.body)
    for (const Label label : stmt.leading.labels) fresh.use(label);
  for (const Label label : version.end.labels) fresh.use(label);
  return fresh;
}

} // namespace

std::optional<OutlinedLoop> outline_loop(const Program& program, Program part, FunName function,
                                         VerName version, Pc head, Names& names,
                                         const OutlinedCallee* callee) {
  const Function& f = function_of(part, function);
  const Version& v = *std::ranges::find(f.versions, version, &Version::name);
  if (head >= v.body.size() || !v.when.empty()) return std::nullopt;
  const Scopes scopes = scopes_of(part, f, v);
  if (!scopes[head]) return std::nullopt;
  std::vector<Var> scope(scopes[head]->begin(), scopes[head]->end());
  const std::vector<bool> reached = reached_from(Cfg(v, {}), v, head);
  Function made;
  made.name = unused_name(program, part, function, names);
  std::vector<Var> given;
  if (callee != nullptr) {
    given = unused_variables(v, scope, callee->parameters, names);
    std::erase(scope, callee->result);
  }
  made.params = given;
  made.params.insert(made.params.end(), scope.begin(), scope.end());
  Version& out = made.versions.emplace_back();
  out.name = version;
  const std::unordered_set<Var> anew = declared_anew(v, reached);
  std::vector<Var> stay = scope; // in scope from the head on
  std::erase_if(stay, [&](Var x) { return anew.contains(x); });
  const Outliner outliner(stay);
  std::vector<Pc> origins;
  FreshNames fresh = fresh_labels(v, names);
  FirstCopies copies(v, fresh);
  if (stay.size() < scope.size() || (callee != nullptr && declares(v, reached, callee->result)))
    copies.copy_from(head, scopes, stay);
  // Ways with both declarations would join there.
  for (const Var x : scope)
    if (anew.contains(x) && declares(v, copies.copied(), x)) return std::nullopt;
  if (callee != nullptr) {
    Call call{callee->result, SimpleExpr(callee->function), {}};
    for (const Var x : given) call.arguments.emplace_back(SimpleExpr(x));
    out.body.push_back({{}, std::move(call)});
  }
  out.body.push_back({{}, Goto{copies.label_at(head)}});
  copies.add_to(out.body, origins, outliner);
  const std::size_t start = out.body.size();
  for (Position at = 0; at < v.body.size(); ++at)
    out.body.push_back({{v.body[at].leading.labels, {}, {}},
                        reached[at] ? outliner.instr(v.body[at].instr) : v.body[at].instr});
  std::vector<Label> at_end = v.end.labels;
  for (const auto& [at, label] : copies.own_labels())
    if (!copies.copies(at))
      add_label(at < v.body.size() ? out.body[start + at].leading.labels : at_end, label);
  if (v.cont) add_label(out.body[start].leading.labels, v.cont->entry);
  if (names.text(function) == "main")
    out.body.push_back({{std::move(at_end), {}, {}}, Stop{}});
  else
    out.end.labels = std::move(at_end);
  const FunName name = made.name;
  part.functions.push_back(std::move(made));
  return OutlinedLoop{std::make_unique<Program>(std::move(part)), name, std::move(origins)};
}

} // namespace sourir::native
