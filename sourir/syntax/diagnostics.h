// Diagnostics of a program as values, the table of their codes, and their forms as text and JSON.
// Libraries collect them; only the tool prints.
#pragma once

#include "sourir/syntax/source.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

enum class Severity : std::uint8_t { Error, Warning };

// The stable name of each code is in its row (CodeRow).
enum class Code : std::uint8_t {
  // reading
  Syntax,           // anything the grammar does not allow here
  BadEncoding,      // not UTF-8
  BadInteger,       // out of 64 bits
  BadFloat,         // not finite
  BadString,        // not closed on its line
  ReservedWord,     // a keyword where a name is needed
  NestedExpression, // the message shows the temporary to introduce
  BadJson,          // not JSON, or not of the program form
  TooLarge,         // the source exceeds the size limit
  // declarations
  NoMain,
  MainParameters,
  NoBase, // every version has a context or is a continuation
  DuplicateFunction,
  DuplicateVersion,
  DuplicateParameter,
  DuplicateLabel,
  EmptyBody,
  FallsOffEnd,
  // names
  UnknownLabel,
  UnknownFunction,
  UnknownVersion,
  WrongArity,
  MisplacedElementsTest, // neither a guard of an assume nor part of a context
  // scopes
  OutOfScope,
  Redeclared,
  ScopeMismatch,
  DeclarationMismatch,
  AnnotationFails,
  ContextVariable, // a context mentions something that is not a parameter
  // exits
  VarmapMissing,
  VarmapExtra,
  VarmapDuplicate,
  OuterResult,   // the result variable of an outer frame is not in scope at its label
  TargetContext, // the target has a context that the origin's does not entail
  BadDeferred,   // not allowed in a with block
  // normal form (check --normal-form)
  NormalMixedLabel,
  NormalBranchTarget,
  NormalFallThrough,
  NormalFirstLabel,
  NormalDeclaredTwice,
  // warnings
  SigilMismatch,
  PartialVarmap, // a varmap or with expression that is not visibly total (--strict: an error)
  UnusedVariable,
  UnreachableCode,
  GuardNeverHolds,
  NeverEntered,  // a version with a context: by no call, and no exit goes there
  CircularExits, // of assumes, to each other
  ShadowedFunction,
  ExitFromBase, // of an assume of the base, to another version of the function
};

struct CodeRow {
  Code code;
  std::string_view name; // kebab-case, stable
  Severity severity;
  std::string_view title;       // one line
  std::string_view explanation; // why, and what to do
  std::string_view example;     // a small program that has the problem ...
  std::string_view command;     // ... as `sourir COMMAND` finds it
};
// All rows in the order of Code; diagnostics.txt is their text.
std::span<const CodeRow> code_rows();
const CodeRow& row(Code code);
std::optional<Code> find_code(std::string_view name);

struct Note {
  Span span;
  std::string text;
};

struct Diagnostic {
  Code code;
  Severity severity;
  Span span;
  std::string message;
  std::vector<Note> notes = {};
  std::string help = {}; // what to do about it; may be empty
};

class Diagnostics {
public:
  // Returns the added diagnostic, for its notes and help; valid until the next add. Its severity is
  // the code's, or Error after promote().
  Diagnostic& add(Code code, Span span, std::string message);

  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }
  bool empty() const { return all_.empty(); }
  // Sorted by place, without duplicates.
  std::vector<Diagnostic> sorted() const;
  // The warnings of this code, also later ones, count as errors.
  void promote(Code code);
  // All warnings, also later ones.
  void promote_warnings();

private:
  std::vector<Diagnostic> all_;
  std::vector<Code> promoted_;
  bool all_promoted_ = false;
  std::size_t errors_ = 0;
};

// "error[unknown-label]: ...", "--> file:3:5", the line with a caret, the notes with lines, help.
// Controls and bytes that are not UTF-8 are shown escaped. Lines over 160 columns are cut around
// the caret. With colour: ANSI sequences.
std::string render(const Diagnostic& diagnostic, const Source& source, bool colour);
// {"format":"diagnostics","version":1,"files":[...]}: see docs/schemas/diagnostics.schema.json.
struct FileDiagnostics {
  const Source* source;
  std::vector<Diagnostic> diagnostics;
};
std::string diagnostics_json(const std::vector<FileDiagnostics>& files);

// "1 error", "2 errors"
std::string counted(std::size_t n, const std::string& what);

} // namespace sourir
