import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerUser } from '../../src/store/db/embedded/process.ts';
import { type Child, freePort, startChild } from './child.ts';
import { database, role } from './server.ts';

/** PgBouncer in transaction mode, in front of whichever server is the primary. */
export class PgBouncer {
  readonly port: number;
  readonly #file: string;
  readonly #dir: string;
  readonly #user: ServerUser;
  #child: Child | undefined;

  private constructor(file: string, dir: string, user: ServerUser, port: number) {
    this.#file = file;
    this.#dir = dir;
    this.#user = user;
    this.port = port;
  }

  static async start(file: string, dir: string, user: ServerUser, primaryPort: number): Promise<PgBouncer> {
    const pgbouncer = new PgBouncer(file, dir, user, await freePort());
    await writeFile(join(dir, 'pgbouncer-users.txt'), `"${role}" "${role}"\n`, { mode: 0o644 });
    await pgbouncer.#configure(primaryPort);
    await pgbouncer.run();
    return pgbouncer;
  }

  async run(): Promise<void> {
    this.#child = await startChild({
      name: 'pgbouncer',
      file: this.#file,
      args: ['pgbouncer.ini'],
      dir: this.#dir,
      user: this.#user,
    });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal);
    await this.#child?.ended;
  }

  /** What a failover manager does after a promotion. */
  async pointAt(primaryPort: number): Promise<void> {
    await this.#configure(primaryPort);
    this.#child?.kill('SIGHUP');
  }

  async #configure(primaryPort: number): Promise<void> {
    const settings = [
      '[databases]',
      `${database} = host=127.0.0.1 port=${primaryPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${this.port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      'auth_file = pgbouncer-users.txt',
      'pool_mode = transaction',
      'max_client_conn = 200',
      'default_pool_size = 20',
      // The default is to wait for 15 s after a failed login.
      'server_login_retry = 1',
      'server_connect_timeout = 5',
    ];
    await writeFile(join(this.#dir, 'pgbouncer.ini'), `${settings.join('\n')}\n`, { mode: 0o644 });
  }
}
