import { loopResult } from '../../src/language/template/runtime';

/** What a loop with these results came to. */
export function looped<T>(results: T[], failed = 0, not_started = 0): ReturnType<typeof loopResult<T>> {
  return loopResult(results, { success: results.length - failed - not_started, failed, not_started });
}
