#include "sourir/semantics/adopt.h"

namespace sourir {

namespace {

class Adoption {
public:
  Adoption(const LinkedProgram& target, const CutOut* cut_out)
      : target_(target), cut_out_(cut_out) {}

  std::vector<std::unique_ptr<InstrStream>> run(const InstrStream& code) {
    add(code);
    for (std::size_t next = 0; next < made_.size(); ++next)
      for (code::Instr& instr : made_[next]->instrs) {
        if (auto* const assume = std::get_if<code::Assume>(&instr)) redirect(assume->exit);
        if (auto* const anchor = std::get_if<code::Anchor>(&instr)) redirect(anchor->exit);
      }
    return std::move(made_);
  }

  void redirect(code::Exit& exit) {
    redirect(exit.frame, nullptr);
    for (code::OuterFrame& outer : exit.outer) redirect(outer.frame, &outer.result);
  }

private:
  InstrStream* add(const InstrStream& code) {
    made_.push_back(std::make_unique<InstrStream>(code));
    streams_.emplace(&code, made_.back().get());
    return made_.back().get();
  }

  // What stands for it in the running program.
  const InstrStream* stream(const InstrStream* code) {
    if (const auto known = streams_.find(code); known != streams_.end()) return known->second;
    if (is_cut_out(*code)) return streams_.emplace(code, cut_out_->from).first->second;
    if (const InstrStream* const there = target_.version(code->function, code->version))
      return streams_.emplace(code, there).first->second;
    return add(*code);
  }

  void redirect(code::Frame& frame, Slot* result) {
    const InstrStream* const from = frame.code;
    frame.code = stream(from);
    if (is_cut_out(*from)) frame.pc = frame.pc == 0 ? cut_out_->head : frame.pc - 1;
    for (code::Entry& entry : frame.varmap)
      entry.name = frame.code->slot_index.at(from->slots[entry.name]);
    if (result != nullptr) *result = frame.code->slot_index.at(from->slots[*result]);
  }

  bool is_cut_out(const InstrStream& code) const {
    return cut_out_ != nullptr && code.function == cut_out_->function &&
           code.version == cut_out_->from->version;
  }

  const LinkedProgram& target_;
  const CutOut* cut_out_;
  std::unordered_map<const InstrStream*, const InstrStream*> streams_; // what stands for which
  std::vector<std::unique_ptr<InstrStream>> made_;
};

} // namespace

std::vector<std::unique_ptr<InstrStream>>
adopt(const InstrStream& code, const LinkedProgram& target, const CutOut* cut_out) {
  return Adoption(target, cut_out).run(code);
}

void adopt_exit(code::Exit& exit, const LinkedProgram& target, const CutOut* cut_out) {
  Adoption(target, cut_out).redirect(exit);
}

} // namespace sourir
