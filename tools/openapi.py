"""The description of our HTTP API, as the web client's types are made from it: python -m tools.openapi

It needs neither a database nor a running server. `tests/unit/test_openapi_file.py` fails when the file is behind."""

import json

from chatServer.config import ROOT, Settings
from chatServer.main import create_app

FILE = ROOT / "webApp" / "openapi.json"


def described() -> str:
    """What /openapi.json answers, in lines that can be compared; without our version, which says nothing of shapes."""
    api = create_app(Settings(_env_file=None)).openapi()
    api["info"]["version"] = "0"
    return json.dumps(api, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(described())
