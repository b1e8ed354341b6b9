"""The shell of a page: one style sheet, one script, and a content security policy that allows no other.

Text from data is escaped by jinja2; if something got through all the same, the policy would not run it, because it
allows a single script by its checksum. The page asks the network for nothing. Control characters are shown as escapes,
in text and in data, so that no name reorders the sentence around it.
"""

import base64
import hashlib
import importlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar

from troenpy.display.plain import visible
from troenpy.experiments.tables import p_value

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

STYLES = (
    "shell",
    "choices",
    "dots",
    "scatter",
    "lines",
    "changes",
    "tables",
    "document_map",
    "term_explorer",
    "term_search",
    "class_cards",
    "class_plane",
    "results",
    "answers",
    "doubts",
)
SCRIPTS = (
    "shell",
    "choices",
    "dots",
    "scatter",
    "tables",
    "document_map",
    "terms",
    "term_explorer",
    "term_search",
    "class_plane",
    "doubts",
)


class Part:
    """A component of a page, shown by ``{{ part }}`` in a template."""

    template: ClassVar[str]

    def __html__(self) -> str:
        """Return the part as HTML, which jinja2 takes as escaped, without indentation: a tenth of the bytes."""
        return re.sub(r"\n\s+", "\n", render(self.template, part=self))


def check_extra() -> None:
    """Raise an ImportError that says what to install if the package for pages is missing."""
    try:
        importlib.import_module("jinja2")
    except ModuleNotFoundError as error:
        message = "the page needs jinja2: pip install 'troenpy[report]'"
        raise ImportError(message, name=error.name) from None


def render_page(template: str, *, title: str, **values: Any) -> str:
    """Return a self-contained page.

    Parameters
    ----------
    template : str
        Name of a template in ``report/templates`` that extends ``parts/shell.html``.
    title : str
        Title of the window.
    **values
        What the template shows: parts, text, numbers.
    """
    check_extra()
    text = script()
    return str(render(template, title=title, style=style(), script=text, policy=policy(text), **values))


def render(template: str, **values: Any) -> "Markup":
    """Render a template, with all text escaped."""
    from markupsafe import Markup

    return Markup(_environment().get_template(template).render(**values))  # noqa: S704 (jinja2 has escaped it)


def read_template(name: str) -> str:
    """Return the text of a file in ``report/templates``."""
    return resources.files("troenpy.report").joinpath("templates", *name.split("/")).read_text(encoding="utf-8")


@cache
def style() -> str:
    """Return the style sheet of all parts."""
    return "".join(read_template(f"parts/{name}.css") for name in STYLES)


@cache
def script() -> str:
    """Return the script of all parts, with the sequences escaped that would end the script element."""
    text = '"use strict";\n' + "".join(read_template(f"parts/{name}.js") for name in SCRIPTS)
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--").replace("\r\n", "\n").replace("\r", "\n")


def policy(text: str) -> str:
    """Return a content security policy that allows one script, and nothing from elsewhere.

    Examples
    --------
    >>> policy("").partition("; style")[0]
    "default-src 'none'; script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    checksum = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{checksum}'; style-src 'unsafe-inline'; base-uri 'none'; "
        "form-action 'none'"
    )


@cache
def _environment() -> "Environment":
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(read_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    as_json, encode = jinja2.utils.htmlsafe_json_dumps, jinja2.filters.do_urlencode
    environment.filters["tojson"] = lambda data: as_json(
        _visible(data),
        ensure_ascii=False,
        separators=(",", ":"),  # half the bytes
    )
    environment.filters["urlencode"] = lambda text: encode(visible(text))  # an address names what the data names
    environment.filters["p_value"] = p_value
    return environment


def _visible(value: Any) -> Any:
    """Return text, or data with text in it, with visible control characters; what is HTML already stays as it is."""
    if isinstance(value, str):
        return value if hasattr(value, "__html__") else visible(value)
    if isinstance(value, Mapping):
        return {_visible(key): _visible(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_visible(one) for one in value]
    return value
