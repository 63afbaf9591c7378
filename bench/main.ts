import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endAllChildren } from '../test/faults/child.ts';
import { barChart } from './chart.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureGrowth } from './growth.ts';
import { measureIngest } from './ingest.ts';
import { measureMatching } from './matching/measure.ts';
import { measurePeers } from './peers.ts';
import { measureReads } from './reads.ts';
import type { Section } from './section.ts';
import { measureSenders } from './senders.ts';
import { measureStart } from './start.ts';

const sections = {
  reads: measureReads,
  growth: measureGrowth,
  ingest: measureIngest,
  deliveries: measureDeliveries,
  matching: measureMatching,
  start: measureStart,
  peers: measurePeers,
  senders: measureSenders,
};
type Name = keyof typeof sections;
const names = Object.keys(sections) as Name[];
/** `senders` needs Go and Redis, which not every machine has. */
const usual = names.filter((name) => name !== 'senders');

const help = `Measures the service next to a baseline, in one run on this machine. Compare the ratios: rates and milliseconds do not
carry over to other machines.

  npm run bench                          everything except senders (about an hour)
  npm run bench -- --quick               the same, with less data
  npm run bench -- --only reads,ingest   some of it: ${names.join(', ')}
  npm run bench -- --only peers          compares reads with PostGraphile and Directus (installs them first)
  npm run bench -- --only senders        compares deliveries with Convoy (builds it first; needs git, go and redis-server)
  npm run bench -- --out results         also writes results.json and a chart of each section into this folder
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: usual.join(',') },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const only = values.only.split(',') as Name[];
const unknown = only.find((name) => !names.includes(name));
if (values.help || unknown) {
  console.log(unknown ? `There is no section ${unknown}; choose from ${names.join(', ')}.` : help);
  process.exit(unknown ? 2 : 0);
}

const machine = {
  node: process.version,
  cpu: cpus()[0]?.model ?? '',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
};
console.log(`Node ${machine.node}, ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB`);
process.on('exit', endAllChildren);
const results: Section[] = [];
for (const name of only) {
  console.log(`\n${name} …`);
  const section = await sections[name](values.quick, (line) => console.log(`  ${line}`));
  console.log(`\n${section.title}\n${table(section)}\n${section.notes.join('\n')}`);
  results.push(section);
  // After each section, so a later failure does not lose its results.
  if (values.out) await save(values.out, section);
}

async function save(folder: string, section: Section): Promise<void> {
  await mkdir(folder, { recursive: true });
  const found = { at: new Date().toISOString(), quick: values.quick, machine, sections: results };
  await writeFile(join(folder, 'results.json'), `${JSON.stringify(found, null, 2)}\n`);
  await writeFile(join(folder, `${section.name}.svg`), barChart(section));
  console.log(`Written to ${folder}`);
}

function table({ rows }: Section): string {
  const titles = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => titles.map((title) => cell(row[title] ?? '')));
  return [titles, titles.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function cell(value: string | number): string {
  if (typeof value === 'string') return value;
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value < 10 ? 2 : 1);
}
