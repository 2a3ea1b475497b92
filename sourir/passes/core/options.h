// Options of passes (`inline:max-depth=3:max-size=100`): the rows that describe them, the values
// that a pipeline gives, and the check of these values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sourir {

struct OptionRow {
  // value: "" for a switch, "N" for a whole number, "NAME" or "LABEL" for a name, "L+M" for names,
  // "PREDICATE" for an expression, "E+E" for expressions, "a|b|c" for one of these words, any other
  // word for a text that is not empty. The pipeline's parser checks it.
  std::string_view name, value, help;
};

// What is wrong with the value of an option (empty: none was given); "": nothing.
std::string value_problem(const OptionRow& row, std::optional<std::string_view> value);
std::optional<std::uint64_t> whole_number(std::string_view text);
std::string quoted(std::string_view text);

class PassOptions {
public:
  void set(std::string name, std::string value) {
    entries_.emplace_back(std::move(name), std::move(value));
  }
  // The last value given; empty: none.
  std::string_view text(std::string_view name, std::string_view otherwise = {}) const;
  // A switch: named without a value, or with any but `false`.
  bool flag(std::string_view name) const;
  // A value that is no number counts as not given: the pipeline's parser rejects it.
  std::uint64_t number(std::string_view name, std::uint64_t otherwise) const;
  // a+b+c: the parts; empty if the option is not given.
  std::vector<std::string_view> list(std::string_view name) const;
  bool has(std::string_view name) const;

  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

} // namespace sourir
