"""Parses PTX text into a ``Module``. Source: PTX ISA 9.x, chapters 4 (syntax), 5 and 11 (directives)."""

from __future__ import annotations

from .body import parse_body
from .declarations import LINKAGES, OPAQUE_TYPES, SPACES, parse_variable
from .errors import PtxSyntaxError
from .numbers import parse_integer
from .syntax import Function, Module, Variable
from .tokens import TokenStream

_LIMITS = frozenset(
    {".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".maxnreg", ".reqnctapercluster", ".maxclusterrank"}
)
_MARKERS = frozenset({".noreturn", ".explicitcluster", ".blocksareclusters"})


def parse_module(source: str) -> Module:
    """The syntax tree of one PTX module. Raises PtxSyntaxError."""
    tokens = TokenStream(source)
    module = Module()
    try:
        while tokens.kind != "end":
            _parse_statement(tokens, module)
    except (ValueError, OverflowError) as error:  # a literal that is no number
        raise PtxSyntaxError(str(error), tokens.line) from error
    return module


def _parse_statement(tokens: TokenStream, module: Module) -> None:
    if tokens.accept(";"):
        return
    word = tokens.text
    if word in LINKAGES or word in SPACES or word in (".entry", ".func"):
        _parse_declaration(tokens, module)
    elif word in (".version", ".target", ".address_size"):
        _parse_header_line(tokens, module)
    elif word == ".file":
        _parse_file(tokens, module)
    elif word == ".loc":
        tokens.rest_of_line()
    elif word == ".section":
        _skip_section(tokens)
    elif word == ".alias":
        _parse_alias(tokens, module)
    elif word == ".pragma" or word in OPAQUE_TYPES:
        _skip_to_semicolon(tokens)
    else:
        raise tokens.error("expected a directive")


def _parse_header_line(tokens: TokenStream, module: Module) -> None:
    word, *rest = tokens.rest_of_line()
    value = "".join(rest)
    if word == ".version":
        module.version = value
    elif word == ".target":
        module.target = value
    elif value != "64":
        raise tokens.error("only 64-bit addresses are supported")


def _parse_file(tokens: TokenStream, module: Module) -> None:
    parts = tokens.rest_of_line()
    if len(parts) >= 3 and parts[1].isdigit():
        module.files[int(parts[1])] = parts[2].strip('"')


def _skip_section(tokens: TokenStream) -> None:
    while tokens.text != "{":
        if tokens.kind == "end":
            raise tokens.error("expected '{'")
        tokens.next()
    while tokens.next() != "}":
        if tokens.kind == "end":
            raise tokens.error("expected '}'")


def _skip_to_semicolon(tokens: TokenStream) -> None:
    while not tokens.accept(";"):
        if tokens.kind == "end":
            raise tokens.error("expected ';'")
        tokens.next()


def _parse_alias(tokens: TokenStream, module: Module) -> None:
    tokens.next()
    alias = tokens.expect_kind("word")
    tokens.expect(",")
    module.aliases[alias] = tokens.expect_kind("word")
    tokens.expect(";")


def _parse_declaration(tokens: TokenStream, module: Module) -> None:
    linkage = ""
    while tokens.text in LINKAGES:
        linkage = tokens.next()[1:]
    word = tokens.expect_kind("directive")
    if word in (".entry", ".func"):
        _parse_function(tokens, module, word == ".entry", linkage)
        return
    if word not in SPACES:
        raise tokens.error("expected a variable or a function")
    if tokens.text in OPAQUE_TYPES:
        _skip_to_semicolon(tokens)
        return
    for variable in parse_variable(tokens, word[1:], linkage):
        _add_variable(module, variable)
    tokens.expect(";")


def _add_variable(module: Module, variable: Variable) -> None:
    known = module.variables.get(variable.name)
    if known is None or known.linkage == "extern" or (known.size == 0 and variable.size):
        module.variables[variable.name] = variable


def _parse_function(tokens: TokenStream, module: Module, is_kernel: bool, linkage: str) -> None:
    line = tokens.line
    while tokens.text == ".attribute":
        tokens.next()
        _skip_parentheses(tokens)
    results = _parse_parameters(tokens) if tokens.text == "(" else []
    name = tokens.expect_kind("word")
    parameters = _parse_parameters(tokens) if tokens.text == "(" else []
    function = Function(name, is_kernel, linkage, parameters, results, line)
    _parse_function_directives(tokens, function)
    if tokens.accept("{"):
        parse_body(tokens, function)
    else:
        tokens.accept(";")
    known = module.functions.get(name)
    if known is not None and known.body is not None:
        if function.body is not None:
            raise PtxSyntaxError(f"function {name} is defined twice", line)
        return
    module.functions[name] = function


def _parse_parameters(tokens: TokenStream) -> list[Variable]:
    parameters: list[Variable] = []
    tokens.expect("(")
    while not tokens.accept(")"):
        space = tokens.expect_kind("directive")
        if space not in (".param", ".reg"):
            raise tokens.error("expected a parameter")
        parameters += parse_variable(tokens, space[1:])
        if not tokens.accept(",") and tokens.text != ")":
            raise tokens.error("expected ',' or ')'")
    return parameters


def _skip_parentheses(tokens: TokenStream) -> None:
    tokens.expect("(")
    while not tokens.accept(")"):
        if tokens.kind == "end":
            raise tokens.error("expected ')'")
        tokens.next()


def _parse_function_directives(tokens: TokenStream, function: Function) -> None:
    while tokens.kind == "directive":
        word = tokens.text
        if word in _MARKERS:
            tokens.next()
            function.limits[word[1:]] = ()
        elif word in _LIMITS:
            tokens.next()
            values = [parse_integer(tokens.expect_kind("number"))]
            while tokens.accept(","):
                values.append(parse_integer(tokens.expect_kind("number")))
            function.limits[word[1:]] = tuple(values)
        elif word == ".pragma":
            _skip_to_semicolon(tokens)
        else:
            return
