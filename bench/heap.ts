/** Measures memory that is held. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function used(): number {
  // Twice: objects freed by the first collection may have held others.
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Bytes of heap held as long as the result of `make` is kept. */
export function bytesHeld(make: () => unknown): number {
  const before = used();
  const kept = [make()];
  const held = used() - before;
  // Used after the measurement, so that it is not collected before.
  return kept.length === 1 ? held : NaN;
}
