// SEMANTICS.md has all rules, each as in the comment above its function.
#include "sourir/semantics/rules.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace sourir {
namespace {

std::string slurp(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Function name -> the comment above it, without the slashes. `function` matches the first line of
// a function, and its first group the name.
std::map<std::string, std::string>
rules_in(const std::filesystem::path& source,
         const std::string& function = "^Derivation ([A-Z]\\w+)\\(const Config.*") {
  std::map<std::string, std::string> found;
  std::istringstream lines(slurp(source));
  std::string comment;
  const std::regex first_line(function);
  for (std::string line; std::getline(lines, line);) {
    std::smatch name;
    if (line.rfind("//", 0) == 0)
      comment += (line.size() > 3 ? line.substr(3) : "") + "\n";
    else if (std::regex_match(line, name, first_line))
      found[name[1]] = comment;
    if (line.rfind("//", 0) != 0) comment.clear();
  }
  return found;
}

TEST(SemanticsPage, ShowsEachRuleAsItStandsAboveItsFunction) {
  const std::filesystem::path folder = std::string(SOURIR_SOURCE_DIR) + "/sourir/semantics";
  const auto rules = rules_in(folder / "rules.cpp");
  const std::string page = slurp(folder / "SEMANTICS.md");
  for (const std::span<const RuleRow> rows : {all_rules(), growth_rules()})
    for (const RuleRow& row : rows) {
      const std::string name(row.name);
      ASSERT_TRUE(rules.contains(name)) << name;
      EXPECT_NE(rules.at(name).find("-----"), std::string::npos)
          << name << " has no inference rule";
      EXPECT_NE(page.find("**" + name + "**\n\n```\n" + rules.at(name) + "```"), std::string::npos)
          << name;
    }
  EXPECT_EQ(rules.size(), all_rules().size() + growth_rules().size());
  const auto dispatch =
      rules_in(folder / "config.cpp", "^const ResolvedVersion\\* (entered)\\(const Config.*");
  ASSERT_TRUE(dispatch.contains("entered"));
  EXPECT_NE(page.find("**Dispatch**\n\n```\n" + dispatch.at("entered") + "```"), std::string::npos);
}

} // namespace
} // namespace sourir
