"""What a walker reads from exceptions: a part of its program (see zygote_walk.py), run after zygote.py."""

TYPE_CHECKING = False  # type checkers take the name for true
if TYPE_CHECKING:
    # Its source has been run before, in this namespace.
    from imgcheck.collector.zygote_report import message_of, plain  # noqa: TC004

PARTIAL = "partially initialized module"
BY_CYCLE = " (most likely due to a circular import)"


class Stuck(BaseException):
    """Stands for a module that ends or hangs its process."""


def mend_message(error: BaseException, places: "dict[str, int]") -> None:
    """Modules that only look half way are not, for the words of an error either."""
    if isinstance(error, (AttributeError, ImportError)) and error.args and type(error.args[0]) is str:
        before, partial, after = error.args[0].partition(PARTIAL + " '")
        if partial and after.partition("'")[0] not in places:
            kind = "" if isinstance(error, ImportError) else "module "
            text = before + kind + "'" + after.replace(BY_CYCLE, "")
            error.args = (text, *error.args[1:])
            if isinstance(error, ImportError):
                error.msg = text


def all_links(error: BaseException) -> "list[BaseException]":
    """An exception with all causes and contexts."""
    found: list[BaseException] = []
    todo: list[BaseException | None] = [error]
    while todo and len(found) < 20:
        one = todo.pop()
        if one is not None and not [other for other in found if other is one]:
            found.append(one)
            todo += [one.__context__, one.__cause__]
    return found


def not_found(name: str, error: BaseException) -> bool:
    """Nothing was executed: no finder knew the name."""
    if type(error) is not ModuleNotFoundError or plain(error.name) != name:
        return False
    message = f"No module named {name!r}"
    return message_of(error) == message or message_of(error).startswith(message + "; ")
