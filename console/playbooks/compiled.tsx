/** What the compiler makes of a draft: its problems, and its graph. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Diagnostic } from '../../src/language/dsl';
import { type Graph } from '../../src/language/dsl/graph/model';
import { compact } from '../../src/language/plan/compact';
import { type CompiledDraft } from '../compiling/protocol';
import { type Compiler } from '../compiling/use';
import { GraphView } from '../run/graph';
import { type CodeEditor as Mirror } from './code-mirror';
import { type ShownMirror } from './mirror';

const TYPING_MS = 250;

interface CompiledText extends Partial<CompiledDraft> {
  /** Why it could not be compiled. */
  readonly problem?: string;
}

/**
 * Compiles what is typed, and marks its problems. The mocks of the rehearsals tell completion what tasks answer.
 *
 * @param isPaused nothing is compiled
 */
export function useCompiled(
  text: string,
  rehearsals: string,
  compiler: Compiler,
  { mirror, shown, isPaused = false }: ShownMirror & { readonly isPaused?: boolean },
): CompiledText {
  const [diagnostics, setDiagnostics] = useState<readonly Diagnostic[]>();
  const [graph, setGraph] = useState<Graph>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (isPaused) return undefined;
    const show = (compiled: CompiledDraft): void => {
      setDiagnostics(compiled.diagnostics);
      setProblem(undefined);
      if (compiled.graph) setGraph(compiled.graph);
      mirror.current?.mark(compiled.diagnostics, text);
    };
    const compile = (): void => {
      compiler.compile(text).then(show, ({ message }: Error) => setProblem(message));
      compiler.check(text, rehearsals).catch(() => undefined);
    };
    const timer = setTimeout(compile, diagnostics === undefined ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, shown, isPaused]);
  return compact({ diagnostics, graph, problem });
}

export function DraftGraph({
  graph,
  isStale,
  mirror,
}: {
  graph: Graph | undefined;
  isStale: boolean;
  mirror: Mirror | undefined;
}): JSX.Element {
  return (
    <div
      class={`graph-box${isStale ? ' stale' : ''}`}
      tabIndex={0}
      role="region"
      aria-label="Graph of the playbook"
    >
      {graph && <GraphView graph={graph} onSelect={(step) => goToStep(mirror, graph, step)} />}
    </div>
  );
}

function goToStep(mirror: Mirror | undefined, graph: Graph, step: string): void {
  const line = graph.nodes.find((node) => node.step === step)?.line;
  if (line !== undefined) mirror?.goTo(line, 1);
}
