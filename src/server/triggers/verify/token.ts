/** Tokens of OpenID Connect, with which Google's Pub/Sub says who pushes. */
import { type JWTVerifyGetKey } from 'jose';
import { CodedError, messageOf } from '../../../language/errors';
import { type VerifyPlan } from '../../../language/plan';
import { rejection } from './signature';

/** By address; each reads its keys again when one is unknown, but not for each of many requests. */
const keySets = new Map<string, JWTVerifyGetKey>();

/** @throws CodedError `INGRESS_REJECTED` with the reason; `KEYS_UNREACHABLE` */
export async function verifyToken(plan: VerifyPlan, authorization: string | undefined): Promise<void> {
  const { audience = '', serviceAccount, issuer = '', keysUrl = '' } = plan;
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw rejection('missing_token');
  const { createRemoteJWKSet, jwtVerify } = await import('jose');
  const keys = keySets.get(keysUrl) ?? createRemoteJWKSet(new URL(keysUrl));
  keySets.set(keysUrl, keys);
  // Google itself writes its name in both ways.
  const issuers = [issuer, issuer.replace(/^https:\/\//, '')];
  const rules = { audience, issuer: issuers, algorithms: ['RS256', 'ES256'], requiredClaims: ['exp'] };
  const { payload } = await jwtVerify(token, keys, rules).catch((error: unknown) => {
    // Others say that the keys could not be read.
    if (
      /^ERR_(JWT|JWS|JWKS_NO_MATCHING|JWKS_MULTIPLE_MATCHING|JOSE_ALG|JOSE_NOT_SUPPORTED)/.test(
        String((error as { code?: unknown }).code),
      )
    )
      throw rejection('bad_token');
    throw new CodedError('KEYS_UNREACHABLE', `the keys at ${keysUrl} cannot be read: ${messageOf(error)}`);
  });
  if (payload['email'] !== serviceAccount || payload['email_verified'] !== true) throw rejection('bad_token');
}
