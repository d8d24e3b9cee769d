"""Worlds: specs as plain data, a pybullet engine, handles, detectors, fracture, rollouts.

The only package that imports pybullet. It knows nothing of causal models.
"""
