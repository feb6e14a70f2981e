"""Every request has an id: in its answer's headers, in its errors, in every line that it logs."""

import re
from collections.abc import Mapping

from chatServer.records import new_id

HEADER = b"x-request-id"
_ACCEPTABLE = re.compile(rb"^[A-Za-z0-9_.:-]{1,64}\Z")


def id_of(headers: Mapping[bytes, bytes]) -> str:
    """The caller's own when it is harmless, else a new one."""
    given = headers.get(HEADER, b"")
    return given.decode() if _ACCEPTABLE.match(given) else str(new_id())
