import { UsageError } from '../errors';

/** @throws UsageError if one of the options is set, which mean nothing for a facade */
export function refuseLocal<Name extends string>(
  flags: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
): void {
  const stray = names.find((name) => flags[name] !== undefined);
  if (stray) throw new UsageError(`--${stray} applies to this machine only; remove it, or remove --server`);
}

/** The execution id of a command that asks a facade. @throws UsageError for anything else */
export function onlyId(names: readonly string[]): string {
  const id = names.length === 1 ? /^(?:noetl-)?(\d+)$/.exec(names[0]!)?.[1] : undefined;
  if (id !== undefined) return id;
  throw new UsageError(
    `${names.join(' ')}: a facade (--server, NOETL_FACADE_URL) takes one execution id, a decimal number`,
  );
}
