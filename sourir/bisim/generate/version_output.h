// The version that is being written: its instructions so far, fresh names, and where it stands
// among the versions of its function.
#pragma once

#include "sourir/bisim/generate/random_context.h"
#include "sourir/bisim/generate/written_version.h"

namespace sourir::random {

class VersionOutput {
public:
  VersionOutput(Context& context, std::deque<WrittenFunction>& functions, WrittenFunction& function,
                std::size_t number)
      : context_(context), functions_(functions), function_(function),
        version_(function.versions[number]), number_(number) {}

  Context& context() { return context_; }
  ChoiceSequence& choices() { return context_.choices; }
  bool has(Feature f) const { return context_.policy.has(f); }
  std::deque<WrittenFunction>& functions() { return functions_; }
  WrittenFunction& function() { return function_; }
  WrittenVersion& version() { return version_; }
  std::size_t number() const { return number_; } // in function().versions
  bool is_base() const { return number_ == 0; }
  bool is_continuation() const { return version_.entry != kNone; }

  void push(Instruction instr);
  // Puts a label, or a scope annotation, before the next instruction.
  void place(Label label) { pending_.labels.push_back(label); }
  void annotate(ScopeNote note) { pending_.scopes.push_back(std::move(note)); }
  void finish();
  Label fresh_label() { return context_.names.label(version_.next_label++); }
  Var fresh_var() { return context_.names.var(version_.next_var++); }

  Spot here(const BodyEnv& env) const {
    return {static_cast<std::uint32_t>(version_.out.body.size()), env.facts};
  }
  // Whether this is the version's only position for the gaps of its own tree.
  bool in_place(const BodyEnv& env) const { return !env.caller && nesting.peeling == 0; }
  // Instructions that may be written besides those of the tree. Where there are none left, versions
  // become short, not wrong.
  std::int64_t room() const {
    return context_.left - static_cast<std::int64_t>(function_.tree.nodes.size());
  }
  // Whether a literal may stand for the variable. Arrays have none, and neither has what may be
  // used as an array. With errors, a function may be called with a wrong number of arguments, which
  // its name does not allow.
  bool may_be_literal(const Tree& tree, VarIndex k) const;

  struct Nesting { // of what is being written
    std::uint32_t peeling = 0, loops = 0, inlined = 0;
  };
  Nesting nesting;

private:
  Context& context_;
  std::deque<WrittenFunction>& functions_;
  WrittenFunction& function_;
  WrittenVersion& version_;
  std::size_t number_;
  Marks pending_;
};

} // namespace sourir::random
