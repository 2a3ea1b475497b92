// Putting the code of a callee in the place of a call. Internal to inline.
#pragma once

#include "sourir/analysis/version_analyses.h"
#include "sourir/passes/core/version_edit.h"

namespace sourir {

// Code to be inlined, and where it comes from.
struct InlineBody {
  const Function* function;
  const Version* version;
  const VersionOrigin* origin; // null: it is a version of the input as it is
};

struct InlineSite {
  Position at; // the call in the caller's input version
  const Call* call;
  std::optional<Pending> frames; // the caller's, for the exits of the callee; it may have none
};

// Appends the callee's code to the draft in place of the call, with the marks of the call's
// position; `scopes` are those of the callee's code. `behind`: the label of the position behind the
// call, made and placed there where the code jumps to it.
class InlineWriter {
public:
  InlineWriter(VersionDraft& draft, FreshNames& fresh) : draft_(draft), fresh_(fresh) {}

  void write(const InlineSite& site, const Marks& marks, const InlineBody& body,
             const Scopes& scopes);

private:
  struct Copy;
  void substitute_arguments(Copy& copy);
  void add_contexts(Copy& copy);
  void bind_parameters(const Copy& copy, const Marks& marks);
  void add_statement(Copy& copy, Position q);
  void add_return(Copy& copy, Position q, const Return& instr);
  Instruction with_frames(const Copy& copy, Instruction instr);

  VersionDraft& draft_;
  FreshNames& fresh_;
};

} // namespace sourir
