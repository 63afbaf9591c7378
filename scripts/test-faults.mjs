import { fileURLToPath } from 'node:url';
import { prepare } from './prepare.mjs';

await prepare();
// Imported here because the dependencies may not have been installed before.
const { runTypeScript } = await import('./run-typescript.mjs');
await runTypeScript(fileURLToPath(new URL('../test/faults/main.ts', import.meta.url)));
