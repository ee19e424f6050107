/** Targets of notifications: what a shape cannot say about them. */
import {
  type AuthorTarget,
  type NotificationCause,
  CAUSES,
  DEFAULT_SMTP,
  type InstallationTargets,
  isUrl,
  type ListedKind,
  type ListedTarget,
  type Notifications,
  catalogPath,
  pathProblem,
} from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { head } from '../schema/check';
import { asList, asMap, asText, child, itemsOf, type MapNode, type YamlNode } from '../yaml/node';

const CODE = 'NT2091';

/** Fields that belong to another one. */
const BELONGS: Readonly<Record<string, ListedKind>> = { secret: 'webhook', smtp: 'email' };
const ADDRESS = /^[^\s@<>,;]+@[^\s@<>,;]+$/;
/** What a credential may be called; anything else is likely the secret itself. */
const CREDENTIAL = /^[\w.-]{1,200}$/;
/** What a listed target may be called. */
const NAME = /^[\w.-]{1,100}$/;

/** Reads a mapping from causes to targets, whose shape has been checked. Problems are reported, their targets omitted. */
export function readNotifications(node: YamlNode | undefined, report: Report): Notifications | undefined {
  return byCause(node, (map) => readTarget(map, AUTHORS, report));
}

/** The same in the file of an installation. */
export function readInstallation(
  node: YamlNode | undefined,
  report: Report,
): InstallationTargets['on'] | undefined {
  return byCause(node, (map) => readTarget(map, INSTALLATIONS, report));
}

/** A target under `targets` in the file of an installation. */
export function readListed(map: MapNode, report: Report): ListedTarget | undefined {
  return readTarget(map, LISTED, report);
}

function byCause<Target>(
  node: YamlNode | undefined,
  read: (map: MapNode) => Target | undefined,
): { readonly [C in NotificationCause]?: readonly Target[] } | undefined {
  const on = asMap(node);
  if (!on) return undefined;
  const pairs = CAUSES.flatMap((cause) => {
    const targets = itemsOf(child(on, cause)).flatMap((item) => {
      const map = asMap(item);
      const target = map && read(map);
      return target ? [target] : [];
    });
    return targets.length > 0 ? [[cause, targets] as const] : [];
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

type Reader<Target> = (map: MapNode, value: YamlNode, report: Report) => Target | undefined;
type Readers<Target> = Readonly<Record<string, Reader<Target>>>;

function readTarget<Target>(map: MapNode, readers: Readers<Target>, report: Report): Target | undefined {
  const kinds = Object.keys(readers);
  const [kind, ...more] = kinds.filter((each) => child(map, each) !== undefined);
  const value = kind === undefined ? undefined : child(map, kind);
  // A misspelt kind has been reported as an unknown key.
  if (kind === undefined && map.entries.some(({ key }) => !(key in BELONGS))) return undefined;
  if (kind === undefined || value === undefined || more.length > 0) {
    const given = kind === undefined ? 'none' : [kind, ...more].join(' and ');
    report.add(
      CODE,
      head(map),
      `a target has exactly one of ${kinds.join(', ')}; this one has ${given}`,
      'write one target for each: `[{chat: ops}, {email: oncall}]`',
    );
    return undefined;
  }
  for (const { key, at } of map.entries) {
    const owner = BELONGS[key];
    if (readers !== AUTHORS && owner !== undefined && owner !== kind)
      report.add(CODE, at, `\`${key}\` belongs to \`${owner}\`, not to \`${kind}\``, `remove \`${key}\``);
  }
  return readers[kind]!(map, value, report);
}

const playbook: Reader<{ readonly playbook: string }> = (_map, value, report) => {
  const named = asText(value);
  if (named === undefined) return undefined;
  const path = catalogPath(named);
  const problem = pathProblem(path);
  if (problem === undefined) return { playbook: path };
  report.add('NT2062', value, `the path ${problem}`, 'names separated by slashes: `ops/on_failure`');
  return undefined;
};

const LISTED: Readers<ListedTarget> = {
  webhook(map, value, report) {
    const webhook = asText(value);
    const isFine = webhook !== undefined && isAddress(value, webhook, report);
    const secret = child(map, 'secret');
    if (secret === undefined)
      report.add(
        CODE,
        value,
        'a webhook needs `secret`: its requests are signed',
        'write `secret: CREDENTIAL`, a credential with `{"secret": "whsec_…"}`',
      );
    const name = secret && credentialName(secret, 'secret', report);
    return isFine && name ? { webhook, secret: name } : undefined;
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

const INSTALLATIONS: Readers<ListedTarget | { readonly playbook: string }> = { playbook, ...LISTED };

const AUTHORS: Readers<AuthorTarget> = {
  playbook,
  webhook(_map, value, report) {
    const webhook = asText(value);
    if (webhook === undefined) return undefined;
    const isFine = isUrl(webhook)
      ? isAddress(value, webhook, report)
      : named(value, 'webhook', report) !== undefined;
    return isFine ? { webhook } : undefined;
  },
  email(_map, value, report) {
    const email = named(value, 'email', report);
    return email === undefined ? undefined : { email };
  },
  chat(_map, value, report) {
    const chat = named(value, 'chat', report);
    return chat === undefined ? undefined : { chat };
  },
};

/** The name of a listed target. */
function named(node: YamlNode, kind: ListedKind, report: Report): string | undefined {
  const name = asText(node);
  if (name === undefined || name.includes('{{')) return undefined;
  if (NAME.test(name)) return name;
  // The text may be a secret, such as the URL of a chat: it is not quoted.
  report.add(
    CODE,
    node,
    `\`${kind}\` names a target of the installation; this is not a name`,
    `have the operator list it (\`targets: {ops: {${kind}: …}}\` in the file of notifications) and write \`${kind}: ops\``,
  );
  return undefined;
}

function isAddress(node: YamlNode, text: string, report: Report): boolean {
  const problem = urlProblem(text);
  if (problem !== undefined) report.add(CODE, node, `the URL of a webhook ${problem[0]}`, problem[1]);
  return problem === undefined;
}

function credentialName(node: YamlNode, key: string, report: Report): string | undefined {
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
    return [
      'contains a user or password',
      'remove them; a target that the operator lists is signed, which proves who sends the request',
    ];
  return undefined;
}
