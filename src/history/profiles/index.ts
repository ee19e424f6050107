/** The envelope profiles. */
import { canonicalProfile } from './canonical';
import { extended } from './extended';
import { formal } from './formal';
import { noetl } from './noetl';
import { type Profile, type ProfileName } from './profile';

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  canonical: canonicalProfile,
  formal,
  extended,
  noetl,
};

export { EXTENDED_NAMES } from './extended';
export { FORMAL_TYPES } from './formal';
export { PROFILE_NAMES, type ProfileName, type Projection, type Row } from './profile';
