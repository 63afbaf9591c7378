import { resolve } from 'node:path';
import { runnerImport } from 'vite';

/**
 * Runs a TypeScript program in this process on every Node.js version that we support: before 22.18, Node cannot run
 * TypeScript itself. To fork one: fork('scripts/run-typescript.mjs', ['bench/some.ts', …]).
 */
export async function runTypeScript(file) {
  await runnerImport(resolve(file), { logLevel: 'error' });
}

if (process.argv[1] === import.meta.filename) {
  const [file] = process.argv.splice(2, 1);
  await runTypeScript(file);
}
