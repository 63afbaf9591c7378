import { mainFile, urlIn } from '../main-process.ts';
import { type Child, freePort, startChild, until } from './child.ts';

/** As in the unit file of docs/operate/running.md. */
const restartAfterMs = 1_000;

export type Died = { name: string; how: number | string; lastWords: string };

/** One process of the service. If it ends unexpectedly, it is restarted, as by systemd, and reported. */
export class ServiceProcess {
  readonly name: string;
  readonly port: number;
  readonly died: Died[] = [];
  env: Record<string, string>;
  readonly #dir: string;
  #child: Child | undefined;
  #wanted = false;

  private constructor(name: string, dir: string, port: number, env: Record<string, string>) {
    this.name = name;
    this.#dir = dir;
    this.port = port;
    this.env = env;
  }

  static async start(name: string, dir: string, env: Record<string, string>): Promise<ServiceProcess> {
    const service = new ServiceProcess(name, dir, await freePort(), env);
    await service.start();
    return service;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    await this.#spawn();
    await until(`the start of ${this.name}`, 180, () => urlIn(this.#child?.output() ?? ''));
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** Resolves with its exit code or signal, and the duration. */
  async end(signal: NodeJS.Signals): Promise<{ how: number | string; seconds: number }> {
    this.#wanted = false;
    const startedAt = performance.now();
    this.#child?.kill(signal);
    const how = (await this.#child?.ended) ?? '';
    this.#child = undefined;
    return { how, seconds: (performance.now() - startedAt) / 1_000 };
  }

  async #spawn(): Promise<void> {
    this.#wanted = true;
    const child = await startChild({
      name: this.name,
      file: process.execPath,
      args: ['--enable-source-maps', mainFile],
      dir: this.#dir,
      env: { ...this.env, PORT: String(this.port) },
    });
    this.#child = child;
    void child.ended.then(async (how) => {
      if (!this.#wanted || this.#child !== child) return;
      this.died.push({ name: this.name, how, lastWords: lastWords(child.output()) });
      await new Promise((resolve) => setTimeout(resolve, restartAfterMs));
      if (this.#wanted && this.#child === child) await this.#spawn();
    });
  }
}

/** What it printed outside of its log: the error that ended it, and the top of its stack. */
function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{'));
  const start = Math.max(
    0,
    lines.findIndex((line) => /error/i.test(line)),
  );
  return lines.slice(start, start + 8).join('\n');
}
