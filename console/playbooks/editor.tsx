/** A playbook being written: problems as one types, its graph beside it, rehearsals, and registering it. */
import { type RegisteredDocument } from '../../src/server/facade/documents';
import { type JSX, type RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Diagnostic, type Fix } from '../../src/language/dsl';
import { type Graph } from '../../src/language/dsl/graph/model';
import { type CompiledDraft } from '../compiling/protocol';
import { type Compiler, useCompiler } from '../compiling/use';
import { Loading, ProblemNote } from '../parts/empty';
import { GraphView } from '../run/graph';
import { askApi, type ServerError } from '../server/api';
import { go, playbookAddress } from '../shell/address';
import { NotLoaded } from '../shell/not-loaded';
import { useMay } from '../shell/session';
import { say } from '../shell/toast';
import { type CodeEditor as Mirror } from './code-mirror';
import { type PlaybookDraft, followDraft, forgetDraft, useDraft } from './draft';
import { Rehearsals } from './rehearsals';

const TYPING_MS = 250;

const BESIDE = [
  ['graph', 'Graph'],
  ['rehearsals', 'Rehearsals'],
] as const;
type View = (typeof BESIDE)[number][0];

interface Props {
  /** Of the catalog; undefined for a new playbook. */
  readonly path?: string;
  readonly text: string;
}

interface ShownMirror {
  readonly host: RefObject<HTMLDivElement | null>;
  readonly mirror: { current: Mirror | undefined };
  readonly shown: boolean;
  readonly failed: boolean;
}

/** The editor itself, which is loaded when it is first needed. */
function useMirror(path: string | undefined, draft: PlaybookDraft, compiler: Compiler): ShownMirror {
  const host = useRef<HTMLDivElement>(null);
  const mirror = useRef<Mirror | undefined>(undefined);
  const now = useRef(draft);
  now.current = draft;
  /** What another tab has kept is not kept again: that would undo what is typed there meanwhile. */
  const isFollowing = useRef(false);
  const [shown, setShown] = useState(false);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let isThere = true;
    void import('./code-mirror').then(
      ({ createEditor }) => {
        if (!isThere || !host.current) return;
        mirror.current = createEditor(host.current, {
          text: draft.text,
          label: path === undefined ? 'A new playbook' : `Playbook ${path}`,
          readOnly: false,
          words: () => compiler.words(),
          onChange: (written) => (isFollowing.current ? now.current.follow : now.current.write)(written),
        });
        setShown(true);
      },
      () => setFailed(true),
    );
    return () => {
      isThere = false;
      mirror.current?.view.destroy();
    };
  }, []);
  useEffect(
    () =>
      followDraft(path ?? 'new', (written) => {
        isFollowing.current = true;
        mirror.current?.replace(written);
        isFollowing.current = false;
      }),
    [],
  );
  return { host, mirror, shown, failed };
}

/** What is written is kept when one leaves the page, and is there when one comes back. */
export function PlaybookEditor({ path, text: first }: Props): JSX.Element {
  const compiler = useCompiler();
  const draft = useDraft(path ?? 'new', first);
  const { text } = draft;
  const { host, mirror, shown, failed } = useMirror(path, draft, compiler);
  const [diagnostics, setDiagnostics] = useState<readonly Diagnostic[]>();
  const [graph, setGraph] = useState<Graph>();
  const [beside, setBeside] = useState<View>('graph');
  const mayRun = useMay('run');
  useEffect(() => {
    const show = (compiled: CompiledDraft): void => {
      setDiagnostics(compiled.diagnostics);
      if (compiled.graph) setGraph(compiled.graph);
      mirror.current?.mark(compiled.diagnostics, text);
    };
    const compile = (): void => void compiler.compile(text).then(show, () => undefined);
    const timer = setTimeout(compile, diagnostics === undefined ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, shown]);
  const errors = diagnostics?.filter(({ severity }) => severity === 'error').length ?? 0;
  return (
    <div class="editor">
      <div class="editor-main">
        <div class="editor-host" ref={host} />
        {!shown && !failed && <Loading what="Loading the editor" />}
        {failed && <NotLoaded what="The editor" />}
      </div>
      <div class="editor-beside">
        {draft.isRestored && <Restored draft={draft} onDiscard={() => mirror.current?.replace(first)} />}
        <div class="filters">
          <Choices chosen={beside} onChoose={setBeside} />
          {mayRun && (
            <Register
              text={text}
              errors={errors}
              unchanged={path !== undefined && text === first}
              onDone={() => forgetDraft(path ?? 'new')}
            />
          )}
        </div>
        {beside === 'graph' ? (
          <div
            class={`graph-box${errors > 0 ? ' stale' : ''}`}
            tabIndex={0}
            role="region"
            aria-label="Graph of the playbook"
          >
            {graph && <GraphView graph={graph} onSelect={(step) => goToStep(mirror.current, graph, step)} />}
          </div>
        ) : (
          <Rehearsals path={path ?? 'new'} text={text} compiler={compiler} />
        )}
        <Diagnostics
          of={diagnostics}
          onGo={(line, column) => mirror.current?.goTo(line, column)}
          onFix={(fix) => mirror.current?.fix(fix)}
        />
      </div>
    </div>
  );
}

function Choices({ chosen, onChoose }: { chosen: View; onChoose: (view: View) => void }): JSX.Element {
  return (
    <div class="chips" role="group" aria-label="Beside the text">
      {BESIDE.map(([view, title]) => (
        <button
          type="button"
          class="chip"
          key={view}
          aria-pressed={chosen === view}
          onClick={() => onChoose(view)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

function Restored({ draft, onDiscard }: { draft: PlaybookDraft; onDiscard: () => void }): JSX.Element {
  return (
    <p class="hint draft" role="status">
      You wrote this before and did not register it.
      {draft.isOlder && ' It was written over another version.'}{' '}
      <button
        type="button"
        class="link"
        onClick={() => {
          draft.discard();
          onDiscard();
        }}
      >
        Discard it
      </button>
    </p>
  );
}

function goToStep(mirror: Mirror | undefined, graph: Graph, step: string): void {
  const line = graph.nodes.find((node) => node.step === step)?.line;
  if (line !== undefined) mirror?.goTo(line, 1);
}

interface DiagnosticsProps {
  readonly of: readonly Diagnostic[] | undefined;
  readonly onGo: (line: number, column: number) => void;
  readonly onFix: (fix: Fix) => void;
}

function Diagnostics({ of, onGo, onFix }: DiagnosticsProps): JSX.Element {
  if (of === undefined) return <p class="hint">Compiling …</p>;
  if (of.length === 0)
    return (
      <p class="hint" role="status">
        No problems.
      </p>
    );
  return (
    <ul class="diagnostics" aria-label="Problems">
      {of.map((one, index) => (
        <li key={index} class={one.severity} data-code={one.code}>
          <button type="button" class="link" onClick={() => onGo(one.line, one.column)}>
            {one.line}:{one.column}
          </button>{' '}
          <code>{one.code}</code> {one.message}{' '}
          {one.fix && (
            <button type="button" class="link" title={one.fix.what} onClick={() => onFix(one.fix!)}>
              Fix
            </button>
          )}
          {one.hint && <p class="hint">{one.hint}</p>}
        </li>
      ))}
    </ul>
  );
}

function Register({
  text,
  errors,
  unchanged,
  onDone,
}: {
  text: string;
  errors: number;
  unchanged: boolean;
  onDone: () => void;
}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ServerError>();
  const register = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { path, version, created } = await askApi<RegisteredDocument>('/api/catalog/register', {
        body: { resource_type: 'Playbook', content: text },
      });
      onDone();
      say(
        created
          ? `${path} is registered as version ${String(version)}.`
          : `This is version ${String(version)} already.`,
      );
      go(playbookAddress(path));
    } catch (problem) {
      setError(problem as ServerError);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        type="button"
        class="primary push"
        disabled={busy || errors > 0 || unchanged}
        onClick={() => void register()}
      >
        Register
      </button>
      {error && <ProblemNote error={error} />}
    </>
  );
}
