/** `/metrics`: metrics of this process in Prometheus' format. Requires a token if the facade does. */
import { type FacadeRoute, route } from './declare';
import { type FacadeServices } from '../services';

export function metricsRoutes({ metrics }: FacadeServices): readonly FacadeRoute[] {
  if (!metrics) return [];
  return [
    route('GET /metrics', {
      scope: 'read',
      summary: 'Metrics of this process for Prometheus',
      answers: {
        200: { description: 'The metrics', content: { 'text/plain': 'Prometheus text format 0.0.4' } },
      },
      async handle({ response }) {
        const text = await metrics.text();
        response.set('content-type', metrics.contentType).send(text);
        return undefined;
      },
    }),
  ];
}
