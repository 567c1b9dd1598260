"""The one door for data: files, folders, mailboxes, frames and lists become a stream of Arrow batches."""

from priori.sources.ahead import read_ahead
from priori.sources.batch import Batch
from priori.sources.objects import read_objects
from priori.sources.options import ReadOptions
from priori.sources.read import read
from priori.sources.sniff import FORMATS
from priori.sources.tables import Column, read_columns

__all__ = ["FORMATS", "Batch", "Column", "ReadOptions", "read", "read_ahead", "read_columns", "read_objects"]
