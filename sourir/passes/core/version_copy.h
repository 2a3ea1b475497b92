// Copies of versions whose exits lead back to the version that they were made from (Theorem 1).
#pragma once

#include "sourir/passes/core/origin.h"
#include "sourir/passes/core/renaming.h"

namespace sourir {

// Whether there is an assume or an anchor.
bool has_exits(const Version& version);

// The version under another name, without the labels that only exits use, its notes and comments.
// Its assumes and anchors target the same places of `from` with the identity varmap; `labels` gets
// those that this needs. `scopes`: of `from`.
Version copy_of(FunName function, const Version& from, VerName name, const Scopes& scopes,
                TargetLabels& labels);
// The origin of a copy: position by position that of `from`.
VersionOrigin origin_of_copy(FunName function, VerName copy, const Version& from);

} // namespace sourir
