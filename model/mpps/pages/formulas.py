"""Formulas as MathML, which browsers draw without a script."""

import html
import re

_DELIMITERS = re.compile(r"^\s*(\$\$|\$|\\\[|\\\()(.*?)(\$\$|\$|\\\]|\\\))\s*$", re.DOTALL)


def mathml(latex: str, display: str = "inline") -> str:
    """A formula as MathML; as code where it cannot be read.

    Delimiters ($, $$) may stand around it.
    """
    import xml.etree.ElementTree

    import latex2mathml.converter

    inner = _DELIMITERS.match(latex)
    body = (inner[2] if inner else latex).replace("{aligned}", "{align*}").strip()
    try:
        markup = latex2mathml.converter.convert(body, display=display)
        text = "".join(xml.etree.ElementTree.fromstring(markup).itertext())
    except Exception:  # the converter has no common error class, and some of what it returns is not XML
        text = "\\"
    # an unknown command comes back as its own name
    if "\\" in text:
        return f'<code class="formula">{html.escape(body)}</code>'
    # one that stands alone may be wider than a phone: whoever has no pointer must reach it to scroll it
    return markup.replace("<math ", '<math tabindex="0" ', 1) if display == "block" else markup


def take_formulas(notebook) -> None:
    """Turn every `text/latex` output of a notebook into MathML, in place."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/latex" in data and "text/html" not in data and "text/markdown" not in data:
                latex = "".join(data["text/latex"])
                output.data = type(data)({"text/html": mathml(latex, display="block")})
