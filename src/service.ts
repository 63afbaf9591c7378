import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { type Config, ConfigError } from './config.ts';
import { generateSecret } from './contract/sign.ts';
import { createPoster } from './delivery/post.ts';
import { createUrlCheck } from './delivery/webhook-url.ts';
import { startWorker } from './delivery/worker.ts';
import { canOpenSecrets } from './domain/webhooks.ts';
import { createKeyDirectory } from './http/admission/auth.ts';
import { withFallback } from './http/admission/limits/fallback.ts';
import type { LimitStore } from './http/admission/limits/limit.ts';
import { createMemoryStore } from './http/admission/limits/memory.ts';
import { createAnswerCache } from './http/answers/answer-cache.ts';
import type { Context } from './http/context.ts';
import { type Certificate, readCertificate, watchCertificate } from './http/server/certificate.ts';
import { answerClientError } from './http/server/client-error.ts';
import { createListener } from './http/server/listener.ts';
import { loadLocalCertificate } from './http/server/local-authority.ts';
import { createMetrics } from './http/server/metrics.ts';
import { startBackground } from './jobs.ts';
import { startOwnDatabase } from './own-database.ts';
import { loadSecrets } from './secret-files.ts';
import { type Opened, shutDown } from './shutdown.ts';
import type { Server } from './store/db/connection.ts';
import { openDatabase, setRoleDefaults } from './store/db/database.ts';
import { startDatabaseListener } from './store/db/database-listener.ts';
import { type Db, openDb } from './store/db/db.ts';
import { watchDiskSpace } from './store/db/disk-space.ts';
import { makeFolder } from './store/db/embedded/make-folder.ts';
import { migrate, schemaCheck } from './store/db/migrate.ts';
import { createKeyring } from './store/keys/keyring.ts';

export type Service = {
  url: string;
  /** The CA certificate that clients must trust to reach `url`; null if the certificate was provided. */
  caFile: string | null;
  /** Resolves with the reason if the service cannot continue. */
  died: Promise<string>;
  /** Checks for a new certificate now. */
  reload(): Promise<void>;
  /** Accepts requests for another `delayMs`, then stops everything. Resolves with false if something had to be cut off. */
  close(delayMs?: number): Promise<boolean>;
};

/** Requests in flight get this long to finish before their connections are cut. */
const drainMs = 10_000;
/** About a thousand pages of signals. */
const answerCacheBytes = 48 * 1024 * 1024;

/** Starts everything, from the bottom up. If a step fails, it stops what is running in reverse order. */
export async function startService(
  config: Config,
  log: Logger,
  starting = startOwnDatabase(config, log),
  /**
   * `checkWrites`, for tests: every transaction checks that it wrote only the tables that its statements declare. `onStep`
   * gets the name of each step that begins.
   */
  { checkWrites = false, onStep = (_name: string): void => {} } = {},
): Promise<Service> {
  const opened: Opened = { work: [], shared: [], pools: [], database: [] };
  let closing = false;
  let isOutdated: (reason: string) => void = () => {};
  const outdated = new Promise<string>((resolve) => {
    isOutdated = resolve;
  });

  function close(delayMs = 0): Promise<boolean> {
    closing = true;
    return shutDown(opened, log, delayMs);
  }

  try {
    onStep(config.database ? 'Connecting to the database' : 'Starting PostgreSQL');
    await makeFolder(config.dataDir, 0o700);
    const [{ createApp }, embedded] = await Promise.all([import('./http/app.ts'), starting]);
    // It gets the remaining time, except for the two seconds that a forced stop may take.
    if (embedded)
      opened.database.push({
        name: 'embedded PostgreSQL',
        end: (leftMs) => embedded.stop(Math.max(0, leftMs - 2_000)),
      });
    // Only after we have the lock on the data directory.
    const loadLocal = () => loadLocalCertificate({ dir: join(config.dataDir, 'tls'), now: new Date() });
    const loading = config.tls ? null : awaitedLater(loadLocal());
    const space = embedded && (await watchDiskSpace(config.dataDir, log));
    if (space) opened.shared.push({ name: 'disk space', end: space.close });
    const isPaused = () => space?.isLow() ?? false;

    const own: Server[] = embedded ? [embedded.connection] : [];
    const { servers, direct } = config.database ?? { servers: own, direct: own };
    const pooled = servers[0]?.pooled ?? false;
    const check = await schemaCheck(isOutdated);
    const database = await openDatabase(servers, log, check);
    opened.pools.push({ name: 'database connections', end: database.close });
    const session = pooled ? await openDatabase(direct, log, check) : database;
    if (pooled) opened.pools.push({ name: 'direct database connections', end: session.close });
    const metrics = createMetrics();
    if (space) metrics.gauge('disk_free_bytes', 'Free space on the disk of DATA_DIR.', space.freeBytes);
    const db = openDb(database, { log, onPool: metrics.watch, checkWrites });
    onStep('Migrating the database');
    const onProgress = (line: string) => log.info(line);
    const options = { shardCount: config.citusShards, onProgress, embeddedDir: embedded?.directory };
    for (const name of await migrate(direct, options)) log.info({ migration: name }, 'migrated');
    if (pooled) await setRoleDefaults(direct);
    onStep(config.demo ? 'Preparing the demo organization' : 'Starting the server');
    const demo = config.demo ? awaitedLater(makeDemo(db, config.dataDir, log)) : null;

    const { operators, encryptionKeys } = await loadSecrets(config);
    const limits = await createLimits(config, log);
    opened.shared.push({ name: 'rate limits', end: limits.close });
    // A separate connection that bypasses any pooler, because LISTEN belongs to a session.
    const databaseListener = startDatabaseListener(session.pool({ max: 1 }), log);
    opened.shared.push({ name: 'notifications', end: databaseListener.close });
    const keys = createKeyDirectory(db, databaseListener, log);
    opened.shared.push({ name: 'API keys', end: keys.close });
    if (config.role !== 'api') {
      const { fired: onFired, suggested: onSuggested } = metrics;
      const end = startBackground({ db, log, onFired, onSuggested, isPaused });
      opened.work.push({ name: 'background jobs', end });
    }

    const local = await loading;
    const keyring = createKeyring(encryptionKeys);
    if (!(await canOpenSecrets(db, keyring)))
      throw new ConfigError(
        'ENCRYPTION_KEYS cannot open the webhook secrets in this database: they were encrypted with other keys. Append the old keys to ENCRYPTION_KEYS.',
      );
    if (config.role !== 'api') {
      const poster = await openPoster(config, local?.caFile ?? null);
      const worker = startWorker({ db, keyring, poster, log, onAttempt: metrics.attempted, isPaused });
      databaseListener.on('deliveries', worker.wake);
      opened.work.push({ name: 'deliveries', end: () => worker.close().then(poster.close) });
    }
    const ctx: Context = {
      db,
      answerCache: createAnswerCache(answerCacheBytes),
      keyring,
      keys,
      operators,
      limits,
      log,
      metrics,
      role: config.role,
      trustProxy: config.trustProxy,
      revokeExposedKeys: config.revokeExposedKeys,
      publicCertificate: config.tls !== null,
      checkWebhookUrl: createUrlCheck({ allowPrivate: config.webhookAllowPrivate }),
      generateSecret,
      checkWritable: () => space?.checkFreeSpace(),
      isReady: () => !closing && database.isUsable() && session.isUsable(),
    };
    const app = await createApp(ctx);
    opened.shared.push({ name: 'application', end: () => app.close() });

    // So that whoever opens the console finds data in it.
    await demo;
    const files = config.tls;
    const takes = 'TLS_CERT_FILE and TLS_KEY_FILE must be a certificate and its key as PEM files';
    const tls = files ? await fromSetting(takes, readCertificate(files)) : (local as Certificate);
    const listener = await createListener({
      tls,
      handler: app.routing,
      clientError: answerClientError(ctx, app),
      acceptError: (err) => log.error({ err }, 'a connection could not be accepted'),
    })
      .listen(config.host, config.port)
      .catch((error) => {
        throw listenProblem(config, error);
      });
    opened.work.push({
      name: 'requests',
      end: (_, delayMs) => listener.close({ delayMs, graceMs: drainMs }),
    });
    const certificate = watchCertificate({
      current: tls,
      load: files ? () => readCertificate(files) : loadLocal,
      use: listener.setCertificate,
      pollMs: files ? 10_000 : 3_600_000,
      log,
    });
    opened.work.push({ name: 'certificate', end: certificate.close });
    metrics.gauge(
      'certificate_expires_in_seconds',
      'Until the certificate expires; negative once it has.',
      certificate.secondsLeft,
    );

    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    const url = `https://${local ? 'localhost' : host}:${listener.address().port}`;
    if (local && config.role !== 'worker')
      opened.work.push({ name: 'address file', end: await tellAddress(config.dataDir, url) });
    return {
      url,
      caFile: local?.caFile ?? null,
      died: Promise.race([outdated, ...(embedded ? [embedded.died] : [])]),
      reload: certificate.reload,
      close,
    };
  } catch (error) {
    await close();
    throw dataDirProblem(config.dataDir, error) ?? error;
  }
}

async function openPoster({ webhookCaFile, webhookAllowPrivate }: Config, localCaFile: string | null) {
  // For development: a receiver on this machine can use a certificate of the service's own CA.
  const caFile = webhookCaFile ?? (webhookAllowPrivate ? localCaFile : null);
  const takes = 'WEBHOOK_CA_FILE must be a PEM file containing a CA certificate';
  const ca = caFile && (await fromSetting(takes, readAuthority(caFile)));
  return createPoster({ allowPrivate: webhookAllowPrivate, ...(ca && { ca }) });
}

/** Writes the URL for the command line on this machine, because the port can be any. */
async function tellAddress(dataDir: string, url: string): Promise<() => Promise<void>> {
  const file = join(dataDir, 'service.url');
  await writeFile(file, `${url}\n`);
  return () => rm(file, { force: true });
}

async function readAuthority(file: string): Promise<string> {
  const ca = await readFile(file, 'utf8');
  createSecureContext({ ca });
  return ca;
}

/** If a file cannot be used, the message says what its setting takes. */
async function fromSetting<T>(takes: string, reading: Promise<T>): Promise<T> {
  return reading.catch((error: unknown) => {
    throw new ConfigError(`${takes}: ${error instanceof Error ? error.message : error}`);
  });
}

/** Runs in parallel with the rest of the start, most of which waits for the database. */
async function makeDemo(db: Db, dataDir: string, log: Logger): Promise<void> {
  const { prepareDemo } = await import('./demo/prepare.ts');
  if (await prepareDemo(db, dataDir, new Date())) log.info('created the demo organization');
}

/** If something else fails first, nobody awaits this promise, and its failure does not matter. */
function awaitedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

async function createLimits(config: Config, log: Logger): Promise<LimitStore> {
  const memory = createMemoryStore({ now: Date.now });
  if (!config.redisUrl) return memory;
  const { createRedisStore } = await import('./http/admission/limits/redis.ts');
  return withFallback(createRedisStore({ url: config.redisUrl, log }), memory, log);
}

/** Errors of the file system have a path, some of them as the cause of another error. */
function dataDirProblem(dataDir: string, error: unknown): ConfigError | undefined {
  const { path, code, message, cause } = error as NodeJS.ErrnoException;
  if (cause instanceof Error) return dataDirProblem(dataDir, cause);
  // A folder above it may be the one that cannot be created.
  if (!path || !(isWithin(path, dataDir) || isWithin(dataDir, path))) return undefined;
  const problem =
    path === dataDir && (code === 'EEXIST' || code === 'ENOTDIR') ? `${path} is not a folder` : message;
  return new ConfigError(`DATA_DIR: ${problem}. Set DATA_DIR to a folder that this user can write to.`);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(join(folder, '/'));
}

function listenProblem({ host, port }: Config, error: NodeJS.ErrnoException): Error {
  const ownAddress =
    'Set HOST to an address of this machine, such as 127.0.0.1, or to 0.0.0.0 for all of them.';
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigError(
        `Port ${port} is already in use. Stop the program that uses it, or set PORT to a free port.`,
      );
    case 'EACCES':
      return new ConfigError(`This user may not listen on port ${port}. Set PORT to 1024 or higher.`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ConfigError(`HOST: the name ${host} was not found (${error.code}). ${ownAddress}`);
    case 'EADDRNOTAVAIL':
      return new ConfigError(`HOST: ${host} is not an address of this machine. ${ownAddress}`);
    default:
      return error;
  }
}
