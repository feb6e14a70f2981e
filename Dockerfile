# syntax=docker/dockerfile:1
# docker build --build-arg GIT_COMMIT="$(git rev-parse HEAD)" -t chatserver .
#
# The image listens on 0.0.0.0, which AUTH_MODE=dev refuses: run it with AUTH_MODE=secret or supabase.
# docs/deploy.md says how, and which of these steps were run where.

# The web client; only what it is built to goes on.
FROM node:20.20.2-bookworm-slim AS web
WORKDIR /webApp
COPY webApp/package.json webApp/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY webApp ./
RUN npm run --silent build

FROM python:3.11.15-slim-bookworm AS build
WORKDIR /app
RUN python -m venv /venv
ENV PATH=/venv/bin:$PATH
# The locked packages first: they change less often than we do. All are wheels, so nothing is compiled but bytecode.
COPY requirements.lock ./
RUN pip install --no-cache-dir --disable-pip-version-check --compile --only-binary :all: --no-deps --require-hashes \
    -r requirements.lock
COPY pyproject.toml README.md LICENSE NOTICE alembic.ini ddl.sql ./
COPY chatServer chatServer
COPY migrations migrations
COPY agents agents
# Editable, because migrations and agents are found beside the package; the final stage has it at the same path.
RUN pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation --editable . \
    && python -m compileall -q chatServer migrations \
    && pip uninstall --yes --quiet pip setuptools

FROM python:3.11.15-slim-bookworm
ARG GIT_COMMIT=unknown
LABEL org.opencontainers.image.title="chatServer" \
    org.opencontainers.image.description="The chat backend that remembers" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.revision="$GIT_COMMIT"
# Files that the server makes (the embedded Postgres, backups) go to /data, the only folder it may write.
RUN useradd --system --uid 10001 --user-group --home-dir /data --create-home --shell /usr/sbin/nologin chatserver
COPY --from=build /venv /venv
COPY --from=build /app /app
COPY --from=web /webApp/dist /app/webApp/dist
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOST=0.0.0.0 \
    PORT=8000 \
    CHAT_DATA_DIR=/data \
    GIT_COMMIT=$GIT_COMMIT
WORKDIR /data
USER chatserver
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/healthz', timeout=2)"]
ENTRYPOINT ["chatserver"]
CMD ["serve"]
