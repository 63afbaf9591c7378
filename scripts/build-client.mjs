import { prepare, run } from './prepare.mjs';

await prepare();
run('tsc', 'typescript', ['-p', 'packages/client/tsconfig.json']);
