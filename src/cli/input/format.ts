import { UsageError } from '../errors';

/** What a command does for the value of `--format`. @throws UsageError for a name that is not in the table */
export function formatIn<T>(formats: Readonly<Record<string, T>>, name: string): T {
  if (Object.hasOwn(formats, name)) return formats[name]!;
  throw new UsageError(`--format ${name}: expected ${Object.keys(formats).join(', ')}`);
}
