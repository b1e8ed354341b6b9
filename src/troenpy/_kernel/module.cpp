// troenpy._kernel._native: the compiled loops. Arrays and texts in, arrays out, no policy.

#include "bind.hpp"

NB_MODULE(_native, module) {
    troenpy::bind_text(module);
    troenpy::bind_matrix(module);
    troenpy::bind_neighbors(module);
    troenpy::bind_solver(module);
}
