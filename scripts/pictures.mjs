import { fileURLToPath } from 'node:url';
import { prepare } from './prepare.mjs';

prepare();
// Only now is what it imports certain to be installed.
const { runTypeScript } = await import('./run-typescript.mjs');
await runTypeScript(fileURLToPath(new URL('../test/console/pictures.ts', import.meta.url)));
