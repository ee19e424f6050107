/** The playbook in its editor, and beside it what can be made of it. */
import { type ComponentChildren, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Diagnostic } from '../../src/language/dsl';
import { type Graph } from '../../src/language/dsl/graph';
import { type Compiler, useCompiler } from '../compiling/use';
import { Chips } from '../parts/chips';
import { ProblemNote } from '../parts/empty';
import { DraftGraph, useCompiled } from '../playbooks/compiled';
import { Diagnostics } from '../playbooks/diagnostics';
import { EditorHost } from '../playbooks/editor-host';
import { useMirror } from '../playbooks/mirror';
import { Rehearsals } from '../playbooks/rehearsals';
import { DeepPane } from './deep';
import { MAX_TEXT } from './link';
import { type PlaygroundTexts, type SimulatedRun } from './protocol';
import { type Prover } from './prover';
import { SimulationPane } from './simulation';

const PANES = ['Graph', 'Rehearsals', 'Simulation', 'Deep check'] as const;
type WritingPane = (typeof PANES)[number];

/** Steps and arcs: laying out more would keep the page busy. */
const MAX_DRAWN = 600;
const MAX_PROBLEMS = 200;

interface WritingProps {
  readonly texts: PlaygroundTexts;
  /** Of the text to begin with, where it is known: then the compiler is loaded when somebody does something. */
  readonly graph: Graph | undefined;
  readonly prover: Prover;
  readonly onWrite: (change: Partial<PlaygroundTexts>) => void;
  readonly onShow: (title: string, run: () => Promise<SimulatedRun>) => void;
}

export function WritingArea({ texts, graph: first, prover, onWrite, onShow }: WritingProps): JSX.Element {
  const { playbook, rehearsals } = texts;
  const compiler = useCompiler();
  const isUsed = useTouched(first === undefined);
  const isLong = playbook.length > MAX_TEXT;
  const editor = useMirror({
    ...{ of: 'playbook', text: playbook, compiler, label: 'Playbook' },
    onChange: (written) => onWrite({ playbook: written }),
  });
  const { mirror, ...host } = editor;
  const isPaused = !isUsed || isLong;
  const {
    graph = first,
    diagnostics,
    problem,
  } = useCompiled(playbook, rehearsals, compiler, {
    ...editor,
    isPaused,
  });
  const goTo = (line: number, column: number): void => mirror.current?.goTo(line, column);
  return (
    <div class="editor">
      <div class="editor-main">
        <EditorHost {...host} />
      </div>
      <div class="editor-beside">
        <Beside {...{ texts, compiler, prover, onWrite, onShow, goTo }}>
          <Drawn {...{ graph, mirror: mirror.current }} isStale={isStale(diagnostics)} />
        </Beside>
        {isLong && <ProblemNote error={{ message: 'This text is too long for the playground.' }} />}
        {problem !== undefined && <ProblemNote error={{ message: problem }} />}
        {!isLong && (
          <Diagnostics
            of={isUsed ? diagnostics?.slice(0, MAX_PROBLEMS) : []}
            onGo={goTo}
            onFix={(fix) => mirror.current?.fix(fix)}
          />
        )}
      </div>
    </div>
  );
}

/** The graph is of an earlier text. */
function isStale(diagnostics: readonly Diagnostic[] = []): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

function Drawn({ graph, ...more }: Parameters<typeof DraftGraph>[0]): JSX.Element {
  if (graph && graph.nodes.length + graph.arcs.length > MAX_DRAWN)
    return <p class="hint">This graph is too large to be drawn here.</p>;
  return <DraftGraph graph={graph} {...more} />;
}

interface BesideProps extends Pick<WritingProps, 'texts' | 'prover' | 'onWrite' | 'onShow'> {
  readonly compiler: Compiler;
  readonly goTo: (line: number, column: number) => void;
  /** The graph. */
  readonly children: ComponentChildren;
}

function Beside({ texts, compiler, prover, onWrite, onShow, goTo, children }: BesideProps): JSX.Element {
  const { playbook, rehearsals } = texts;
  const [pane, setPane] = useState<WritingPane>('Graph');
  return (
    <>
      <Chips label="Beside the text" of={PANES} isChosen={(one) => one === pane} onChoose={setPane} />
      {pane === 'Graph' && children}
      {pane === 'Rehearsals' && (
        <Rehearsals
          {...{ text: playbook, rehearsals, compiler }}
          onWrite={(written) => onWrite({ rehearsals: written })}
          onShow={(name) => onShow(`Rehearsal: ${name}`, () => prover.rehearsal(texts, name))}
        />
      )}
      {pane === 'Simulation' && (
        <SimulationPane {...{ texts, prover, onShow }} onWrite={(faults) => onWrite({ faults })} />
      )}
      {pane === 'Deep check' && <DeepPane {...{ playbook, prover, onShow }} onGo={goTo} />}
    </>
  );
}

/** Whether somebody has done something with the page. */
function useTouched(isTouched: boolean): boolean {
  const [touched, setTouched] = useState(isTouched);
  useEffect(() => {
    const closed = new AbortController();
    const touch = (): void => {
      setTouched(true);
      closed.abort();
    };
    for (const type of ['pointerdown', 'keydown', 'focusin', 'dragover'])
      addEventListener(type, touch, { signal: closed.signal });
    return () => closed.abort();
  }, []);
  return touched;
}
