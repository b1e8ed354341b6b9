// What each file of bindings adds to the module.

#pragma once

#include <nanobind/nanobind.h>

namespace troenpy {

void bind_text(nanobind::module_ &module);
void bind_solver(nanobind::module_ &module);
void bind_matrix(nanobind::module_ &module);
void bind_neighbors(nanobind::module_ &module);

}  // namespace troenpy
