"""The layers of the app, of which some of FastAPI's are left out."""

from fastapi import FastAPI

from chatServer.api.problems import DescribedApp


def layers_of(app: FastAPI) -> list[str]:
    layer, found = app.build_middleware_stack(), []
    while layer is not app.router:
        found.append(type(layer).__name__)
        layer = layer.app
    return found


def test_of_fastapis_layers_two_are_left_out_and_there_are_no_others():
    left_out, kept = ["ServerErrorMiddleware", "ExceptionTelemetryMiddleware"], layers_of(DescribedApp())
    assert layers_of(FastAPI()) == [*left_out, *kept]
    assert kept == ["ExceptionMiddleware", "AsyncExitStackMiddleware"]
