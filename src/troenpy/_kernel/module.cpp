// troenpy._kernel._native: the compiled loops. Arrays and texts in, arrays out, no policy.

#include "bind.hpp"

NB_MODULE(_native, module) {
    troenpy::text::bind(module);
    troenpy::solver::bind(module);
    troenpy::matrix::bind(module);
    troenpy::neighbors::bind(module);
}
