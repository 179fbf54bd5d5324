"""Variables that name folders which programs write to, and make where they are not there. Data only, with sources."""

from __future__ import annotations

from typing import Final

CACHES: Final[dict[str, str]] = {
    "HF_HOME": "https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables",
    "JOBLIB_TEMP_FOLDER": "https://joblib.readthedocs.io/en/latest/generated/joblib.Parallel.html",
    "JUPYTER_RUNTIME_DIR": "https://docs.jupyter.org/en/latest/use/jupyter-directories.html",
    "MPLCONFIGDIR": "https://matplotlib.org/stable/install/environment_variables_faq.html",
    "NUMBA_CACHE_DIR": "https://numba.readthedocs.io/en/stable/reference/envvars.html",
    "PROMETHEUS_MULTIPROC_DIR": "https://prometheus.github.io/client_python/multiprocess/",
    "PYTHONPYCACHEPREFIX": "https://docs.python.org/3/using/cmdline.html#envvar-PYTHONPYCACHEPREFIX",
    "RAY_TMPDIR": "https://docs.ray.io/en/latest/ray-core/configure.html",
    "TMPDIR": "https://docs.python.org/3/library/tempfile.html#tempfile.gettempdir",
    "TORCHINDUCTOR_CACHE_DIR": "https://docs.pytorch.org/tutorials/recipes/torch_compile_caching_configuration_tutorial.html",
    "TORCH_HOME": "https://docs.pytorch.org/docs/stable/hub.html",
    "TRITON_CACHE_DIR": "https://triton-lang.org/main/programming-guide/chapter-3/debugging.html",
    "XDG_CACHE_HOME": "https://specifications.freedesktop.org/basedir-spec/latest/",
}
TEMPORARY: Final = ("/tmp", "/var/tmp", "/usr/tmp")  # noqa: S108 - where tempfile.gettempdir looks, in its order

MOVERS: Final[tuple[tuple[str, str], ...]] = (
    ("/matplotlib", "MPLCONFIGDIR"),
    ("/huggingface", "HF_HOME"),
    ("/torch_extensions", "TORCH_EXTENSIONS_DIR"),
    ("/torchinductor_", "TORCHINDUCTOR_CACHE_DIR"),
    ("/.triton", "TRITON_CACHE_DIR"),
    ("/.cache/torch", "TORCH_HOME"),
    ("/numba_cache", "NUMBA_CACHE_DIR"),
    ("/.jupyter", "JUPYTER_CONFIG_DIR"),
    ("/share/jupyter/runtime", "JUPYTER_RUNTIME_DIR"),
    ("/.ipython", "IPYTHONDIR"),
    ("/nltk_data", "NLTK_DATA"),
    ("/.keras", "KERAS_HOME"),
    ("/.nv/ComputeCache", "CUDA_CACHE_PATH"),
    ("/tmp/ray", "RAY_TMPDIR"),  # noqa: S108 - where ray puts its sessions
    ("/wandb", "WANDB_DIR"),
    ("/mlruns", "MLFLOW_TRACKING_URI"),
    ("/.cupy", "CUPY_CACHE_DIR"),
    ("/scikit_learn_data", "SCIKIT_LEARN_DATA"),
    ("/.cache", "XDG_CACHE_HOME"),
    ("/.config", "XDG_CONFIG_HOME"),
    ("/.local/share", "XDG_DATA_HOME"),
    ("/.local/state", "XDG_STATE_HOME"),
)
"""A part of a path, and the variable that moves what is there; the first that fits counts. Each program's own
documentation says so, and for the XDG ones the specification named above."""
