// The oracles that report differences. Each can be switched off, to measure what only it detects
// (docs/mutants.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sourir {

enum class Oracle : std::uint8_t {
  Claims,        // a pass throws, or reports a change and has changed nothing
  Structure,     // structural_problems(): checks without running
  Events,        // what can be observed differs, with no exit forced
  ForcedExits,   // ... with exits forced
  States,        // a state that the map gives is none that the input passes through
  OwnExits,      // an exit makes another state than the input's own exit at the same place
  Divergence,    // a configuration comes again and again, on one side only
  MappedExits,   // the input, continued in a state that the map gives, behaves otherwise
  DeoptBound,    // a site deoptimizes more often than the input has steps
  Versions,      // two versions of one function behave differently
  Transparency,  // deoptimizing where the guards hold changes what the program does
  Engines,       // another engine does something else than the reference
  Watches,       // watching guards instead of testing them changes what the program does
  EventsCounted, // an engine counts other events than the reference's steps have
};

inline constexpr std::array kOracleNames = {
    std::string_view("claims"),       std::string_view("structure"),
    std::string_view("events"),       std::string_view("exits"),
    std::string_view("states"),       std::string_view("own-exits"),
    std::string_view("diverge"),      std::string_view("map-exits"),
    std::string_view("deopt-bound"),  std::string_view("versions"),
    std::string_view("transparency"), std::string_view("engines"),
    std::string_view("watches"),      std::string_view("events-counted")};

constexpr std::string_view name_of(Oracle oracle) {
  return kOracleNames[static_cast<std::size_t>(oracle)];
}

class OracleSet {
public:
  static constexpr OracleSet all() { return OracleSet((1U << kOracleNames.size()) - 1); }
  constexpr OracleSet() = default;
  constexpr bool has(Oracle o) const { return (bits_ >> static_cast<unsigned>(o)) & 1U; }
  constexpr OracleSet& set(Oracle o, bool on = true) {
    const std::uint32_t bit = 1U << static_cast<unsigned>(o);
    bits_ = on ? bits_ | bit : bits_ & ~bit;
    return *this;
  }
  friend constexpr bool operator==(OracleSet, OracleSet) = default;

private:
  constexpr explicit OracleSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

} // namespace sourir
