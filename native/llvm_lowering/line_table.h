// The line table of an object file: which position of its version each address of a function
// belongs to. Lines are positions + 1, columns say whether it is a call of the program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sourir::native {

inline constexpr unsigned kCall = 1, kNoCall = 2; // columns

// What the name of such a body ends with.
inline std::string body_suffix() { return ".body"; }

class LineTable {
public:
  // Keeps a copy of the object and reads it when it is first asked.
  explicit LineTable(std::string_view object);
  LineTable(LineTable&&) noexcept;
  ~LineTable();

  // In bytes, with its body where that is a function of its own behind it.
  std::uint64_t size(const std::string& function) const;
  // The line of a call there; 0: there is none.
  std::uint32_t call(const std::string& function, std::uint64_t offset) const;

private:
  struct Parsed;
  const Parsed& parsed() const;

  std::string object_;
  mutable std::unique_ptr<Parsed> parsed_;
};

} // namespace sourir::native
