import { type Fix } from '../../language/dsl';

/** What an offered fix is called. */
export function fixTitle({ what }: Pick<Fix, 'what'>): string {
  return `Fix: ${what.replaceAll('`', '')}`;
}
