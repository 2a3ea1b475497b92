#include "sourir/syntax/diagnostics.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace sourir {
namespace {

auto place_of(const Diagnostic& d) { return std::tuple(d.span.begin, d.span.end); }

} // namespace

Diagnostic& Diagnostics::add(Code code, Span span, std::string message) {
  Severity severity = row(code).severity;
  if (std::find(promoted_.begin(), promoted_.end(), code) != promoted_.end())
    severity = Severity::Error;
  errors_ += severity == Severity::Error ? 1 : 0;
  return all_.emplace_back(Diagnostic{code, severity, span, std::move(message)});
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<const Diagnostic*> order;
  std::set<std::tuple<std::uint32_t, std::uint32_t, Code, std::string_view>> seen;
  for (const Diagnostic& d : all_)
    if (seen.emplace(d.span.begin, d.span.end, d.code, d.message).second) order.push_back(&d);
  std::stable_sort(order.begin(), order.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return place_of(*a) < place_of(*b);
  });
  std::vector<Diagnostic> result;
  result.reserve(order.size());
  for (const Diagnostic* d : order) result.push_back(*d);
  return result;
}

void Diagnostics::promote(Code code) {
  promoted_.push_back(code);
  for (Diagnostic& d : all_)
    if (d.code == code && d.severity != Severity::Error) {
      d.severity = Severity::Error;
      ++errors_;
    }
}

} // namespace sourir
