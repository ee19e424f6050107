/** Workers of this page: the compiler, and the reader of histories. */

const AGAIN_MS = 2_000;

export interface PageWorker {
  post(message: unknown, transfer?: Transferable[]): void;
  end(): void;
}

interface Hearing<T> {
  readonly hear: (message: T) => void;
  /** Called when the script cannot be loaded: loading is retried, and earlier messages are sent again. */
  readonly away?: () => void;
  /** Called when it has failed for good. */
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
      // Browsers report a message only for errors within the script.
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
