/** The envelope profiles. */
import { extended } from './extended';
import { formal } from './formal';
import { noetl } from './noetl';
import { type Profile, type ProfileName } from './profile';

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  // The whole envelope; `ts` is the canonical specification's name for the time.
  canonical: { project: () => (event) => [{ ...event, ts: event.timestamp }] },
  formal: { project: formal },
  extended: { project: extended },
  noetl: { project: noetl },
};

export { EXTENDED_NAMES, extendedName } from './extended';
export { FORMAL_TYPES } from './formal';
export { NOETL_TYPES, noetlRows } from './noetl';
export { eventStep, type NoetlRow } from './noetl-telling';
export { PROFILE_NAMES, type ProfileName, type Projection, type Row } from './profile';
