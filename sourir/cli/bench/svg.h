// Parts of charts as SVG: one file without scripts and links, with colours for light and dark mode
// (the variables --text, --faint, --line and --back). Lengths are pixels. Threads: any.
#pragma once

#include <cstddef>
#include <string>

namespace sourir {

// The start of a picture of that size, with its style and background; "</svg>\n" ends it.
std::string svg_start(double width, double height);
// style: of "faint", "title", "middle" and "end", those that apply.
std::string svg_text(double x, double y, const char* style, const std::string& what);
std::string svg_line(double x1, double y1, double x2, double y2, const char* colour);

// The colour of the i-th series. Colour-blind people can distinguish them (Okabe and Ito).
const char* series_colour(std::size_t i);

} // namespace sourir
