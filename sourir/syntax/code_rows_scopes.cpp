#include "sourir/syntax/code_rows.h"

namespace sourir {
namespace {

constexpr CodeRow kScopeRows[] = {
    {.code = Code::OutOfScope,
     .name = "out-of-scope",
     .severity = Severity::Error,
     .title = "a variable is used where it is not in scope",
     .explanation =
         "A variable is in scope from its `var`, `array` or `call` on, along every way that\n"
         "control can take, until a `drop`. It must be in scope to be used in an expression, to\n"
         "be assigned (`x <- e`), read into (`read x`), stored into (`x[i] <- e`) or dropped.\n"
         "Declare it first: `var x`.",
     .example = "x <- 1\n"},
    {.code = Code::Redeclared,
     .name = "redeclared",
     .severity = Severity::Error,
     .title = "a variable is declared while it is in scope",
     .explanation =
         "There is one variable of each name at a time; a second declaration would hide the\n"
         "first. To change its value write `x <- e`; to start anew, `drop x` before.",
     .example = "var x = 1\n"
                "var x = 2\n"},
    {.code = Code::ScopeMismatch,
     .name = "scope-mismatch",
     .severity = Severity::Error,
     .title = "two ways into a position bring different variables",
     .explanation =
         "At every position it must be known which variables exist, however control came there:\n"
         "a deoptimization has to name each of them. Make both ways agree: `drop x` where x is\n"
         "too many, or declare it before the ways part.",
     .example = "branch true $A $B\n"
                "$A:\n"
                "  var x = 1\n"
                "  goto End\n"
                "$B:\n"
                "  goto End\n"
                "End:\n"
                "  print 1\n"},
    {.code = Code::DeclarationMismatch,
     .name = "declaration-mismatch",
     .severity = Severity::Error,
     .title = "two ways into a position bring a variable from different declarations",
     .explanation =
         "Both ways have a variable of this name, but each has its own: they were declared at\n"
         "different places. Declare the variable once, before the ways part, and assign to it\n"
         "(`x <- e`) on each of them.",
     .example = "branch true $A $B\n"
                "$A:\n"
                "  var x = 1\n"
                "  goto End\n"
                "$B:\n"
                "  var x = 2\n"
                "  goto End\n"
                "End:\n"
                "  print x\n"},
    {.code = Code::AnnotationFails,
     .name = "annotation-fails",
     .severity = Severity::Error,
     .title = "a scope annotation does not hold",
     .explanation =
         "`{a, b}` before an instruction says that exactly a and b are in scope there, `{a, ...}`\n"
         "that at least a is. Annotations change nothing; they are checked so that a reader can\n"
         "rely on them. Correct the annotation, or the program.",
     .example = "var a = 1\n"
                "{b} print a\n"},
    {.code = Code::ContextVariable,
     .name = "context-variable",
     .severity = Severity::Error,
     .title = "a context mentions something that is not a parameter",
     .explanation =
         "The context of a version (`when [...]`) is tested when a call enters the function: then\n"
         "only the parameters exist. For a continuation these are the names that it lists.",
     .example = "print 1\n"
                "function f(var x)\n"
                "version zero when [(y == 0)]\n"
                "  return 0\n"
                "version base\n"
                "  return x\n"},
    {.code = Code::VarmapMissing,
     .name = "varmap-missing",
     .severity = Severity::Error,
     .title = "an exit does not give a value to a variable of its target",
     .explanation =
         "After the exit the target goes on as if it had run all along. So its varmap binds\n"
         "every variable that is in scope at the target label: `var x = e` for each, where e is\n"
         "the value in terms of the variables here. Any value will do for a variable that the\n"
         "target never looks at again, for example `nil`.",
     .example = "var x = 1\n"
                "assume [true] else (main, anon, L) []\n"
                "L: print x\n"},
    {.code = Code::VarmapExtra,
     .name = "varmap-extra",
     .severity = Severity::Error,
     .title = "an exit binds a name that is not in scope at its target",
     .explanation =
         "The varmap binds exactly the variables that are in scope at the target label. Remove\n"
         "the entry, or let the exit go to a label where the variable exists.",
     .example = "var x = 1\n"
                "assume [true] else (main, anon, L) [var x = x, var y = 2]\n"
                "L: print x\n"},
    {.code = Code::VarmapDuplicate,
     .name = "varmap-duplicate",
     .severity = Severity::Error,
     .title = "an exit binds a variable of its target twice",
     .explanation =
         "A variable gets one value. Remove one of the entries. In an outer frame the variable\n"
         "that waits for the result (`var r = $`) is bound already.",
     .example = "var x = 1\n"
                "assume [true] else (main, anon, L) [var x = x, var x = 2]\n"
                "L: print x\n"},
    {.code = Code::OuterResult,
     .name = "outer-result",
     .severity = Severity::Error,
     .title = "the result variable of an outer frame is not in scope at its label",
     .explanation =
         "An outer frame `(f, v, L) [var r = $, ...]` stands for a caller that waits for a\n"
         "result: L is the position behind the call, where r has just been bound. So r must be in\n"
         "scope at L.",
     .example = "call r = 'f(1)\n"
                "drop r\n"
                "L: print 1\n"
                "function f(var x)\n"
                "  assume [true] else (f, anon, K) [var x = x], (main, anon, L) [var r = $]\n"
                "K: return x\n"},
    {.code = Code::TargetContext,
     .name = "target-context",
     .severity = Severity::Error,
     .title = "an exit goes to a version whose context need not hold",
     .explanation =
         "A version with a context (`when [...]`) is right only for arguments that satisfy it. An\n"
         "exit may go there from a version of the same function that has every predicate of this\n"
         "context too; otherwise let it go to a version without one, such as the base.",
     .example = "call r = 'f(1)\n"
                "function f(var x)\n"
                "version ints when [(x is int)]\n"
                "L: return x\n"
                "version base\n"
                "  assume [false] else (f, ints, L) [var x = x]\n"
                "  return x\n"},
    {.code = Code::BadDeferred,
     .name = "bad-deferred",
     .severity = Severity::Error,
     .title = "a `with` block does more than make new values",
     .explanation =
         "The instructions of a `with` block run after the decision to leave. They may declare\n"
         "(`var`, `array`) and store into arrays that the same block made with `array`, nothing\n"
         "else: what others can see must have happened before or happen behind the target.",
     .example = "array a = [1]\n"
                "assume [true] else (main, anon, L) [var a = a] with {\n"
                "  a[0] <- 2\n"
                "}\n"
                "L: print a\n"},
};

} // namespace

std::span<const CodeRow> scope_rows() { return kScopeRows; }

} // namespace sourir
