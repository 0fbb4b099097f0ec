"""A fit and a variant while they are changed: stages put in, taken out and rewritten, parameters with a prior added."""

import zlib
from dataclasses import dataclass, field, replace

import numpy as np

from mpps.compare import Fit
from mpps.machine import Assumption
from mpps.machine.draws import draw_assumption
from mpps.path import CEILING, CORE, CodePath, Parameter, Prior, Stage, Variant
from mpps.path.formula import FUNCTIONS, compiled

#: A saving takes this share of a packet's work at most: a rule of thumb must not make work vanish.
LARGEST_SAVING = 0.5
_NAMES = {*FUNCTIONS, "n", "shared", "cross"}


@dataclass(frozen=True)
class Altered:
    """A changed variant, ready for `predict`: the same members on the changed path.

    words: what changes, one phrase each; assumptions: named numbers that no source fixes, with their spread; notes:
    sentences on what the change takes for granted; tradeoffs: what it gives up, as the path says.
    """

    fitted: Fit
    variant: Variant
    settings: dict = field(default_factory=dict)
    words: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    notes: tuple[str, ...] = ()
    tradeoffs: tuple[str, ...] = ()

    @property
    def path(self) -> CodePath:
        """The changed path."""
        return self.fitted.path

    @property
    def change(self) -> str:
        """All words in one line."""
        return ", ".join(self.words)

    def drawn(self) -> dict[str, np.ndarray]:
        """What each assumption was drawn as, name -> (K,), over the members of all kept mechanisms."""
        named = {each.meaning: each.name for each in self.path.parameters if each.prior}
        return {
            item.name: np.concatenate([one.member_values[named[item.name]][:, 0] for one in self.fitted.kept])
            for item in self.assumptions
            if item.name in named
        }

    def said(self, *words: str, assumptions=(), notes=(), tradeoffs=(), settings=None) -> "Altered":
        """With more said of the change."""
        return replace(
            self,
            words=(*self.words, *words),
            assumptions=(*self.assumptions, *assumptions),
            notes=(*self.notes, *notes),
            tradeoffs=(*self.tradeoffs, *tradeoffs),
            settings=self.settings | (settings or {}),
        )


def on_path(draft: Altered, **parts) -> Altered:
    """The draft with parts of its path replaced, in the fit and in the problems of its mechanisms."""
    path = replace(draft.path, **parts)
    known = {mechanism.name: mechanism for mechanism in path.mechanisms}
    found = tuple(
        replace(
            one,
            mechanism=known[one.mechanism.name],
            problem=replace(one.problem, path=path, mechanism=known[one.mechanism.name]),
        )
        for one in draft.fitted.mechanisms
    )
    return replace(draft, fitted=replace(draft.fitted, path=path, mechanisms=found))


def with_stage(draft: Altered, stage: Stage, instead_of: str = "") -> Altered:
    """The draft with a new stage in path and variant, in the place of another one or at the end of the variant.

    Whatever names the other one, work that is done under it and explanations that do not have it, names both.
    """
    path, variant = draft.path, draft.variant
    if stage.name in {known.name for known in path.stages}:
        path_stages = tuple(stage if known.name == stage.name else known for known in path.stages)
    elif instead_of:
        place = [known.name for known in path.stages].index(instead_of) + 1
        path_stages = (*path.stages[:place], stage, *path.stages[place:])
    else:
        path_stages = (*path.stages, stage)
    if instead_of:
        also = lambda names: (*names, stage.name) if instead_of in names and stage.name not in names else names
        path_stages = tuple(replace(known, inside=also(known.inside)) for known in path_stages)
        mechanisms = tuple(replace(known, without=also(known.without)) for known in path.mechanisms)
        stages = tuple(stage.name if name == instead_of else name for name in variant.stages)
    else:
        mechanisms, stages = path.mechanisms, (*variant.stages, stage.name)
    draft = on_path(draft, stages=path_stages, mechanisms=mechanisms)
    return replace(draft, variant=replace(variant, stages=stages))


def with_prior(draft: Altered, name: str, assumption: Assumption, *, role: str = "none", draws=None) -> Altered:
    """The draft with one more parameter, drawn from an assumption for each member, and the assumption listed.

    role: how it moves to another machine; draws(count, rng): (count,) positive draws, where they are not those of the
    assumption.
    """
    prior = Prior(assumption.median, assumption.lower, assumption.upper, assumption.why)
    parameter = Parameter(name, assumption.unit, 1e-12, 1e15, assumption.name, role, prior)
    path = replace(draft.path, parameters=(*draft.path.parameters, parameter))
    found = []
    for index, one in enumerate(draft.fitted.mechanisms):
        # The draws belong to the name and the member, so variants that share an assumption share its draws.
        rng = np.random.default_rng([draft.fitted.seed, 6, index, zlib.crc32(name.encode())])
        count = len(one.members)
        drawn = (draws or (lambda size, own: draw_assumption(assumption, size, own)))(count, rng)
        problem = replace(one.problem, path=path, parameters=(*one.problem.parameters, parameter))
        column = np.full((len(one.solved.x), 1), np.log(assumption.median))
        found.append(
            replace(
                one,
                problem=problem,
                members=np.hstack([one.members, np.log(np.maximum(drawn, 1e-12)).reshape(count, 1)]),
                solved=replace(one.solved, x=np.hstack([one.solved.x, column])),
            )
        )
    fitted = replace(draft.fitted, path=path, mechanisms=tuple(found))
    return replace(draft, fitted=fitted, assumptions=(*draft.assumptions, assumption))


def scaled_member(draft: Altered, name: str, factor: float) -> Altered:
    """The draft with a fitted parameter of all members multiplied."""
    found = []
    for one in draft.fitted.mechanisms:
        if name in one.problem.names:
            column = one.problem.names.index(name)
            shift = np.zeros(len(one.problem.names))
            shift[column] = np.log(factor)
            one = replace(one, members=one.members + shift, solved=replace(one.solved, x=one.solved.x + shift))
        found.append(one)
    return replace(draft, fitted=replace(draft.fitted, mechanisms=tuple(found)))


def stages_of(draft: Altered) -> tuple[Stage, ...]:
    """The stages that the variant has, in the order of the path, those that need an absent lock left out."""
    present = [stage for stage in draft.path.stages if stage.name in draft.variant.stages]
    names = {stage.name for stage in present}
    return tuple(stage for stage in present if stage.on == CORE or not stage.inside or names & set(stage.inside))


def lap_work(draft: Altered) -> str:
    """Formula of the work of one lap in ns, hand-off left out: what all stages but the ceilings ask."""
    packets = draft.variant.packets_per_lap
    terms = [
        f"({stage.demand})" + (f"*({packets})" if stage.per == "packet" and packets != "1" else "")
        for stage in stages_of(draft)
        if stage.on != CEILING
    ]
    return "(" + " + ".join(terms) + ")"


def saving(draft: Altered, amount: str, most: str = str(LARGEST_SAVING)) -> str:
    """Formula of a saving of `amount` ns per packet, the part `most` of the packet's work at most, as the demand of a stage."""
    return f"-minimum({amount}, {most}*{lap_work(draft)}/({draft.variant.packets_per_lap}))"


def missing(draft: Altered) -> tuple[str, ...]:
    """Parameters that the variant needs under a kept mechanism and that its fit does not have."""
    found = set()
    for one in draft.fitted.kept:
        stages = [stage for stage in stages_of(draft) if stage.name not in one.mechanism.without]
        texts = [stage.demand for stage in stages] + [draft.variant.packets_per_lap]
        found |= {name for text in texts for name in compiled(text).co_names} - _NAMES - set(one.problem.names)
    return tuple(sorted(found))
