/** Words that explanations share. */
import { isMapping } from '../../language/plan';

/** `HTTP_503: HTTP 503` */
export function explainedError(error: unknown): string {
  if (!isMapping(error)) return 'without its own error';
  const [message] = String(error['message'] ?? '').split('\n');
  const place = [error['step'], error['task']].filter((part) => typeof part === 'string').join('/');
  return `${place ? `${place}: ` : ''}${String(error['code'] ?? 'ERROR')}: ${message}`;
}

export function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
