// Source texts, spans in them, and the side table with the span of each part of a program.
#pragma once

#include "sourir/syntax/ids.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

// Bytes [begin, end) of a source text.
struct Span {
  std::uint32_t begin = 0, end = 0;
  friend bool operator==(Span, Span) = default;
};

struct LineColumn {
  std::uint32_t line = 1, column = 1; // both from 1; a column counts code points
  friend bool operator==(LineColumn, LineColumn) = default;
};

// Without blanks and line ends at both ends.
std::string_view trimmed(std::string_view text);

// Offsets have 32 bits, with some room after the end.
constexpr std::size_t kMaxSourceBytes = 0xFFFF'FF00;

// A text with its name and the starts of its lines, truncated to kMaxSourceBytes.
class Source {
public:
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  LineColumn position(std::uint32_t offset) const;
  // The line (from 1) without its end.
  std::string_view line(std::uint32_t number) const;
  std::uint32_t lines() const { return static_cast<std::uint32_t>(starts_.size()); }

private:
  std::string name_, text_;
  std::vector<std::uint32_t> starts_;
};

enum class Sigil : std::uint8_t { Plain, Dollar, Deopt }; // L:  $L:  >L:

// The span of a statement. Its name spans are a slice of VersionSpans::names that starts at
// `first`: one for each label, one for each scope note (from brace to brace), then one for each
// name of the instruction in the order of for_each_name (traverse.h). The span of a name is just
// its letters: no sigil, no quote of 'f.
struct StmtSpans {
  Span instr; // to the brace of a with block; empty, after the last instruction, for the end
  std::uint32_t first = 0;
  friend bool operator==(const StmtSpans&, const StmtSpans&) = default;
};

struct VersionSpans {
  Span name;                    // in the header; the first line if there is no header
  std::vector<Span> header;     // cont label and names, then the names in the context
  std::vector<StmtSpans> stmts; // one for each instruction and one for the end
  std::vector<Span> names;
  std::vector<Sigil> sigils; // one for each label, in order
  friend bool operator==(const VersionSpans&, const VersionSpans&) = default;
};

struct FunctionSpans {
  Span name;
  std::vector<Span> params;
  std::vector<VersionSpans> versions;
  friend bool operator==(const FunctionSpans&, const FunctionSpans&) = default;
};

// Has the shape of Program. Empty vectors where spans are unknown (programs made by a pass).
struct SourceMap {
  std::vector<FunctionSpans> functions;
  friend bool operator==(const SourceMap&, const SourceMap&) = default;
};

} // namespace sourir
