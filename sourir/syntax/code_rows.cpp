#include "sourir/syntax/code_rows.h"

namespace sourir {
namespace {

constexpr CodeRow kReadingRows[] = {
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
};

} // namespace

std::span<const CodeRow> reading_rows() { return kReadingRows; }

const std::vector<CodeRow>& code_rows() {
  static const std::vector<CodeRow> rows = [] {
    std::vector<CodeRow> all;
    for (const auto part :
         {reading_rows(), name_rows(), scope_rows(), normal_form_and_warning_rows()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return rows;
}

const CodeRow& row(Code code) { return code_rows()[static_cast<std::size_t>(code)]; }

std::optional<Code> find_code(std::string_view name) {
  for (const CodeRow& candidate : code_rows())
    if (candidate.name == name) return candidate.code;
  return {};
}

} // namespace sourir
