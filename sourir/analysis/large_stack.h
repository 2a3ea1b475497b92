// For algorithms of libraries that recurse on the size of their input.
#pragma once

#include <cstddef>
#include <functional>

namespace sourir {

// Runs `work` on a thread of its own with a stack of `bytes`, and waits for it. Exceptions of
// `work` come through. Throws std::system_error if there is no such thread.
void run_on_large_stack(std::size_t bytes, const std::function<void()>& work);

} // namespace sourir
