"""The web application."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import FastAPI
from starlette.middleware import Middleware

from service.api.body_limit import BodyLimit
from service.api.guard import HEALTH, Guard
from service.api.openapi import complete_openapi, describe_problem, describe_submit_body
from service.api.ports import make_ports_router
from service.api.problems import install_error_handlers
from service.api.schemas import Health
from service.settings import Settings
from service.worker.runtime import Runtime

_OVERHEAD_BYTES = 1 << 20


def create_app(settings: Settings, runtime: Runtime) -> FastAPI:
    """``runtime`` must be open for as long as the application answers. Raises SettingsError where the address
    of ``settings`` would open it to a network without keys."""
    settings.require_safe_binding()
    # JSON escapes can double a source's size, and forms have boundaries; admission counts the source itself.
    max_body = 2 * settings.max_source_bytes + _OVERHEAD_BYTES
    app = FastAPI(
        title="warp2wave",
        version=version("warp2wave"),
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=[Middleware(Guard, settings=settings), Middleware(BodyLimit, max_bytes=max_body)],
        responses={"default": describe_problem()},
    )
    install_error_handlers(app)
    app.include_router(make_ports_router(runtime, describe_submit_body()))

    @app.get(HEALTH, tags=["service"])
    def check_health() -> Health:
        """Whether the server and its database answer. Needs no key."""
        runtime.list_ports(limit=1)
        return Health(status="ok", version=app.version)

    complete_openapi(app)
    return app
