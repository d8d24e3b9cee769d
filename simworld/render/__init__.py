"""Cameras, colours and the back ends that turn poses into frames."""
