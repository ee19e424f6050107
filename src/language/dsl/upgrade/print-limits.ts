/** Limits by key as YAML. */
import { compact, type ConcurrencyPlan, type Plan, type RateLimitPlan, type TaskSpec } from '../../plan';
import { type Fields, optional } from './written';

/** `concurrency` and `debounce` of the executor. */
export function printExecutionLimits({ concurrency, debounce }: Plan): Fields {
  return {
    ...(concurrency && {
      concurrency: {
        ...shared(concurrency),
        ...optional('limit', concurrency.limit),
        on_conflict: concurrency.onConflict,
      },
    }),
    ...(debounce && {
      debounce: {
        ...shared(debounce),
        ...optional('period', debounce.period),
        ...optional('max_wait', debounce.maxWait),
      },
    }),
  };
}

function shared({ key, scope }: Pick<ConcurrencyPlan, 'key' | 'scope'>): Fields {
  return { ...optional('key', key), ...compact({ scope }) };
}

/** `rate_limit`, `priority` and `fairness` of a task. */
export function printTaskLimits({ rateLimit, priority: order }: TaskSpec): Fields {
  const fairness = order?.fairness;
  return {
    ...(rateLimit && { rate_limit: printRate(rateLimit) }),
    ...optional('priority', order?.priority),
    ...(fairness && {
      fairness: { ...optional('key', fairness.key), ...optional('weight', fairness.weight) },
    }),
  };
}

function printRate({ key, limit, per, burst }: RateLimitPlan): Fields {
  return {
    ...optional('key', key),
    ...optional('limit', limit),
    ...optional('per', per),
    ...optional('burst', burst),
  };
}
