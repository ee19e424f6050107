/** The built-in sources; those of extensions are added by the process. */
import { type Source } from '../source';
import { kafkaSource } from './kafka/source';
import { natsSource } from './nats/source';
import { playbookSource } from './playbook/source';
import { postgresSource } from './postgres/source';
import { pubsubSource } from './pubsub/source';

export const builtInSources: readonly Source[] = [
  natsSource,
  kafkaSource,
  pubsubSource,
  postgresSource,
  playbookSource,
];
