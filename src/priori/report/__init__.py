"""What a model is worth, on one page that needs nothing else: pictures, numbers, and the worst mistakes explained."""

from priori.report.content import Curve, Report, ToldMistake, table_report, text_report
from priori.report.page import page, write

__all__ = ["Curve", "Report", "ToldMistake", "page", "table_report", "text_report", "write"]
