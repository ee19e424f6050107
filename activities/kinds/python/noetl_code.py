"""
Compiles the code of a task. Module code stays module code: one globals dict, so that helper functions and
comprehensions see the inputs and each other. Two things Python does not allow there work all the same: `return`
and `await` outside of a function.
"""

import ast
import textwrap

FILENAME = '<code>'
BODY = '__noetl_body__'
NOTHING = '__noetl_nothing__'
STAR = '__noetl_import_star__'


class Program:
    """Compiled code, and what the runner has to know about it."""

    def __init__(self, code, wrapped, assigns_result, calls_main):
        self.code = code
        # True: running the code defines the function BODY, which is to be called (it may be a coroutine function).
        self.wrapped = wrapped
        self.assigns_result = assigns_result
        # The code runs main() itself; calling it again would do its work twice.
        self.calls_main = calls_main


def dedented(source):
    """The source without the indentation of its first line, and how many lines and columns that took away."""
    first = next((line for line in source.splitlines() if line.strip()), '')
    if first[:1] not in (' ', '\t'):
        return source, 0, 0
    stripped = source.lstrip('\n')
    plain = textwrap.dedent(stripped)
    columns = len(first) - len(next(line for line in plain.splitlines() if line.strip()))
    return plain, len(source) - len(stripped), columns


def prepare(source):
    """Raises SyntaxError."""
    source, _, _ = dedented(source)
    tree = ast.parse(source, FILENAME)
    top = list(_top_level(tree.body))
    bound = _bound_names(top)
    calls_main = any(isinstance(node, ast.Name) and node.id == 'main' and isinstance(node.ctx, ast.Load) for node in top)
    returns = any(isinstance(node, ast.Return) for node in top)
    awaits = any(isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)) for node in top)
    if returns or awaits:
        tree = _wrap(tree, top, bound, awaits)
    return source, Program(compile(tree, FILENAME, 'exec'), returns or awaits, 'result' in bound, calls_main)


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _top_level(body):
    """Every node that runs in the module's own scope. Bodies of functions and classes are scopes of their own."""
    pending = list(reversed(body))
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.Lambda):
            children = [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            children = [*node.decorator_list, *node.args.defaults, *(one for one in node.args.kw_defaults if one)]
        elif isinstance(node, ast.ClassDef):
            children = [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
        else:
            children = list(ast.iter_child_nodes(node))
        pending.extend(reversed(children))


def _bound_names(top):
    """Names the module scope assigns. A comprehension's own variables are not among them, its walrus targets are."""
    inner = set()
    for node in top:
        if isinstance(node, _COMPREHENSIONS):
            for generator in node.generators:
                inner.update(id(one) for one in ast.walk(generator.target))
    names = set()
    for node in top:
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)) and id(node) not in inner:
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name.split('.')[0]) for alias in node.names if alias.name != '*')
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif type(node).__name__ in ('MatchAs', 'MatchStar') and node.name:
            names.add(node.name)
        elif type(node).__name__ == 'MatchMapping' and node.rest:
            names.add(node.rest)
    return names


class _IntoFunction(ast.NodeTransformer):
    """Makes module statements legal inside of a function, leaving nested scopes alone."""

    def visit_FunctionDef(self, node):
        return node

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_ClassDef = visit_FunctionDef
    visit_Lambda = visit_FunctionDef

    def visit_Return(self, node):
        if node.value is None:
            node.value = ast.copy_location(ast.Name(NOTHING, ast.Load()), node)
        return node

    def visit_Global(self, node):
        return ast.copy_location(ast.Pass(), node)

    def visit_AnnAssign(self, node):
        if not isinstance(node.target, ast.Name):
            return node
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_ImportFrom(self, node):
        if node.names[0].name != '*':
            return node
        call = ast.Call(ast.Name(STAR, ast.Load()), [ast.Constant(node.module)], [])
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))


def _wrap(tree, top, bound, is_async):
    for node in top:
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            raise SyntaxError("'yield' outside function", (FILENAME, node.lineno, node.col_offset + 1, None))
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == '__future__']
    body = [_IntoFunction().visit(node) for node in tree.body if node not in future]
    if bound:
        body.insert(0, ast.Global(sorted(bound)))
    body.append(ast.Return(ast.Name(NOTHING, ast.Load())))
    head = ast.parse(f'async def {BODY}(): pass' if is_async else f'def {BODY}(): pass').body[0]
    head.body = body
    return ast.fix_missing_locations(ast.Module([*future, head], []))
