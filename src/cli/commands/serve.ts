import { Command } from 'commander';
import { milliseconds, portNumber, wholeNumber } from '../input/number';
import { corsOption, databaseOption, encryptOption } from '../input/options';
import { sayIfAway } from '../runtime/server-away';

interface Flags {
  host: string;
  port: string;
  database?: string;
  storage?: string;
  auth: boolean;
  cors: string[];
  rateLimit: string;
  trustProxy?: string;
  grace: string;
  authCacheTtl?: string;
}

/** `serve`: the REST surface, for production. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('serve the REST surface for the server of TEMPORAL_ADDRESS (default 127.0.0.1:7233)')
    .option('--host <address>', 'listen there; 0.0.0.0 for every network', '127.0.0.1')
    .option('--port <port>', 'listen on this port', '8082')
    .addOption(databaseOption())
    .option(
      '--storage <url>',
      'where results too large for history go, the same as that of the workers: s3://…, gs://…, postgres://…, ' +
        'file:///shared, none (default: NOETL_STORAGE)',
    )
    .option('--no-auth', 'ask nobody for a token; only where nobody but this machine can ask')
    .addOption(corsOption())
    .option('--rate-limit <n>', 'requests a minute for each token or address; 0 for no limit', '6000')
    .option(
      '--trust-proxy <n>',
      'how many proxies stand before us, or their addresses: their X-Forwarded-For is believed',
    )
    .option(
      '--auth-cache-ttl <time>',
      'how long auth_cache keeps a secret after its last use (default: NOETL_AUTH_CACHE_TTL or 1h)',
    )
    .option('--grace <time>', 'how long requests in flight may take after SIGTERM', '20s')
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
