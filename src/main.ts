import { join, relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type Config, ConfigError, readConfig, timeZoneWarning } from './config.ts';
import { createLogger } from './http/server/log.ts';
import { startOwnDatabase } from './own-database.ts';
import type { Service } from './service.ts';
import { shutdownMs } from './shutdown.ts';
import { EmbeddedPostgresError } from './store/db/embedded/postgres.ts';
import { isConnectionFailure } from './store/db/failures.ts';
import { MigrationError } from './store/db/migrate.ts';
import { createTerminal, type Terminal } from './terminal.ts';

// V8 keeps new objects in a small heap that doubles as needed, and copies what survives: a batch of rows would be copied
// several times. With this factor the heap reaches its full size in one step. Four alternating rounds of 16,000 activities took
// 2.54 s of CPU time with it and 2.70 s without, less in each of them. Other facts and the peak of memory did not differ.
setFlagsFromString('--semi-space-growth-factor=16');

let terminal: Terminal | undefined;
try {
  const config = readConfig(process.env, process.stdout.isTTY);
  if (config.logFormat === 'text') terminal = createTerminal(process.stdout);
  const log = createLogger(config.logLevel, terminal);
  const wrongZone = timeZoneWarning(process.env.TZ);
  if (wrongZone) log.warn(wrongZone);
  // PostgreSQL starts in its own process; loading the rest of the code takes about as long.
  const database = startOwnDatabase(config, log);
  database?.catch(() => {}); // the service handles the error
  const starting = import('./service.ts').then(({ startService }) =>
    startService(config, log, database, { onStep: (name) => stopping || terminal?.step(name) }),
  );

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
    terminal?.print('Stopped.');
    process.exit(inTime ? code : 1);
  };
  const stopOn = (signal: NodeJS.Signals, delayMs: number) => {
    log.info({ signal }, 'stopping');
    if (!stopping) terminal?.step('\nStopping; requests in flight finish first');
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
  if (stopping) terminal?.end();
  else if (config.role === 'worker')
    terminal?.print(`Partner Signals is ready as a worker at ${service.url}.`);
  else if (terminal) terminal.print(welcome(service, config));
  // Standard output gets JSON only.
  else if (config.demo) console.error(welcome(service, config));
} catch (error) {
  terminal?.end('failed');
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
  const database = process.env.DATABASE_URL ? 'DATABASE_URL: the database' : 'The embedded database';
  if (isConnectionFailure(error)) return `${database} cannot be used: ${error.message}`;
  return error.stack ?? error.message;
}

function welcome({ url, caFile }: Service, { dataDir, demo }: Config): string {
  const here = (path: string) => `'${relative(process.cwd(), path) || '.'}'`;
  const where = here(dataDir) === "'data'" ? '' : ` --data-dir ${here(dataDir)}`;
  const cli = (args: string) => `npx partner-signals ${args}${where}${caFile ? '' : ` --base-url ${url}`}`;
  const key = here(join(dataDir, 'demo.key'));
  const trust = caFile ? `--cacert ${here(caFile)} ` : '';
  const browser = caFile ? ' Your browser will warn about the local certificate; proceed.' : '';
  // Since the process began: `npm start` installs and builds in it.
  const seconds = (performance.now() / 1000).toFixed(1);
  const next = demo
    ? [
        `Sign in to the console with the key in ${key}.${browser}`,
        'To see the first signals, open a second terminal here and run one of these:',
        cli('signals list --state new --limit 5'),
        `curl ${trust}-H "Authorization: Bearer $(cat ${key})" '${url}/v1/signals?state=new&limit=3'`,
      ]
    : [
        `Sign in to the console with an API key of your organization.${browser}`,
        'To create an organization and a key, open a second terminal here and run:',
        cli('orgs create "My company"'),
        cli('keys create <org_id> --name console'),
      ];
  const [signIn, how, ...commands] = next;
  return `
Partner Signals is ready after ${seconds} s${demo ? ', with a demo organization of invented companies' : ''}.

  Console  ${url}/console/
  API      ${url}/v1
  Docs     ${url}/docs

${signIn}
${how}

${commands.map((command) => `  ${command}`).join('\n')}

Press Ctrl-C to stop.
`;
}
