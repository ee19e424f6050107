/** The life of a trigger. */

export const TRIGGER_STATES = ['REGISTERED', 'ACTIVE', 'PAUSED', 'DRAINING', 'DEACTIVATED'] as const;
export type TriggerState = (typeof TRIGGER_STATES)[number];

export const TRIGGER_VERBS = ['activate', 'pause', 'resume', 'drain', 'deactivate'] as const;
export type TriggerVerb = (typeof TRIGGER_VERBS)[number];

interface TriggerMove {
  readonly from: readonly TriggerState[];
  readonly to: TriggerState;
  /** As official servers tell it. */
  readonly event: string;
  readonly doc: string;
}

export const TRIGGER_MOVES: Readonly<Record<TriggerVerb, TriggerMove>> = {
  activate: {
    from: ['REGISTERED', 'ACTIVE', 'PAUSED', 'DEACTIVATED'],
    to: 'ACTIVE',
    event: 'subscription.activated',
    doc: 'take messages, and start an execution for each; a path of the catalog is registered first',
  },
  pause: {
    from: ['ACTIVE', 'PAUSED'],
    to: 'PAUSED',
    event: 'subscription.paused',
    doc: 'take nothing until it is resumed',
  },
  resume: {
    from: ['PAUSED', 'ACTIVE'],
    to: 'ACTIVE',
    event: 'subscription.resumed',
    doc: 'take messages again',
  },
  drain: {
    from: ['ACTIVE', 'PAUSED', 'DRAINING'],
    to: 'DRAINING',
    event: 'subscription.draining',
    doc: 'take nothing more, finish what is in hand, and deactivate',
  },
  deactivate: {
    from: TRIGGER_STATES,
    to: 'DEACTIVATED',
    event: 'subscription.deactivated',
    doc: 'end it; its address and its path are free',
  },
};
