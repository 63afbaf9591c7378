import fs from 'node:fs';
import { register } from 'node:module';

/** The conformance tool imports a function that Node 20 lacks, but does not use it to test a server. */
const withGlob = `export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = undefined;`;
const hooks = `export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: ${JSON.stringify(asUrl(withGlob))}, shortCircuit: true }
    : next(name, context);`;
if (!('globSync' in fs)) register(asUrl(hooks));

function asUrl(source) {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
