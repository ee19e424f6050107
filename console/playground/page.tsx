/** The playground: a playbook is written, drawn, rehearsed, simulated and explored, and runs are looked at: all in this browser. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ProblemNote, Loading } from '../parts/empty';
import { REHEARSALS } from '../playbooks/draft';
import { FileButton } from '../run/file-button';
import { DropZone } from '../shell/drop';
import { ThemeChoice } from '../shell/theme-choice';
import { type PlaygroundExamples, useExamples } from './examples';
import { linkOf, textsOfLink } from './link';
import { type PlaygroundTexts, type SimulatedRun } from './protocol';
import { useProver } from './prover';
import type RunStage from './run-stage';
import { type ShownRun } from './run-stage';
import { WritingArea } from './writing';

const SAVED_MS = 400;
const EMPTY: PlaygroundTexts = { playbook: '', rehearsals: REHEARSALS, faults: '' };

interface Problem {
  readonly message: string;
}

export function Playground(): JSX.Element {
  const examples = useExamples();
  const { texts, round, problem, write, load, share } = useTexts(examples);
  const prover = useProver();
  const [run, setRun] = useState<ShownRun>();
  const [failed, setFailed] = useState<Problem>();
  const show = (title: string, simulated: () => Promise<SimulatedRun>): void => {
    setFailed(undefined);
    const lines = texts?.playbook.split('\n') ?? [];
    simulated().then((items) => setRun({ title, source: { items }, lines }), setFailed);
  };
  const open = (files: readonly File[]): void => {
    if (files.length > 0)
      setRun({ title: files.map(({ name }) => name).join(', '), source: { files }, lines: [] });
  };
  const error = failed ?? problem;
  return (
    <main class="page page-run playground">
      <Head {...{ examples, share }} onExample={load} onFiles={open} />
      {error && <ProblemNote error={error} />}
      {run && <Run run={run} onBack={() => setRun(undefined)} />}
      {texts && (
        <div class="playground-writing" hidden={run !== undefined}>
          <WritingArea
            key={round}
            texts={texts}
            graph={round === 0 ? (examples?.graph ?? undefined) : undefined}
            prover={prover}
            onWrite={write}
            onShow={show}
          />
        </div>
      )}
      <DropZone onFiles={open} />
    </main>
  );
}

interface WrittenTexts {
  /** Undefined until it is known what to begin with. */
  readonly texts: PlaygroundTexts | undefined;
  /** Counts the texts that took the place of what was written. */
  readonly round: number;
  readonly problem: Problem | undefined;
  readonly write: (change: Partial<PlaygroundTexts>) => void;
  readonly load: (texts: PlaygroundTexts) => void;
  /** Copies the link. */
  readonly share: () => Promise<void>;
}

/** What is written, which the address always has: leaving and reloading the page loses nothing, and its link is what one shares. */
function useTexts(examples: PlaygroundExamples | null | undefined): WrittenTexts {
  const [texts, setTexts] = useState<PlaygroundTexts>();
  const [round, setRound] = useState(0);
  const [problem, setProblem] = useState<Problem>();
  const load = (loaded: PlaygroundTexts): void => {
    setTexts(loaded);
    setRound((before) => before + 1);
  };
  useEffect(() => {
    const follow = (): void => {
      if (location.hash.length > 1)
        textsOfLink(location.hash).then((linked) => (load(linked), setProblem(undefined)), setProblem);
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const isLinked = location.hash.length > 1 && !problem;
  useEffect(() => {
    if (texts || isLinked || examples === undefined) return;
    const first = examples?.groups[0]?.examples[0];
    setTexts(first ? { ...EMPTY, ...textsOf(first) } : EMPTY);
  }, [examples, isLinked]);
  const save = async (written: PlaygroundTexts): Promise<void> =>
    history.replaceState(null, '', `${location.pathname}${location.search}#${await linkOf(written)}`);
  const [isWritten, setWritten] = useState(false);
  useEffect(() => {
    if (!texts || !isWritten) return undefined;
    // Too long for a link: that is said to whoever wants one.
    const timer = setTimeout(() => void save(texts).catch(() => undefined), SAVED_MS);
    return () => clearTimeout(timer);
  }, [texts, isWritten]);
  return {
    ...{ texts, round, problem },
    write(change) {
      setTexts((before) => ({ ...EMPTY, ...before, ...change }));
      setWritten(true);
    },
    load(loaded) {
      load(loaded);
      setWritten(true);
    },
    async share() {
      if (!texts) return;
      setProblem(undefined);
      try {
        await save(texts);
        await navigator.clipboard?.writeText(location.href);
      } catch (error) {
        setProblem(error as Error);
        throw error;
      }
    },
  };
}

function textsOf({ playbook, rehearsals }: { playbook: string; rehearsals: string }): PlaygroundTexts {
  return { playbook, rehearsals: rehearsals === '' ? REHEARSALS : rehearsals, faults: '' };
}

interface HeadProps {
  readonly examples: PlaygroundExamples | null | undefined;
  readonly onExample: (texts: PlaygroundTexts) => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly share: () => Promise<void>;
}

function Head({ examples, onExample, onFiles, share }: HeadProps): JSX.Element {
  const [shared, setShared] = useState(false);
  const all = examples?.groups.flatMap((group) => group.examples) ?? [];
  const copy = (): void =>
    void share().then(
      () => setShared(true),
      () => setShared(false),
    );
  return (
    <header class="page-head">
      <h1>Playground</h1>
      <a href="../">Documentation</a>
      <label class="playground-choice">
        <span>Example</span>
        <select
          value=""
          onChange={({ currentTarget }) => {
            const example = all[Number(currentTarget.value)];
            currentTarget.value = '';
            if (example) onExample(textsOf(example));
          }}
        >
          <option value="">Choose …</option>
          {examples?.groups.map((group) => (
            <optgroup key={group.name} label={group.name}>
              {group.examples.map((one) => (
                <option key={one.name} value={all.indexOf(one)}>
                  {one.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <FileButton label="Open a history" onFiles={onFiles} />
      <button type="button" onClick={copy} onBlur={() => setShared(false)}>
        {shared ? 'Link copied' : 'Copy a link to this'}
      </button>
      <ThemeChoice />
    </header>
  );
}

function Run({ run, onBack }: { run: ShownRun; onBack: () => void }): JSX.Element {
  const [stage, setStage] = useState<{ readonly Stage: typeof RunStage }>();
  const [error, setError] = useState<Problem>();
  useEffect(() => void import('./run-stage').then((part) => setStage({ Stage: part.default }), setError), []);
  return (
    <>
      <div class="filters">
        <button type="button" onClick={onBack}>
          Back to the text
        </button>
        <h2>{run.title}</h2>
      </div>
      {error && <ProblemNote error={error} />}
      {stage ? <stage.Stage key={run.title} run={run} /> : !error && <Loading what="Loading the view" />}
    </>
  );
}
