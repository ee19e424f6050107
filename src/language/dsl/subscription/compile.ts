/** `kind: Subscription`: compiled to the plan of a trigger. */
import {
  compact,
  type IngressPlan,
  type JsonObject,
  type TriggerDirective,
  type TriggerPlan,
} from '../../plan';
import { type CompileOptions } from '../compile';
import { type Diagnostic, Findings, type Report } from '../diagnostics/diagnostic';
import { didYouMean } from '../diagnostics/suggest';
import { checkEntry } from '../check/secrets';
import { readLabels } from '../document/labels';
import { checkSchemaShape } from '../schema/check';
import { shape } from '../schema/shape';
import { LineIndex } from '../yaml/lines';
import { asMap, child, dataOf, entriesOf, type MapNode } from '../yaml/node';
import { parseYaml } from '../yaml/parse';
import { Fields } from './fields';
import { SPEC, SUBSCRIPTION } from './schema';
import { MessageTemplates } from './templates';
import { type SourceDeclaration, SOURCES } from './sources';
import { readVerify } from './verify';

export interface CompiledTrigger {
  /** Absent if there are errors. */
  readonly trigger?: TriggerPlan;
  readonly diagnostics: Diagnostic[];
}

const WEEK_SECS = 7 * 86_400;
const OFFICIAL_WINDOW_SECS = 300;

interface TriggerOptions extends Pick<CompileOptions, 'file' | 'strict'> {
  /** Of extensions, by name. */
  readonly sources?: ReadonlyMap<string, SourceDeclaration>;
}

export function compileTrigger(text: string, options: TriggerOptions = {}): CompiledTrigger {
  const lines = new LineIndex(text);
  const findings = new Findings(lines, options);
  const names = { name: 'subscription', startsWith: '`apiVersion: noetl.io/v1`' };
  const written = parseYaml(text, findings, names);
  const root = written && checkSchemaShape(written, SUBSCRIPTION, findings);
  const templates = new MessageTemplates(findings, lines);
  const sources = { ...SOURCES, ...Object.fromEntries(options.sources ?? []) };
  const trigger = root && planOf(root, sources, templates, findings);
  return { ...(trigger && !findings.hasErrors && { trigger }), diagnostics: findings.list() };
}

function planOf(
  root: MapNode,
  sources: Readonly<Record<string, SourceDeclaration>>,
  templates: MessageTemplates,
  report: Report,
): TriggerPlan | undefined {
  const metadata = metadataOf(new Fields(root, report).in('metadata'));
  const written = asMap(child(root, 'spec'));
  if (!written) return undefined;
  const source = new Fields(written, report).text('source') ?? '';
  const about = Object.hasOwn(sources, source) ? sources[source]! : undefined;
  if (!about && source !== '') {
    const hint = didYouMean(source, Object.keys(sources)) ?? `one of: ${Object.keys(sources).join(', ')}`;
    report.add('NT2004', child(written, 'source')!, `no source of messages is called \`${source}\``, hint);
  }
  const table = about
    ? shape('`spec`', 'error', { ...SPEC, ...about.fields })
    : shape('`spec`', 'open', SPEC);
  const spec = new Fields(checkSchemaShape(written, table, report), report);
  const own = entriesOf(spec.map).filter(({ key }) => about && Object.hasOwn(about.fields, key));
  for (const entry of own) checkEntry(entry, report);
  const mode = about && modeOf(spec, source, about);
  if (mode === undefined || !metadata || !spec.in('dispatch').map) return undefined;
  const connection = Object.fromEntries(own.map(({ key, value }) => [key, dataOf(value)])) as JsonObject;
  return { metadata, source, mode, connection, ...workOf(spec, templates) };
}

function metadataOf(map: Fields): TriggerPlan['metadata'] | undefined {
  const path = map.path(
    map.node('path') ? 'path' : 'name',
    'names separated by slashes: `subscriptions/shop`',
  );
  const [version, labels] = [map.text('version'), readLabels(map.map, map.report)];
  if (path) return { path, name: map.text('name') ?? path, ...compact({ version, labels }) };
  map.lacks('a subscription needs a path', 'write `metadata: {path: subscriptions/…}`');
  return undefined;
}

/** What all sources have. */
function workOf(
  spec: Fields,
  templates: MessageTemplates,
): Omit<TriggerPlan, 'metadata' | 'source' | 'mode' | 'connection'> {
  const [runtime, limits, dedup] = [spec.in('runtime'), spec.in('limits'), spec.in('dedup')];
  const trace = spec.in('headers').in('trace');
  const batch = runtime.count('batch', 1000) ?? 100;
  const official = dedup.isTrue('enabled') ? OFFICIAL_WINDOW_SECS : undefined;
  return {
    batch,
    waitMs: runtime.count('timeout_ms', 5000) ?? 1000,
    workers: runtime.count('workers', 32) ?? 1,
    dispatch: dispatchOf(spec.in('dispatch'), batch, templates),
    directives: spec.in('headers').each('directives').flatMap(directiveOf),
    limits: compact({
      inFlight: limits.count('max_in_flight'),
      perSecond: limits.count('max_dispatch_per_sec'),
    }),
    keepDeadSecs: spec.in('dead_letters').seconds('keep') ?? 2 * WEEK_SECS,
    ...compact({
      auth: spec.text('auth') || undefined,
      ingress: ingressOf(spec.in('ingress')),
      windowSecs: dedup.count('window_secs', WEEK_SECS) ?? official,
      trace: trace.text('propagate') === 'w3c' ? { baggage: trace.texts('baggage_allowlist') } : undefined,
    }),
  };
}

function modeOf(spec: Fields, source: string, about: SourceDeclaration): 'pull' | 'push' | undefined {
  const written = spec.text('mode') as 'pull' | 'push' | undefined;
  const hint = `write \`mode: ${about.modes.join(' or ')}\``;
  if (written === undefined && about.sayMode) spec.lacks('`spec` needs `mode`', hint);
  const mode = written ?? about.modes[0]!;
  if (!about.modes.includes(mode)) {
    spec.report.add('NT2004', spec.node('mode')!, `${source} has no mode \`${mode}\``, hint);
    return undefined;
  }
  if (mode === 'push' && !spec.in('ingress').map)
    spec.lacks('`mode: push` needs `ingress`', 'write `ingress: {gateway_path: /ingress/NAME, verify: {…}}`');
  const needed = mode === 'pull' ? (about.required ?? []) : [];
  for (const key of needed) if (!spec.node(key)) spec.lacks(`${source} needs \`${key}\``);
  return mode;
}

function dispatchOf(map: Fields, batch: number, templates: MessageTemplates): TriggerPlan['dispatch'] {
  const [workload, where, key] = ['workload', 'where', 'key'].map((name) => map.node(name));
  const from = map.node('payload_from');
  if (workload && from)
    map.report.add('NT2006', from, '`workload` takes the place of `payload_from`', 'keep one of them');
  return {
    playbook: map.path('playbook') ?? '',
    payloadFrom: map.text('payload_from') ?? 'message.json',
    atOnce: map.isTrue('batch_dispatch') ? (map.count('batch_max', 1000) ?? batch) : 1,
    ...compact({
      version: map.text('version'),
      pool: map.text('execution_pool'),
      workload: workload && templates.value(workload),
      where: where?.kind === 'scalar' ? templates.template(where, true) : undefined,
      key: key?.kind === 'scalar' ? templates.template(key, false) : undefined,
    }),
  };
}

function ingressOf(map: Fields): IngressPlan | undefined {
  const address = map.text('gateway_path');
  const verify = readVerify(map.in('verify'));
  if (address === undefined || !verify) return undefined;
  // The official gateway takes the last name of an address that is elsewhere.
  const listener =
    /^\/ingress\/(.+?)\/*$/.exec(address)?.[1] ?? address.split('/').filter(Boolean).at(-1) ?? '';
  if (!address.startsWith('/') || !/^[\w.~-]+(\/[\w.~-]+)*$/.test(listener)) {
    const where = map.node('gateway_path')!;
    map.report.add('NT2062', where, '`gateway_path` is an address on this server', 'write `/ingress/NAME`');
  }
  const within = map.seconds('respond_within') ?? 30;
  return {
    listener,
    verify,
    maxBytes: map.count('max_bytes', 8 * 1024 * 1024) ?? 1024 * 1024,
    ...(map.text('respond') === 'result' && { respondMs: Math.min(within, 300) * 1000 }),
  };
}

function directiveOf(map: Fields): TriggerDirective[] {
  const [header, controls] = [map.text('header'), map.text('controls')];
  if (!header || !controls) return [];
  const [allowed, pools] = [map.node('allowed') && map.texts('allowed'), map.in('map')];
  const table = pools.map?.entries.map(({ key }) => [key, pools.text(key) ?? '']);
  const lacks =
    controls === 'priority' ? !table && 'map' : controls.startsWith('dispatch.') && !allowed && 'allowed';
  if (lacks)
    map.lacks(`the directive of ${header} needs \`${lacks}\`: whoever sends messages must not choose freely`);
  return [
    {
      header: header.toLowerCase(),
      controls,
      ...compact({ allowed, map: table && Object.fromEntries(table) }),
    },
  ];
}
