/** Sub-playbooks of several places: the first that has one gives it (D23). */
import { type PlaybookRequest, type Plan } from '../../../plan';
import { PlaybookRefused, type PlaybookResolver } from '../../../worker/playbooks';

/** Of a playbook that nobody has, it says what each of them says: either may know one that is near. */
export function firstOf(places: readonly PlaybookResolver[]): PlaybookResolver {
  return {
    async resolve(request: PlaybookRequest): Promise<Plan> {
      const missing: string[] = [];
      for (const place of places) {
        try {
          return await place.resolve(request);
        } catch (error) {
          if (!(error instanceof PlaybookRefused) || error.code !== 'PLAYBOOK_NOT_FOUND') throw error;
          missing.push(error.message);
        }
      }
      throw new PlaybookRefused('PLAYBOOK_NOT_FOUND', missing.join('; '));
    },
  };
}
