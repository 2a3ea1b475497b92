#include "sourir/syntax/wellformed.h"

#include "sourir/syntax/program_index.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

// The normal form of labels.
namespace {

// How a label is used, and where by a branch or goto first.
struct LabelUse {
  bool branch = false, go = false, exit = false;
  Span jump;
};
using LabelUses = std::unordered_map<Label, LabelUse>;

class NormalFormCheck {
public:
  NormalFormCheck(ProgramIndex& index, const VersionEntry& entry, LabelUses& uses)
      : index_(index), entry_(entry), uses_(uses), jumps_to_(entry.version.body.size() + 1) {}

  void check() {
    for (std::uint32_t position = 0; position < entry_.version.body.size(); ++position)
      note_jumps(position);
    for (std::uint32_t position = 0; position <= entry_.version.body.size(); ++position)
      for (std::size_t k = 0; k < entry_.places.marks(position).labels.size(); ++k)
        check_label(entry_.places.marks(position).labels[k], position,
                    entry_.places.label(position, k));
    const auto& first = entry_.places.marks(0).labels;
    if (const auto& cont = entry_.version.cont;
        cont && std::find(first.begin(), first.end(), cont->entry) == first.end())
      check_label(cont->entry, 0, entry_.places.header(0));
    check_declarations();
  }

private:
  void note_jumps(std::uint32_t position) {
    std::size_t k = 0;
    for_each_name(entry_.version.body[position].instr, [&](NameUse use) {
      const bool branch = use.role == NameRole::BranchTarget;
      if (branch || use.role == NameRole::GotoTarget) {
        LabelUse& label = uses_[Label{use.id}];
        if (!label.branch && !label.go) label.jump = entry_.places.instruction_name(position, k);
        (branch ? label.branch : label.go) = true;
        if (const auto target = entry_.labels.find(Label{use.id}); target != entry_.labels.end())
          ++jumps_to_[target->second];
      }
      ++k;
    });
  }

  void check_label(Label label, std::uint32_t position, Span span) {
    const auto found = uses_.find(label);
    if (found == uses_.end() || !(found->second.branch || found->second.go)) return;
    const LabelUse& use = found->second;
    const bool entry = entry_.version.cont && entry_.version.cont->entry == label;
    const bool exit = use.exit || entry;
    if (use.branch + use.go + exit > 1)
      add(Code::NormalMixedLabel, span,
          fmt::format("{} is used by {}{}{}", index_.quoted(label),
                      use.branch ? "branches" : "gotos",
                      use.branch && use.go ? (exit ? ", gotos" : " and gotos") : "",
                      exit ? " and exits" : ""),
          use);
    if (use.branch && jumps_to_[position] > 1)
      add(Code::NormalBranchTarget, span,
          fmt::format("{} is the target of a branch, but {} edges lead to its position",
                      index_.quoted(label), jumps_to_[position]),
          use);
    if (position > 0 && successors(entry_.version.body[position - 1].instr).next)
      add(Code::NormalFallThrough, span,
          fmt::format("control falls through into {}, which is jumped to", index_.quoted(label)),
          use);
    if (position == 0)
      add(Code::NormalFirstLabel, span,
          fmt::format("{} stands at the first position, but is jumped to", index_.quoted(label)),
          use);
  }

  void add(Code code, Span span, std::string message, const LabelUse& use) {
    index_.problems.add(code, span, std::move(message))
        .notes.push_back({use.jump, "the first jump to it is here"});
  }

  void check_declarations() {
    std::unordered_map<Var, Span> declared;
    const auto& names = entry_.start_names();
    for (std::size_t k = 0; k < names.size(); ++k)
      declared.emplace(names[k], entry_.version.cont ? entry_.places.header(1 + k)
                                                     : index_.parameter(entry_.function_number, k));
    for (std::uint32_t position = 0; position < entry_.version.body.size(); ++position) {
      const Var* name = scope_effect(entry_.version.body[position].instr).declares;
      if (!name) continue;
      // A declaration's name is the first of its instruction.
      const Span span = entry_.places.instruction_name(position, 0);
      const auto [first, fresh] = declared.emplace(*name, span);
      if (!fresh)
        index_.problems
            .add(Code::NormalDeclaredTwice, span,
                 fmt::format("{} is declared twice in version {} of {}", index_.quoted(*name),
                             index_.quoted(entry_.version.name),
                             index_.quoted(entry_.function.name)))
            .notes.push_back({first->second, "it is declared here first"});
    }
  }

  ProgramIndex& index_;
  const VersionEntry& entry_;
  LabelUses& uses_;
  std::vector<std::uint32_t> jumps_to_; // branches and gotos to each position
};

} // namespace

void check_normal_form(const Program& program, const SourceMap& spans, const Names& names,
                       Diagnostics& problems) {
  ProgramIndex index(program, spans, names, problems);
  std::unordered_map<const VersionEntry*, LabelUses> uses;
  for (const VersionEntry& entry : index.versions)
    for (const Stmt& stmt : entry.version.body)
      if (const Metadata* exit = exit_of(stmt.instr))
        for (std::size_t i = 0; i < frame_count(*exit); ++i) {
          const Place& target = *frame_at(*exit, i).target;
          const Function* function = index.function(target.function);
          const VersionEntry* version =
              function ? index.version(*function, target.version) : nullptr;
          if (version && target.label) uses[version][*target.label].exit = true;
        }
  for (const VersionEntry& entry : index.versions)
    NormalFormCheck(index, entry, uses[&entry]).check();
}

void check_wellformed(const Program& program, const SourceMap& spans, const Names& names,
                      Diagnostics& problems) {
  ProgramIndex index(program, spans, names, problems);
  check_declarations(index);
  check_names(index);
  check_scopes(index);
  check_exits(index);
}

bool is_wellformed(const Program& program, const Names& names) {
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  return !problems.has_errors();
}

} // namespace sourir
