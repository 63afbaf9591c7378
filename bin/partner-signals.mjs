#!/usr/bin/env node
import { existsSync } from 'node:fs';

// In a clone the sources may be newer than what was built from them; an installed package has no sources.
if (existsSync(new URL('../src', import.meta.url))) (await import('../scripts/prepare.mjs')).prepare();
await import('../dist/cli/main.js');
