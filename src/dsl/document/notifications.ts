/** Targets of notifications: what a shape cannot say about them. */
import { CAUSES, DEFAULT_SMTP, type Notifications, type NotificationTarget, pathProblem } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { head } from '../schema/check';
import { asList, asMap, asText, child, itemsOf, type MapNode, type Node } from '../yaml/node';

const CODE = 'NT2091';
const KINDS = ['playbook', 'webhook', 'email', 'chat'] as const;
type Kind = (typeof KINDS)[number];

/** Fields that belong to another one. */
const BELONGS: Readonly<Record<string, Kind>> = { secret: 'webhook', smtp: 'email' };
const ADDRESS = /^[^\s@<>,;]+@[^\s@<>,;]+$/;
/** What a credential may be called; anything else is likely the secret itself. */
const CREDENTIAL = /^[\w.-]{1,200}$/;

/** Reads a mapping from causes to targets, whose shape has been checked. Problems are reported, their targets omitted. */
export function readNotifications(node: Node | undefined, report: Report): Notifications | undefined {
  const on = asMap(node);
  if (!on) return undefined;
  const pairs = CAUSES.flatMap((cause) => {
    const targets = itemsOf(child(on, cause)).flatMap((item) => {
      const map = asMap(item);
      const target = map && readTarget(map, report);
      return target ? [target] : [];
    });
    return targets.length > 0 ? [[cause, targets] as const] : [];
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

function readTarget(map: MapNode, report: Report): NotificationTarget | undefined {
  const [kind, ...more] = KINDS.filter((each) => child(map, each) !== undefined);
  const value = kind && child(map, kind);
  // A misspelt kind has been reported as an unknown key.
  if (kind === undefined && map.entries.some(({ key }) => !(key in BELONGS))) return undefined;
  if (kind === undefined || value === undefined || more.length > 0) {
    const given = kind === undefined ? 'none' : [kind, ...more].join(' and ');
    report.add(
      CODE,
      head(map),
      `a target has exactly one of ${KINDS.join(', ')}; this one has ${given}`,
      'write one target for each: `[{chat: ops}, {email: ops@example.com}]`',
    );
    return undefined;
  }
  for (const { key, at } of map.entries) {
    const owner = BELONGS[key];
    if (owner !== undefined && owner !== kind)
      report.add(CODE, at, `\`${key}\` belongs to \`${owner}\`, not to \`${kind}\``, `remove \`${key}\``);
  }
  return READERS[kind](map, value, report);
}

type Reader = (map: MapNode, value: Node, report: Report) => NotificationTarget | undefined;

const READERS: Readonly<Record<Kind, Reader>> = {
  playbook(_map, value, report) {
    const playbook = asText(value);
    if (playbook === undefined) return undefined;
    const problem = pathProblem(playbook);
    if (problem === undefined) return { playbook };
    report.add('NT2062', value, `the path ${problem}`, 'names separated by slashes: `ops/on_failure`');
    return undefined;
  },
  webhook(map, value, report) {
    const webhook = asText(value);
    const problem = webhook === undefined ? undefined : urlProblem(webhook);
    if (problem !== undefined) report.add(CODE, value, `the URL of a webhook ${problem[0]}`, problem[1]);
    const secret = child(map, 'secret');
    if (secret === undefined)
      report.add(
        CODE,
        value,
        'a webhook needs `secret`: its requests are signed',
        'write `secret: CREDENTIAL`, a credential with `{"secret": "whsec_…"}`',
      );
    const name = secret && credentialName(secret, 'secret', report);
    return webhook && name && !problem ? { webhook, secret: name } : undefined;
  },
  email(map, value, report) {
    const nodes = asList(value)?.items ?? [value];
    for (const node of nodes)
      if (!ADDRESS.test(asText(node) ?? ''))
        report.add(
          CODE,
          node,
          `${JSON.stringify(asText(node) ?? '')} is not an e-mail address`,
          'write `ops@example.com`',
        );
    const smtp = child(map, 'smtp');
    const name = smtp ? credentialName(smtp, 'smtp', report) : DEFAULT_SMTP;
    const email = nodes.flatMap((node) => asText(node) ?? []);
    return name && email.length > 0 ? { email, smtp: name } : undefined;
  },
  chat(_map, value, report) {
    const chat = credentialName(value, 'chat', report);
    return chat === undefined ? undefined : { chat };
  },
};

function credentialName(node: Node, key: string, report: Report): string | undefined {
  const name = asText(node);
  if (name === undefined || name.includes('{{')) return undefined;
  if (CREDENTIAL.test(name) && !name.startsWith('whsec_')) return name;
  // The text may be the secret: it is not quoted.
  report.add(
    CODE,
    node,
    `\`${key}\` names a credential; this is not a name`,
    `store the value (\`noetl-temporal credentials add NAME\`) and write \`${key}: NAME\``,
  );
  return undefined;
}

/** Problem and hint. */
function urlProblem(text: string): [string, string] | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    return ['must begin with https:// or http://', 'write `https://ops.example.com/hooks`'];
  if (url.username || url.password)
    return ['contains a user or password', 'remove them: the signature proves who sends the request'];
  return undefined;
}
