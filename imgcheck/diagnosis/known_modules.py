"""Knowledge about names that no fact of an image tells. Data only, each table with its source."""

from __future__ import annotations

import re
from typing import Final

# Modules of other platforms. Standard library: "Availability" notes in https://docs.python.org/3/library/ ;
# pywin32, pyobjc, Pyodide, Jython, .NET: the module lists in those projects' own documentation.
FOREIGN_MODULES: Final[dict[str, str]] = {
    **dict.fromkeys(
        ("_msi", "_overlapped", "_winapi", "_winreg", "msilib", "msvcrt", "nt", "winreg", "winsound", "winloop"),
        "Windows",
    ),
    **dict.fromkeys(
        ("pythoncom", "pywintypes", "win32api", "win32con", "win32com", "win32event", "win32file", "win32gui"),
        "Windows",
    ),
    **dict.fromkeys(("win32pipe", "win32process", "win32security", "win32service", "win32ui", "wmi"), "Windows"),
    **dict.fromkeys(("_osx_support", "_scproxy", "AppKit", "Carbon", "Cocoa", "Foundation", "Quartz", "objc"), "macOS"),
    **dict.fromkeys(("_pyodide", "_pyodide_core", "js", "micropip", "pyodide", "pyodide_js"), "a browser"),
    **dict.fromkeys(("java", "javax"), "Jython"),
    **dict.fromkeys(("System",), ".NET"),
}

# Names that standard modules have on another platform only; same source, and for PipeConnection
# https://github.com/python/cpython/blob/main/Lib/multiprocessing/connection.py (under `if _winapi`).
FOREIGN_NAMES: Final[dict[str, frozenset[str]]] = {
    "asyncio": frozenset(
        {"IocpProactor", "ProactorEventLoop", "WindowsProactorEventLoopPolicy", "WindowsSelectorEventLoopPolicy"}
    ),
    "ctypes": frozenset(
        {"FormatError", "GetLastError", "OleDLL", "WINFUNCTYPE", "WinDLL", "WinError", "oledll", "windll"}
    ),
    "multiprocessing": frozenset({"PipeConnection"}),
    "os": frozenset({"add_dll_directory", "startfile", "O_BINARY"}),
    "select": frozenset({"devpoll", "kevent", "kqueue"}),
    "signal": frozenset({"CTRL_BREAK_EVENT", "CTRL_C_EVENT"}),
    "subprocess": frozenset({"CREATE_NEW_CONSOLE", "CREATE_NO_WINDOW", "STARTUPINFO", "STARTF_USESHOWWINDOW"}),
    "sys": frozenset({"getwindowsversion", "winver"}),
}

# The constants of BSD's kqueue: https://docs.python.org/3/library/select.html#kevent-objects
FOREIGN_CONSTANT: Final = re.compile(r"KQ_(?:EV|FILTER|NOTE)_[A-Z0-9]+")

# Modules that have their names only while something runs: alembic's `context` while it runs a migration's env.py,
# https://alembic.sqlalchemy.org/en/latest/api/runtime.html
FILLED_LATER: Final = frozenset({"alembic.context"})

# Libraries of other platforms by the ending of their names, and functions of macOS's frameworks by their prefixes:
# https://developer.apple.com/documentation/ (Core Foundation, Core Graphics, Audio Toolbox, Security, Objective-C).
FOREIGN_LIBRARY: Final = re.compile(r".*\.(?:dylib|dll)|.*\.framework/.*")
FOREIGN_FUNCTION: Final = re.compile(
    r"(?:CF|CG|NS|Sec|ExtAudioFile|AudioFile|AudioUnit)[A-Z]\w+|objc_\w+|sel_registerName"
)

# Words inside a module's name by which distributions mark a file for one platform.
PLATFORM_WORDS: Final = frozenset(
    {"windows", "win32", "win", "nt", "cygwin", "osx", "macosx", "macos", "mac", "darwin", "ios", "android"}
    | {"aix", "bsd", "freebsd", "sunos", "solaris", "emscripten", "wasm", "pyodide"}
)

# Modules that left the standard library, with the first version that lacks them.
# https://docs.python.org/3/whatsnew/ (3.8 to 3.13, "Removed") and PEP 594.
REMOVED_MODULES: Final[dict[str, tuple[int, int]]] = {
    **dict.fromkeys(("macpath",), (3, 8)),
    **dict.fromkeys(("_dummy_threading", "dummy_threading"), (3, 9)),
    **dict.fromkeys(("formatter", "parser", "symbol"), (3, 10)),
    **dict.fromkeys(("binhex",), (3, 11)),
    **dict.fromkeys(("asynchat", "asyncore", "distutils", "imp", "smtpd"), (3, 12)),
    **dict.fromkeys(
        ("aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "lib2to3", "mailcap", "nis"), (3, 13)
    ),
    **dict.fromkeys(
        ("nntplib", "ossaudiodev", "pipes", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib"), (3, 13)
    ),
}

# Names of Python 2's standard library: lib2to3's fix_imports, https://docs.python.org/3.12/library/2to3.html
PYTHON_2_MODULES: Final = frozenset(
    {
        "BaseHTTPServer",
        "CGIHTTPServer",
        "ConfigParser",
        "Cookie",
        "Dialog",
        "FileDialog",
        "HTMLParser",
        "Queue",
        "ScrolledText",
        "SimpleDialog",
        "SimpleHTTPServer",
        "SimpleXMLRPCServer",
        "SocketServer",
        "StringIO",
        "Tix",
        "Tkconstants",
        "Tkdnd",
        "Tkinter",
        "UserDict",
        "UserList",
        "UserString",
        "__builtin__",
        "anydbm",
        "cPickle",
        "cStringIO",
        "commands",
        "cookielib",
        "copy_reg",
        "dummy_thread",
        "exceptions",
        "htmlentitydefs",
        "httplib",
        "md5",
        "robotparser",
        "sets",
        "sha",
        "thread",
        "tkColorChooser",
        "tkFileDialog",
        "tkFont",
        "tkMessageBox",
        "ttk",
        "urllib2",
        "urlparse",
        "whichdb",
        "xmlrpclib",
    }
)

# Names that modules of the standard library lost with Python 2: https://docs.python.org/3/whatsnew/3.0.html ("Library
# changes", "Builtins"), and lib2to3's fix_imports2, fix_itertools, fix_urllib, fix_types, fix_operator, fix_sys_exc.
PYTHON_2_NAMES: Final[dict[str, frozenset[str]]] = {
    "itertools": frozenset({"ifilter", "ifilterfalse", "imap", "izip", "izip_longest"}),
    "operator": frozenset({"isCallable", "isMappingType", "isNumberType", "isSequenceType", "sequenceIncludes"}),
    "os": frozenset({"getcwdu", "popen2", "popen3", "popen4", "spawnvp", "tmpnam", "tempnam"}),
    "string": frozenset(
        {"atof", "atoi", "atol", "capitalize", "center", "count", "expandtabs", "find", "index", "join", "joinfields"}
        | {"letters", "ljust", "lower", "lowercase", "lstrip", "maketrans", "replace", "rfind", "rindex", "rjust"}
        | {"rstrip", "split", "splitfields", "strip", "swapcase", "translate", "upper", "uppercase", "zfill"}
    ),
    "sys": frozenset({"exc_clear", "exc_type", "exc_value", "exc_traceback", "maxint", "setdefaultencoding"}),
    "types": frozenset(
        {"BooleanType", "ClassType", "DictType", "FileType", "FloatType", "InstanceType", "IntType", "ListType"}
        | {"LongType", "NoneType", "ObjectType", "StringType", "StringTypes", "TupleType", "TypeType", "UnicodeType"}
    ),
    "urllib": frozenset(
        {
            "FancyURLopener",
            "URLopener",
            "pathname2url",
            "quote",
            "quote_plus",
            "unquote",
            "unquote_plus",
            "url2pathname",
        }
        | {"urlcleanup", "urlencode", "urlopen", "urlretrieve"}
    ),
}

# Parts of the standard library that Linux distributions and slim images leave out on purpose:
# Debian's python3-tk, python3-gdbm, idle and libpython3-testsuite, https://packages.debian.org/stable/python/
LEFT_OUT_STDLIB: Final = frozenset(
    {"_gdbm", "_dbm", "_tkinter", "ensurepip", "idlelib", "test", "tkinter", "turtle", "turtledemo"}
)

# By which distributions call what they bring to measure and to show, not to be used.
SIDESHOWS: Final = frozenset({"bench", "benchmark", "benchmarks", "demo", "demos", "example", "examples"})

# Import name -> distribution, where the two differ by more than spelling or a "py", "python" affix.
# Each from the top_level.txt or RECORD of the named distribution's wheel
PROVIDERS: Final[dict[str, str]] = {
    "Crypto": "pycryptodome",
    "IPython": "ipython",
    "MySQLdb": "mysqlclient",
    "PIL": "pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "faiss": "faiss-cpu",
    "fitz": "pymupdf",
    "git": "gitpython",
    "google.protobuf": "protobuf",
    "grpc": "grpcio",
    "grpc_health": "grpcio-health-checking",
    "grpc_reflection": "grpcio-reflection",
    "grpc_status": "grpcio-status",
    "pkg_resources": "setuptools",
    "psycopg2": "psycopg2-binary",
    "pynvml": "nvidia-ml-py",
    "ruamel.yaml": "ruamel-yaml",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "tree": "dm-tree",
}

# Modules that a distribution carried and dropped: the first version without them.
# setuptools: https://setuptools.pypa.io/en/latest/history.html (v82.0.0, "pkg_resources has been removed")
DROPPED_MODULES: Final[dict[str, tuple[str, str]]] = {"pkg_resources": ("setuptools", "82")}

# The user-space half of the GPU driver, which the container runtime mounts from the host at start:
# https://github.com/NVIDIA/libnvidia-container, src/nvc_info.c (utility, compute, video, graphics libraries).
DRIVER_LIBRARY: Final = re.compile(
    r"lib(cuda|cudadebugger|nvidia-[\w-]+|nvcuvid|nvoptix|GLX_nvidia|EGL_nvidia)\.so(\.[\d.]+)?"
)

# What CUDA's runtime and NVML say without a driver: cudaGetErrorString in the CUDA Runtime API manual; pynvml's errors.
DRIVER_MESSAGE: Final = re.compile(
    r"Found no NVIDIA driver|no CUDA-capable device|CUDA driver version is insufficient|NVML Shared Library Not Found"
    r"|cudaErrorNoDevice|cudaErrorInsufficientDriver|CUDA_ERROR_NO_DEVICE|NVMLError_LibraryNotFound"
    r"|0 active drivers|cuInit",
)

# Namespaces of a C++ library's symbols -> the distribution that carries it; https://pytorch.org/cppdocs/
SYMBOL_OWNERS: Final[dict[str, str]] = {"c10": "torch", "at": "torch", "torch": "torch", "arrow": "pyarrow"}

# Shared library -> package of Debian and Ubuntu: https://packages.debian.org/ ("Search the contents of packages").
LIBRARY_PACKAGES: Final[dict[str, str]] = {
    "libEGL.so.1": "libegl1",
    "EGL": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLU.so.1": "libglu1-mesa",
    "libSM.so.6": "libsm6",
    "libXext.so.6": "libxext6",
    "libXrender.so.1": "libxrender1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgomp.so.1": "libgomp1",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libibverbs.so.1": "libibverbs1",
    "libmpi.so.40": "libopenmpi3",
    "libnuma.so.1": "libnuma1",
    "libportaudio.so.2": "libportaudio2",
    "libpq.so.5": "libpq5",
    "libsndfile.so.1": "libsndfile1",
    "sndfile": "libsndfile1",
    "libxcb.so.1": "libxcb1",
}
