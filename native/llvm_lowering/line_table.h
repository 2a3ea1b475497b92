// The line table of an object file: the position of its version for each address of a function.
// Lines are positions + 1, columns mark calls of the program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sourir::native {

inline constexpr unsigned kCall = 1, kOtherInstr = 2; // columns

// The suffix of the name of a function's body (lower_function).
inline std::string body_suffix() { return ".body"; }

class LineTable {
public:
  // Keeps a copy of the object, parsed at the first query.
  explicit LineTable(std::string_view object);
  LineTable(LineTable&&) noexcept;
  ~LineTable();

  // In bytes, with the body if that is a function of its own, which follows. 0: no such function.
  std::uint64_t size(const std::string& function) const;
  // The line of the call at this offset in bytes; 0: no call there.
  std::uint32_t call(const std::string& function, std::uint64_t offset) const;

private:
  struct Parsed;
  const Parsed& parsed() const;

  std::string object_;
  mutable std::unique_ptr<Parsed> parsed_;
};

} // namespace sourir::native
