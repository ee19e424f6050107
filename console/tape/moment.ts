/** Moments of a run, as the engine tells them: that of a worker, or the server's. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Moment } from '../../src/history/moment';

/** @param seq position of the event @throws if it is not known yet, or the server does not answer */
export type AskMoment = (seq: number) => Promise<Moment>;

const AGAIN_MS = 1000;

/**
 * How the run stood after an event. Until that is known, the last one that was. One question at a time: of those that
 * come up meanwhile, only the last is asked.
 *
 * @param seq position of the event; 0: none
 */
export function useMoment(ask: AskMoment, seq: number): Moment | undefined {
  const [moment, setMoment] = useState<Moment>();
  const latest = useRef({ seq, next: (): void => undefined });
  latest.current.seq = seq;
  useEffect(() => {
    const { current } = latest;
    let isClosed = false;
    let isBusy = false;
    let shown = 0;
    current.next = () => {
      const { seq: at } = current;
      if (isBusy || isClosed || at === shown) return;
      isBusy = true;
      const next = (): void => {
        isBusy = false;
        current.next();
      };
      ask(at).then(
        (answer) => {
          shown = at;
          if (!isClosed) setMoment(answer);
          next();
        },
        () => setTimeout(next, AGAIN_MS),
      );
    };
    current.next();
    return () => {
      isClosed = true;
    };
  }, [ask]);
  useEffect(() => latest.current.next(), [seq]);
  return moment;
}
