"""/docs: Swagger UI from our own origin; the page works without any other host."""

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse, Response

from chatServer import errors

router = APIRouter(prefix="/docs", include_in_schema=False)

# Only static files of that package are used.
STATIC = Path(str(files("fastapi_offline"))) / "static"
FILES = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}
CACHE = {"Cache-Control": "public, max-age=86400"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Addresses are relative, so that a proxy may put the server below a path. validatorUrl would call swagger.io.
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>chatServer API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
START = """SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
"""


@router.get("")
async def page() -> HTMLResponse:
    return HTMLResponse(PAGE, headers={"Content-Security-Policy": POLICY})


@router.get("/start.js")
async def start() -> Response:
    return Response(START, media_type="text/javascript")


@router.get("/{name}")
async def asset(name: str) -> FileResponse:
    """One of the files that the page names, and nothing else of that package."""
    if name not in FILES:
        raise errors.NotFound("There is nothing at this address.")
    return FileResponse(STATIC / name, media_type=FILES[name], headers=CACHE)
