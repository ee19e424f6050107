/** The staged version of a playbook: what the executions since would have done with it, and its promotion. */
import { type JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type Graph } from '../../src/language/dsl/graph/model';
import { withTouches } from '../../src/offline/proof/coverage/graph';
import { VERDICT_WORDS, type VerdictKind, VERDICTS } from '../../src/offline/proof/verify/verdicts';
import { useCompiler } from '../compiling/use';
import { fullMoment } from '../parts/time';
import { CoverageToggle } from '../run/coverage-toggle';
import { GraphView } from '../run/graph';
import { askApi } from '../server/api';
import { type StagedReport } from '../../src/server/facade/documents';
import { useLoaded } from '../server/use';
import { runAddress } from '../shell/address';
import { Dialog } from '../shell/dialog';
import { useMay } from '../shell/session';
import { say } from '../shell/toast';

interface Props {
  readonly staged: StagedReport;
  /** The staged text. */
  readonly text: string | undefined;
  readonly onDone: () => void;
}

export function Staged({ staged, text, onDone }: Props): JSX.Element {
  const { path, version, verification, pending, objection, latest, warnings } = staged;
  const [action, setAction] = useState<'promote' | 'unstage'>();
  const mayRun = useMay('run');
  const { executions, counts, groups } = verification;
  return (
    <section class="staged" data-staged={version} aria-label="Staged version">
      <h2>Version {version} is staged</h2>
      <p>
        {executions} {executions === 1 ? 'execution' : 'executions'} re-decided
        {staged.staged_at !== null && ` since ${fullMoment(staged.staged_at)}`}
        {pending > 0 && `, ${String(pending)} still to be judged`}
        {executions > 0 && ': '}
        {VERDICTS.filter((kind) => (counts[kind] ?? 0) > 0)
          .map((kind) => `${String(counts[kind])} ${VERDICT_WORDS[kind]}`)
          .join(', ')}
      </p>
      {groups.length > 0 && (
        <ul>
          {groups.map(({ kind, cause, count, example }) => (
            <li key={`${kind} ${cause}`}>
              {count} × {VERDICT_WORDS[kind as VerdictKind]}: {cause}, e.g.{' '}
              <a href={runAddress(example.execution_id)}>{example.execution_id}</a>
            </li>
          ))}
        </ul>
      )}
      {warnings.map((one) => (
        <p key={one} class="failure">
          {one}
        </p>
      ))}
      {mayRun && (
        <p class="buttons">
          <button
            type="button"
            class={objection === null ? 'primary' : 'danger'}
            onClick={() => setAction('promote')}
          >
            Promote
          </button>
          <button type="button" onClick={() => setAction('unstage')}>
            Give up
          </button>
        </p>
      )}
      {text !== undefined && <Covered staged={staged} text={text} />}
      {action === 'promote' && (
        <Dialog
          title={`Make version ${String(version)} of ${path} the latest?`}
          verb="Promote"
          dangerous={objection !== null}
          onDo={async () => {
            await askApi('/api/catalog/promote', { body: { path, version, force: objection !== null } });
            say(`Version ${String(version)} is the latest`);
            onDone();
          }}
          onClose={() => setAction(undefined)}
        >
          <p>{objection === null ? 'Nothing would have been different.' : `Although: ${objection}.`}</p>
          {latest !== null && <p>It replaces version {latest}.</p>}
        </Dialog>
      )}
      {action === 'unstage' && (
        <Dialog
          title={`Give up the staged version of ${path}?`}
          verb="Give up"
          onDo={async () => {
            await askApi('/api/catalog/unstage', { body: { path } });
            onDone();
          }}
          onClose={() => setAction(undefined)}
        >
          <p>Version {version} stays registered; its verdicts are deleted.</p>
        </Dialog>
      )}
    </section>
  );
}

/** Its graph; with coverage, what none of the executions touched is pale. */
function Covered({ staged, text }: { staged: StagedReport; text: string }): JSX.Element | null {
  const compiler = useCompiler();
  const [on, setOn] = useState(false);
  const { value } = useLoaded(() => compiler.compile(text), [text]);
  const { parts } = staged.verification.coverage;
  const graph: Graph | undefined = useMemo(
    () => (value?.graph && on ? withTouches(value.graph, parts) : value?.graph),
    [value, on, parts],
  );
  if (!graph) return null;
  return (
    <div class="graph-box" tabIndex={0} role="region" aria-label="Graph of the staged version">
      <GraphView graph={graph} />
      <CoverageToggle on={on} onChange={setOn} />
    </div>
  );
}
