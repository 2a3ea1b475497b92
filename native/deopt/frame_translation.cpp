#include "native/deopt/frame_translation.h"

namespace sourir::native {

FrameTranslation& frame_translation(BaselineVersions& versions, BaselineCode& origin, Pc pc,
                                    const resolved::Exit& exit) {
  origin.translations.resize(origin.code->instrs.size() + 1);
  std::unique_ptr<FrameTranslation>& known = origin.translations[pc];
  if (known && known->exit == &exit) return *known;
  known = std::make_unique<FrameTranslation>();
  known->exit = &exit;
  const auto add = [&](BaselineCode& code, Insn* at) {
    known->frames.push_back({&code, at});
    known->bytes += code.frame_bytes;
  };
  for (std::size_t i = exit.outer.size(); i-- > 0;) { // innermost first in the exit
    const resolved::OuterFrame& outer = exit.outer[i];
    BaselineCode& code = versions.baseline_code(*outer.frame.code);
    add(code, versions.return_insn(code, outer.frame.pc, outer.result));
  }
  BaselineCode& code = versions.baseline_code(*exit.frame.code);
  add(code, versions.resume_insn(code, exit.frame.pc));
  return *known;
}

} // namespace sourir::native
