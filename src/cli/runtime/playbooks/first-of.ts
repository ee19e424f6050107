/** Sub-playbooks from several sources: the first that has one is used. */
import { hasCode } from '../../../language/errors';
import { type PlaybookRequest, type Plan } from '../../../language/plan';
import { PlaybookRefused, type PlaybookResolver } from '../../../temporal/worker/playbooks';

/** @param places at least one; each throws for a playbook it does not have */
export function firstOf(places: readonly PlaybookResolver[]): PlaybookResolver {
  return {
    async resolve(request: PlaybookRequest): Promise<Plan> {
      const missing: string[] = [];
      for (const place of places) {
        try {
          return await place.resolve(request);
        } catch (error) {
          if (!hasCode(error, 'PLAYBOOK_NOT_FOUND')) throw error;
          missing.push(error.message);
        }
      }
      throw new PlaybookRefused('PLAYBOOK_NOT_FOUND', missing.join('; '));
    },
  };
}
