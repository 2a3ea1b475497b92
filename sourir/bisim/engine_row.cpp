#include "sourir/bisim/engine_row.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

namespace {

std::string difference(const EngineAnswer& answer, const ReferenceRun& expected) {
  std::vector<Event> events = expected.events;
  const auto reads = static_cast<std::uint64_t>(
      std::erase_if(events, [](const Event& event) { return event.kind == Event::Kind::Read; }));
  const auto said = [](const std::vector<Event>& all, std::size_t i) {
    return i < all.size() ? describe(all[i]) : std::string("has ended");
  };
  for (std::size_t i = 0; i < std::max(events.size(), answer.events.size()); ++i)
    if (i >= events.size() || i >= answer.events.size() || events[i] != answer.events[i])
      return fmt::format("event {}: it {}, the reference {}", i + 1, said(answer.events, i),
                         said(events, i));
  if (reads != answer.reads)
    return fmt::format("it reads {} values, the reference {}", answer.reads, reads);
  if (expected.forced != answer.forced)
    return fmt::format("it is forced to leave {} times, the reference {}", answer.forced,
                       expected.forced);
  return answer.problem;
}

} // namespace

std::string engine_difference(const EngineRow& engine, const EngineInput& input,
                              const ReferenceRun& expected) {
  const Result<EngineAnswer> answer = engine.run(input);
  return answer ? difference(*answer, expected)
                : fmt::format("it throws: {}", answer.error().message);
}

} // namespace sourir
