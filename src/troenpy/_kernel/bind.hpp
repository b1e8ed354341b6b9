// Each part of the kernel adds its bindings to the module.

#pragma once

#include <nanobind/nanobind.h>

namespace troenpy {

namespace text {
void bind(nanobind::module_ &module);
}
namespace solver {
void bind(nanobind::module_ &module);
}
namespace matrix {
void bind(nanobind::module_ &module);
}
namespace tally {
void bind(nanobind::module_ &module);
}
namespace neighbors {
void bind(nanobind::module_ &module);
}

}  // namespace troenpy
