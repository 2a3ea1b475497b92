// A plugin with one pass, which has options; it propagates constants.
#include "sourir/passes/plugin.h"
#include "sourir/passes/scalar/constprop.h"

namespace sourir {
namespace {

constexpr OptionRow kOptions[] = {{"count", "N", "a number"}, {"loud", "", "a switch"}};

std::optional<PassResult> only(const PassInput& input) {
  auto result = constprop(input);
  input.remarks->push_back(std::string(input.options.text("count", "none")) +
                           (input.options.flag("loud") ? " loud" : " quiet"));
  return result;
}

constexpr PassRow kRows[] = {
    {"only", "Says its options, propagates constants.", "", only, kOptions}};

} // namespace
} // namespace sourir

const sourir::PassPlugin sourir_pass_plugin = {.passes = sourir::kRows};
