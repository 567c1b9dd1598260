// The only file that knows of Python.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_core, m) { m.doc() = "Compiled loops of Priori."; }
