/** Workers that hold secrets run no code beside them, and open no file that a playbook names, unless their operator says so. */
import { whyNot } from '../../../activities/framework/sandbox';
import { EnvironmentError } from '../../language/errors';
import { declarationOf, LOCAL_KIND } from '../../language/plan';

type Env = Record<string, string | undefined>;

/** Variables whose value code without a sandbox could read and use elsewhere. */
const SECRETS = [
  'NOETL_TOKEN',
  'NOETL_SECRETS_KEY',
  'NOETL_SECRETS_KEY_FILE',
  'DATABASE_URL',
  'TEMPORAL_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'GOOGLE_APPLICATION_CREDENTIALS',
];

/**
 * Makes `standard` the weakest level of a worker of code that holds secrets of the installation and whose operator has
 * said nothing (NOETL_SANDBOX), and none of its files one that playbooks may name (NOETL_FILES), whatever its kinds.
 *
 * @param storage the URL of the storage of large results, if one is named
 * @throws EnvironmentError `SANDBOX_NEEDED` if this machine cannot enforce it; ToolError `SANDBOX_SETTING`
 */
export async function sandboxSecrets(
  kinds: readonly string[],
  storage: string | undefined,
  env: Env = process.env,
): Promise<void> {
  const code = kinds.filter(runsCode);
  const secrets = [
    ...SECRETS.filter((name) => env[name]),
    ...(hasPassword(storage ?? env['NOETL_STORAGE']) ? ['the password of its storage'] : []),
  ];
  if (secrets.length > 0) env['NOETL_FILES'] ??= '';
  if (env['NOETL_SANDBOX'] || code.length === 0 || secrets.length === 0) return;
  env['NOETL_SANDBOX'] = 'standard';
  const why = await whyNot('standard');
  if (why === undefined) return;
  throw new EnvironmentError(
    'SANDBOX_NEEDED',
    `workers of ${code.join(', ')} run what authors write, this one has ${secrets.join(', ')}, and there is no sandbox here: ${why}`,
    [
      'Make sandboxes possible (docs/isolation.md#for-operators; `noetl-temporal doctor` says what is missing),',
      'or set NOETL_SANDBOX=none, if every author may have what this worker has.',
    ],
  );
}

/** Whether tasks of the kind run what authors write as processes of their worker. */
export function runsCode(kind: string): boolean {
  const { sandbox } = declarationOf(kind) ?? {};
  return kind === LOCAL_KIND || (sandbox !== undefined && !sandbox.onlyIfAsked);
}

function hasPassword(url: string | undefined): boolean {
  return url !== undefined && URL.canParse(url) && new URL(url).password !== '';
}
