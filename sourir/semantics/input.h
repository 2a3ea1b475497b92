// The input of a run: one literal a line, read at the first request and kept, so that undone and
// repeated steps read the same values.
#pragma once

#include "sourir/semantics/primop.h"
#include "sourir/syntax/ids.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sourir {

class Input {
public:
  // `next_line` gives the next line without its end, or nothing at the end of the input.
  using NextLine = std::function<std::optional<std::string>()>;
  Input(NextLine next_line, Names& names) : next_line_(std::move(next_line)), names_(names) {}
  // A fixed input.
  Input(std::vector<Value> values, Names& names);

  // The value of line `position` (from 0): InputExhausted at the end, BadInput if it is no
  // literal (a blank line is none). Blocks until the line has been read.
  EvalResult at(std::uint64_t position);
  // The text of a line that was read.
  const std::string& line(std::uint64_t position) const { return lines_[position]; }

private:
  NextLine next_line_;
  Names& names_;
  std::vector<std::string> lines_;
  std::vector<EvalResult> values_;
  bool ended_ = false;
};

} // namespace sourir
