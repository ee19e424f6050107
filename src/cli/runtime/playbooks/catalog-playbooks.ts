/** Sub-playbooks of the catalog, for workers in the process of a facade. */

import { FacadeError, type Library } from '../../../server/facade';
import { type Plan, type PlaybookRequest } from '../../../language/plan';
import { PlaybookRefused, type PlaybookResolver } from '../../../temporal/worker/playbooks';
import { refusedAsInvalid } from './refused';

export class CatalogPlaybooks implements PlaybookResolver {
  constructor(private readonly library: Library) {}

  async resolve({ path, version }: PlaybookRequest): Promise<Plan> {
    const entry = await this.library.catalog.find(path, version);
    if (!entry) {
      const message = await this.library.missing(path, version);
      throw new PlaybookRefused('PLAYBOOK_NOT_FOUND', message);
    }
    try {
      return await this.library.planOf(entry, 'workers');
    } catch (error) {
      if (!(error instanceof FacadeError)) throw error;
      throw refusedAsInvalid(error.message, error.more['diagnostics']);
    }
  }
}
