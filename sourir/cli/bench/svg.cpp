#include "sourir/cli/bench/svg.h"

#include "sourir/syntax/markup.h"

#include <fmt/format.h>

#include <array>

namespace sourir {

namespace {

constexpr std::array<const char*, 8> kColours = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                 "#cc79a7", "#56b4e9", "#b8a800", "#777777"};

constexpr const char* kStyle =
    "<style>svg{--text:#1c2024;--faint:#62686f;--line:#d9dde1;--back:#fff;background:var(--back)}"
    "@media(prefers-color-scheme:dark){svg{--text:#e4e6e9;--faint:#9aa1a9;--line:#3a4047;"
    "--back:#16191d}}text{font:12px system-ui,sans-serif;fill:var(--text)}"
    ".faint{fill:var(--faint)}.title{font-size:15px;font-weight:600}.middle{text-anchor:middle}"
    ".end{text-anchor:end}</style>\n";

} // namespace

std::string svg_start(double width, double height) {
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                     "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\">\n{2}"
                     "<rect width=\"100%\" height=\"100%\" fill=\"var(--back)\"/>\n",
                     width, height, kStyle);
}

std::string svg_text(double x, double y, const char* style, const std::string& what) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style,
                     escaped_markup(what));
}

std::string svg_line(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
                     "stroke=\"{}\"/>\n",
                     x1, y1, x2, y2, colour);
}

const char* series_colour(std::size_t i) { return kColours[i % kColours.size()]; }

} // namespace sourir
