import { Command } from 'commander';
import { milliseconds, portNumber, wholeNumber } from '../input/number';
import { corsOption, databaseOption, encryptOption } from '../input/options';
import { type ServeOptions } from '../runtime/serve';
import { sayIfAway } from '../runtime/server-away';

interface Flags extends Omit<ServeOptions, 'port' | 'requestsPerMinute' | 'trustProxy' | 'graceMs'> {
  port: string;
  rateLimit: string;
  trustProxy?: string;
  grace: string;
}

/** `serve`: the REST API, for production. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('serve the REST API for the server at TEMPORAL_ADDRESS (default 127.0.0.1:7233)')
    .option('--host <address>', 'address to listen on; 0.0.0.0 for every network', '127.0.0.1')
    .option('--port <port>', 'port to listen on', '8082')
    .addOption(databaseOption())
    .option(
      '--storage <url>',
      'location of results too large for history, the same as for the workers: s3://…, gs://…, postgres://…, ' +
        'file:///shared, none (default: NOETL_STORAGE)',
    )
    .option('--no-auth', 'require no token; allowed only on loopback')
    .addOption(corsOption())
    .option('--rate-limit <n>', 'requests per minute for each token or address; 0 for no limit', '6000')
    .option(
      '--trust-proxy <n>',
      'the number of proxies in front, or their addresses: their X-Forwarded-For is trusted',
    )
    .option(
      '--auth-cache-ttl <time>',
      'how long auth_cache keeps a secret after its last use (default: NOETL_AUTH_CACHE_TTL or 1h)',
    )
    .option(
      '--notifications <file>',
      'file whose targets playbooks may name, to list them (default: NOETL_NOTIFICATIONS)',
    )
    .option(
      '--prioritized <list>',
      'paths of playbooks that may use `fairness` and a `priority` before 3, e.g. ops/*,billing/nightly; * for all (default: NOETL_PRIORITIZED, else none; with --no-auth all)',
    )
    .option('--grace <time>', 'how long requests in flight can take after SIGTERM', '20s')
    .addOption(encryptOption())
    .action(async (flags: Flags) => {
      const options = {
        ...flags,
        port: portNumber(flags.port, '--port'),
        requestsPerMinute: wholeNumber(flags.rateLimit, '--rate-limit', 0),
        trustProxy: /^\d+$/.test(flags.trustProxy ?? '') ? Number(flags.trustProxy) : flags.trustProxy,
        graceMs: milliseconds(flags.grace, '--grace'),
      };
      await sayIfAway();
      const { serve } = await import('../runtime/serve.js');
      process.exitCode = await serve(options);
    });
}
