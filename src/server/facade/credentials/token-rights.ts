/** What a limited token may read. */
import { type ToolKinds } from '../../../language/dsl';
import { fitsAny, type TokenLimits } from '../../store';
import { kindsOfType } from './types';

/** A credential, or a cached token that was fetched with one. */
export interface RequestedCredential {
  readonly name: string;
  /** Absent: no type that belongs to a kind. */
  readonly type?: string;
}

/**
 * Why the token must not have it, as a sentence; undefined if it may. A type that belongs to no single kind (oauth2,
 * custom, …) is limited by name only.
 */
export function whyRefused(
  token: { readonly name: string; readonly limits?: TokenLimits },
  credential: RequestedCredential,
  extensions: ToolKinds = new Map(),
): string | undefined {
  const { credentials, kinds, granted } = token.limits ?? {};
  if (credentials && !fitsAny(credentials, credential.name))
    return `the token "${token.name}" is limited to credentials called ${credentials.join(', ')}, and '${credential.name}' is not among them`;
  // By a grant the kind of the task is known, which may use credentials of other kinds.
  if (granted) return undefined;
  const owners = credential.type === undefined ? [] : kindsOfType(credential.type, extensions);
  if (kinds && owners.length > 0 && !owners.some((kind) => kinds.includes(kind)))
    return `the token "${token.name}" is limited to the kinds ${kinds.join(', ')}, and the type ${credential.type} of '${credential.name}' belongs to ${owners.join(', ')}`;
  return undefined;
}
