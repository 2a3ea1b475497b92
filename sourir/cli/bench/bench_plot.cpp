// Benchmark ratios as a bar chart on a logarithmic scale: one SVG file, no scripts, nothing from
// elsewhere, in the colours of the reader's light or dark. Bars stand on the line of the base: up
// is slower, down is faster.
#include "sourir/cli/bench/bench_plot.h"

#include "sourir/cli/load_file.h"
#include "sourir/syntax/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sourir {

namespace {

constexpr double kLeft = 56, kRight = 16, kTop = 64, kHeight = 320, kBottom = 110;
constexpr double kBar = 9, kGap = 14, kLegendColumn = 150, kLegendRow = 18;

// Colours that people who do not see red or green tell apart (Okabe and Ito).
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                 "#cc79a7", "#56b4e9", "#b8a800", "#777777"};

constexpr const char* kStyle =
    "<style>svg{--text:#1c2024;--faint:#62686f;--line:#d9dde1;--back:#fff;background:var(--back)}"
    "@media(prefers-color-scheme:dark){svg{--text:#e4e6e9;--faint:#9aa1a9;--line:#3a4047;"
    "--back:#16191d}}text{font:12px system-ui,sans-serif;fill:var(--text)}"
    ".faint{fill:var(--faint)}.title{font-size:15px;font-weight:600}.middle{text-anchor:middle}"
    ".end{text-anchor:end}</style>\n";

class Plot {
public:
  explicit Plot(const BenchResults& results) : results_(results) {
    for (std::size_t c = 0; c < results.competitors.size(); ++c)
      if (c != results.base) shown_.push_back(c);
    const double groups = static_cast<double>(results.programs.size() + 1);
    group_ = std::max(kBar * static_cast<double>(shown_.size()), kBar) + kGap;
    width_ = std::max(kLeft + groups * group_ + kRight, 640.0);
    columns_ = std::max<std::size_t>(
        1, static_cast<std::size_t>((width_ - kLeft - kRight) / kLegendColumn));
    const std::size_t rows = (shown_.size() + columns_ - 1) / columns_;
    top_ = kTop + kLegendRow * static_cast<double>(rows);
    find_range();
  }

  std::string draw() {
    out_ = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                       "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\">\n",
                       width_, top_ + kHeight + kBottom);
    out_ += kStyle;
    out_ += "<rect width=\"100%\" height=\"100%\" fill=\"var(--back)\"/>\n";
    heading();
    scale();
    for (std::size_t p = 0; p < results_.programs.size(); ++p) program(p);
    means();
    return out_ + "</svg>\n";
  }

private:
  // Powers of two around everything that is shown.
  void find_range() {
    double least = 0, most = 1;
    const auto see = [&](double r) {
      least = std::min(least, std::floor(std::log2(r)));
      most = std::max(most, std::ceil(std::log2(r)));
    };
    for (const std::size_t c : shown_)
      for (std::size_t p = 0; p < results_.programs.size(); ++p)
        if (const auto r = ratio(results_, p, c)) see(*r);
    low_ = least;
    high_ = most;
  }

  double y(double r) const { return top_ + kHeight * (high_ - std::log2(r)) / (high_ - low_); }

  void text(double x, double at, const char* style, const std::string& what) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, at, style,
                        escaped_markup(what));
  }

  void heading() {
    const std::string base =
        results_.base ? results_.competitors[*results_.base].name : std::string("nothing");
    text(kLeft, 24, "title",
         (results_.by_cpu ? "Processor time" : "Wall time") + (" relative to " + base));
    text(kLeft, 42, "faint",
         fmt::format("size {}, medians of {}, logarithmic; below 1 is faster than {}",
                     results_.size, counted(results_.runs, "run"), base));
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const double x = kLeft + kLegendColumn * static_cast<double>(i % columns_);
      const std::size_t row = i / columns_;
      const double at = kTop + kLegendRow * static_cast<double>(row);
      out_ +=
          fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"11\" height=\"11\" fill=\"{}\"/>\n",
                      x, at - 10, colour(i));
      text(x + 16, at, "", results_.competitors[shown_[i]].name);
    }
  }

  static const char* colour(std::size_t i) { return kColours[i % kColours.size()]; }

  void scale() {
    // No more lines than there is room for.
    const double every = std::max(1.0, std::ceil((high_ - low_) / 12));
    for (double power = low_; power <= high_; ++power) {
      if (std::fmod(power, every) != 0) continue;
      const double r = std::exp2(power);
      out_ += fmt::format("<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" "
                          "stroke=\"var(--{3})\"/>\n",
                          kLeft, width_ - kRight, y(r), r == 1 ? "text" : "line");
      text(kLeft - 8, y(r) + 4, "end faint", fmt::format("{:g}", r));
    }
  }

  void bar(double x, std::size_t i, double r, const std::string& what) {
    const double end = y(r), foot = y(1);
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                        "fill=\"{}\"><title>{}: {}: {:.2f}</title></rect>\n",
                        x, std::min(end, foot), kBar - 1, std::max(std::abs(end - foot), 1.0),
                        colour(i), escaped_markup(what),
                        escaped_markup(results_.competitors[shown_[i]].name), r);
  }

  double start_of(std::size_t group) const {
    return kLeft + kGap / 2 + static_cast<double>(group) * group_;
  }

  void name(std::size_t group, const std::string& what, const char* weight) {
    const double x = start_of(group) + (group_ - kGap) / 2 + 4, at = top_ + kHeight + 14;
    out_ += fmt::format("<text class=\"end\" font-weight=\"{3}\" transform=\"translate({0:.1f},"
                        "{1:.1f}) rotate(-45)\">{2}</text>\n",
                        x, at, escaped_markup(what), weight);
  }

  void program(std::size_t p) {
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const double x = start_of(p) + kBar * static_cast<double>(i);
      const BenchCell& cell = results_.cell(p, shown_[i]);
      if (const auto r = ratio(results_, p, shown_[i]))
        bar(x, i, *r, results_.programs[p].name);
      else if (cell.outcome != BenchCell::Outcome::Fine)
        missing(x, i,
                fmt::format("{}: {}: {}", results_.programs[p].name,
                            results_.competitors[shown_[i]].name, name_of(cell.outcome)));
    }
    name(p, results_.programs[p].name, "400");
  }

  // A cross where there is no time, because it was too long, or what came was wrong.
  void missing(double x, std::size_t i, const std::string& why) {
    const double left = x + 1, size = kBar - 3, at = y(1) - size - 3;
    out_ += fmt::format("<path d=\"M{0:.1f} {1:.1f}l{2:.1f} {2:.1f}m0 -{2:.1f}l-{2:.1f} {2:.1f}\" "
                        "stroke=\"{3}\" stroke-width=\"2\"><title>{4}</title></path>\n",
                        left, at, size, colour(i), escaped_markup(why));
  }

  void means() {
    const std::size_t group = results_.programs.size();
    out_ += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" "
                        "stroke=\"var(--faint)\" stroke-dasharray=\"3 3\"/>\n",
                        start_of(group) - kGap / 2, top_, top_ + kHeight);
    for (std::size_t i = 0; i < shown_.size(); ++i)
      if (const GeometricMean mean = mean_ratio(results_, shown_[i]); mean.programs != 0)
        bar(start_of(group) + kBar * static_cast<double>(i), i, mean.ratio, "geometric mean");
    name(group, "geometric mean", "600");
  }

  const BenchResults& results_;
  std::vector<std::size_t> shown_;
  double group_ = 0, width_ = 0, top_ = 0, low_ = 0, high_ = 1;
  std::size_t columns_ = 1;
  std::string out_;
};

} // namespace

std::string bench_plot(const BenchResults& results) { return Plot(results).draw(); }

} // namespace sourir
