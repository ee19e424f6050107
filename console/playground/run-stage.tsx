/** A run on the page: of a rehearsal, a simulation or a finding, or one whose history was opened. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading, ProblemNote } from '../parts/empty';
import { NoLogs } from '../run/logs';
import { useReader } from '../run/reading';
import { RunView } from '../run/view';
import { type ReadingSource } from '../reading/protocol';

export interface ShownRun {
  readonly title: string;
  readonly source: ReadingSource;
  /** Of the playbook; empty where it is not at hand. */
  readonly lines: readonly string[];
}

/** Without anything new for so long, the reader is stuck. */
const LIMIT_MS = 60_000;
const STUCK = { code: 'TOO_LONG', message: 'Reading this run took too long and was stopped.' };

export default function RunStage({ run }: { run: ShownRun }): JSX.Element {
  const [stuck, setStuck] = useState(false);
  const { reading, explain, ask } = useReader(stuck ? undefined : run.source, String(stuck));
  const [at, setAt] = useState<number>();
  const [selected, setSelected] = useState<string>();
  const { tape, plan, over, divergence } = reading;
  const failed = stuck ? STUCK : reading.failed;
  useEffect(() => {
    if (over || failed) return undefined;
    const timer = setTimeout(() => setStuck(true), LIMIT_MS);
    return () => clearTimeout(timer);
  }, [reading, failed]);
  if (failed) return <ProblemNote error={failed} />;
  if (!tape || !plan || !over) return <Loading what="Reading the run" />;
  return (
    <>
      {divergence !== undefined && <p class="hint">{divergence}</p>}
      <RunView
        {...{ tape, plan, over, at, selected, ask }}
        lines={run.lines}
        decisions={reading.decisions}
        onExplain={() => explain(run.lines)}
        onMove={setAt}
        onSelect={setSelected}
        more={{ Logs: () => <NoLogs /> }}
      />
    </>
  );
}
