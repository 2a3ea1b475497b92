#include "sourir/passes/scalar/normalize.h"

#include "sourir/passes/core/pass.h"
#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/core/version_edit.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/scope_flow.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace sourir {
namespace {

// --- Names that are declared more than once ------------------------------------------------------

// The frames of a program's exits, by the version that they enter.
class EnteringFrames {
public:
  explicit EnteringFrames(const Program& program);
  const std::vector<ExitFrame>& of(FunName function, VerName version) const;

private:
  std::unordered_map<std::uint64_t, std::vector<ExitFrame>> frames_; // by both names
};

// The variables of a version whose names are declared more than once, each under a name of its own.
class DeclaredAgain {
public:
  // `fresh` holds all names of the version; `entering`: the frames that enter it.
  DeclaredAgain(const Function& function, const Version& version,
                const std::vector<ExitFrame>& entering, FreshNames& fresh);

  bool empty() const { return by_position_.empty(); }
  // New names of variables in scope before a position, or declared there, as far as its
  // instruction, its scope notes or exits that target it mention them.
  const Renaming& at(Position at) const;
  // Each new name with the old one, in order of their declarations.
  const std::vector<std::pair<Var, Var>>& renamed() const { return renamed_; }
  // Names that stay declared more than once: one variable of an exit continues as several.
  const std::vector<Var>& kept() const { return kept_; }

private:
  std::unordered_map<Position, Renaming> by_position_;
  std::vector<std::pair<Var, Var>> renamed_;
  std::vector<Var> kept_;
};

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

// The declarations of each variable: a declaration by an exit belongs to all that it meets.
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
    for (const ScopeNote& note : end ? version_.end.scopes : version_.body[position].leading.scopes)
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
  // The variable and the declaration of a node.
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
  std::uint32_t bodies = 0;  // the number of these
};

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

// --- Labels and gotos of normal form -------------------------------------------------------------

// The changes that make the jumps and labels of one version normal: each label has one kind of use,
// the target of a branch has no other predecessor, nothing falls through into a position that is
// jumped to, and nothing jumps to the first position.
class NormalLabels {
public:
  // `entered`: the labels that exits target. `fresh` holds all names of the version.
  NormalLabels(const Version& version, std::span<const Label> entered, FreshNames& fresh);

  bool empty() const { return places_.empty(); }

  // What changes at a position that is jumped to.
  struct Place {
    std::optional<Label> through; // `goto through` before it: control falls in or starts here
    std::vector<std::pair<Label, Label>> pads; // `pad: goto label` after that, for branches
    std::vector<Label> added, gone;            // labels of the position itself
  };
  const Place* at(Position at) const;
  // Redirects the jump at the position to its new labels.
  void retarget(Position at, Instruction& jump) const;
  std::uint64_t changes() const { return changes_; }

private:
  std::unordered_map<Position, Place> places_;
  std::unordered_map<Position, std::pair<std::optional<Label>, std::optional<Label>>> jumps_;
  std::uint64_t changes_ = 0;
};

struct Edge {
  Position to, from;
  bool branch, second; // an arm of a branch; the false one
  Label label;
};

std::vector<Edge> edges_by_target(const Version& version) {
  const auto positions = label_positions(version);
  std::vector<Edge> edges;
  for (Position at = 0; at < version.body.size(); ++at) {
    const Successors next = successors(version.body[at].instr);
    const bool branch = next.second != nullptr;
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr)
        edges.push_back({positions.at(*label), at, branch, label == next.second, *label});
  }
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Edge& a, const Edge& b) { return a.to < b.to; });
  return edges;
}

// The changes at one position.
class Target {
public:
  Target(std::span<const Edge> edges, const std::unordered_set<Label>& entered, FreshNames& fresh)
      : edges_(edges), entered_(entered), fresh_(fresh) {
    for (const Edge& e : edges)
      if (!e.branch) gotos_.insert(e.label);
  }

  // One arm of a branch is the only predecessor.
  void one_arm() { redirect(edges_[0], own_label(edges_[0].label)); }

  void several_ways(bool falls_or_starts) {
    const Label main = main_label();
    if (falls_or_starts) place.through = main;
    for (const Edge& e : edges_) {
      if (!e.branch) {
        redirect(e, entered_.contains(e.label) ? main : e.label);
      } else {
        const Label pad = pad_label(e.label, main);
        place.pads.emplace_back(pad, main);
        redirect(e, pad);
      }
    }
  }

  NormalLabels::Place place;
  std::vector<std::pair<Edge, Label>> redirected;

private:
  void redirect(const Edge& e, Label to) {
    if (to != e.label) redirected.emplace_back(e, to);
  }
  Label another(Label like) { return fresh_.fresh<Label>(fresh_.names().text(like)); }
  Label own_label(Label label) {
    if (!entered_.contains(label)) return label;
    place.added.push_back(another(label));
    return place.added.back();
  }
  // The label that gotos use.
  Label main_label() {
    for (const bool branch : {false, true})
      for (const Edge& e : edges_)
        if (e.branch == branch && !entered_.contains(e.label)) return e.label;
    return own_label(edges_[0].label);
  }
  // A label that only branches use moves to the first of their pads.
  Label pad_label(Label label, Label main) {
    if (label == main || gotos_.contains(label) || entered_.contains(label) ||
        std::find(place.gone.begin(), place.gone.end(), label) != place.gone.end())
      return another(label);
    place.gone.push_back(label);
    return label;
  }

  std::span<const Edge> edges_;
  const std::unordered_set<Label>& entered_;
  FreshNames& fresh_;
  std::unordered_set<Label> gotos_;
};

NormalLabels::NormalLabels(const Version& version, std::span<const Label> entered_labels,
                           FreshNames& fresh) {
  std::unordered_set<Label> entered(entered_labels.begin(), entered_labels.end());
  if (version.cont) entered.insert(version.cont->entry);
  const std::vector<Edge> all = edges_by_target(version);
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    const Position at = all[first].to;
    while (last < all.size() && all[last].to == at) ++last;
    const std::span<const Edge> edges(all.data() + first, last - first);
    const bool falls = at > 0 && successors(version.body[at - 1].instr).next;
    Target target(edges, entered, fresh);
    if (edges.size() == 1 && edges[0].branch && !falls && at > 0)
      target.one_arm();
    else
      target.several_ways(falls || at == 0);
    Place& place = target.place;
    const std::size_t changes = (place.through ? 1 : 0) + place.pads.size() + place.added.size();
    if (changes + target.redirected.size() == 0) continue;
    changes_ += changes + target.redirected.size();
    places_.emplace(at, std::move(place));
    for (const auto& [edge, label] : target.redirected)
      (edge.second ? jumps_[edge.from].second : jumps_[edge.from].first) = label;
  }
}

const NormalLabels::Place* NormalLabels::at(Position at) const {
  const auto found = places_.find(at);
  return found == places_.end() ? nullptr : &found->second;
}

void NormalLabels::retarget(Position at, Instruction& jump) const {
  const auto found = jumps_.find(at);
  if (found == jumps_.end()) return;
  const auto& [first, second] = found->second;
  if (auto* const to = std::get_if<Goto>(&jump)) to->target = first.value_or(to->target);
  if (auto* const branch = std::get_if<Branch>(&jump)) {
    branch->if_true = first.value_or(branch->if_true);
    branch->if_false = second.value_or(branch->if_false);
  }
}

// --- The pass ------------------------------------------------------------------------------------

class NormalVersion {
public:
  NormalVersion(Names& names, const Function& function, const Version& version,
                const EnteringFrames& entering, const ExitTargets& targets)
      : names_(names), function_(function), version_(version),
        fresh_(names_in(function, version, names)),
        labels_(version, targets.labels(function.name, version.name), fresh_),
        again_(function, version, entering.of(function.name, version.name), fresh_) {}

  bool changes() const { return !labels_.empty() || !again_.empty(); }
  std::uint64_t rewrites() const { return labels_.changes() + again_.renamed().size(); }
  const std::vector<Var>& kept() const { return again_.kept(); }

  // The new name of x at a label, for exits that target it.
  Var name_at(Label label, Var x) {
    if (again_.empty()) return x;
    if (positions_.empty()) positions_ = label_positions(version_);
    return again_.at(positions_.at(label)).variable(x);
  }

  VersionDraft::Done made() {
    const Version& v = version_;
    VersionDraft draft({function_.name, v.name, {}, 0},
                       {v.name, v.cont, v.when, {}, {}, v.comments});
    for (const auto& [old, name] : again_.renamed()) draft.absent(old, SimpleExpr(name));
    const auto end = static_cast<Position>(v.body.size());
    draft.reserve(end);
    for (Position at = 0; at < end; ++at) {
      lead_in(at, draft);
      FreshNames none(names_);
      Instruction instr = rename(v.body[at].instr, again_.at(at), none);
      labels_.retarget(at, instr);
      draft.add({leading(at, v.body[at].leading), std::move(instr)}, at);
    }
    lead_in(end, draft);
    return std::move(draft).finish(function_.name, leading(end, v.end), end);
  }

private:
  // The gotos before a position that is jumped to. The entry of a continuation stays first.
  void lead_in(Position at, VersionDraft& draft) {
    const NormalLabels::Place* const place = labels_.at(at);
    if (place == nullptr) return;
    const auto jump = [&](std::vector<Label> labels, Label to) {
      draft.add({{std::move(labels), {}, {}}, Goto{to}}, at);
    };
    if (place->through) {
      const bool entry = at == 0 && version_.cont && marked(version_.cont->entry);
      jump(entry ? std::vector{version_.cont->entry} : std::vector<Label>{}, *place->through);
    }
    for (const auto& [pad, label] : place->pads) jump({pad}, label);
    for (const Label label : place->added) draft.label_next(label);
  }

  // Whether the first position bears the label.
  bool marked(Label label) const {
    const auto& labels =
        version_.body.empty() ? version_.end.labels : version_.body[0].leading.labels;
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  }

  LeadingTrivia leading(Position at, const LeadingTrivia& before) const {
    LeadingTrivia result = before;
    if (const NormalLabels::Place* const place = labels_.at(at)) {
      const bool moved_on = at == 0 && place->through && version_.cont;
      result = keep_labels(before, [&](Label label) {
        if (moved_on && label == version_.cont->entry) return false;
        return std::find(place->gone.begin(), place->gone.end(), label) == place->gone.end();
      });
    }
    for (ScopeNote& note : result.scopes)
      for (Var& x : note.names) x = again_.at(at).variable(x);
    return result;
  }

  Names& names_;
  const Function& function_;
  const Version& version_;
  FreshNames fresh_;
  NormalLabels labels_;
  DeclaredAgain again_;
  std::unordered_map<Label, std::uint32_t> positions_; // computed on demand
};

class Normalizer {
public:
  explicit Normalizer(const PassInput& input)
      : input_(input), targets_(input.program), entering_(input.program) {}

  std::optional<PassResult> run() {
    for (std::size_t f = 0; f < input_.program.functions.size(); ++f)
      if (selected(input_, input_.program.functions[f].name)) normalize_function(f);
    if (result_.rewrites == 0) return std::nullopt;
    result_.program = with_versions(input_.program, std::move(changed_));
    follow_names();
    return std::move(result_);
  }

private:
  void normalize_function(std::size_t f) {
    const Function& function = input_.program.functions[f];
    for (std::size_t v = 0; v < function.versions.size(); ++v) {
      const Version& version = function.versions[v];
      NormalVersion normal(input_.names, function, version, entering_, targets_);
      for (const Var x : normal.kept())
        result_.remarks.push_back(std::string(input_.names.text(function.name)) + "." +
                                  std::string(input_.names.text(version.name)) + ": " +
                                  std::string(input_.names.text(x)) +
                                  " stays declared several times: an exit brings one variable for "
                                  "all of them");
      if (!normal.changes()) continue;
      VersionDraft::Done done = normal.made();
      changed_.push_back({f, v, std::move(done.version)});
      result_.origins.push_back(std::move(done.origin));
      result_.rewrites += normal.rewrites();
      normal_.emplace(version_key(function.name, version.name), std::move(normal));
    }
  }

  // Renames the variables in the varmaps of exits, as in the versions that they enter.
  void follow_names() {
    for (Function& f : result_.program.functions)
      for (Version& v : f.versions)
        for (Stmt& stmt : v.body) {
          if (Metadata* const exit = exit_of(stmt.instr)) follow_names(*exit);
        }
  }
  void follow_names(Metadata& exit) {
    follow_names(exit.frame.target, exit.frame.varmap, nullptr);
    for (OuterFrame& outer : exit.outer) follow_names(outer.target, outer.varmap, &outer.result);
  }
  void follow_names(const Place& target, std::vector<Binding>& varmap, Var* result) {
    const auto found = normal_.find(version_key(target.function, target.version));
    if (found == normal_.end()) return;
    for (Binding& b : varmap) b.name = found->second.name_at(*target.label, b.name);
    if (result != nullptr) *result = found->second.name_at(*target.label, *result);
  }

  const PassInput& input_;
  ExitTargets targets_;
  EnteringFrames entering_;
  PassResult result_;
  std::vector<NewVersion> changed_;
  std::unordered_map<std::uint64_t, NormalVersion> normal_; // by both names
};

} // namespace

std::optional<PassResult> normalize(const PassInput& input) { return Normalizer(input).run(); }

} // namespace sourir
