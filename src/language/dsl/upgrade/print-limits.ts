/** Limits by key as YAML. */
import { compact, type ConcurrencyPlan, type Plan, type RateLimitPlan, type TaskSpec } from '../../plan';
import { type WrittenFields, optionalField } from './written';

/** `concurrency` and `debounce` of the executor. */
export function printExecutionLimits({ concurrency, debounce }: Plan): WrittenFields {
  return {
    ...(concurrency && {
      concurrency: {
        ...shared(concurrency),
        ...optionalField('limit', concurrency.limit),
        on_conflict: concurrency.onConflict,
      },
    }),
    ...(debounce && {
      debounce: {
        ...shared(debounce),
        ...optionalField('period', debounce.period),
        ...optionalField('max_wait', debounce.maxWait),
      },
    }),
  };
}

function shared({ key, scope }: Pick<ConcurrencyPlan, 'key' | 'scope'>): WrittenFields {
  return { ...optionalField('key', key), ...compact({ scope }) };
}

/** `rate_limit`, `priority` and `fairness` of a task. */
export function printTaskLimits({ rateLimit, priority: order }: TaskSpec): WrittenFields {
  const fairness = order?.fairness;
  return {
    ...(rateLimit && { rate_limit: printRate(rateLimit) }),
    ...optionalField('priority', order?.priority),
    ...(fairness && {
      fairness: { ...optionalField('key', fairness.key), ...optionalField('weight', fairness.weight) },
    }),
  };
}

function printRate({ key, limit, per, burst }: RateLimitPlan): WrittenFields {
  return {
    ...optionalField('key', key),
    ...optionalField('limit', limit),
    ...optionalField('per', per),
    ...optionalField('burst', burst),
  };
}
