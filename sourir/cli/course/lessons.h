// The lessons of the course (docs/course) with their exercises, as lessons.py writes them into a
// source.
#pragma once

#include <span>
#include <string_view>

namespace sourir {

struct Exercise {
  std::string_view number; // "3.1"
  std::string_view title;
  std::string_view file;     // "size.sou"
  std::string_view given;    // the program to begin with; its head is the task
  std::string_view solution; // one of many
};

struct Lesson {
  std::string_view number; // "3"
  std::string_view title;
  std::string_view text; // the page, in Markdown
  std::span<const Exercise> exercises;
};

std::span<const Lesson> lessons();

} // namespace sourir
