# A training image whose package offers a self-check; BASE has torch.
ARG BASE
FROM ${BASE}
COPY . /opt/tinytrain
RUN pip install --no-cache-dir --no-deps --no-build-isolation /opt/tinytrain
