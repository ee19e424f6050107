/** Keepers of limits by key: pure state machines, one class for each kind of limit. */
import { type KeeperInput } from '../../language/plan';
import { ConcurrencyKeeper, type ConcurrencyState } from './concurrency';
import { DebounceKeeper, type DebounceState } from './debounce';
import { type Keeper, type KeeperOutbox } from './keeper';
import { RateKeeper, type RateState } from './rate';

export { type KeeperAnswer, type Keeper, type KeeperOutbox } from './keeper';

export function keeperOf({ kept, state }: KeeperInput, outbox: KeeperOutbox): Keeper {
  switch (kept.of) {
    case 'concurrency':
      return new ConcurrencyKeeper(kept.key, outbox, state as ConcurrencyState | undefined);
    case 'debounce':
      return new DebounceKeeper(outbox, state as DebounceState | undefined);
    case 'rate':
      return new RateKeeper(outbox, state as RateState | undefined);
  }
}
