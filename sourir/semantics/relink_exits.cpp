#include "sourir/semantics/relink_exits.h"
#include "sourir/semantics/exits.h"

#include "sourir/syntax/scopes.h"

#include <algorithm>

namespace sourir {

namespace {

class ExitRelinking {
public:
  ExitRelinking(const LinkedProgram& target, const OutlinedFrom* outlined_from)
      : target_(target), outlined_from_(outlined_from) {}

  std::vector<std::unique_ptr<ResolvedVersion>> run(const ResolvedVersion& code) {
    add(code);
    for (std::size_t next = 0; next < made_.size(); ++next)
      for (resolved::Instr& instr : made_[next]->instrs) {
        if (resolved::Exit* const exit = exit_of(instr)) redirect(*exit);
      }
    return std::move(made_);
  }

  void redirect(resolved::Exit& exit) {
    redirect(exit.frame, nullptr);
    for (resolved::OuterFrame& outer : exit.outer) redirect(outer.frame, &outer.result);
  }

private:
  ResolvedVersion* add(const ResolvedVersion& code) {
    made_.push_back(std::make_unique<ResolvedVersion>(code));
    streams_.emplace(&code, made_.back().get());
    return made_.back().get();
  }

  // What stands for it in the running program.
  const ResolvedVersion* stream(const ResolvedVersion* code) {
    if (const auto known = streams_.find(code); known != streams_.end()) return known->second;
    if (is_cut_out(*code)) return streams_.emplace(code, outlined_from_->from).first->second;
    if (const ResolvedVersion* const there = target_.version(code->function, code->version))
      return streams_.emplace(code, there).first->second;
    return add(*code);
  }

  void redirect(resolved::Frame& frame, Slot* result) {
    const ResolvedVersion* const from = frame.code;
    frame.code = stream(from);
    if (is_cut_out(*from)) frame.pc = frame.pc == 0 ? outlined_from_->head : frame.pc - 1;
    for (resolved::Entry& entry : frame.varmap)
      entry.name = frame.code->slot_index.at(from->slots[entry.name]);
    if (result != nullptr) *result = frame.code->slot_index.at(from->slots[*result]);
    if (is_cut_out(*from)) forget_what_is_dropped(frame);
  }

  // The parameters of a function that was cut out stay in scope, with nil, where the version that
  // it was cut from drops them (outline_loop): frames of that version do not have them.
  void forget_what_is_dropped(resolved::Frame& frame) {
    const auto& scope = scopes().at(frame.pc);
    if (!scope) return; // only exits lead there
    std::erase_if(frame.varmap, [&](const resolved::Entry& entry) {
      return std::ranges::find(*scope, frame.code->slots[entry.name]) == scope->end();
    });
  }

  // Of the version that the function was cut from.
  const Scopes& scopes() {
    if (scopes_.empty()) {
      const ResolvedVersion& from = *outlined_from_->from;
      const auto& functions = target_.source().functions;
      const auto function = std::ranges::find(functions, from.function, &Function::name);
      scopes_ = scopes_of(*function, *from.source, nullptr);
    }
    return scopes_;
  }

  bool is_cut_out(const ResolvedVersion& code) const {
    return outlined_from_ != nullptr && code.function == outlined_from_->function &&
           code.version == outlined_from_->from->version;
  }

  const LinkedProgram& target_;
  const OutlinedFrom* outlined_from_;
  Scopes scopes_; // empty: not asked for yet
  std::unordered_map<const ResolvedVersion*, const ResolvedVersion*>
      streams_; // what stands for which
  std::vector<std::unique_ptr<ResolvedVersion>> made_;
};

} // namespace

std::vector<std::unique_ptr<ResolvedVersion>> relink_exits(const ResolvedVersion& code,
                                                           const LinkedProgram& target,
                                                           const OutlinedFrom* outlined_from) {
  return ExitRelinking(target, outlined_from).run(code);
}

void relink_exit(resolved::Exit& exit, const LinkedProgram& target,
                 const OutlinedFrom* outlined_from) {
  ExitRelinking(target, outlined_from).redirect(exit);
}

} // namespace sourir
