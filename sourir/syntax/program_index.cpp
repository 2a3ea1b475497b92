#include "sourir/syntax/program_index.h"

#include "sourir/syntax/scopes.h"

#include <fmt/format.h>

namespace sourir {
namespace {

constexpr std::size_t kListed = 20;          // names that a message lists
constexpr std::size_t kRebuilt = 20'000'000; // work on scopes in a rejected program

Span nth(const std::vector<Span>& spans, std::size_t k) {
  return k < spans.size() ? spans[k] : Span();
}

const VersionSpans* find_spans(const SourceMap& map, std::size_t function, std::size_t version) {
  if (function >= map.functions.size() || version >= map.functions[function].versions.size())
    return nullptr;
  return &map.functions[function].versions[version];
}

std::uint64_t key(std::size_t function, VerName version) {
  return std::uint64_t{function} << 32 | version.id;
}

} // namespace

VersionPlaces::VersionPlaces(const SourceMap& map, const Version& version,
                             std::size_t function_number, std::size_t version_number)
    : spans_(find_spans(map, function_number, version_number)), version_(version) {}

Span VersionPlaces::name() const { return spans_ ? spans_->name : Span(); }
Span VersionPlaces::header(std::size_t k) const { return spans_ ? nth(spans_->header, k) : Span(); }
Span VersionPlaces::instruction(std::uint32_t position) const {
  return spans_ && position < spans_->stmts.size() ? spans_->stmts[position].instr : Span();
}
Span VersionPlaces::listed(std::uint32_t position, std::size_t k) const {
  if (!spans_ || position >= spans_->stmts.size()) return {};
  return nth(spans_->names, spans_->stmts[position].first + k);
}
Span VersionPlaces::label(std::uint32_t position, std::size_t k) const {
  return listed(position, k);
}
Span VersionPlaces::annotation(std::uint32_t position, std::size_t k) const {
  return listed(position, leading(position).labels.size() + k);
}
Span VersionPlaces::instruction_name(std::uint32_t position, std::size_t k) const {
  return annotation(position, leading(position).scopes.size() + k);
}
Span VersionPlaces::position(std::uint32_t position) const {
  return leading(position).labels.empty() ? instruction(position) : label(position, 0);
}

VersionEntry::VersionEntry(const Function& f, const Version& v, const SourceMap& map,
                           std::size_t number, std::size_t version_number)
    : function(f), version(v), function_number(number), places(map, v, number, version_number),
      labels(label_positions(v)), flow(version, labels) {}

ProgramIndex::ProgramIndex(const Program& p, const SourceMap& m, const Names& n, Diagnostics& d)
    : program(p), map(m), names(n), problems(d) {
  functions_.reserve(program.functions.size());
  by_name_.reserve(program.functions.size());
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const Function& function = program.functions[f];
    functions_.emplace(function.name, f);
    for (std::size_t v = 0; v < function.versions.size(); ++v) {
      VersionEntry& entry = versions.emplace_back(function, function.versions[v], map, f, v);
      by_name_.emplace(key(f, entry.version.name), &entry);
    }
  }
}

const Function* ProgramIndex::function(FunName name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &program.functions[found->second];
}

VersionEntry* ProgramIndex::version(const Function& function, VerName name) {
  const auto number = static_cast<std::size_t>(&function - program.functions.data());
  const auto found = by_name_.find(key(number, name));
  return found == by_name_.end() ? nullptr : found->second;
}

Span ProgramIndex::function_name(std::size_t number) const {
  return number < map.functions.size() ? map.functions[number].name : Span();
}
Span ProgramIndex::parameter(std::size_t function_number, std::size_t k) const {
  return function_number < map.functions.size() ? nth(map.functions[function_number].params, k)
                                                : Span();
}

const ScopeSet* ProgramIndex::scope_at(const VersionEntry& entry, std::uint32_t position) {
  if (problems.has_errors() && rebuilt_.steps > kRebuilt) return nullptr;
  entry.flow.rebuild(position, rebuilt_);
  rebuilt_.steps += rebuilt_.scope.hash().size; // the caller reads all of it
  return &rebuilt_.scope;
}

std::string ProgramIndex::quoted(const std::vector<Var>& list) const {
  std::string result;
  for (std::size_t i = 0; i < list.size() && i < kListed; ++i) {
    const bool last = i > 0 && i + 1 == list.size();
    result += (i == 0 ? "" : last ? " and " : ", ") + quoted(list[i]);
  }
  if (list.size() > kListed) result += fmt::format(" and {} more", list.size() - kListed);
  return result;
}

std::string ProgramIndex::braced(const std::vector<Var>& list) const {
  std::string result = "{";
  for (std::size_t i = 0; i < list.size() && i < kListed; ++i)
    result += (i == 0 ? "" : ", ") + std::string(text(list[i]));
  return result + (list.size() > kListed ? ", ...}" : "}");
}

std::string ProgramIndex::braced(const ScopeSet& scope) const {
  return braced(scope.names(kListed + 1));
}

std::string ProgramIndex::label_at(const VersionEntry& entry, std::uint32_t position) const {
  const LeadingTrivia& leading = entry.places.leading(position);
  if (!leading.labels.empty()) return quoted(leading.labels.front());
  if (position == 0) return entry.version.cont ? quoted(entry.version.cont->entry) : "the start";
  return position == entry.version.body.size() ? "the end" : "this position";
}

std::string ProgramIndex::place(const Place& place) const {
  return fmt::format("`{}.{}{}{}`", text(place.function), text(place.version),
                     place.label ? "." : "", place.label ? text(*place.label) : "");
}

ProgramPositions::ProgramPositions(const Program& program) : program_(program), exits_(program) {
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      versions_.try_emplace(version_key(f.name, v.name), Facts{&f, &v, {}, {}});
}

ProgramPositions::Facts* ProgramPositions::find(FunName function, VerName version) {
  const auto found = versions_.find(version_key(function, version));
  return found == versions_.end() ? nullptr : &found->second;
}

const Version* ProgramPositions::version(FunName function, VerName version) const {
  const auto found = versions_.find(version_key(function, version));
  return found == versions_.end() ? nullptr : found->second.version;
}

const Scope* ProgramPositions::scope(FunName function, VerName version, std::uint32_t at) {
  Facts* const facts = find(function, version);
  if (facts == nullptr || at > facts->version->body.size()) return nullptr;
  if (!facts->scopes) facts->scopes = scopes_of(*facts->function, *facts->version, &exits_);
  const auto& scope = (*facts->scopes)[at];
  return scope ? &*scope : nullptr;
}

std::optional<std::uint32_t> ProgramPositions::resolve(const Place& place) {
  Facts* const facts = find(place.function, place.version);
  if (facts == nullptr) return std::nullopt;
  std::uint64_t at = place.offset;
  if (place.label) {
    if (!facts->labels) facts->labels = label_positions(*facts->version);
    const auto found = facts->labels->find(*place.label);
    if (found == facts->labels->end()) return std::nullopt;
    at += found->second;
  }
  if (at > facts->version->body.size()) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

const Call* ProgramPositions::call(FunName function, VerName name, std::uint32_t at) const {
  const Version* const in = version(function, name);
  if (in == nullptr || at >= in->body.size()) return nullptr;
  return std::get_if<Call>(&in->body[at].instr);
}

} // namespace sourir
