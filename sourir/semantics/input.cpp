#include "sourir/semantics/input.h"

#include "sourir/syntax/text/parser.h"

namespace sourir {

Input::Input(std::vector<Value> values, Names& names) : names_(names), ended_(true) {
  for (const Value& v : values) {
    values_.push_back(v);
    lines_.emplace_back();
  }
}

EvalResult Input::at(std::uint64_t position) {
  while (position >= values_.size() && !ended_) {
    std::optional<std::string> line = next_line_();
    if (!line) {
      ended_ = true;
      break;
    }
    const std::optional<Literal> literal = parse_literal(*line, names_);
    lines_.push_back(std::move(*line));
    values_.push_back(literal ? EvalResult(to_value(*literal)) : EvalResult(StuckReason::BadInput));
  }
  return position < values_.size() ? values_[position] : StuckReason::InputExhausted;
}

} // namespace sourir
