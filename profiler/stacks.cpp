#include "profiler/stacks.h"

#include "sourir/syntax/markup.h"

#include <nlohmann/json.hpp>

namespace sourir::profiler {

Stacks stacks_of(std::span<const RecordedSample> samples, std::uint64_t baseline,
                 std::uint64_t elsewhere) {
  Stacks stacks;
  for (const RecordedSample& s : samples) {
    if (!s.types.empty()) continue; // a report, which belongs to an earlier hit
    std::vector<std::string> stack(s.callers.rbegin(), s.callers.rend());
    stack.push_back(s.code);
    ++stacks[stack];
  }
  if (baseline != 0) stacks[{"[baseline]"}] = baseline;
  if (elsewhere != 0) stacks[{"[elsewhere]"}] = elsewhere;
  return stacks;
}

std::string folded(const Stacks& stacks) {
  std::string text;
  for (const auto& [stack, count] : stacks) {
    for (const std::string& name : stack)
      text.append(name).append(&name == &stack.back() ? " " : ";");
    text.append(std::to_string(count)).append("\n");
  }
  return text;
}

std::string speedscope(const Stacks& stacks, const std::string& name) {
  using Json = nlohmann::ordered_json;
  std::map<std::string, std::size_t> frames;
  Json names = Json::array(), samples = Json::array(), weights = Json::array();
  std::uint64_t all = 0;
  for (const auto& [stack, count] : stacks) {
    Json sample = Json::array();
    for (const std::string& frame : stack) {
      const auto [at, fresh] = frames.try_emplace(frame, frames.size());
      if (fresh) names.push_back({{"name", frame}});
      sample.push_back(at->second);
    }
    samples.push_back(std::move(sample));
    weights.push_back(count);
    all += count;
  }
  const Json profile{{"type", "sampled"}, {"name", name},    {"unit", "none"},
                     {"startValue", 0},   {"endValue", all}, {"samples", samples},
                     {"weights", weights}};
  return Json{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
              {"shared", {{"frames", names}}},
              {"profiles", Json::array({profile})},
              {"exporter", "sourir"}}
             .dump() +
         "\n";
}

namespace {

struct Node {
  std::uint64_t samples = 0;
  std::map<std::string, Node> callees;
};

std::string percent(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t tenths = whole == 0 ? 0 : (1000 * part + whole / 2) / whole;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

constexpr std::size_t kDeepest = 256; // of the page

// A box as wide as its share of what called it, its callees above each other inside.
void add_boxes(std::string& page, const Node& node, std::uint64_t all, std::size_t depth) {
  if (node.callees.empty() || depth == kDeepest) return;
  page += "<div class=\"row\">\n";
  for (const auto& [name, callee] : node.callees) {
    const std::string shown = escaped_markup(name);
    page += "<div class=\"box\" style=\"width:" + percent(callee.samples, node.samples) +
            "\"><div class=\"name\" title=\"" + shown + ": " + std::to_string(callee.samples) +
            " samples, " + percent(callee.samples, all) + "\">" + shown + "</div>\n";
    add_boxes(page, callee, all, depth + 1);
    page += "</div>\n";
  }
  page += "</div>\n";
}

} // namespace

std::string flame_graph(const Stacks& stacks, const std::string& title) {
  Node root;
  for (const auto& [stack, count] : stacks) {
    Node* at = &root;
    at->samples += count;
    for (const std::string& name : stack) {
      at = &at->callees[name];
      at->samples += count;
    }
  }
  std::string page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                     escaped_markup(title) +
                     "</title>\n<style>\nbody { font: 12px sans-serif; margin: 1em; }\n"
                     ".row { display: flex; align-items: flex-start; }\n"
                     ".box { min-width: 0; }\n"
                     ".name { background: #f2a65a; border: 1px solid #fff; overflow: hidden; "
                     "white-space: nowrap; padding: 2px; border-radius: 2px; }\n"
                     ".name:hover { background: #ffd27f; }\n</style></head><body>\n<h1>" +
                     escaped_markup(title) + "</h1>\n<p>" + std::to_string(root.samples) +
                     " samples. Callers stand above what they call; widths are shares.</p>\n";
  add_boxes(page, root, root.samples, 0);
  return page + "</body></html>\n";
}

} // namespace sourir::profiler
