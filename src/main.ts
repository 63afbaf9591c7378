import { join, relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { ConfigError, readConfig } from './config.ts';
import { createLogger } from './http/server/log.ts';
import { startOwnDatabase } from './own-database.ts';
import type { Service } from './service.ts';
import { shutdownMs } from './shutdown.ts';
import { EmbeddedPostgresError } from './store/db/embedded/postgres.ts';
import { isConnectionFailure } from './store/db/failures.ts';
import { MigrationError } from './store/db/migrate.ts';

// V8 keeps new objects in a small heap that doubles as needed, and copies what survives: a batch of rows would be copied
// several times. With this factor the heap reaches its full size in one step. Four alternating rounds of 16,000 activities took
// 2.54 s of CPU time with it and 2.70 s without, less in each of them. Other facts and the peak of memory did not differ.
setFlagsFromString('--semi-space-growth-factor=16');

try {
  const config = readConfig(process.env);
  const log = createLogger(config.logLevel);
  // PostgreSQL starts in its own process; loading the rest of the code takes about as long.
  const database = startOwnDatabase(config, log);
  database?.catch(() => {}); // the service handles the error
  const starting = import('./service.ts').then(({ startService }) => startService(config, log, database));

  // The first signal starts the shutdown, even during startup; further signals change nothing.
  let stopping = false;
  const stop = async (code: number, delayMs = 0) => {
    if (stopping) return;
    stopping = true;
    // Each shutdown step has its own time limit, but a startup in progress has none.
    setTimeout(() => {
      log.fatal({ step: 'start' }, 'the shutdown took too long and was aborted');
      process.exit(1);
    }, delayMs + shutdownMs);
    const inTime = await (await starting).close(delayMs);
    process.exit(inTime ? code : 1);
  };
  const stopOn = (signal: NodeJS.Signals, delayMs: number) => {
    log.info({ signal }, 'stopping');
    void stop(0, delayMs);
  };
  // A supervisor sends SIGTERM, and load balancers need time to notice. Ctrl-C comes from a person who waits.
  process.on('SIGTERM', () => stopOn('SIGTERM', config.shutdownDelayMs));
  process.on('SIGINT', () => stopOn('SIGINT', 0));
  // In a terminal, SIGHUP means that the terminal was closed; elsewhere, by convention, to reload files.
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY;
  process.on('SIGHUP', () => {
    if (onTerminal) stopOn('SIGHUP', 0);
    else void starting.then((service) => service.reload());
  });

  const service = await starting;
  void service.died.then((reason) => {
    log.fatal(reason);
    void stop(1);
  });
  log.info({ url: service.url }, 'listening');
  if (config.demo && !stopping) console.log(welcome(service, config.dataDir));
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}

/** Expected problems get one line; unexpected ones, their stack. */
function explain(error: unknown): string {
  if (
    error instanceof ConfigError ||
    error instanceof EmbeddedPostgresError ||
    error instanceof MigrationError
  ) {
    return error.message;
  }
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE')
    return `Port ${process.env.PORT || 8443} is already in use. Stop the program that uses it, or set PORT to a free port.`;
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return `Cannot listen on this address. Change HOST or PORT: ${error.message}`;
  if (isConnectionFailure(error)) return `DATABASE_URL: the database cannot be used: ${error.message}`;
  return error.stack ?? error.message;
}

function welcome({ url, caFile }: Service, dataDir: string): string {
  const here = (path: string) => `'${relative(process.cwd(), path) || '.'}'`;
  const trust = caFile ? `--cacert ${here(caFile)} ` : '';
  const keyFile = here(join(dataDir, 'demo.key'));
  const key = `"Authorization: Bearer $(cat ${keyFile})"`;
  // Browsers warn about the local CA certificate.
  const warning = caFile ? '; your browser warns about the local certificate, accept it' : '';
  return `
Partner Signals is running, with a demo organization of invented companies.

  Console    ${url}/console/
             sign in with the key in ${keyFile}${warning}
  API        ${url}/v1
  Reference  ${url}/docs

Try it:

  curl ${trust}-H ${key} '${url}/v1/signals?state=new&limit=3'

Press Ctrl-C to stop.
`;
}
