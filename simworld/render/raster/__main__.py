"""Compile the renderer's kernels, once per machine: `python -m simworld.render.raster`."""

from simworld.executors import Workers
from simworld.render.raster.warm import compile_kernels

if __name__ == "__main__":
    with Workers(1) as workers:
        workers.call(compile_kernels)
