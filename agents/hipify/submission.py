"""A whole submission: which files are ported, under which names, and what comes with them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from agents.faults.architecture import choose_architecture
from agents.faults.asm_macros import expand_asm_macros
from agents.faults.passes import apply_fixes
from agents.faults.replacements import load_replacements
from agents.hipify.arguments import rewrite_arguments
from agents.hipify.includes import SHIM_FOLDER, rewrite_includes
from agents.hipify.launch_macros import expand_launch_macros
from agents.hipify.launches import rewrite_launches
from agents.hipify.options import Options
from agents.hipify.renames import rename
from agents.hipify.tables import Dialect, load_names
from agents.hipify.unknown_names import find_unknown_names
from agents.models import Finding, Source, SourceFile, Submission
from agents.shims.library import shim_files
from agents.syntax.declarations import UserNames, find_user_names
from agents.syntax.draft import Draft, Project
from agents.syntax.functions import find_device_macros, find_kernels
from agents.syntax.includes import Include, find_includes
from agents.syntax.source import SourceText

_CUDA_SUFFIX = ".cu"
_HIP_SUFFIX = ".hip"
DEFAULT = Options()
_PLAIN_NAMES = frozenset({"min", "max"})
"""Names that passes look at and no table has."""


def translate_submission(submission: Submission, *, fix_faults: bool = True) -> Source:
    """Port ``submission`` to HIP.

    The main files and every file of the submission that they include, directly or not, are translated; others
    are handed on as they are. A main ``x.cu`` becomes ``x.hip``. ``fix_faults=False`` gives the port that
    renames alone make. What could not be carried over is in the findings; nothing is raised for it.
    """
    options = Options(fix_faults=fix_faults, targets=submission.targets, defines=submission.build.defines)
    texts = {file.path: file.text for file in submission.files}
    resolve = _Resolver(texts, submission.build.include_dirs)
    sources = resolve.reach(submission.main_files)
    sources = expand_asm_macros(sources) if fix_faults else sources
    renamed = _new_names(submission.main_files, texts)
    project = _project(sources, options)
    user = _user_names(sources, options.dialect)
    files: list[SourceFile] = []
    findings: list[Finding] = []
    shims: set[str] = set()
    for path, text in texts.items():
        if path in sources:
            folder = posixpath.dirname(path)
            draft = _translate(sources[path], project, user[path], resolve, renamed, folder, options)
            text = draft.edits.apply(draft.source.text)
            findings += draft.findings
            shims |= draft.shims
        files.append(SourceFile(path=renamed.get(path, path), text=text))
    taken = {file.path for file in files}
    files += [file for file in shim_files(shims, SHIM_FOLDER) if file.path not in taken]
    return Source(
        files=tuple(files),
        main_files=tuple(renamed.get(path, path) for path in submission.main_files),
        findings=tuple(sorted(findings, key=lambda f: (f.file, f.line, f.column))),
    )


def translate_text(
    text: str,
    *,
    path: str = "input.cu",
    options: Options = DEFAULT,
    **changes: Any,
) -> tuple[str, list[Finding]]:
    """Port one text by itself; quoted includes stay as they are.

    The port may include headers from ``warp2wave/``: ``agents.shims.library`` has them. ``changes`` are fields of
    ``options`` with other values.
    """
    options = replace(options, **changes)
    resolve = _Resolver({path: text}, ())
    sources = resolve.reach((path,))
    sources = expand_asm_macros(sources) if options.fix_faults else sources
    project = _project(sources, options)
    user = _user_names(sources, options.dialect)
    draft = _translate(sources[path], project, user[path], resolve, {}, "", options)
    return draft.edits.apply(draft.source.text), sorted(draft.findings, key=lambda f: (f.line, f.column))


def _translate(
    source: SourceText,
    project: Project,
    user: UserNames,
    resolve: _Resolver,
    renamed: dict[str, str],
    folder: str,
    options: Options,
) -> Draft:
    """``folder`` is where the port keeps the file, relative to the folder of the shims."""
    names = load_names(options.dialect)
    draft = Draft(source, project)
    draft.uses_cuda = options.always_runtime
    draft.protect_hip_code()
    if options.skip_excluded:
        draft.protect_excluded()
    rewrite_arguments(draft, user)
    if options.fix_faults:
        apply_fixes(draft, user)
    if options.hip_launches:
        rewrite_launches(draft)
    rename(draft, names, user, options.dialect, naive=not options.fix_faults)
    if options.hip_launches:
        expand_launch_macros(draft, names.identifiers)
    find_unknown_names(draft, names)
    rewrite_includes(
        draft,
        dict(names.headers),
        lambda include: resolve.find(source.path, include),
        renamed,
        lambda shim: posixpath.relpath(f"{SHIM_FOLDER}/{shim}", folder or "."),
    )
    draft.finish()
    return draft


class _Resolver:
    """Finds the submission's files behind include lines."""

    def __init__(self, texts: Mapping[str, str], include_dirs: Iterable[str]) -> None:
        self._texts = texts
        self._include_dirs = tuple(include_dirs)
        self._sources: dict[str, SourceText] = {}

    def reach(self, main_files: Iterable[str]) -> dict[str, SourceText]:
        """The files that the main files need, in the order in which they are met."""
        waiting = list(main_files)
        while waiting:
            path = waiting.pop(0)
            if path in self._sources or path.startswith(f"{SHIM_FOLDER}/"):
                continue
            source = self._sources[path] = SourceText(path, self._texts[path])
            found = (self.find(path, include) for include in find_includes(source))
            waiting += [other for other in found if other is not None]
        return dict(self._sources)

    def find(self, path: str, include: Include) -> str | None:
        folders = [posixpath.dirname(path)] if include.quoted else []
        for folder in (*folders, *self._include_dirs):
            candidate = posixpath.normpath(posixpath.join(folder, include.name))
            if candidate in self._texts:
                return candidate
        return None


def _new_names(main_files: Iterable[str], texts: Mapping[str, str]) -> dict[str, str]:
    renamed: dict[str, str] = {}
    for path in main_files:
        if path.endswith(_CUDA_SUFFIX):
            new = path.removesuffix(_CUDA_SUFFIX) + _HIP_SUFFIX
            renamed[path] = new if new not in texts else path + _HIP_SUFFIX
    return renamed


def _user_names(sources: Mapping[str, SourceText], dialect: Dialect) -> dict[str, UserNames]:
    """The user's own names by file; what one file declares for itself at its top level holds in all."""
    by_file = {path: find_user_names(source, _api_names(dialect)) for path, source in sources.items()}
    shared = {
        name
        for path, user in by_file.items()
        for name, scopes in user.scopes.items()
        if any(scope.first == 0 and scope.last >= len(sources[path].code) - 1 for scope in scopes)
    }
    return {path: user.with_global(shared) for path, user in by_file.items()}


@cache
def _api_names(dialect: Dialect) -> frozenset[str]:
    return frozenset(load_names(dialect).identifiers.keys() | load_replacements().keys() | _PLAIN_NAMES)


def _project(sources: Mapping[str, SourceText], options: Options) -> Project:
    values: dict[str, int | None] = {}
    for define in options.defines:
        name, _, value = define.partition("=")
        values[name] = int(value) if value.isdigit() else 1
    device_macros = find_device_macros(sources.values())
    kernels = frozenset(name for source in sources.values() for name in find_kernels(source))
    project = Project(sources, options.targets, device_macros, values, kernels)
    return choose_architecture(project) if options.fix_faults else project
