// Where the frames of functions keep what stack maps name (LLVM's "Stack maps and patch points",
// format 3): each record with one location, that of memory in the frame.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace sourir::native {

struct FramePlace {
  bool from_stack_pointer = false; // else from the frame pointer
  std::int32_t offset = 0;         // bytes
};

// Of an object file, by the ids of the records. What is not in memory of the frame is left out.
std::unordered_map<std::uint64_t, FramePlace> frame_places(std::string_view object);

} // namespace sourir::native
