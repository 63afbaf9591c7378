#!/usr/bin/env node
import { existsSync } from 'node:fs';

// In a clone, the sources can be newer than the build. An installed package has no sources.
if (existsSync(new URL('../src', import.meta.url))) await (await import('../scripts/prepare.mjs')).prepare();
await import('../dist/cli/main.js');
