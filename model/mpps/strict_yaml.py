"""YAML that a user wrote, read strictly: a key that is written twice is refused, and every slip has a place and words."""

from mpps.errors import DataError


def parsed_yaml(file: str, text: str):
    """The content of `text`; file: its name in messages. Raises `DataError`; empty text is None."""
    import yaml

    class Loader(yaml.SafeLoader):
        """Refuses a key that is written twice; plain YAML would keep the last one in silence."""

        def construct_mapping(self, node, deep=False):
            keys = [key.value for key, _ in node.value]
            for key in keys:
                if keys.count(key) > 1:
                    raise DataError(f"{file}: key {key!r} is written twice; keep one of them")
            return super().construct_mapping(node, deep)

    try:
        # The C loader would be faster, but these files are small and duplicates matter more.
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise DataError(f"{file}{where}: not valid YAML: {getattr(error, 'problem', None) or error}") from None
    except (ValueError, TypeError, RecursionError) as error:
        # A date or a number that no calendar or integer has, a key that is a list, brackets a thousand deep.
        words = "nested too deeply" if isinstance(error, RecursionError) else error
        raise DataError(f"{file}: not valid YAML: {words}") from None
