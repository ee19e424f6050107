/** How much memory something holds on to. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function used(): number {
  // Twice: what the first one finds dead may have held other things.
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Bytes of heap that are taken as long as what `make` returns is kept. */
export function bytesHeld(make: () => unknown): number {
  const before = used();
  const kept = [make()];
  const held = used() - before;
  // Read after the measurement, so that nothing was collected before it.
  return kept.length === 1 ? held : NaN;
}
