/** Workers of this page: the compiler, and the reader of histories. */

const AGAIN_MS = 2_000;

export interface PageWorker {
  post(message: unknown, transfer?: Transferable[]): void;
  end(): void;
}

interface Hearing<T> {
  readonly hear: (message: T) => void;
  /** Its script cannot be loaded: it is asked for again until it can, and then asked what it was asked before. */
  readonly away?: () => void;
  /** It has failed, and answers no more. */
  readonly broken?: () => void;
}

export function pageWorker<T>(url: string, { hear, away, broken }: Hearing<T>): PageWorker {
  const questions: unknown[] = [];
  let isLoaded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = (): Worker => {
    const worker = new Worker(url);
    worker.onmessage = ({ data }: MessageEvent<T>) => {
      isLoaded = true;
      questions.length = 0;
      hear(data);
    };
    worker.onerror = (event: Event) => {
      // Of an error in the script, and of no other, browsers tell the message.
      if (isLoaded || event instanceof ErrorEvent) return broken?.();
      away?.();
      timer = setTimeout(() => {
        current = open();
        for (const message of questions) current.postMessage(message);
      }, AGAIN_MS);
      return undefined;
    };
    return worker;
  };
  let current = open();
  return {
    post(message, transfer = []) {
      if (!isLoaded) questions.push(message);
      current.postMessage(message, transfer);
    },
    end() {
      clearTimeout(timer);
      current.terminate();
    },
  };
}
