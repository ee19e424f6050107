/** `tls: {ca, cert, key, passphrase, servername}`: trusted CAs and the client certificate. */
import { readFile } from 'node:fs/promises';
import { type JsonObject, type TaskCall } from '../../../src/language/plan';
import { type Credential } from '../credentials/credential';
import { field, mappingField, jsonTypeName } from '../tool/fields';
import { invalidInput, ToolError } from '../tool/outcome';
import { workerFile } from '../tool/worker-files';

export interface HttpTlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  readonly servername?: string;
}

const FIELDS = ['verify', 'ca', 'cert', 'key', 'passphrase', 'servername'];

/** Types of credentials that are a client certificate. */
export function isCertificate(credential: Credential | undefined): boolean {
  return /^(mtls|tls|client_?cert(ificate)?)$/i.test(credential?.type ?? '');
}

/** Merges the fields of `tls` over those of a certificate credential. @throws ToolError `INVALID_TLS` */
export async function httpTls(
  call: TaskCall,
  credential: Credential | undefined,
): Promise<HttpTlsOptions | undefined> {
  const own = mappingField(call, 'tls');
  if (!own && !isCertificate(credential)) return undefined;
  const unknown = Object.keys(own ?? {}).find((name) => !FIELDS.includes(name));
  if (unknown) throw refused(`tls has no field \`${unknown}\`; its fields are ${FIELDS.join(', ')}`);
  const fields: JsonObject = { ...(isCertificate(credential) ? credential!.data : {}), ...own };
  const options: HttpTlsOptions = {
    ...(await pem('ca', field(fields, 'ca', 'ca_cert'))),
    ...(await pem('cert', field(fields, 'cert', 'certificate', 'client_cert'))),
    ...(await pem('key', field(fields, 'key', 'private_key', 'client_key'))),
    ...text('passphrase', field(fields, 'passphrase')),
    ...text('servername', field(fields, 'servername')),
  };
  if ((options.cert === undefined) !== (options.key === undefined)) {
    throw refused('a client certificate needs both `cert` and `key`');
  }
  return Object.keys(options).length === 0 ? undefined : options;
}

/** The settings that remain valid for another origin: the trusted CAs, not the client certificate. */
export function withoutIdentity(tls: HttpTlsOptions | undefined): HttpTlsOptions | undefined {
  return tls?.ca === undefined ? undefined : { ca: tls.ca };
}

function refused(why: string): Error {
  return invalidInput(`http: ${why}`, 'INVALID_TLS');
}

function text<K extends string>(name: K, value: unknown): Partial<Record<K, string>> {
  if (value === undefined) return {};
  if (typeof value === 'string') return { [name]: value } as Record<K, string>;
  throw refused(`tls.${name} must be a string, not ${jsonTypeName(value)}`);
}

/** PEM text, or a file containing it. */
async function pem<K extends string>(name: K, value: unknown): Promise<Partial<Record<K, string>>> {
  const read = text(name, value);
  const given = read[name];
  if (given === undefined || given.includes('-----BEGIN')) return read;
  try {
    return { [name]: await readFile(workerFile('http', given), 'utf8') } as Record<K, string>;
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw refused(`tls.${name} is neither PEM text nor a readable file (${code})`);
  }
}
