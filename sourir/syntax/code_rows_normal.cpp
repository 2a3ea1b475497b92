#include "sourir/syntax/code_rows.h"

namespace sourir {
namespace {

constexpr CodeRow kNormalFormAndWarningRows[] = {
    {.code = Code::NormalMixedLabel,
     .name = "normal-mixed-label",
     .severity = Severity::Error,
     .title = "not normal: a label has several kinds of use",
     .explanation =
         "In normal form a label is the target of branches, or of gotos, or of exits only. Give\n"
         "the position one label for each kind, or let `--pass=normalize` do it.",
     .example = "goto L\n"
                "L:\n"
                "  anchor else (main, anon, L) []\n"},
    {.code = Code::NormalBranchTarget,
     .name = "normal-branch-target",
     .severity = Severity::Error,
     .title = "not normal: several edges lead to the target of a branch",
     .explanation =
         "In normal form the target of a branch has one predecessor, so that something can be\n"
         "inserted on this edge alone. Give each branch a label of its own that goes on with\n"
         "`goto`, or let `--pass=normalize` do it.",
     .example = "branch true $L $L\n"
                "$L:\n"
                "  print 1\n"},
    {.code = Code::NormalFallThrough,
     .name = "normal-fall-through",
     .severity = Severity::Error,
     .title = "not normal: control falls through into a label that is jumped to",
     .explanation =
         "In normal form a position that branches or gotos lead to is reached by them only.\n"
         "Write `goto L` before the label L, or let `--pass=normalize` do it.",
     .example = "var i = 0\n"
                "L:\n"
                "  i <- (i + 1)\n"
                "  goto L\n"},
    {.code = Code::NormalFirstLabel,
     .name = "normal-first-label",
     .severity = Severity::Error,
     .title = "not normal: a jump leads to the first position of a version",
     .explanation =
         "In normal form nothing leads back to the start of a version, so that something can be\n"
         "inserted that runs once. Put a `goto` before it, or let `--pass=normalize` do it.",
     .example = "L:\n"
                "  print 1\n"
                "  goto L\n"},
    {.code = Code::NormalDeclaredTwice,
     .name = "normal-declared-twice",
     .severity = Severity::Error,
     .title = "not normal: a name is declared twice in a version",
     .explanation =
         "In normal form a name stands for one variable in the whole version, parameters\n"
         "included. Rename one of them, or let `--pass=normalize` do it.",
     .example = "var x = 1\n"
                "drop x\n"
                "var x = 2\n"
                "print x\n"},
    {.code = Code::SigilMismatch,
     .name = "sigil-mismatch",
     .severity = Severity::Warning,
     .title = "the sign of a label says another use than it has",
     .explanation =
         "`$L:` is written at targets of branches, `L:` at targets of gotos and `>L:` at labels\n"
         "that only exits use. The signs are for the reader; they change nothing. `sourir fmt`\n"
         "writes the right ones.",
     .example = "goto L\n"
                "$L:\n"
                "  print 1\n"},
    {.code = Code::PartialVarmap,
     .name = "partial-varmap",
     .severity = Severity::Warning,
     .title = "an exit computes something that could fail",
     .explanation =
         "An exit should always succeed: a failure in the middle of a deoptimization is an error\n"
         "that the program without it would not have. Literals, variables, `==`, `!=` and `is`\n"
         "always have a value; arithmetic, `x[i]` and `length(x)` need operands of the right\n"
         "kind. Compute the value before the assume and name the variable here. With `--strict`\n"
         "this is an error.",
     .example = "var x = 1\n"
                "assume [true] else (main, anon, L) [var x = (x + 13)]\n"
                "L: print x\n"},
};

} // namespace

std::span<const CodeRow> normal_form_and_warning_rows() { return kNormalFormAndWarningRows; }

} // namespace sourir
