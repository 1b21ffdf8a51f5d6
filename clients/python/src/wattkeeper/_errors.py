"""What can go wrong, as exceptions."""

from __future__ import annotations

from typing import Any


class WattkeeperError(Exception):
    """Anything that goes wrong between a program and the service."""


class ConnectionFailed(WattkeeperError):
    """The service did not answer, or its answer broke off, after all attempts."""


class ServiceError(WattkeeperError):
    """The service refused: what it says is wrong, and where."""

    def __init__(
        self,
        status: int,
        *,
        title: str,
        detail: str,
        errors: list[dict[str, Any]],
        request_id: str | None,
        retry_after_s: float | None,
    ) -> None:
        self.status = status
        self.title = title
        self.detail = detail
        #: Every error in what was sent, with its place: ``{"path": …, "message": …}``.
        self.errors = errors
        #: What the service's log has beside this request.
        self.request_id = request_id
        self.retry_after_s = retry_after_s
        places = "".join(f"\n  {it.get('path')}: {it.get('message')}" for it in errors)
        shown = places if len(errors) > 1 else ""
        super().__init__(f"{status} {title}: {detail}{shown} (request {request_id})")


class BadRequest(ServiceError):
    """400: a parameter or a body is wrong."""


class Unauthorized(ServiceError):
    """401: the token is missing, unknown or expired."""


class Forbidden(ServiceError):
    """403: the token does not reach the project, or has not the scope."""


class NotFound(ServiceError):
    """404: there is nothing under this id."""


class Conflict(ServiceError):
    """409: its state does not allow it; ``detail`` says why."""


class Gone(ServiceError):
    """410: the data are no longer kept."""


class PreconditionFailed(ServiceError):
    """412: someone else changed it since it was read."""


class TooLarge(ServiceError):
    """413: send it in parts."""


class TooManyRequests(ServiceError):
    """429, also after all attempts."""


class Unavailable(ServiceError):
    """503, also after all attempts: the service starts, stops or has no memory."""


class RejectedRows(WattkeeperError):
    """Rows of an ingest were rejected; the others are stored. ``result`` has the reasons."""

    def __init__(self, result: Any) -> None:
        self.result = result
        shown = "; ".join(f"{it.get('tag')}: {it.get('reason')}" for it in result.rejected[:3])
        super().__init__(f"{result.rejected_count} rows were rejected: {shown}")


_by_status: dict[int, type[ServiceError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    412: PreconditionFailed,
    413: TooLarge,
    429: TooManyRequests,
    503: Unavailable,
}


def error_class(status: int) -> type[ServiceError]:
    """The class of a status; ``ServiceError`` itself of one that has none of its own."""
    return _by_status.get(status, ServiceError)
