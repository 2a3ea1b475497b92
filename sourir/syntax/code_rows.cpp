// The table of diagnostics: name, severity, title, explanation and an example of each code, in the
// order of Code. `sourir explain` shows it; a test runs the examples.
#include "sourir/syntax/diagnostics.h"

#include <algorithm>
#include <array>

namespace sourir {
namespace {

constexpr auto kRows = std::to_array<CodeRow>({
    // --- reading
    {.code = Code::Syntax,
     .name = "syntax",
     .severity = Severity::Error,
     .title = "the grammar allows nothing of this form here",
     .explanation =
         "Every instruction stands on a line of its own and begins with a keyword (`var`, "
         "`print`,\n"
         "`goto`, ...), with `x <-` or with `x[i] <-`. The message says what was read and what\n"
         "would have been possible there. Reading goes on at the next line, so what is reported\n"
         "further down may be a consequence: repair the first problem first.",
     .example = "var x = 1\n"
                "print x x\n"},
    {.code = Code::BadEncoding,
     .name = "bad-encoding",
     .severity = Severity::Error,
     .title = "the text is not UTF-8",
     .explanation =
         "Programs are UTF-8 text. At the marked place stands a byte that UTF-8 does not allow\n"
         "there: the file has another encoding (Latin-1, UTF-16), or it is no text at all. Store\n"
         "it as UTF-8.",
     .example = "# na\xefve\n"
                "print 1\n"},
    {.code = Code::BadInteger,
     .name = "bad-integer",
     .severity = Severity::Error,
     .title = "an integer does not fit into 64 bits",
     .explanation =
         "Integers are 64-bit two's complement: -9223372036854775808 to 9223372036854775807.\n"
         "Results of arithmetic wrap around, but a literal outside this range is more likely a\n"
         "slip than a wish. Write a smaller number, or a float (`1e30`).",
     .example = "print 9223372036854775808\n"},
    {.code = Code::BadFloat,
     .name = "bad-float",
     .severity = Severity::Error,
     .title = "a float literal is not finite",
     .explanation =
         "The number is too large for an IEEE-754 double (about 1.8e308), so it would be read as\n"
         "infinity. Infinity and not-a-number arise from arithmetic only; they have no literals.",
     .example = "print 1e999\n"},
    {.code = Code::BadString,
     .name = "bad-string",
     .severity = Severity::Error,
     .title = "a string is not closed on its line",
     .explanation = "A string begins and ends with a double quote, both on one line. Inside it,\n"
                    "write `\\\"` for a quote, `\\\\` for a backslash and `\\n` for a line break.",
     .example = "print \"hello\n"},
    {.code = Code::ReservedWord,
     .name = "reserved-word",
     .severity = Severity::Error,
     .title = "a keyword stands where a name is needed",
     .explanation = "Words of the language such as `var`, `print`, `goto` or `nil` cannot name a\n"
                    "variable, a label, a function or a version. Choose another name.",
     .example = "var print = 1\n"},
    {.code = Code::NestedExpression,
     .name = "nested-expression",
     .severity = Severity::Error,
     .title = "an operand is itself an operation",
     .explanation =
         "Expressions are flat: the operands of an operation are literals and variables. This\n"
         "keeps every intermediate value visible, so that a deoptimization can name it. Compute\n"
         "the inner operation into a variable first; the message shows the line to add.",
     .example = "var x = 1\n"
                "var y = ((x + 1) * 2)\n"
                "print y\n"},
    {.code = Code::BadJson,
     .name = "bad-json",
     .severity = Severity::Error,
     .title = "the JSON form of a program cannot be read",
     .explanation =
         "The text is not JSON, or it is JSON of another form than docs/schemas/\n"
         "program.schema.json describes. The message names the place as a JSON pointer, such as\n"
         "/functions/0/versions/1.",
     .example = "{\"format\": \"program\", \"version\": 1, \"functions\": 7}\n"},
    {.code = Code::TooLarge,
     .name = "too-large",
     .severity = Severity::Error,
     .title = "the source exceeds the size limit",
     .explanation =
         "Sources over the size limit (1 GiB by default) are not read at all, so that a\n"
         "mistaken file cannot use up the memory of the machine. If the file really is\n"
         "that large, raise the limit.",
     .example = "print 1\n"}, // with a limit of less than 8 bytes
    // --- names and declarations
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
    // --- scopes and exits
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
    // --- normal form and warnings
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
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].code) != i) return false;
  return true;
}
static_assert(in_order(), "the rows stand in the order of Code");

} // namespace

std::span<const CodeRow> code_rows() { return kRows; }

const CodeRow& row(Code code) { return kRows[static_cast<std::size_t>(code)]; }

std::optional<Code> find_code(std::string_view name) {
  const auto found = std::ranges::find(kRows, name, &CodeRow::name);
  return found == kRows.end() ? std::nullopt : std::optional(found->code);
}

} // namespace sourir
