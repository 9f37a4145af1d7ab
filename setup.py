"""Builds the compiled modules; everything else stands in pyproject.toml.

HEADWATER_PURE=1 builds none. HEADWATER_REQUIRE_COMPILED=1 makes a failed build an error; without it a missing
compiler gives a warning and a working, slower install.
"""

import os
import runpy
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.extension import Extension

ROOT = Path(__file__).parent
PURE = os.environ.get("HEADWATER_PURE") == "1"
REQUIRED = os.environ.get("HEADWATER_REQUIRE_COMPILED") == "1"


class OptionalBuild(build_ext):
    """Builds what it can."""

    def run(self):
        try:
            super().run()
        except Exception as e:
            self._give_up(e)

    def build_extension(self, ext):
        try:
            super().build_extension(ext)
        except Exception as e:
            self._give_up(e)

    def _give_up(self, error):
        if REQUIRED:
            raise error
        print(f"warning: headwater is installed without its compiled modules, and slower: {error}", file=sys.stderr)


def extensions():
    if PURE:
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        if REQUIRED:
            raise
        return []
    modules = runpy.run_path(str(ROOT / "src" / "headwater" / "_compiled.py"))["MODULES"]
    made = [
        Extension(name, [os.path.join("src", *name.split(".")) + ".py"], extra_compile_args=["-O2"]) for name in modules
    ]
    return cythonize(made, language_level=3, build_dir="build/cython", quiet=True)


setup(ext_modules=extensions(), cmdclass={"build_ext": OptionalBuild})
