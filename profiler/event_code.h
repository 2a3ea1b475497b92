// Counters of the code of one version, and what a count of each is worth: native code of one
// compilation, or the interpreter. The counters are words that the code increments; numbers of
// events are sums over them.
#pragma once

#include "profiler/event_types.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sourir::profiler {

// What counts events in native code (the source's 4.2).
enum class EventStrategy : std::uint8_t {
  None,   // nothing: markers are set and taken out, to see what they alone change
  Direct, // an increment each
  Decode, // at the end of each path all events of the path are added: exact at any moment
  Count,  // at the end of each path the path is counted; loops without calls count in registers
};
const char* name_of(EventStrategy strategy);

struct EventOptions {
  EventSet events = EventSet::all();
  EventStrategy strategy = EventStrategy::Count;
  // Paths are cut at merges that more paths than this reach; 1: at all.
  std::uint64_t most_paths = 64;
  // Where LLVM would execute code ahead or merge it, so that events of the phases before LLVM's
  // could not be counted, it is kept from that. Otherwise such events are not counted there.
  bool exact = true;
  // EventStrategy::Decode: counts have positions. Otherwise they are of the version as a whole,
  // which is faster. The other strategies know positions anyway.
  bool positions = false;
};

inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

// Events of one type at one position of the version.
struct EventSite {
  std::uint32_t at = kNowhere;
  Event event = Event::Instruction;
  friend bool operator==(const EventSite&, const EventSite&) = default;
};

struct EventCode {
  struct Worth {
    std::uint32_t site = 0;
    std::int32_t times = 0; // negative where other counters count more than what happened
  };

  // --- Identity, for reports ---
  std::string function, version;
  std::uint32_t start = 0;          // where activations enter it
  bool entry = true;                // by calls
  bool interpreted = false;         // counts of the interpreter
  std::uint32_t number = 0;         // in the order in which code was made, from 1 on
  std::vector<std::string> listing; // by position: the instruction
  std::vector<std::uint32_t> loops; // by position: the head of the innermost loop; or kNowhere
  std::vector<std::string>
      places; // by position: where it comes from in the program; empty: unknown

  // --- Counters ---
  std::vector<EventSite> sites;
  std::vector<std::vector<Worth>> worth; // by counter
  std::uint64_t decoding_bytes = 0;      // of tables with the events of paths
  const std::uint64_t* counters = nullptr;
  std::vector<std::uint64_t> own; // the counters, where they are no part of native code
  std::uint64_t paths = 0;

  // The native code is going to be freed: keeps what was counted. Inline: the compiler's library
  // calls it.
  void retire() {
    own.assign(counters, counters + worth.size());
    counters = own.data();
  }
  // By site. Thread of the program, or after the run.
  std::vector<std::int64_t> counts() const;
};

// What a run counts. Shared by the engine, which adds code, and whoever reads the counts after it.
class EventRecording {
public:
  explicit EventRecording(EventOptions how) : options(how) {}
  const EventOptions options;

  // On any thread.
  void add(std::shared_ptr<EventCode> code);
  // In the order of `number`.
  std::vector<std::shared_ptr<const EventCode>> codes() const;

private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<EventCode>> codes_;
};

} // namespace sourir::profiler
