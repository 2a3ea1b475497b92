#include "sourir/syntax/code_rows.h"

namespace sourir {
namespace {

constexpr CodeRow kNameRows[] = {
    {.code = Code::NoMain,
     .name = "no-main",
     .severity = Severity::Error,
     .title = "there is no function `main`",
     .explanation =
         "A run begins in the function `main`. Add one: `function main()`, or write its\n"
         "instructions as the first lines of the file, before any `function`.",
     .example = "function helper()\n"
                "  return 1\n"},
    {.code = Code::MainParameters,
     .name = "main-parameters",
     .severity = Severity::Error,
     .title = "`main` has parameters",
     .explanation =
         "Nobody could pass arguments to `main`. Take the values from the input instead:\n"
         "`var x` and then `read x`.",
     .example = "function main(var x)\n"
                "  print x\n"},
    {.code = Code::NoBase,
     .name = "no-base",
     .severity = Severity::Error,
     .title = "every version of a function has a context or is a continuation",
     .explanation =
         "A call enters the first version whose context holds; only exits enter a continuation.\n"
         "If all versions were of these two sorts, there would be calls that can enter none. Add\n"
         "a version with neither `when` nor `cont`: the base, which works for all arguments.",
     .example = "print 1\n"
                "function f(var x)\n"
                "version ints when [(x is int)]\n"
                "  return x\n"},
    {.code = Code::DuplicateFunction,
     .name = "duplicate-function",
     .severity = Severity::Error,
     .title = "two functions have one name",
     .explanation = "A call or an exit could not tell them apart. Rename one of them.",
     .example = "print 1\n"
                "function f()\n"
                "  return 1\n"
                "function f()\n"
                "  return 2\n"},
    {.code = Code::DuplicateVersion,
     .name = "duplicate-version",
     .severity = Severity::Error,
     .title = "two versions of a function have one name",
     .explanation = "An exit names its target as function, version and label, so the versions of\n"
                    "one function need different names. Versions of different functions may share\n"
                    "one.",
     .example = "print 1\n"
                "function f()\n"
                "version base\n"
                "  return 1\n"
                "version base\n"
                "  return 1\n"},
    {.code = Code::DuplicateParameter,
     .name = "duplicate-parameter",
     .severity = Severity::Error,
     .title = "two parameters have one name",
     .explanation = "One of the two arguments could not be reached. Rename one of them. The same\n"
                    "holds for the names that a continuation lists.",
     .example = "print 1\n"
                "function f(var x, var x)\n"
                "  return x\n"},
    {.code = Code::DuplicateLabel,
     .name = "duplicate-label",
     .severity = Severity::Error,
     .title = "a label stands at two positions of a version",
     .explanation =
         "A label names one position of its version, whatever sign it is written with: `$L:`,\n"
         "`L:` and `>L:` are the same label. Rename one. Different versions may use the same\n"
         "labels; copies of a version usually do.",
     .example = "L: print 1\n"
                "L: print 2\n"},
    {.code = Code::EmptyBody,
     .name = "empty-body",
     .severity = Severity::Error,
     .title = "a function without a version, or a version without an instruction",
     .explanation =
         "There is nothing that could be run. Write at least `return nil` (in `main`: `stop`).",
     .example = "print 1\n"
                "function f()\n"},
    {.code = Code::FallsOffEnd,
     .name = "falls-off-end",
     .severity = Severity::Error,
     .title = "control can run off the end of a version",
     .explanation =
         "Behind the last instruction there is nothing to continue with. End every way through\n"
         "the version with `return`, `stop` or `goto`. Only in `main` may control reach the end:\n"
         "there it means `stop 0`.",
     .example = "call r = 'f()\n"
                "function f()\n"
                "  print 1\n"},
    {.code = Code::UnknownLabel,
     .name = "unknown-label",
     .severity = Severity::Error,
     .title = "no position of the version bears this label",
     .explanation =
         "`branch` and `goto` reach the labels of their own version only; an exit names\n"
         "a label of its target version. Write `L:` before the instruction that is\n"
         "meant, or correct the name.",
     .example = "goto L\n"
                "print 1\n"},
    {.code = Code::UnknownFunction,
     .name = "unknown-function",
     .severity = Severity::Error,
     .title = "there is no function of this name",
     .explanation = "A function literal `'f` and the target of an exit name functions of the same\n"
                    "file.",
     .example = "call r = 'f()\n"
                "print r\n"},
    {.code = Code::UnknownVersion,
     .name = "unknown-version",
     .severity = Severity::Error,
     .title = "the function has no version of this name",
     .explanation = "The target of an exit is written (function, version, label). A function\n"
                    "without a `version` line has one version, called `anon`.",
     .example = "assume [true] else (main, base, L) []\n"
                "L: print 1\n"},
    {.code = Code::WrongArity,
     .name = "wrong-arity",
     .severity = Severity::Error,
     .title = "a call passes more or fewer arguments than the function has parameters",
     .explanation = "The function is known here, so that this call could only fail. (Where the\n"
                    "function comes from a variable, the number is checked when the call runs.)",
     .example = "call r = 'f(1, 2)\n"
                "print r\n"
                "function f(var x)\n"
                "  return x\n"},
};

} // namespace

std::span<const CodeRow> name_rows() { return kNameRows; }

} // namespace sourir
