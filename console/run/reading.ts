/** A run as a worker reads it, from the facade or from files. */
import { useCallback, useRef } from 'preact/hooks';
import { type Moment } from '../../src/history/moment';
import { useDrawn } from '../parts/draw';
import { type ReaderRequest, type ReadingSource, type ReaderMessage } from '../reading/protocol';
import { NOTHING_READ, readingAfter, type RunReading } from '../reading/told';
import { type PageWorker, pageWorker } from '../server/worker';
import { type AskMoment } from '../tape/moment';

declare const READER_URL: string;

export interface RunReader {
  readonly reading: RunReading;
  /** Requests the decisions so far. @param lines of the playbook, where they are at hand */
  readonly explain: (lines: readonly string[]) => void;
  readonly ask: AskMoment;
}

/** @param source undefined: nothing yet */
export function useReader(source: ReadingSource | undefined, key: string): RunReader {
  const worker = useRef<PageWorker | undefined>(undefined);
  const reading = useDrawn(
    NOTHING_READ,
    (change) => {
      if (!source) return undefined;
      const hear = (message: ReaderMessage): void => {
        if (message.type === 'long') own.end();
        change((before) => readingAfter(before, message));
      };
      const own = pageWorker<ReaderMessage>(READER_URL, {
        hear,
        away: () => hear({ type: 'connection', lost: true }),
        broken: () => {
          const message = 'The reader of histories has failed. Reload the page.';
          change((before) => ({ ...before, failed: { code: 'READER', message } }));
        },
      });
      worker.current = own;
      own.post({ type: 'open', source } satisfies ReaderRequest);
      return () => own.end();
    },
    [key],
  );
  const explain = (lines: readonly string[]): void =>
    worker.current?.post({ type: 'explain', lines } satisfies ReaderRequest);
  const ask = useCallback(
    (seq: number) =>
      new Promise<Moment>((resolve, reject) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }: MessageEvent<Moment | undefined>) => {
          port1.close();
          if (data) resolve(data);
          else reject(new Error(`event ${seq} is not known yet`));
        };
        worker.current?.post({ type: 'moment', seq, port: port2 } satisfies ReaderRequest, [port2]);
      }),
    [reading.tape],
  );
  return { reading, explain, ask };
}
