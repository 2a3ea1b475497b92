// Where the positions of a linked program stand in its text.
#pragma once

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/json/load.h"

#include <string>
#include <unordered_map>

namespace sourir {

class TextPlaces {
public:
  // Keeps references to both.
  TextPlaces(const Loaded& loaded, const Names& names);

  // The instruction at pc; the end of the version behind the last one.
  Span span(const ResolvedVersion& code, Pc pc) const;
  LineColumn at(const ResolvedVersion& code, Pc pc) const;
  // "F.V.L+n"
  std::string place(const ResolvedVersion& code, Pc pc) const;
  // The instruction on one line: a `with` block is cut to `with { ... }`.
  std::string instruction(const ResolvedVersion& code, Pc pc) const;
  // Where a frame that waits is shown: at its call. (A frame that a deoptimization built may
  // wait at a position that is behind no call.)
  static Pc call_position(const ResolvedVersion& code, Pc pc);

  const Source& source() const { return loaded_.source; }
  const Program& program() const { return loaded_.program; }
  const Names& names() const { return names_; }

private:
  const Loaded& loaded_;
  const Names& names_;
  std::unordered_map<const Version*, const VersionSpans*> spans_;
};

} // namespace sourir
