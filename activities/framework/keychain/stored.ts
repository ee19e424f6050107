/** A stored credential: named by `credential` (or the entry's name); its fields become those of the entry. */
import { type Credential, privateTexts } from '../credentials';
import { type EntryKind, type EntryRequest, entryText } from './resolved';
import { compact } from '../../../src/language/plan';

/** The credential named by an entry. @throws ToolError from the resolver */
export function credentialOf({ entry, credentials }: EntryRequest): Promise<Credential> {
  const name = entryText(entry, 'credential', 'credential_ref', 'ref', 'key', 'auth') ?? entry.name;
  return credentials.resolve(name, { execution_id: entry.execution_id });
}

export const stored: EntryKind = async (request) => {
  const { name, type, data } = await credentialOf(request);
  return {
    value: { ...compact({ type }), ...data },
    secrets: privateTexts(data),
    source: `credential ${name}`,
    resolvedAt: request.now,
  };
};
