"""The page that shows a suite: twins side by side, their graphs, questions and scores."""

from simworld.report.page import write_page

__all__ = ["write_page"]
