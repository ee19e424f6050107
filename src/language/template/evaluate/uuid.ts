import { type TemplateEnvironment } from '../scope';

/** A version 4 UUID from the engine's generator. */
export function newUuid(environment: TemplateEnvironment): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (char) => {
    const digit = Math.floor(environment.random() * 16);
    return (char === 'x' ? digit : (digit & 3) | 8).toString(16);
  });
}
