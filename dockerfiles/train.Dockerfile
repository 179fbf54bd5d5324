# An example of a training image: the base, and what one team needs on top. Context: dockerfiles/train
#   docker build -f dockerfiles/train.Dockerfile dockerfiles/train
ARG BASE=imgcheck-example/base:1
FROM ${BASE}

# requirements-bad.txt is the one that breaks the base.
ARG REQUIREMENTS=requirements.txt
COPY ${REQUIREMENTS} /opt/train/requirements.txt
RUN pip install --no-cache-dir -r /opt/train/requirements.txt
