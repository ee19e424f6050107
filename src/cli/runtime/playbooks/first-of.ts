/** Sub-playbooks of several places: the first that has one gives it (D23). */
import { type PlaybookRequest, type Plan } from '../../../plan';
import { PlaybookRefused, type PlaybookResolver } from '../../../worker/playbooks';

/** @param places at least one; what the last says of a playbook that nobody has is what is said */
export function firstOf(places: readonly PlaybookResolver[]): PlaybookResolver {
  return {
    async resolve(request: PlaybookRequest): Promise<Plan> {
      let missing: unknown;
      for (const place of places) {
        try {
          return await place.resolve(request);
        } catch (error) {
          if (!(error instanceof PlaybookRefused) || error.code !== 'PLAYBOOK_NOT_FOUND') throw error;
          missing = error;
        }
      }
      throw missing;
    },
  };
}
