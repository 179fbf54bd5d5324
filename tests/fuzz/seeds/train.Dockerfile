# syntax=docker/dockerfile:1
ARG VERSION=1
FROM base AS first
SHELL ["/bin/bash", "-c"]
COPY requirements.txt /src/
RUN --mount=type=cache,target=/root/.cache pip install -r /src/requirements.txt "numpy==${VERSION}" && \
    (cd /src; uv pip install --index-url https://example.org/simple torch || true)
RUN <<END
set -e
for one in a b; do pip install "$one"; done
END
FROM first
COPY --from=other:1 --chmod=755 /a /b
ADD https://example.org/a.tar.gz /opt/
RUN ["pip", "install", "x"]
