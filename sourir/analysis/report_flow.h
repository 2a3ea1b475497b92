// Rows for the analyses that say something about each position. Internal to report.
#pragma once

#include "sourir/analysis/report.h"

namespace sourir {

ReportRows scope_rows(VersionAnalyses& facts, const ProgramEffects& effects, const Names& names);
ReportRows live_rows(VersionAnalyses& facts, const ProgramEffects& effects, const Names& names);
ReportRows reaching_rows(VersionAnalyses& facts, const ProgramEffects& effects, const Names& names);
ReportRows constant_rows(VersionAnalyses& facts, const ProgramEffects& effects, const Names& names);
ReportRows kind_rows(VersionAnalyses& facts, const ProgramEffects& effects, const Names& names);
ReportRows guard_rows(VersionAnalyses& facts, const ProgramEffects& effects, const Names& names);

} // namespace sourir
