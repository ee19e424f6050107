import { compact, type InstallationTargets, type ListedTarget, type Notifications } from '../plan';
import { type Diagnostic, Findings } from './diagnostics/diagnostic';
import { readInstallation, readListed, readNotifications } from './document/notifications';
import { checkSchemaShape } from './schema/check';
import { INSTALLATION, LISTED_TARGET, ON } from './schema/notifications';
import { asMap, asText, child, type MapNode } from './yaml/node';
import { LineIndex } from './yaml/lines';
import { parseYaml } from './yaml/parse';

/** Settings of an installation. */
export interface NotificationSettings extends InstallationTargets {
  /** Of the facade, without a slash at its end. */
  readonly url?: string;
  /** Of the Temporal UI, without a slash at its end. */
  readonly temporalUi?: string;
}

/**
 * Reads the file of an installation (docs/notifications.md).
 *
 * @returns no settings if a diagnostic is an error
 */
export function parseNotificationSettings(
  text: string,
  file?: string,
): { settings?: NotificationSettings; diagnostics: Diagnostic[] } {
  const findings = new Findings(new LineIndex(text), { file });
  const written = parseYaml(text, findings, { name: 'file of notifications', startsWith: '`on:`' });
  const root = written && checkSchemaShape(written, INSTALLATION, findings);
  const on = root && readInstallation(child(root, 'on'), findings);
  const targets = root && readTargets(asMap(child(root, 'targets')), findings);
  const address = (key: string): string | undefined => {
    const node = root && child(root, key);
    const value = asText(node);
    if (node && value !== undefined && !/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : ''))
      findings.add('NT2091', node, `\`${key}\` must be an address`, 'write `https://noetl.example.com`');
    return value?.replace(/\/+$/, '');
  };
  const url = address('url');
  const temporalUi = address('temporal_ui');
  if (!root || findings.hasErrors) return { diagnostics: findings.list() };
  return {
    settings: { ...compact({ on, targets }), ...(url && { url }), ...(temporalUi && { temporalUi }) },
    diagnostics: findings.list(),
  };
}

function readTargets(
  map: MapNode | undefined,
  findings: Findings,
): Readonly<Record<string, ListedTarget>> | undefined {
  if (!map) return undefined;
  const targets = map.entries.flatMap(({ key, value }) => {
    const written = asMap(value);
    const one = written && checkSchemaShape(written, LISTED_TARGET, findings);
    if (!one)
      findings.add('NT2003', value, `the target \`${key}\` must be a mapping`, 'write `{chat: CREDENTIAL}`');
    const target = one && readListed(one, findings);
    return target ? [[key, target] as const] : [];
  });
  return Object.fromEntries(targets);
}

/** Reads targets by cause, as YAML or JSON: those of a schedule. */
export function parseNotifications(
  text: string,
  file?: string,
): { on?: Notifications; diagnostics: Diagnostic[] } {
  const findings = new Findings(new LineIndex(text), { file });
  const root = parseYaml(text, findings, { name: 'notification setting', startsWith: '`failed:`' });
  const on = readNotifications(root && checkSchemaShape(root, ON, findings), findings);
  return { ...(on && !findings.hasErrors && { on }), diagnostics: findings.list() };
}
