/** What proves, in a worker of its own: the editor's goes on helping meanwhile. */
import { useEffect, useState } from 'preact/hooks';
import { type AskedWorker, askedWorker } from '../compiling/asked';
import { type ProverAnswers } from './protocol';

declare const COMPILER_URL: string;

const LIMIT_MS = 60_000;

export type Prover = AskedWorker<ProverAnswers>;

export function useProver(): Prover {
  const [prover] = useState(() =>
    askedWorker<ProverAnswers>(COMPILER_URL, {
      methods: ['rehearsal', 'simulate', 'seed', 'deep', 'witness'],
      limitMs: LIMIT_MS,
    }),
  );
  useEffect(() => () => prover.end(), []);
  return prover;
}

interface ProverWork<Answer> {
  readonly answer?: Answer;
  readonly problem?: string;
  readonly isBusy: boolean;
  readonly start: (ask: () => Promise<Answer>) => void;
}

/** The last answer to one sort of question, and whether the next is being worked out. */
export function useWork<Answer>(): ProverWork<Answer> {
  const [state, setState] = useState<Omit<ProverWork<Answer>, 'start'>>({ isBusy: false });
  const start = (ask: () => Promise<Answer>): void => {
    setState({ isBusy: true });
    ask().then(
      (answer) => setState({ isBusy: false, answer }),
      ({ message }: Error) => setState({ isBusy: false, problem: message }),
    );
  };
  return { ...state, start };
}
