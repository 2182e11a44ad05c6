# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which of their arguments kernels write, read from their source; `python test/kernel_writes.py` puts it right in all.

The last words of a kernel's docstring are `Writes: s.row, out.`: arguments whose elements it changes, itself or through
what it calls.  Of a handle with many arrays, such as s, those that change are named, or the handle alone where they are
more than four.  A kernel without these words changes nothing.
"""
from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / 'hakoniwa_rigid'
DECORATORS = {'kernel', 'inline', 'always_inline', 'entry', 'shared_entry'}
MOST = 4
HARD = '\x00'     # a blank at which no line is broken
STATEMENT = re.compile(r'\s*Writes: ([^:]+?)\.\s*$')
# functions that give the arrays behind an address, as those of `handle_reader` do; methods that change their array, and
# that give another view of it
OPENERS = {'carray', 'float_array', 'int_array', 'bool_array', 'byte_array'}
CHANGERS, VIEWS = {'fill', 'sort', 'partition'}, {'reshape', 'view', 'ravel', 'transpose'}
# the argument written by what is no kernel but machine code (engine/maths/lanes.py, array_table.py)
BUILT_IN = {'columns_of_3': 2, 'copy_column': 2, 'rows_of_3': 2, 'rows_of_4': 2, '_copy': 0}


class Kernel:
    """A compiled function: `writes` are (argument, array or None), `returns` for each value what it is a view of."""

    def __init__(self, path: Path, node: ast.FunctionDef) -> None:
        self.path, self.node = path, node
        self.arguments = [a.arg for a in node.args.posonlyargs + node.args.args]
        self.writes: set[tuple[str, str | None]] = set()
        self.returns: dict[int, set[tuple[str, str | None]]] = {}

    def says(self) -> str:
        """The statement that it should have, '' for none."""
        found = []
        for argument in self.arguments:
            arrays = sorted(array for name, array in self.writes if name == argument and array)
            if (argument, None) in self.writes or len(arrays) > MOST:
                found.append(argument)
            else:
                found += [f'{argument}.{array}' for array in arrays]
        return ', '.join(found)

    def said(self) -> str:
        """The statement that it has."""
        match = STATEMENT.search(ast.get_docstring(self.node) or '')
        return ' '.join(match[1].split()) if match else ''


class Module:
    """The kernels of a file by name, and where the names that it imports come from."""

    def __init__(self, path: Path) -> None:
        self.path, self.tree = path, ast.parse(path.read_text())
        self.kernels, self.imports, self.aliases, self.openers = {}, {}, {}, set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and DECORATORS & {_name(d) for d in node.decorator_list}:
                self.kernels[node.name] = Kernel(path, node)
            elif isinstance(node, ast.ImportFrom):
                self._import(node)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._alias(node.targets[0].id, node.value)

    def _alias(self, name: str, value: ast.expr) -> None:
        """Of `a if .. else b` both do the same; b is what is not called by address."""
        if isinstance(value, ast.IfExp) and isinstance(value.orelse, ast.Name):
            self.aliases[name] = value.orelse
        elif isinstance(value, ast.Call) and _name(value.func) == 'handle_reader':
            self.openers.add(name)

    def _import(self, node: ast.ImportFrom) -> None:
        folder = self.path.parents[node.level - 1] if node.level else ROOT
        source = folder.joinpath(*(node.module or '').split('.')) if node.module else folder
        for name in node.names:
            self.imports[name.asname or name.name] = (source, name.name)


def _name(decorator: ast.expr) -> str:
    return decorator.id if isinstance(decorator, ast.Name) else ''


class _Reader(ast.NodeVisitor):
    """One pass over a kernel; `modules`: path without suffix -> Module."""

    def __init__(self, modules: dict[Path, Module], module: Module, kernel: Kernel) -> None:
        self.modules, self.module, self.kernel = modules, module, kernel
        self.views = {name: {(name, None)} for name in kernel.arguments}

    def named(self, module: Module, name: str) -> Kernel | None:
        """The kernel that a name of a module means."""
        if name in module.aliases:
            return self.named(module, module.aliases[name].id)
        source, there = module.imports.get(name, (None, ''))
        return module.kernels.get(name) or (self.named(self.modules[source], there) if source in self.modules else None)

    def opens(self, called: ast.expr) -> bool:
        """Whether a function gives the arrays behind its first argument, or a tuple of its arguments."""
        source, name = self.module.imports.get(_name(called), (None, ''))
        return (_name(called) in OPENERS | self.module.openers or _name(called).lstrip('_')[:1].isupper()
                or source in self.modules and name in self.modules[source].openers)

    def callee(self, called: ast.expr) -> Kernel | None:
        if isinstance(called, ast.Name):
            return self.named(self.module, called.id)
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            source, name = self.module.imports.get(called.value.id, (None, ''))
            path = source / name if source else None
            return self.modules[path].kernels.get(called.attr) if path in self.modules else None
        return None

    def paths(self, node: ast.expr) -> set:
        """What an expression may be a view of."""
        if isinstance(node, ast.Name):
            return self.views.get(node.id, set())
        if isinstance(node, ast.Attribute):
            return {(name, array or node.attr) for name, array in self.paths(node.value)}
        if isinstance(node, (ast.Subscript, ast.Starred, ast.NamedExpr)):
            return self.paths(node.value)
        if isinstance(node, ast.IfExp):
            return self.paths(node.body) | self.paths(node.orelse)
        if isinstance(node, (ast.Tuple, ast.List)):
            return set().union(*map(self.paths, node.elts))
        if isinstance(node, ast.Call):
            return set().union(*self.results(node).values())
        return set()

    def results(self, call: ast.Call) -> dict[int, set]:
        """What each value of a call may be a view of."""
        if self.opens(call.func):
            several = _name(call.func).lstrip('_')[:1].isupper()
            return {0: set().union(*map(self.paths, call.args if several else call.args[:1]))}
        callee = self.callee(call.func)
        if callee is not None:
            return {k: self.mapped(call, callee, found) for k, found in callee.returns.items()}
        if isinstance(call.func, ast.Attribute) and call.func.attr in VIEWS:
            return {0: self.paths(call.func.value)}
        return {}

    def mapped(self, call: ast.Call, callee: Kernel, found: set) -> set:
        """Arguments of the callee as those of this kernel."""
        given = dict(zip(callee.arguments, call.args, strict=False))
        given.update({k.arg: k.value for k in call.keywords if k.arg})
        return {(name, array or of) for argument, of in found if argument in given
                for name, array in self.paths(given[argument])}

    def bind(self, target: ast.expr, value: ast.expr | set) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                for one, other in zip(target.elts, value.elts, strict=True):
                    self.bind(one, other)
            elif isinstance(value, ast.Call) and self.callee(value.func):
                results = self.results(value)
                for k, one in enumerate(target.elts):
                    self.bind(one, results.get(k, set()))
            else:
                for one in target.elts:
                    self.bind(one, value)
        elif isinstance(target, ast.Name):
            self.views.setdefault(target.id, set())
            self.views[target.id] = self.views[target.id] | (value if isinstance(value, set) else self.paths(value))
        elif isinstance(target, (ast.Subscript, ast.Attribute)):
            self.kernel.writes |= self.paths(target.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            self.bind(target, node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            self.bind(node.target, set())

    def visit_For(self, node: ast.For) -> None:
        self.bind(node.target, node.iter)
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        self.generic_visit(node)
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] if node.value else []
        for k, value in enumerate(values):
            self.kernel.returns.setdefault(k, set()).update(self.paths(value))

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        callee = self.callee(node.func)
        if callee is not None:
            self.kernel.writes |= self.mapped(node, callee, callee.writes)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in CHANGERS:
            self.kernel.writes |= self.paths(node.func.value)
        elif _name(node.func) in BUILT_IN:
            self.kernel.writes |= self.paths(node.args[BUILT_IN[node.func.id]])


def kernels() -> list[Kernel]:
    """All kernels of the package, with what they write."""
    modules = {path.with_suffix(''): Module(path) for path in sorted(PACKAGE.rglob('*.py'))}
    for path, module in list(modules.items()):
        if path.name == '__init__':
            modules[path.parent] = module
    found = [(m, k) for m in dict.fromkeys(modules.values()) for k in m.kernels.values()]
    size = -1
    while size != (size := sum(len(k.writes) + sum(map(len, k.returns.values())) for _, k in found)):
        for module, kernel in found:
            reader = _Reader(modules, module, kernel)
            for _ in range(2):      # the second time with the views of later lines, for loops
                for statement in kernel.node.body:
                    reader.visit(statement)
    return [k for _, k in found]


def mend(path: Path, wrong: list[Kernel]) -> None:
    """Put the statements of some kernels of a file right."""
    lines = path.read_text().split('\n')
    for kernel in sorted(wrong, key=lambda k: -k.node.lineno):
        first = kernel.node.body[0]
        indent, text = ' ' * first.col_offset, ast.get_docstring(kernel.node, clean=False)
        statement = f'Writes: {kernel.says()}.' if kernel.says() else ''
        if len(statement) < 80:
            statement = statement.replace(' ', HARD)
        old = STATEMENT.sub('', text) if text else ''
        if text is None:
            lines.insert(first.lineno - 1, f'{indent}"""{statement}"""'.replace(HARD, ' '))
            continue
        if not old.strip() and not statement:
            raise SystemExit(f'{path}:{first.lineno}: {kernel.node.name} would have no docstring')
        paragraphs = old.rstrip().split('\n\n')
        last = ' '.join(part.strip() for part in paragraphs[-1].split('\n')).strip()
        if statement:
            last = f'{last}{"" if not last or last.endswith((".", ":")) else "."}  {statement}' if last else statement
        fills = textwrap.wrap(('"""' if len(paragraphs) == 1 else '') + last + '"""', 120, initial_indent=indent,
                              subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        head = '\n\n'.join(paragraphs[:-1])
        lines[first.lineno - 1:first.end_lineno] = ([f'{indent}"""{head}', ''] if head else []) + [
            line.replace(HARD, ' ') for line in fills]
    path.write_text('\n'.join(lines))


def main() -> None:
    """Put every statement right that is not."""
    files: dict[Path, list[Kernel]] = {}
    for kernel in kernels():
        if kernel.said() != kernel.says():
            files.setdefault(kernel.path, []).append(kernel)
    for path, wrong in files.items():
        mend(path, wrong)


if __name__ == '__main__':
    main()
