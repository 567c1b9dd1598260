// The only file that knows of Python.
#include <nanobind/nanobind.h>

#include "bind_delimited.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
    m.doc() = "Compiled loops of Priori.";
    priori::bind_delimited(m);
}
