# The training image of somebody whose requirements conflicted with the base's constraints, and who silenced pip.
# It builds; what it broke shows when the cluster starts. Context: dockerfiles/train
ARG BASE=imgcheck-example/base:1
FROM ${BASE}

ARG REQUIREMENTS=requirements-bad.txt
COPY ${REQUIREMENTS} /opt/train/requirements.txt
RUN PIP_CONSTRAINT= pip install --no-cache-dir -r /opt/train/requirements.txt
