#include "sourir/syntax/ast.h"

#include <algorithm>
#include <array>

namespace sourir {
namespace {

constexpr std::array<std::string_view, 2> kUnary{"-", "!"};
constexpr std::array<std::string_view, 13> kBinary{"==", "!=", "<", "<=", ">",  ">=", "+",
                                                   "-",  "*",  "/", "%",  "&&", "||"};

} // namespace

std::string_view spelling(UnaryOp op) { return kUnary[static_cast<std::size_t>(op)]; }
std::string_view spelling(BinaryOp op) { return kBinary[static_cast<std::size_t>(op)]; }
std::string_view spelling(Kind kind) { return kTypeNames[static_cast<std::size_t>(kind)]; }

const Version* active_version(const Function& function) {
  const auto found = std::find_if(function.versions.begin(), function.versions.end(),
                                  [](const Version& version) { return !version.cont; });
  return found == function.versions.end() ? nullptr : &*found;
}

const Version* base_version(const Function& function) {
  const auto found =
      std::find_if(function.versions.rbegin(), function.versions.rend(),
                   [](const Version& version) { return !version.cont && version.when.empty(); });
  return found == function.versions.rend() ? nullptr : &*found;
}

const Function* find_function(const Program& program, FunName name) {
  const auto found = std::find_if(program.functions.begin(), program.functions.end(),
                                  [name](const Function& f) { return f.name == name; });
  return found == program.functions.end() ? nullptr : &*found;
}

const Version* find_version(const Function& function, VerName name) {
  const auto found = std::find_if(function.versions.begin(), function.versions.end(),
                                  [name](const Version& v) { return v.name == name; });
  return found == function.versions.end() ? nullptr : &*found;
}

} // namespace sourir
