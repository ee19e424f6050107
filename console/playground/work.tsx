/** A button that starts work of the prover, one that stops it, and what kept it from an answer. */
import { type JSX } from 'preact';
import { Loading } from '../parts/empty';
import { type Prover } from './prover';

interface WorkProps {
  readonly label: string;
  readonly prover: Prover;
  readonly work: { readonly isBusy: boolean; readonly problem?: string };
  readonly onStart: () => void;
}

export function Work({ label, prover, work, onStart }: WorkProps): JSX.Element {
  return (
    <>
      <div class="filters">
        <button type="button" class="primary" disabled={work.isBusy} onClick={onStart}>
          {label}
        </button>
        {work.isBusy && (
          <>
            <button type="button" onClick={() => prover.end('Stopped.')}>
              Stop
            </button>
            <Loading what="Working it out" />
          </>
        )}
      </div>
      {work.problem !== undefined && (
        <pre class="failure" role="alert">
          {work.problem}
        </pre>
      )}
    </>
  );
}
