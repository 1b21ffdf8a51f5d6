"""Client of Wattkeeper: signals, performance, availability, alarms and work of solar plants."""

from ._call import Retry, Row
from ._client import AsyncWattkeeper, Wattkeeper
from ._errors import (
    BadRequest,
    Conflict,
    ConnectionFailed,
    Forbidden,
    Gone,
    NotFound,
    PreconditionFailed,
    RejectedRows,
    ServiceError,
    TooLarge,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    WattkeeperError,
)
from ._frame import Frame, IngestResult
from ._replay import Page

__all__ = [
    "AsyncWattkeeper",
    "BadRequest",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "Frame",
    "Gone",
    "IngestResult",
    "NotFound",
    "Page",
    "PreconditionFailed",
    "RejectedRows",
    "Retry",
    "Row",
    "ServiceError",
    "TooLarge",
    "TooManyRequests",
    "Unauthorized",
    "Unavailable",
    "Wattkeeper",
    "WattkeeperError",
]
