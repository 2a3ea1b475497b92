#include "sourir/passes/scalar/normalize.h"

#include "sourir/analysis/mutant.h"
#include "sourir/passes/core/marks.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/scalar/declared_again.h"
#include "sourir/passes/scalar/normal_labels.h"
#include "sourir/syntax/program_positions.h"
#include "sourir/syntax/scopes.h"

#include <algorithm>

namespace sourir {
namespace {

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

  // For exits that enter the version.
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
      Instruction instr = rename(v.body[at].instr, mutant(58) ? Renaming{} : again_.at(at), none);
      labels_.retarget(at, instr);
      draft.add({marks(at, v.body[at].marks), std::move(instr)}, at);
    }
    lead_in(end, draft);
    return std::move(draft).finish(function_.name, marks(end, v.end), end);
  }

private:
  // What stands in front of a position that is jumped to. The entry of a continuation stays first.
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

  // The first position bears the label.
  bool marked(Label label) const {
    const auto& labels =
        version_.body.empty() ? version_.end.labels : version_.body[0].marks.labels;
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  }

  Marks marks(Position at, const Marks& before) const {
    Marks result = before;
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
  std::unordered_map<Label, std::uint32_t> positions_; // empty: not asked for yet
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

  // The names of the versions that exits enter, in their varmaps.
  void follow_names() {
    for (Function& f : result_.program.functions)
      for (Version& v : f.versions)
        for (Stmt& stmt : v.body) {
          if (auto* const assume = std::get_if<Assume>(&stmt.instr)) follow_names(assume->exit);
          if (auto* const anchor = std::get_if<Anchor>(&stmt.instr)) follow_names(anchor->exit);
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
