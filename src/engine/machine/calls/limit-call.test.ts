import fc from 'fast-check';
import { type KeptLimit } from '../../../language/plan';
import { keeperId } from './limit-call';

describe('the workflow id of a keeper', () => {
  const kept = (scope: string, key: string): KeptLimit => ({ of: 'rate', scope, key });

  it('is legible', () => {
    expect(keeperId(kept('shops/eu', 'customer:42'))).toBe('noetl-limit:rate:shops/eu:customer:42');
    expect(keeperId(kept('shop:eu', '42'))).toBe('noetl-limit:rate:shop~:eu:42');
  });

  it('differs for every scope and key', () => {
    const part = fc.string({ unit: fc.constantFrom(':', '~', 'a'), maxLength: 6 });
    fc.assert(
      fc.property(part, part, part, part, (scope, key, otherScope, otherKey) => {
        const isSame = scope === otherScope && key === otherKey;
        expect(keeperId(kept(scope, key)) === keeperId(kept(otherScope, otherKey))).toBe(isSame);
      }),
      { numRuns: 20_000 },
    );
  });
});
