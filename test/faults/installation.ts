import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadLocalCertificate } from '../../src/http/server/local-authority.ts';
import { type Child, freePort, startChild, until } from './child.ts';
import { Citus } from './citus.ts';
import { type Haproxy, startHaproxy } from './haproxy.ts';
import { PgBouncer } from './pgbouncer.ts';
import { Postgres } from './postgres.ts';
import type { Programs } from './programs.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Database, database, role } from './server.ts';
import { ServiceProcess } from './service-process.ts';

export const operatorKey = 'operator-key-of-the-fault-tests';

/**
 * A whole installation on this machine. The first API process and the worker connect to PostgreSQL directly and know both
 * servers. The second API process uses PgBouncer, which knows the primary.
 */
export class Installation {
  readonly dir: string;
  readonly ca: string;
  readonly receiver: Receiver;
  /** Set unless the database is Citus. */
  postgres!: Postgres;
  citus!: Citus;
  pgbouncer!: PgBouncer;
  haproxy!: Haproxy;
  apis!: ServiceProcess[];
  worker!: ServiceProcess;
  readonly #programs: Programs;
  #redis: Child | undefined;
  #redisPort = 0;

  private constructor(programs: Programs, dir: string, ca: string, receiver: Receiver) {
    this.#programs = programs;
    this.dir = dir;
    this.ca = ca;
    this.receiver = receiver;
  }

  static async start(programs: Programs, dir: string, onCitus: boolean): Promise<Installation> {
    await chmod(dir, 0o755); // PostgreSQL and PgBouncer may run as another user
    const { cert, key, caFile } = await loadLocalCertificate({ dir: join(dir, 'tls'), now: new Date() });
    const ca = await readFile(caFile, 'utf8');
    const installation = new Installation(programs, dir, ca, await startReceiver({ cert, key }));
    await installation.#startServers(onCitus);
    await installation.#startService(caFile);
    return installation;
  }

  get database(): Database {
    return this.citus ?? this.postgres;
  }

  get processes(): ServiceProcess[] {
    return [...this.apis, this.worker];
  }

  get url(): string {
    return `https://localhost:${this.haproxy.port}`;
  }

  async startRedis(): Promise<void> {
    const args = ['--bind', '127.0.0.1', '--port', String(this.#redisPort), '--save', ''];
    this.#redis = await startChild({ name: 'redis', file: this.#programs.redis, args, dir: this.dir });
    await until('the start of Redis', 30, () =>
      this.#redis?.output().includes('Ready to accept connections'),
    );
  }

  async endRedis(): Promise<void> {
    this.#redis?.kill('SIGKILL');
    await this.#redis?.ended;
  }

  /** Resolves when every API process gets requests, including one that died and was restarted. */
  async whole(): Promise<void> {
    for (const { name } of this.apis) await this.haproxy.up(name);
  }

  /** Kills the primary, promotes the replica and reconfigures PgBouncer. Returns when the replica has become the primary. */
  async failOver(): Promise<number> {
    const { postgres, pgbouncer } = this;
    await postgres.primary.end('SIGKILL');
    await postgres.promoteReplica();
    const promotedAt = performance.now();
    await pgbouncer.pointAt(postgres.primary.wire.port);
    return promotedAt;
  }

  async #startServers(onCitus: boolean): Promise<void> {
    const { dir } = this;
    const programs = this.#programs;
    this.#redisPort = await freePort();
    await this.startRedis();
    if (onCitus) this.citus = await Citus.start(programs, dir);
    else this.postgres = await Postgres.start(programs, dir);
    const [entrance] = this.database.entrances;
    if (!entrance) throw new Error('the database has no entrance');
    this.pgbouncer = await PgBouncer.start(programs.pgbouncer, dir, entrance.user, entrance.wire.port);
  }

  async #startService(caFile: string): Promise<void> {
    const { dir } = this;
    const login = `postgresql://${role}:${role}@`;
    const hosts = this.database.entrances.map(({ wire }) => `127.0.0.1:${wire.port}`).join(',');
    const direct = `${login}${hosts}/${database}?target_session_attrs=read-write`;
    const pooled = {
      DATABASE_URL: `${login}127.0.0.1:${this.pgbouncer.port}/${database}`,
      DATABASE_DIRECT_URL: direct,
      DATABASE_PREPARE: 'false',
    };
    const env = (name: string) => ({
      DATA_DIR: join(dir, name),
      DATABASE_URL: direct,
      REDIS_URL: `redis://127.0.0.1:${this.#redisPort}`,
      CITUS_SHARDS: '8',
      OPERATOR_KEY: operatorKey,
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      TLS_CERT_FILE: join(dir, 'tls/server.pem'),
      TLS_KEY_FILE: join(dir, 'tls/server-key.pem'),
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEBHOOK_CA_FILE: caFile,
    });
    [this.worker, ...this.apis] = await Promise.all([
      ServiceProcess.start('worker', dir, { ...env('worker'), ROLE: 'worker' }),
      ServiceProcess.start('api-1', dir, { ...env('api-1'), ROLE: 'api' }),
      ServiceProcess.start('api-2', dir, { ...env('api-2'), ...pooled, ROLE: 'api' }),
    ]);
    this.haproxy = await startHaproxy(this.#programs.haproxy, dir, this.apis);
    await this.whole();
  }
}
