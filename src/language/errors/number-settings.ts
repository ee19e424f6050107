import { EnvironmentError } from './environment-error';

interface NumberSetting {
  readonly least: number;
  readonly whole?: true;
  /** What else may be written. */
  readonly words?: RegExp;
}

/** Every variable of the environment that is a number. */
const SETTINGS = {
  NOETL_AUDIT_DAYS: { least: 0 },
  NOETL_CATALOG_MB: { least: 0 },
  NOETL_CATALOG_PATH_MB: { least: 0 },
  NOETL_DUCKDB_MEMORY_MB: { least: 1 },
  NOETL_DUCKDB_TEMP_MB: { least: 1 },
  NOETL_FAMILY_LIMIT: { least: 1, whole: true },
  NOETL_MCP_CALL_SECONDS: { least: 1 },
  NOETL_POSTGRES_POOL_MAX: { least: 1, whole: true },
  NOETL_SANDBOX_MEMORY_MB: { least: 1 },
  NOETL_SANDBOX_PROCESSES: { least: 1, whole: true },
  NOETL_SANDBOX_TMP_MB: { least: 1 },
  NOETL_SCHEDULES: { least: 0, whole: true },
  NOETL_SCHEDULES_PER_TOKEN: { least: 0, whole: true },
  NOETL_SCHEDULED_STARTS_PER_TOKEN: { least: 0 },
  NOETL_TASK_LOGS: { least: 0, words: /^(off|false|no)$/i },
} as const satisfies Record<string, NumberSetting>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The number that an operator set; undefined if it is unset, blank, or a word that the setting allows.
 *
 * @throws EnvironmentError `SETTING_INVALID`: a misspelled limit must not become no limit, or the usual one
 */
export function numberSetting(
  name: keyof typeof SETTINGS,
  env: Environment = process.env,
): number | undefined {
  const text = env[name]?.trim() ?? '';
  const { least, whole, words }: NumberSetting = SETTINGS[name];
  if (text === '' || words?.test(text)) return undefined;
  const number = Number(text);
  if (Number.isFinite(number) && number >= least && (!whole || Number.isSafeInteger(number))) return number;
  const expected = `a ${whole ? 'whole number' : 'number'} of ${least} or more`;
  throw new EnvironmentError('SETTING_INVALID', `${name} is "${text}", not ${expected}`, [
    'Correct it, or unset it for the default.',
  ]);
}

/** Checks them all, before a process does anything with one. @throws EnvironmentError `SETTING_INVALID` */
export function checkNumberSettings(env: Environment = process.env): void {
  for (const name of Object.keys(SETTINGS)) numberSetting(name as keyof typeof SETTINGS, env);
}
