"""What environment variables promise: rules as data, each with its source. Nothing else tells what one means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

PathKind = Literal["file", "folder", "either"]


@dataclass(frozen=True, kw_only=True)
class PathRule:
    """A variable that names a path, or several.

    Args:
        kind: what must be there.
        source: where it is documented.
        of: the distribution that reads it; empty where many programs do.
        many: what separates several paths; empty where it is one.
        harmless: that nothing is there is common, and passed over by whoever reads it.
    """

    kind: PathKind
    source: str
    of: str = ""
    many: str = ""
    harmless: bool = False


@dataclass(frozen=True, kw_only=True)
class ValueRule:
    """A value that something installed, or not installed, makes wrong.

    Args:
        matches: a regular expression that the whole value matches.
        with_: the distribution that must be installed for the rule to hold, with a specifier perhaps.
        without: distributions, any of which makes it right.
        module: the value's group of this name is a module that must be importable; empty: no such condition.
        says: what then happens.
        remedy: the way out.
        source: where it is documented.
        slow: it works, and not as one wants: a note.
    """

    variable: str
    matches: str
    with_: str
    says: str
    remedy: str
    source: str
    without: tuple[str, ...] = ()
    module: str = ""
    slow: bool = False


_CERTIFI: Final = "https://requests.readthedocs.io/en/latest/user/advanced/#ssl-cert-verification"
_TRUE: Final = r"(?i)1|on|yes|true"

PATHS: Final[Mapping[str, PathRule]] = {
    "AWS_CA_BUNDLE": PathRule(
        kind="file", source="https://boto3.amazonaws.com/v1/documentation/api/latest/guide/configuration.html"
    ),
    "CUDA_HOME": PathRule(kind="folder", source="https://docs.pytorch.org/docs/stable/cpp_extension.html"),
    "CUDA_PATH": PathRule(kind="folder", source="https://docs.cupy.dev/en/stable/reference/environment.html"),
    "CURL_CA_BUNDLE": PathRule(kind="file", source=_CERTIFI),
    "GIT_SSL_CAINFO": PathRule(
        kind="file", source="https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpsslCAInfo"
    ),
    "JAVA_HOME": PathRule(kind="folder", source="https://spark.apache.org/docs/latest/#downloading"),
    "LD_LIBRARY_PATH": PathRule(kind="folder", many=":;", harmless=True, source="ld.so(8)"),
    "LD_PRELOAD": PathRule(kind="file", many=": ", source="ld.so(8)"),
    "NODE_EXTRA_CA_CERTS": PathRule(kind="file", source="https://nodejs.org/api/cli.html#node_extra_ca_certsfile"),
    "PIP_CERT": PathRule(kind="file", source="https://pip.pypa.io/en/stable/topics/https-certificates/"),
    "PROMETHEUS_MULTIPROC_DIR": PathRule(
        kind="folder", of="prometheus-client", source="https://prometheus.github.io/client_python/multiprocess/"
    ),
    "PYTHONHOME": PathRule(
        kind="folder", many=":", source="https://docs.python.org/3/using/cmdline.html#envvar-PYTHONHOME"
    ),
    "PYTHONPATH": PathRule(
        kind="either", many=":", source="https://docs.python.org/3/using/cmdline.html#envvar-PYTHONPATH"
    ),
    "PYTHONSTARTUP": PathRule(kind="file", source="https://docs.python.org/3/using/cmdline.html#envvar-PYTHONSTARTUP"),
    "REQUESTS_CA_BUNDLE": PathRule(kind="file", source=_CERTIFI),
    "SPARK_HOME": PathRule(kind="folder", source="https://spark.apache.org/docs/latest/configuration.html"),
    "SSL_CERT_DIR": PathRule(kind="folder", many=":", source="SSL_CTX_load_verify_locations(3)"),
    "SSL_CERT_FILE": PathRule(kind="file", source="SSL_CTX_load_verify_locations(3)"),
    "prometheus_multiproc_dir": PathRule(
        kind="folder", of="prometheus-client", source="https://prometheus.github.io/client_python/multiprocess/"
    ),
}

VALUES: Final[tuple[ValueRule, ...]] = (
    ValueRule(
        variable="HF_HUB_ENABLE_HF_TRANSFER",
        matches=_TRUE,
        with_="huggingface-hub<1",
        without=("hf-transfer",),
        says="each download from the hub fails, because hf_transfer is not installed",
        remedy="Install hf_transfer, or take the variable out.",
        source="https://huggingface.co/docs/huggingface_hub/v0.30.0/en/package_reference/environment_variables",
    ),
    ValueRule(
        variable="KERAS_BACKEND",
        matches="(?P<module>jax|torch|tensorflow)",
        with_="keras>=3",
        module="module",
        says="keras cannot be imported, because that backend is not installed",
        remedy="Install the backend, or name another one.",
        source="https://keras.io/getting_started/#configuring-your-backend",
    ),
    ValueRule(
        variable="MPLBACKEND",
        matches="module://(?P<module>.+)",
        with_="matplotlib",
        module="module",
        says="matplotlib.pyplot cannot draw: the module of that backend is not installed",
        remedy="Take the variable out, which a notebook left there, or set MPLBACKEND=Agg.",
        source="https://matplotlib.org/stable/users/explain/figure/backends.html",
    ),
    ValueRule(
        variable="PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION",
        matches="cpp",
        with_="protobuf>=4",
        says="protobuf cannot be imported: its C++ implementation left with version 4",
        remedy="Take the variable out; protobuf chooses upb by itself.",
        source="https://protobuf.dev/reference/python/python-generated/#backends",
    ),
    ValueRule(
        variable="PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION",
        matches="python",
        with_="protobuf>=4",
        says="protobuf runs its pure Python implementation, many times slower, and says nothing",
        remedy="Take the variable out; where generated code is too old for protobuf, generate it anew.",
        source="https://protobuf.dev/reference/python/python-generated/#backends",
        slow=True,
    ),
    ValueRule(
        variable="TF_USE_LEGACY_KERAS",
        matches=_TRUE,
        with_="tensorflow>=2.16",
        without=("tf-keras", "tf-keras-nightly"),
        says="tensorflow.keras cannot be imported, because tf_keras is not installed",
        remedy="Install tf_keras of tensorflow's version, or take the variable out.",
        source="https://keras.io/getting_started/#tensorflow--keras-2-backwards-compatibility",
    ),
)

LOCALES: Final = ("LC_ALL", "LANG", "LC_CTYPE")
LOCALE_SOURCE: Final = "setlocale(3), locale-gen(8)"
ZONE_PATH: Final = "PYTHONTZPATH"
ZONE_DISTRIBUTION: Final = "tzdata"
ZONE_SOURCE: Final = "https://docs.python.org/3/library/zoneinfo.html#configuring-the-data-sources"
