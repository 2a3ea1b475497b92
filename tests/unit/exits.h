// Exits parsed from text and printed, for tests. `x = ?` makes x unknown.
#pragma once

#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"

#include <gtest/gtest.h>

#include <string>

namespace sourir::testing {

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

template <class Frame>
void take_unknown(Frame& frame, const Expr& mark) {
  for (const Binding& b : frame.varmap)
    if (b.value == mark) frame.unknown.push_back(b.name);
  std::erase_if(frame.varmap, [&](const Binding& b) { return b.value == mark; });
}

inline Metadata exit_in(const std::string& text, Names& names) {
  const Source source("exit", "anchor else " + replaced(text, "= ?", "= \"?\"") + "\n");
  Diagnostics problems;
  Program program = parse(source, names, problems).program;
  for (const Diagnostic& d : problems.sorted()) ADD_FAILURE() << d.message << "\n" << text;
  Metadata exit = std::get<Anchor>(program.functions.at(0).versions.at(0).body.at(0).instr).exit;
  const Expr mark = SimpleExpr(names.intern<Str>("?"));
  take_unknown(exit.frame, mark);
  for (OuterFrame& outer : exit.outer) take_unknown(outer, mark);
  return exit;
}

// With the comments of its block, as in a program.
inline std::string shown(const Metadata& exit, const Names& names) {
  Program program;
  program.functions.push_back({.name = {}, .params = {}, .versions = {}, .implicit = true});
  program.functions[0].versions.push_back({});
  program.functions[0].versions[0].body.push_back({{}, Anchor{exit}});
  std::string text = print(program, names);
  const std::string head = "anchor else ";
  text.erase(0, text.find(head) + head.size());
  text = replaced(text, "\n  ", "\n"); // the indentation of the anchor
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

} // namespace sourir::testing
