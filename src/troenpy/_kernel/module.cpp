// troenpy._kernel._native: the compiled loops. They take arrays and texts, and return arrays.

#include "bind.hpp"

NB_MODULE(_native, module) {
    // A fitted model may live until Python ends, and with it the tables it holds: that is not a leak.
    nanobind::set_leak_warnings(false);
    troenpy::text::bind(module);
    troenpy::solver::bind(module);
    troenpy::matrix::bind(module);
    troenpy::tally::bind(module);
    troenpy::neighbors::bind(module);
}
