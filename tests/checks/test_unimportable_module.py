from __future__ import annotations

import pytest

from imgcheck.checks.unimportable_module import CHECK, judge
from imgcheck.contract.model import Contract
from imgcheck.facts.model import Distribution, Facts, Frame, ModuleFacts
from imgcheck.outcome import Fault
from tests.checks.build_facts import SITE, a_contract, at, dist, facts, link, module, python, raises, stdlib

ASKED = a_contract(imports=True)
STRICT = a_contract(imports={"strict": True})


def whole(label: str, *requires: str, modules: list[str], fine: tuple[str, ...] = ()) -> Distribution:
    return dist(label, *requires, modules=[*modules, *fine])


def judged(*distributions: Distribution, modules: list[ModuleFacts], contract: Contract = ASKED) -> tuple[Fault, ...]:
    return judge(contract, facts(*distributions, modules=modules)).faults


def reasons(found: Facts, contract: Contract = ASKED) -> dict[str, int]:
    return dict(judge(contract, found).passed_over)


def test_modules_that_can_be_imported_are_kept() -> None:
    judgement = judge(ASKED, facts(dist("a 1", modules=["a"]), modules=[module("a", "a"), module("a.b", "a")]))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "modules", ())


def test_it_is_asked_for_by_the_contract() -> None:
    assert CHECK.applies(ASKED)
    assert not CHECK.applies(a_contract())


# The real cases: what broke, who is named, and the way out -----------------------------------------------------------

DESCRIPTORS = (
    "TypeError: Descriptors cannot be created directly.\n"
    "If this call came from a _pb2.py file, your generated code is out of date"
)
PROTOBUF = dist("protobuf 6.33.1", modules=["google.protobuf", "google.protobuf.descriptor"])
DESCRIPTOR = at("google/protobuf/descriptor.py", 553, "_message.Message._CheckCalledFromGeneratedFile()", "__new__")


def generated(name: str, of: str) -> ModuleFacts:
    return module(name, of, raises(DESCRIPTORS, at(f"{name.replace('.', '/')}.py"), DESCRIPTOR))


def test_a01_generated_code_against_a_newer_protobuf() -> None:
    names = ["tensorboard.compat.proto.event_pb2", "tensorboard.compat.proto.summary_pb2"]
    tensorboard = whole("tensorboard 2.8.0", "protobuf>=3.6.0", modules=["tensorboard", *names])
    modules = [module("tensorboard", "tensorboard"), *(generated(name, "tensorboard") for name in names)]
    (fault,) = judged(tensorboard, PROTOBUF, modules=modules)
    assert fault.summary == (
        "2 modules fail because tensorboard 2.8.0 fails inside protobuf 6.33.1: "
        "TypeError: Descriptors cannot be created directly."
    )
    assert fault.expected == "tensorboard 2.8.0 requires protobuf>=3.6.0"
    assert "Pin protobuf to a version tensorboard was made for" in fault.remedy
    assert fault.details == tuple(names)
    assert fault.subject == names[0]
    assert "_CheckCalledFromGeneratedFile" in fault.evidence
    assert not fault.note
    assert not fault.unverified


def test_a29_each_distribution_with_old_generated_code_is_a_cause_of_its_own() -> None:
    tensorboard = whole("tensorboard 2.8.0", "protobuf", modules=["tensorboard.p_pb2"])
    wandb = whole("wandb 0.12.10", "protobuf>=3.12.0", modules=["wandb", "wandb.proto.wandb_pb2"])
    through = raises(DESCRIPTORS, at("wandb/__init__.py"), at("wandb/proto/wandb_pb2.py"), DESCRIPTOR)
    modules = [generated("tensorboard.p_pb2", "tensorboard"), module("wandb", "wandb", through)]
    first, second = judged(tensorboard, wandb, PROTOBUF, modules=modules)
    assert "tensorboard 2.8.0 fails inside protobuf 6.33.1" in first.summary
    assert second.summary.startswith("wandb fails because wandb 0.12.10 fails inside protobuf 6.33.1: TypeError")
    assert second.subject == "wandb.proto.wandb_pb2"


def test_a07_a_module_that_its_distribution_dropped() -> None:
    tensorboard = whole("tensorboard 2.20.0", "setuptools>=41.0.0", modules=["tensorboard", "tensorboard.default"])
    error = raises(
        "ModuleNotFoundError: No module named 'pkg_resources'", at("tensorboard/default.py", 30), name="pkg_resources"
    )
    modules = [module("tensorboard", "tensorboard"), module("tensorboard.default", "tensorboard", error)]
    (fault,) = judged(tensorboard, dist("setuptools 82.0.0", modules=["setuptools"]), modules=modules)
    assert fault.summary == (
        "tensorboard.default fails because tensorboard 2.20.0 needs pkg_resources, "
        "which setuptools 82.0.0 does not have"
    )
    assert "Pin setuptools to a version that has it (setuptools before 82)" in fault.remedy
    assert fault.expected == "tensorboard 2.20.0 requires setuptools>=41.0.0"
    assert fault.actual == "ModuleNotFoundError: No module named 'pkg_resources'"


def lacking(asker: str, name: str, provider: str) -> ModuleFacts:
    path = provider.replace(".", "/")
    error = raises(
        f"ImportError: cannot import name '{name}' from '{provider}' (/x/{path}.py)", at(f"{asker}/__init__.py")
    )
    return module(asker, asker, error)


@pytest.mark.parametrize(
    ("asker", "provider", "module_name", "name"),
    [
        pytest.param("requests_toolbelt 0.10.1", "urllib3 2.5.0", "urllib3.contrib", "appengine", id="A10"),
        pytest.param("jinja2 2.11.3", "markupsafe 3.0.3", "markupsafe", "soft_unicode", id="A13"),
        pytest.param("flask 2.2.2", "werkzeug 3.0.0", "werkzeug.urls", "url_quote", id="A19"),
    ],
)
def test_a_name_that_another_distribution_no_longer_has(asker: str, provider: str, module_name: str, name: str) -> None:
    package, owner = asker.split(maxsplit=1)[0], provider.split(maxsplit=1)[0]
    wanting = dist(asker, f"{owner}>=1", modules=[package])
    having = dist(provider, modules=[owner, module_name])
    (fault,) = judged(wanting, having, modules=[lacking(package, name, module_name)])
    assert (
        fault.summary == f"{package} fails because {asker} needs {module_name}.{name}, which {provider} does not have"
    )
    assert fault.remedy.startswith(f"Pin {owner} to a version that has it, or choose a version of {package} made for")
    assert fault.expected == f"{asker} requires {owner}>=1"


@pytest.mark.parametrize(
    ("asker", "provider", "words"),
    [
        pytest.param(
            "environs 9.5.0",
            "marshmallow 4.1.0",
            "AttributeError: module 'marshmallow' has no attribute '__version_info__'",
            id="A27",
        ),
        pytest.param(
            "numba 0.62.0",
            "coverage 7.3.4",
            "AttributeError: module 'coverage.types' has no attribute 'Tracer'. Did you mean: 'TTracer'?",
            id="A31",
        ),
    ],
)
def test_an_attribute_that_another_distribution_does_not_have(asker: str, provider: str, words: str) -> None:
    package, owner = asker.split(maxsplit=1)[0], provider.split(maxsplit=1)[0]
    modules = [module(package, package, raises(words, at(f"{package}/__init__.py", 58)))]
    (fault,) = judged(dist(asker, modules=[package]), dist(provider, modules=[owner]), modules=modules)
    assert f"which {provider} does not have" in fault.summary
    assert fault.actual == words
    assert fault.expected == f"{asker} declares no requirement on {owner}"


@pytest.mark.parametrize(
    ("label", "words", "library", "package"),
    [
        pytest.param(
            "cv2 4.10.0.84",
            "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
            "libGL.so.1",
            "Install libgl1 (Debian and Ubuntu)",
            id="C01",
        ),
        pytest.param(
            "lightgbm 4.3.0",
            "OSError: libgomp.so.1: cannot open shared object file: No such file or directory",
            "libgomp.so.1",
            "Install libgomp1 (Debian and Ubuntu)",
            id="C02",
        ),
        pytest.param(
            "soundfile 0.10.3.post1",
            "OSError: sndfile library not found",
            "sndfile",
            "Install libsndfile1 (Debian and Ubuntu)",
            id="C03",
        ),
        pytest.param(
            "pyrender 0.1.45",
            "ImportError: ('Unable to load EGL library', 'EGL: cannot open shared object file: No such', 'EGL')",
            "EGL",
            "Install libegl1 (Debian and Ubuntu)",
            id="C13",
        ),
        pytest.param(
            "other 1",
            "ImportError: libodd.so.3: cannot open shared object file: No such file or directory",
            "libodd.so.3",
            "Install the system package that has libodd.so.3",
            id="a library that nobody knows",
        ),
    ],
)
def test_a_shared_library_that_is_not_in_the_image(label: str, words: str, library: str, package: str) -> None:
    name = label.split(maxsplit=1)[0]
    modules = [module(name, name, raises(words, at(f"{name}/__init__.py", 5)))]
    (fault,) = judged(dist(label, modules=[name]), modules=modules)
    assert (
        fault.summary == f"{name} fails because the shared library {library}, which {label} loads, is not in the image"
    )
    assert fault.remedy.startswith(package)


def test_c05_a_whole_distribution_that_does_not_suit_this_python() -> None:
    error = raises(
        "TypeError: duplicate base class TimeoutError", at("aioredis/__init__.py"), at("aioredis/exceptions.py")
    )
    modules = [
        module("aioredis", "aioredis", error),
        module("aioredis.client", "aioredis", error, inherited_from="aioredis"),
    ]
    (fault,) = judged(dist("aioredis 2.0.1", modules=["aioredis", "aioredis.exceptions"]), modules=modules)
    assert fault.summary == (
        "No module of aioredis 2.0.1 can be imported: TypeError: duplicate base class TimeoutError"
    )
    assert fault.remedy.startswith("Choose a version of aioredis that suits Python 3.11.7")
    assert fault.details == ("aioredis", "aioredis.client")


def test_c06_an_error_that_python_itself_raises_for_a_package() -> None:
    words = (
        "ValueError: mutable default <class 'hydra.conf.JobConf.JobConfig.OverrideDirname'> for field "
        "override_dirname is not allowed: use default_factory"
    )
    error = raises(words, at("hydra/conf/__init__.py", 64, "@dataclass"), stdlib("dataclasses.py", "_get_field"))
    modules = [module("hydra", "hydra-core"), module("hydra.conf", "hydra-core", error)]
    (fault,) = judged(dist("hydra-core 1.1.2", modules=["hydra", "hydra.conf"]), modules=modules)
    assert fault.summary.startswith("hydra.conf fails because hydra-core 1.1.2 fails inside Python 3.11.7: ValueError")
    assert not fault.note


def test_g01_compiled_code_for_another_numpy() -> None:
    words = (
        "ValueError: numpy.dtype size changed, may indicate binary incompatibility. "
        "Expected 96 from C header, got 88 from PyObject"
    )
    error = raises(words, at("pandas/__init__.py", 22), at("pandas/_libs/__init__.py"))
    numpy = dist("numpy 2.2.6", modules=["numpy"])
    pandas = dist("pandas 2.0.3", "numpy>=1.21.0", modules=["pandas", "pandas._libs"])
    (fault,) = judged(pandas, numpy, modules=[module("numpy", "numpy"), module("pandas", "pandas", error)])
    assert fault.summary.startswith(
        "pandas fails because compiled code of pandas 2.0.3 does not fit numpy 2.2.6: Value"
    )
    assert fault.expected == "pandas 2.0.3 requires numpy>=1.21.0"


TORCH = dist("torch 2.13.0+cpu", modules=["torch", "torch._ops", "torch.library"])


def test_t04_a_library_that_lacks_its_symbols() -> None:
    words = "OSError: Could not load this library: /opt/venv/lib/python3.11/site-packages/torchtext/lib/libtorchtext.so"
    deeper = link(
        f"OSError: {SITE}/torchtext/lib/libtorchtext.so: undefined symbol: _ZN5torch3jit17",
        frame=stdlib("ctypes/__init__.py", "__init__"),
    )
    frames = (at("torchtext/__init__.py"), at("torchtext/_extension.py"), at("torch/_ops.py", function="load_library"))
    error = raises(words, *frames, chain=[deeper])
    torchtext = dist("torchtext 0.18.0", "torch>=2.3.0", modules=["torchtext", "torchtext._extension"])
    (fault,) = judged(torchtext, TORCH, modules=[module("torchtext", "torchtext", error)])
    assert "compiled code of torchtext 0.18.0 does not fit torch 2.13.0+cpu" in fault.summary
    assert "undefined symbol" in fault.actual
    assert fault.expected == "torchtext 0.18.0 requires torch>=2.3.0"


def test_t05b_one_cause_however_many_modules_hang_on_it() -> None:
    words = "RuntimeError: operator torchvision::nms does not exist"
    inner = (at("torchvision/__init__.py"), at("torchvision/_meta_registrations.py", 163), at("torch/library.py", 1023))
    wrapped = raises(
        "ModuleNotFoundError: Could not import module 'PreTrainedModel'. Are its requirements defined correctly?",
        at("transformers/utils/import_utils.py"),
        chain=[link(words)],
    )
    vision = dist("torchvision 0.28.0", "torch==2.13.0", modules=["torchvision", "torchvision._meta_registrations"])
    transformers = dist("transformers 4.57", modules=["transformers", "transformers.utils.import_utils"])
    modules = [
        module("transformers", "transformers"),
        module("transformers.bert", "transformers", wrapped),
        module("transformers.t5", "transformers", raises(words, at("transformers/t5.py"), *inner)),
        module("torchvision", "torchvision", raises(words, *inner)),
    ]
    (fault,) = judged(vision, TORCH, transformers, modules=modules)
    assert fault.summary.startswith(
        "3 modules fail because compiled code of torchvision 0.28.0 does not fit torch 2.13.0+cpu: RuntimeError"
    )
    assert fault.expected == "torchvision 0.28.0 requires torch==2.13.0"
    assert fault.details == ("torchvision", "transformers.bert", "transformers.t5")


def test_j04_a_deleted_part_of_another_distribution() -> None:
    error = raises("ModuleNotFoundError: No module named 'numpy.testing'", at("scipy/_lib.py"), name="numpy.testing")
    modules = [module("scipy", "scipy"), module("scipy._lib", "scipy", error)]
    (fault,) = judged(dist("scipy 1.13", modules=["scipy"]), dist("numpy 1.26", modules=["numpy"]), modules=modules)
    assert "scipy 1.13 needs numpy.testing, which numpy 1.26 does not have" in fault.summary


def test_k02_a_module_that_is_there_and_is_not_found() -> None:
    error = raises("ModuleNotFoundError: No module named 'google.protobuf'", at("app.py"), name="google.protobuf")
    (fault,) = judged(dist("app 1", modules=["app"]), PROTOBUF, modules=[module("app", "app", error)])
    assert fault.summary == "app fails because google.protobuf is not found, though protobuf 6.33.1 has it"


def test_g04_two_versions_laid_over_one_another() -> None:
    modules = [module("cn", "cn"), module("cn.api", "cn", lacking("cn", "is_arabic", "cn.utils").error)]
    (fault,) = judged(dist("cn 2.1", modules=["cn", "cn.utils"]), dist("cn 3.3"), modules=modules)
    assert "files of two versions of cn lie over one another" in fault.summary
    assert not fault.note


# What is no fault ----------------------------------------------------------------------------------------------------


def missing(name: str, *frames: Frame) -> ModuleFacts:
    error = raises(f"ModuleNotFoundError: No module named '{name}'", *(frames or (at("ray/util.py"),)), name=name)
    return module("ray.util", "ray", error)


RAY = dist("ray 2.9", "gymnasium; extra == 'rllib'", "PyYAML", modules=["ray", "ray.util"])


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        pytest.param("gymnasium.spaces", "need an optional extra that is not installed", id="an extra"),
        pytest.param(
            "tensorflow", "need a module that no installed distribution provides or requires", id="undeclared"
        ),
        pytest.param("winreg", "are for another platform", id="Windows"),
        pytest.param("ray._win32", "are for another platform", id="its own file for Windows"),
        pytest.param("urllib2", "are for another Python version", id="Python 2"),
        pytest.param("tkinter", "need a part of the standard library that this Python goes without", id="tkinter"),
    ],
)
def test_what_is_optional_is_passed_over_and_never_counted_as_kept(wanted: str, reason: str) -> None:
    found = facts(RAY, modules=[module("ray", "ray"), missing(wanted)])
    judgement = judge(ASKED, found)
    assert not judgement.faults
    assert judgement.examined == 1
    assert judgement.passed_over == ((reason, 1),)


@pytest.mark.parametrize("wanted", ["gymnasium", "tensorflow", "winreg", "urllib2", "tkinter"])
def test_a_strict_contract_is_broken_by_what_is_optional(wanted: str) -> None:
    (fault,) = judged(RAY, modules=[module("ray", "ray"), missing(wanted)], contract=STRICT)
    assert not fault.note
    assert "fails because" in fault.summary


def test_an_extra_names_itself_where_it_is_told() -> None:
    (fault,) = judged(RAY, modules=[module("ray", "ray"), missing("gymnasium")], contract=STRICT)
    assert fault.remedy == "Install ray[rllib]."


def test_a_guessed_name_is_never_recommended() -> None:
    (fault,) = judged(RAY, modules=[module("ray", "ray"), missing("pyairports")], contract=STRICT)
    assert "Install the distribution that has pyairports" in fault.remedy


def test_a_required_distribution_that_is_not_installed_is_a_fault() -> None:
    (fault,) = judged(RAY, modules=[module("ray", "ray"), missing("yaml")])
    assert fault.summary == "ray.util fails because pyyaml, which ray 2.9 requires, is not installed"


def test_a_namespace_belongs_to_nobody() -> None:
    other = dist("google-auth 2", modules=["google.auth"])
    found = facts(RAY, PROTOBUF, other, modules=[module("ray", "ray"), missing("google.cloud.storage")])
    assert reasons(found) == {"need a module that no installed distribution provides or requires": 1}


def test_the_reason_behind_a_refusal_decides() -> None:
    error = raises(
        "ImportError: please install gymnasium",
        at("ray/util.py"),
        chain=[link("ModuleNotFoundError: No module named 'gymnasium'", frame=at("ray/util.py"), name="gymnasium")],
    )
    found = facts(RAY, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
    assert reasons(found) == {"need an optional extra that is not installed": 1}


def test_a_breaking_exception_of_a_chain_goes_before_an_optional_one() -> None:
    chain = [link("ModuleNotFoundError: No module named 'flash_attn'", name="flash_attn", frame=at("ray/util.py"))]
    error = raises("ImportError: cannot import name 'x' from 'torch.library' (/x)", at("ray/util.py"), chain=chain)
    (fault,) = judged(RAY, TORCH, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
    assert "needs torch.library.x" in fault.summary


def test_a_caught_missing_module_does_not_excuse_a_type_error() -> None:
    chain = [link("ModuleNotFoundError: No module named 'numpy_fast'", name="numpy_fast")]
    error = raises("TypeError: bad", at("ray/util.py"), at("torch/library.py"), chain=chain)
    (fault,) = judged(RAY, TORCH, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
    assert "ray 2.9 fails inside torch 2.13.0+cpu: TypeError: bad" in fault.summary


def test_what_a_whole_distribution_needs_is_not_optional() -> None:
    error = raises(
        "ModuleNotFoundError: No module named 'pyramid_mailer'", at("apex/__init__.py"), name="pyramid_mailer"
    )
    (fault,) = judged(dist("apex 0.9", modules=["apex"]), modules=[module("apex", "apex", error)])
    assert fault.summary == (
        "No module of apex 0.9 can be imported: ModuleNotFoundError: No module named 'pyramid_mailer'"
    )
    assert "Install the distribution that has pyramid_mailer as well" in fault.remedy


def test_each_wholly_failing_distribution_is_a_fault_of_its_own() -> None:
    inner = at("ray/util.py")
    modules = [module("ray", "ray"), missing("gymnasium")]
    for name in ("one", "two"):
        words = "ModuleNotFoundError: No module named 'gymnasium'"
        modules.append(module(name, name, raises(words, at(f"{name}.py"), inner, name="gymnasium")))
    faults = judged(RAY, dist("one 1", modules=["one"]), dist("two 2", modules=["two"]), modules=modules)
    assert [fault.subject for fault in faults] == ["one", "two"]


@pytest.mark.parametrize(
    "words",
    [
        "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
        "RuntimeError: Found no NVIDIA driver on your system",
        "ConnectionError: Max retries exceeded with url: /x",
    ],
)
def test_what_needs_a_gpu_or_the_network_is_not_verified(words: str) -> None:
    error = raises(words, at("ray/util.py"))
    (fault,) = judged(RAY, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
    assert fault.unverified


@pytest.mark.parametrize(
    ("words", "passed_over"),
    [
        ("OSError: libobjc.dylib: cannot open shared object file: No such file or directory", True),
        ("OSError: libobjc.so.4: cannot open shared object file: No such file or directory", False),
        ("AttributeError: /opt/venv/bin/python3: undefined symbol: CFStringGetCStringPtr", True),
        ("AttributeError: /opt/venv/bin/python3: undefined symbol: sf_open", False),
        ("AttributeError: /usr/lib/libx.so: undefined symbol: CFStringGetCStringPtr", False),
    ],
)
def test_what_asks_for_libraries_of_macos_is_for_another_platform(words: str, passed_over: bool) -> None:
    modules = [module("ray", "ray"), module("ray.util", "ray", raises(words, at("ray/util.py")))]
    found = judge(ASKED, facts(RAY, modules=modules))
    assert bool(found.passed_over) is passed_over
    assert bool(found.faults) is not passed_over


def test_the_toolkits_libraries_are_no_part_of_the_driver() -> None:
    error = raises("ImportError: libcudart.so.12: cannot open shared object file: No such file", at("ray/util.py"))
    modules = [module("ray", "ray"), module("ray.util", "ray", error), module("ray.x", "ray", error)]
    (fault,) = judged(RAY, modules=modules)
    assert not fault.note
    assert not fault.unverified


def test_one_compiled_module_that_nothing_loads_is_a_note() -> None:
    error = raises("ImportError: libtbb.so.12: cannot open shared object file: No such file or directory")
    path = "/opt/venv/lib/python3.11/site-packages/numba/np/ufunc/tbbpool.cpython-311-x86_64-linux-gnu.so"
    pool = module("numba.np.ufunc.tbbpool", "numba", error, path=path)
    numba = dist("numba 0.62", modules=["numba", "numba.np.ufunc.tbbpool"])
    (fault,) = judged(numba, modules=[module("numba", "numba"), pool])
    assert fault.note
    assert "libtbb.so.12" in fault.summary


def test_a_module_that_its_own_distribution_lacks_is_a_note() -> None:
    error = raises("ModuleNotFoundError: No module named 'ray.gone'", at("ray/util.py"), name="ray.gone")
    (fault,) = judged(RAY, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
    assert fault.note


def test_a_vendored_copy_that_was_cut_is_passed_over() -> None:
    error = raises("ModuleNotFoundError: No module named 'ray.gone'", at("ray/util.py"), name="ray.gone")
    found = facts(RAY, modules=[module("ray", "ray"), module("ray.util", "ray", error, group="vendored")])
    assert reasons(found) == {"are vendored copies that cannot be imported by that name": 1}


def test_a_vendored_copy_that_takes_the_real_one_for_itself_is_passed_over() -> None:
    error = raises("ModuleNotFoundError: No module named 'packaging.new'", at("ray/_vendor/packaging/new.py"))
    found = facts(
        dist("ray 2", modules=["ray", ("ray._vendor.packaging.new", "source", "vendored")]),
        dist("packaging 23", modules=["packaging"]),
        modules=[module("ray", "ray"), module("ray._vendor.packaging.new", "ray", error, group="vendored")],
    )
    assert reasons(found) == {"are vendored copies that cannot be imported by that name": 1}


def test_a_constant_of_bsd_s_kqueue_is_for_another_platform() -> None:
    error = raises("AttributeError: module 'select' has no attribute 'KQ_FILTER_VNODE'", at("ray/util.py"))
    found = facts(RAY, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
    assert reasons(found) == {"are for another platform": 1}


def test_a_name_of_python_2_is_for_another_python() -> None:
    error = raises("AttributeError: module 'string' has no attribute 'replace'", at("ray/util.py"))
    found = facts(RAY, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
    assert reasons(found) == {"are for another Python version": 1}


def test_a_distribution_for_python_2_alone_is_broken() -> None:
    error = raises("ModuleNotFoundError: No module named 'cPickle'", at("old/__init__.py"), name="cPickle")
    (fault,) = judged(dist("old 1", modules=["old"]), modules=[module("old", "old", error)])
    assert not fault.note
    assert fault.summary.startswith("No module of old 1 can be imported")
    assert fault.remedy.startswith("Choose a version of old that suits Python 3.11.7")


@pytest.mark.parametrize(
    ("requires", "note"),
    [
        pytest.param("jaxlib<=0.10.2,>=0.10.1", True, id="up to this version"),
        pytest.param("jaxlib==0.10.2", True, id="this version"),
        pytest.param("jaxlib>=0.10.2", False, id="from this version on"),
        pytest.param("jaxlib==0.10.*", False, id="one like it"),
        pytest.param("jaxlib==0.10.1", False, id="another one"),
    ],
)
def test_what_a_pair_that_was_made_together_lacks_is_a_note(requires: str, *, note: bool) -> None:
    """Both ways: what jax asks of jaxlib, and jaxlib of jax, of which it requires nothing."""
    jax = dist("jax 0.10.2", requires, modules=["jax", "jax.mosaic"])
    jaxlib = dist("jaxlib 0.10.2", modules=["jaxlib", "jaxlib.mpmd"])
    gpu = raises("ModuleNotFoundError: No module named 'jaxlib.gpu'", at("jax/mosaic.py"), name="jaxlib.gpu")
    words = "ImportError: cannot import name 'lib' from 'jax' (/x)"
    mpmd = raises(words, at("jaxlib/mpmd.py"))
    modules = [module("jax", "jax"), module("jax.mosaic", "jax", gpu), module("jaxlib", "jaxlib")]
    faults = judged(jax, jaxlib, modules=[*modules, module("jaxlib.mpmd", "jaxlib", mpmd)])
    assert [one.note for one in faults] == [note, note]


@pytest.mark.parametrize(
    ("name", "note"),
    [
        pytest.param("blis.benchmark", True, id="measures"),
        pytest.param("blis.examples.matmul", True, id="shows"),
        pytest.param("blis.matmul", False, id="is for use"),
    ],
)
def test_a_break_in_what_only_measures_or_shows_is_a_note(name: str, *, note: bool) -> None:
    words = "AttributeError: module 'numpy.__config__' has no attribute 'blas_opt_info'"
    error = raises(words, at(f"{name.replace('.', '/')}.py"))
    blis, numpy = dist("blis 1.3.4", "numpy", modules=["blis", name]), dist("numpy 2.4", modules=["numpy.__config__"])
    (fault,) = judged(blis, numpy, modules=[module("blis", "blis"), module(name, "blis", error)])
    assert fault.note is note


def test_what_is_not_there_below_a_namespace_of_many_is_nobodys() -> None:
    """As airflow.providers, below a package of apache-airflow-core."""
    portion = ("airflow.providers", "namespace", "module")
    core = dist("core 3", modules=["airflow"])
    smtp = dist("smtp 1", modules=[portion, "airflow.providers.smtp"])
    common = dist("common 1", modules=[portion, "airflow.providers.common"])
    words = "ModuleNotFoundError: No module named 'airflow.providers.lineage'"
    error = raises(words, at("airflow/providers/common.py"), name="airflow.providers.lineage")
    modules = [module("airflow", "core"), module("airflow.providers.smtp", "smtp")]
    modules += [module("airflow.providers.common", "common", error), module("airflow.providers.common.b", "common")]
    found = facts(core, smtp, common, modules=modules)
    assert reasons(found) == {"need a module that no installed distribution provides or requires": 1}


@pytest.mark.parametrize("requested", [False, True])
def test_an_adapter_without_what_it_adapts_is_a_note_unless_asked_for(*, requested: bool) -> None:
    words = "ModuleNotFoundError: No module named 'matplotlib'"
    error = raises(words, at("matplotlib_inline/__init__.py"), name="matplotlib")
    inline = dist("matplotlib-inline 0.2", "traitlets", modules=["matplotlib_inline"], requested=requested)
    (fault,) = judged(inline, modules=[module("matplotlib_inline", "matplotlib-inline", error)])
    assert fault.note is not requested


@pytest.mark.parametrize(
    ("name", "note"),
    [pytest.param("pexpect._async_old", True, id="private"), pytest.param("pexpect.old", False, id="public")],
)
def test_a_private_leaf_that_needs_what_python_removed_is_a_note(name: str, *, note: bool) -> None:
    words = "ModuleNotFoundError: No module named 'formatter'"
    error = raises(words, at(f"{name.replace('.', '/')}.py"), name="formatter")
    pexpect = dist("pexpect 4.9", modules=["pexpect", name])
    (fault,) = judged(pexpect, modules=[module("pexpect", "pexpect"), module(name, "pexpect", error)])
    assert fault.note is note


def test_a_symbol_that_a_module_for_macos_asks_of_the_interpreter_is_for_another_platform() -> None:
    error = raises("AttributeError: /opt/venv/bin/python3: undefined symbol: GetMacOSString", at("ray/mac/legacy.py"))
    ray = dist("ray 2", modules=["ray", "ray.mac.legacy"])
    found = facts(ray, modules=[module("ray", "ray"), module("ray.mac.legacy", "ray", error)])
    assert reasons(found) == {"are for another platform": 1}


CONFIGURED = {"need configuration that is not there": 1}


def test_a_script_that_fails_on_missing_arguments_needs_configuration() -> None:
    error = raises(
        "TypeError: no path", at("ray/serve.py", text="load(args.uri)"), at("/usr/lib/python3.11/genericpath.py")
    )
    script = module("ray.serve", "ray", error, reads_arguments=True)
    assert reasons(facts(RAY, modules=[module("ray", "ray"), script])) == CONFIGURED


def test_a_script_that_fails_by_an_import_of_its_does_not() -> None:
    error = raises("TypeError: no", at("ray/serve.py", text="import pandas"), at("pandas/__init__.py"))
    script = module("ray.serve", "ray", error, reads_arguments=True)
    (fault,) = judged(RAY, dist("pandas 2", modules=["pandas"]), modules=[module("ray", "ray"), script])
    assert not fault.note


def test_what_a_module_has_only_while_something_runs_is_configuration() -> None:
    error = raises("AttributeError: module 'alembic.context' has no attribute 'config'", at("ray/env.py"))
    alembic = dist("alembic 1.16", modules=["alembic", "alembic.context"])
    found = facts(RAY, alembic, modules=[module("ray", "ray"), module("ray.env", "ray", error)])
    assert reasons(found) == CONFIGURED


FORMATTER = "ModuleNotFoundError: No module named 'formatter'"


def test_what_python_removed_breaks_what_was_not_made_for_it() -> None:
    error = raises(FORMATTER, at("ray/util.py"), name="formatter")
    (fault,) = judged(RAY, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
    assert not fault.note
    assert "Python 3.11.7 does not have" in fault.summary


@pytest.mark.parametrize(
    "made_for",
    [
        pytest.param({"wheel_tags": ["cp311-cp311-manylinux_2_17_x86_64"]}, id="its wheel was built for it"),
        pytest.param({"python_classifiers": ["3.10", "3.11"]}, id="its metadata names it"),
    ],
)
def test_leftovers_that_need_what_python_removed_are_a_note(made_for: dict[str, list[str]]) -> None:
    error = raises(FORMATTER, at("ray/util.py"), name="formatter")
    ray = dist("ray 2", modules=["ray", "ray.util"], **made_for)
    (fault,) = judged(ray, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
    assert fault.note
    assert "ray 2 still needs formatter, which Python 3.11.7 does not have" in fault.summary


def test_leftovers_on_which_others_hang_are_broken() -> None:
    error = raises(FORMATTER, at("train.py"), at("ray/util.py"), name="formatter")
    ray = dist("ray 2", modules=["ray", "ray.util"], python_classifiers=["3.11"])
    train = dist("train 1", modules=["train", "train.data"])
    modules = [module("ray", "ray"), module("ray.util", "ray", error), module("train.data", "train")]
    modules.append(module("train", "train", error))
    (fault,) = judged(ray, train, modules=modules)
    assert not fault.note


def test_an_assertion_on_the_platform_is_for_another_one() -> None:
    error = raises("AssertionError", at("ray/util.py", 3, 'assert sys.platform == "win32"'))
    found = facts(RAY, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
    assert reasons(found) == {"are for another platform": 1}


def test_a_requirement_is_found_by_the_beginning_of_its_name() -> None:
    """As antlr4-python3-runtime brings antlr4."""
    omegaconf = dist("omegaconf 2.1.2", "antlr4-python3-runtime==4.8", modules=["omegaconf", "omegaconf.base"])
    error = raises("ModuleNotFoundError: No module named 'antlr4'", at("omegaconf/base.py"), name="antlr4")
    modules = [module("omegaconf", "omegaconf"), module("omegaconf.base", "omegaconf", error)]
    (fault,) = judged(omegaconf, modules=modules)
    assert "antlr4-python3-runtime, which omegaconf 2.1.2 requires, is not installed" in fault.summary


def test_of_two_imports_tried_the_last_is_told() -> None:
    first = "ImportError: cannot import name 'appengine' from 'requests.packages' (/x)"
    last = "ImportError: cannot import name 'appengine' from 'urllib3.contrib' (/x)"
    error = raises(last, at("toolbelt.py", 50), chain=[link(last), link(first, frame=at("toolbelt.py", 48))])
    others = (dist("requests 2.34", modules=["requests"]), dist("urllib3 2.5", modules=["urllib3"]))
    (fault,) = judged(
        dist("toolbelt 1", modules=["toolbelt"]), *others, modules=[module("toolbelt", "toolbelt", error)]
    )
    assert "needs urllib3.contrib.appengine, which urllib3 2.5 does not have" in fault.summary


def test_a_circle_inside_one_distribution_is_passed_over() -> None:
    words = "ImportError: cannot import name 'x' from partially initialized module 'ray'"
    found = facts(RAY, modules=[module("ray", "ray"), module("ray.util", "ray", raises(words, at("ray/util.py")))])
    assert reasons(found) == {"cannot be imported first, only through their own package": 1}


@pytest.mark.parametrize(
    ("words", "frames", "part"),
    [
        pytest.param("PermissionError: [Errno 13] Permission denied: '/root/.cache'", (), "forbids", id="a user"),
        pytest.param("OSError: [Errno 30] Read-only file system: '/data/i'", (), "forbids", id="a read-only mount"),
        pytest.param("KeyError: 'getpwuid(): uid not found: 4321'", (), "forbids", id="a uid without a name"),
        pytest.param("ModuleNotFoundError: No module named '_lzma'", (), "without", id="a Python without lzma"),
        pytest.param(
            "ModuleNotFoundError: No module named 'imp'", (), "Python 3.12.1 does not have", id="gone from Python"
        ),
        pytest.param(
            "VersionError: Detected incompatible Protobuf Gencode/Runtime versions when loading a/b.proto",
            (at("google/protobuf/runtime_version.py"),),
            "ray 2.9 does not accept protobuf 6.33.1",
            id="protobuf's own check",
        ),
    ],
)
def test_further_faults(words: str, frames: tuple[Frame, ...], part: str) -> None:
    interpreter = python("3.12.1", stdlib=("os", "_lzma"))
    error = raises(words, at("ray/util.py"), *frames)
    modules = [module("ray", "ray"), module("ray.util", "ray", error)]
    (fault,) = judge(ASKED, facts(RAY, PROTOBUF, modules=modules, interpreter=interpreter)).faults
    assert part in fault.summary
    assert not fault.note


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("ImportError: Failed to import any of the Qt bindings", "refuse to be imported and say why"),
        ("RuntimeError: Please install mpi4py first", "refuse to be imported and say why"),
        ("KeyError: 'BOOTSTRAP_FILE'", "need configuration that is not there"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'setup.cfg'", "need configuration that is not there"),
        ("ImportError: this can only be imported on Windows", "are for another platform"),
        ("SyntaxError: Missing parentheses in call to 'print'", "are for another Python version"),
    ],
)
def test_further_reasons_to_pass_over(words: str, reason: str) -> None:
    found = facts(RAY, modules=[module("ray", "ray"), module("ray.util", "ray", raises(words, at("ray/util.py")))])
    assert reasons(found) == {reason: 1}


def test_a_file_for_a_newer_python_is_passed_over() -> None:
    error = raises("SyntaxError: expected '(' (py312_intrinsics.py, line 11)", at("ray/_py312_intrinsics.py", 11))
    found = facts(RAY, modules=[module("ray", "ray"), module("ray._py312_intrinsics", "ray", error)])
    assert reasons(found) == {"are for another Python version": 1}


# The contract's words ------------------------------------------------------------------------------------------------


def test_a_required_module_breaks_the_contract_whatever_the_reason() -> None:
    contract = a_contract(imports={"require": ["ray.util"]})
    (fault,) = judged(RAY, modules=[module("ray", "ray"), missing("tensorflow")], contract=contract)
    assert fault.subject == "ray.util"
    assert not fault.note


def test_a_required_module_that_is_not_there_is_a_fault() -> None:
    contract = a_contract(imports={"require": ["trainlib"]})
    (fault,) = judged(RAY, modules=[module("ray", "ray")], contract=contract)
    assert fault.summary == "The required module trainlib is not in the image"


@pytest.mark.parametrize("pattern", ["ray.util", "ray.u*", "ray"])
def test_excluded_modules_are_counted(pattern: str) -> None:
    contract = a_contract(imports={"exclude": [pattern]})
    found = facts(RAY, modules=[module("other", "x"), missing("torch")])
    judgement = judge(contract, found)
    assert not judgement.faults
    assert judgement.passed_over == (("excluded by the contract", 1),)


def test_what_was_not_imported_is_counted() -> None:
    found = facts(RAY, modules=[module("ray", "ray")], left_out={"test": 7})
    assert reasons(found) == {"not imported: test": 7}


def test_no_module_at_all_is_a_fault() -> None:
    (fault,) = judged(modules=[])
    assert fault.summary == "No importable module was found in the image"


def test_what_ended_otherwise_is_told_by_other_checks() -> None:
    modules = [module("ray", "ray"), module("ray.util", "ray", status="signal", signal=11)]
    judgement = judge(ASKED, facts(RAY, modules=modules))
    assert (judgement.examined, judgement.faults) == (1, ())


# Identity ------------------------------------------------------------------------------------------------------------


def test_the_same_fault_in_another_image_has_the_same_key() -> None:
    one = raises("TypeError: bad at 0x7f01 in /opt/venv/x.py", at("ray/util.py"), at("torch/library.py"))
    two = raises("TypeError: bad at 0x7fff in /usr/lib/x.py", at("ray/util.py"), at("torch/library.py"))
    modules = [module("ray", "ray"), module("ray.util", "ray", one)]
    (base,) = judged(RAY, TORCH, modules=modules)
    more = module("app", "app", raises("TypeError: bad at 0x7fff in /usr/lib/x.py", at("app.py"), *two.frames))
    image = [module("ray", "ray"), module("ray.util", "ray", two), more]
    (fault,) = judged(RAY, TORCH, dist("app 1", modules=["app"]), modules=image)
    assert fault.key == base.key
    assert fault.details == ("app", "ray.util")


def test_another_message_is_another_fault() -> None:
    keys = set()
    for words in ("TypeError: bad", "TypeError: worse"):
        error = raises(words, at("ray/util.py"), at("torch/library.py"))
        (fault,) = judged(RAY, TORCH, modules=[module("ray", "ray"), module("ray.util", "ray", error)])
        keys.add(fault.key)
    assert len(keys) == 2
