import { prepare } from './prepare.mjs';

prepare();
await import('../dist/main.js');
