/**
 * Credential types: their spellings, and the required fields, as named by the tools that read them. Known types are
 * checked when stored; others are stored unchecked.
 */
import { HMAC, SERVICE_ACCOUNT } from '../../../language/kinds/credentials';
import { type ToolKinds } from '../../../language/dsl';
import { type CredentialType } from '../../../language/kinds/declaration';
import { type JsonObject, TOOL_KINDS } from '../../../language/plan';

/** Types that belong to no single kind: shared by several, or read by the keychain. */
const COMMON: readonly CredentialType[] = [
  {
    names: ['oauth2', 'oauth', 'oauth2_client_credentials', 'google_oauth'],
    forms: [
      [['client_id'], ['client_secret']],
      [['token', 'access_token', 'refresh_token']],
      [['username'], ['password']],
      SERVICE_ACCOUNT,
    ],
  },
  { names: ['s3_hmac', 's3', 'aws'], forms: [HMAC] },
  {
    names: ['google_service_account', 'gcp', 'google', 'service_account', 'gcp_service_account'],
    forms: [SERVICE_ACCOUNT],
  },
  { names: ['custom', 'generic', 'secret', 'httpcustomauth'], forms: [[]] },
];

/** Types of built-in kinds, of extensions, and the common ones. */
function credentialTypes(extensions: ToolKinds): readonly CredentialType[] {
  const kinds = [...Object.values(TOOL_KINDS), ...extensions.values()];
  return [...kinds.flatMap(({ credentials = [] }) => credentials), ...COMMON];
}

/** The kinds that declare the type; none for a type shared by several kinds, or unknown. */
export function kindsOfType(name: string, extensions: ToolKinds): string[] {
  const type = typeOf(name, extensions);
  const kinds = [...Object.entries(TOOL_KINDS), ...extensions];
  return kinds.filter(([, { credentials = [] }]) => type && credentials.includes(type)).map(([kind]) => kind);
}

const NONE: ToolKinds = new Map();

/** All spellings of the type `name`; only `name` itself if no kind declares it. */
export function spellingsOf(name: string, extensions = NONE): readonly string[] {
  const written = name.toLowerCase();
  const names = typeOf(name, extensions)?.names ?? [];
  return [...new Set([written, ...names, ...names.map((one) => one.replaceAll('_', '-'))])];
}

export interface CheckedCredential {
  /** Problems as sentences; empty if the data is valid. */
  readonly problems: readonly string[];
  /** A hint for the author of stored credentials. */
  readonly note?: string;
}

/** Checks a credential's data against its type. Messages contain names of fields, never values. */
export function checkCredential(type: string, data: JsonObject, extensions = NONE): CheckedCredential {
  const credentialType = typeOf(type, extensions);
  if (!credentialType) {
    const names = credentialTypes(extensions)
      .map((one) => one.names[0])
      .join(', ');
    return {
      problems: [],
      note: `unknown type '${type}': its data was not checked (known types: ${names})`,
    };
  }
  const lacking = credentialType.forms.map((form) =>
    form.filter((field) => !field.some((name) => has(data, name))),
  );
  if (lacking.some((missing) => missing.length === 0)) return { problems: [] };
  // The form closest to the data; if several are equally close, the most common one.
  const nearest = credentialType.forms
    .map((form, index) => ({ missing: lacking[index]!, given: form.length - lacking[index]!.length }))
    .reduce((best, each) => (each.given > best.given ? each : best));
  const problems = nearest.missing.map((field) => {
    const others = field.slice(1).filter((name) => name !== field[0]);
    const spelt = others.length > 0 ? ` (also spelt ${others.join(', ')})` : '';
    return `a credential of type ${credentialType.names[0]} needs data.${field[0]}${spelt}`;
  });
  return { problems };
}

function typeOf(name: string, extensions: ToolKinds): CredentialType | undefined {
  const spelt = name.toLowerCase().replace(/[\s-]+/g, '_');
  return credentialTypes(extensions).find(({ names }) => names.includes(spelt));
}

/** An empty string counts: a server may require no password. */
function has(data: JsonObject, name: string): boolean {
  return Object.hasOwn(data, name) && data[name] !== null;
}
