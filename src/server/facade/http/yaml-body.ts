/** Bodies in YAML, for people who write payloads and playbooks in it. Parsed like every YAML of this project: no tags, bounded aliases. */
import { parsePayload } from '../../../language/dsl';
import { FacadeError } from './errors';
import { checkMemberNames } from './json-body';

/** Media types of YAML: RFC 9512, and those in use before it. */
export const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml', '+yaml'];

/** @throws FacadeError 400 `ENTITY_PARSE_FAILED`; 413 `ENTITY_TOO_LARGE`, `BODY_TOO_MANY_NAMES` */
export function parseYamlBody(bytes: Uint8Array, warn?: (message: string) => void): unknown {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return {};
  const { data, diagnostics } = parsePayload(text, 'body');
  if (data === undefined) {
    // The messages quote the body, which may contain a secret.
    const { code, line, column } = diagnostics.find(({ severity }) => severity === 'error')!;
    if (code === 'NT1006')
      throw new FacadeError(413, 'ENTITY_TOO_LARGE', 'the body is too large for YAML: send JSON');
    throw new FacadeError(
      400,
      'ENTITY_PARSE_FAILED',
      `the body is not a mapping in YAML: ${code} at ${line}:${column}`,
    );
  }
  const lossy = diagnostics.find(({ code }) => code === 'NT1014');
  if (lossy) warn?.(lossy.message);
  checkMemberNames(data);
  return data;
}

/** A playbook or another resource as such is the content to register; what else is written in YAML is a request. */
export function resourceIn(bytes: Uint8Array): { readonly content: string } | undefined {
  const content = new TextDecoder().decode(bytes);
  return /^apiVersion[ \t]*:/m.test(content) ? { content } : undefined;
}
