/** How thorough a test is: see nightly.cjs. */
export const isNightly = Boolean(process.env['NOETL_TEST_NIGHTLY']);

/** Each so many'th of all of them; nightly, all. */
export function someOf<T>(all: readonly T[], every: number, from = 0): readonly T[] {
  return isNightly ? all : all.filter((_, index) => index % every === from % every);
}

const never = Object.assign(() => undefined, { each: () => () => undefined });

/** A test that takes long for what others show sooner: nightly (nightly.cjs says what stands for it). */
export const nightlyTest = (isNightly ? test : never) as unknown as typeof test;

/** Tests with what is set up for them. */
export const nightlyGroup = (isNightly ? describe : never) as typeof describe;
