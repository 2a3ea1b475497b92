#include "sourir/cli/explain.h"

namespace sourir {
namespace {

constexpr Topic kStuck[] = {
    {.kind = "stuck",
     .name = "wrong-kind",
     .title = "an operation is not defined on a value of this kind",
     .explanation =
         "Arithmetic and order need numbers, `&& || !`, `branch` and `assert` need booleans,\n"
         "`length(x)` and `x[i]` need an array, an index and a length need an integer. Only `==`,\n"
         "`!=` and `is` are defined on all values. Test the kind before: `branch (x is int) $A "
         "$B`.",
     .example = "var x = true\n"
                "print (x + 1)\n",
     .command = "run"},
    {.kind = "stuck",
     .name = "out-of-bounds",
     .title = "an array has no element of this index",
     .explanation = "An array of n elements has the indices 0 to n - 1. Test the index before, or\n"
                    "make the array longer when it is made: its length never changes.",
     .example = "array a = [1, 2, 3]\n"
                "print a[3]\n",
     .command = "run"},
    {.kind = "stuck",
     .name = "bad-length",
     .title = "no array can have this length",
     .explanation =
         "A length is at least 0 and at most 4294967295. (A length that is possible but\n"
         "larger than --max-array allows is the limit `array`.)",
     .example = "var n = (2 - 3)\n"
                "array a[n]\n",
     .command = "run"},
    {.kind = "stuck",
     .name = "division-by-zero",
     .title = "an integer is divided by zero",
     .explanation = "`/` and `%` on integers have no value when the right operand is 0. With a\n"
                    "float among the operands there is always a result: `1 / 0.0` is inf.",
     .example = "var x = 0\n"
                "print (1 / x)\n",
     .command = "run"},
    {.kind = "stuck",
     .name = "not-a-function",
     .title = "what is called is not a function",
     .explanation =
         "The callee is an expression; its value must be a function, as the literal `'f`\n"
         "is one.",
     .example = "var f = 3\n"
                "call x = f(1)\n",
     .command = "run"},
    {.kind = "stuck",
     .name = "wrong-arity",
     .title = "a call passes more or fewer arguments than the function has parameters",
     .explanation =
         "Where the callee is a literal `'f`, `check` finds this before the program runs. Here\n"
         "the function came out of a variable.",
     .example = "var f = 'id\n"
                "call x = f(1, 2)\n"
                "function id(var x)\n"
                "  return x\n",
     .command = "run"},
    {.kind = "stuck",
     .name = "assertion-failed",
     .title = "an assertion does not hold",
     .explanation = "`assert e` goes on when e is true and is an error when it is false.",
     .example = "var x = 1\n"
                "assert (x == 2)\n",
     .command = "run"},
    {.kind = "stuck",
     .name = "input-exhausted",
     .title = "the program reads, but the input has ended",
     .explanation =
         "Each `read` takes one line of the input. Give it more lines, on standard input\n"
         "or with `--input FILE`, or mark the end by a value of your own, such as nil.",
     .example = "var x\n"
                "read x\n",
     .command = "run"},
    {.kind = "stuck",
     .name = "bad-input",
     .title = "a line of the input is no literal",
     .explanation =
         "Each line of the input is one literal: nil, true, false, an integer, a float, a string\n"
         "in quotes, or a function of the program such as 'main. A line that is blank, that has\n"
         "something behind the literal or that names no function is none.",
     .example = "var x\n"
                "read x\n",
     .command = "run",
     .input = "seven\n"},
};

constexpr Topic kLimits[] = {
    {.kind = "limit",
     .name = "fuel",
     .title = "the program has done as many steps as it may",
     .explanation =
         "There is no limit unless --fuel sets one. Steps are those of the semantics, so\n"
         "that every engine stops at the same place.",
     .example = "Loop:\n"
                "  goto Loop\n",
     .command = "run --fuel 1000"},
    {.kind = "limit",
     .name = "heap",
     .title = "the arrays of the program would take more memory than they may",
     .explanation =
         "Arrays are never freed. Each takes 24 bytes and 16 for an element. The limit is\n"
         "--max-heap, 4G if nothing is said.",
     .example = "array a[1000]\n"
                "array b[1000]\n",
     .command = "run --max-heap 20K"},
    {.kind = "limit",
     .name = "depth",
     .title = "more calls wait for their result than may wait",
     .explanation =
         "Mostly a recursion without an end. The limit is --max-depth, 2000000 if nothing\n"
         "is said; 8 GiB of variables in waiting calls count as this limit too.",
     .example = "call x = 'f()\n"
                "function f()\n"
                "  call x = 'f()\n"
                "  return x\n",
     .command = "run --max-depth 1000"},
    {.kind = "limit",
     .name = "array",
     .title = "an array would be longer than an array may be",
     .explanation = "The limit is --max-array, 100000000 elements if nothing is said.",
     .example = "array a[1000]\n",
     .command = "run --max-array 999"},
    {.kind = "limit",
     .name = "output",
     .title = "the program would print more than it may",
     .explanation = "The limit is --max-output, 1G if nothing is said. A line is printed whole or\n"
                    "not at all.",
     .example = "Loop:\n"
                "  print \"again\"\n"
                "  goto Loop\n",
     .command = "run --max-output 1K"},
};

} // namespace

std::span<const Topic> stuck_topics() { return kStuck; }
std::span<const Topic> limit_topics() { return kLimits; }

} // namespace sourir
