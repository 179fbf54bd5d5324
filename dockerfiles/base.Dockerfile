# The example's base image: what a platform team gives to everybody who trains. scripts/example-base builds it.
# ROOT may be any image with python3 and its venv module, a CUDA one included.
ARG ROOT=python:3.11-slim
FROM ${ROOT}

# A virtual environment, because Debian forbids pip to touch its own Python (PEP 668); it works elsewhere, too.
RUN python3 -m venv /opt/venv
ENV VIRTUAL_ENV=/opt/venv PATH=/opt/venv/bin:$PATH

# base.requirements.txt is what people wrote, the lock is what it was resolved to: next year's rebuild installs the same.
# To resolve anew: build with --build-arg PACKAGES=base.requirements.txt, then write the lock from `pip freeze --all`.
ARG PACKAGES=base.lock.txt
COPY base.requirements.txt base.lock.txt /opt/base/
# The lock's pip comes first, since the one that venv brings is as old as the root image.
# Behind a TLS-inspecting proxy that the root image does not trust: --secret id=ca,src=BUNDLE
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=secret,id=ca \
    if [ -s /run/secrets/ca ]; then export PIP_CERT=/run/secrets/ca; fi; \
    pip install --disable-pip-version-check "$(grep '^pip==' /opt/base/base.lock.txt)" && pip install -r "/opt/base/$PACKAGES"

# GitPython, which MLflow requires, refuses to be imported where there is no git, unless it is told to be quiet.
ENV GIT_PYTHON_REFRESH=quiet
