import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * `npm run test:long`: what kills, floods, freezes or fills something, starts many processes, imports files, needs a
 * million rows, walks through the whole console in a browser, or follows every command of the guides. All others are `npm test`.
 */
const long = [
  'test/cli/doctor.test.ts',
  'test/cli/failures.test.ts',
  'test/cli/import-large.test.ts',
  'test/cli/import-plan.test.ts',
  'test/cli/import-terminal.test.ts',
  'test/cli/import.test.ts',
  'test/cli/launcher.test.ts',
  'test/cli/reading.test.ts',
  'test/cli/serving.test.ts',
  'test/cli/webhooks.test.ts',
  'test/client/package.test.ts',
  ...[
    'accounts',
    'attribution',
    'away',
    'console',
    'home',
    'large',
    'layout',
    'names',
    'policy',
    'review',
    'session',
    'states',
    'triage',
    'undo',
    'walk',
    'webhooks',
  ].map((name) => `test/console/${name}.test.ts`),
  'test/database/lost-connections.test.ts',
  'test/delivery/fairness.test.ts',
  'test/delivery/isolation.test.ts',
  'test/delivery/kill.test.ts',
  'test/delivery/receivers.test.ts',
  'test/docs/guides.test.ts',
  'test/http/export-large.test.ts',
  'test/http/key-rotation.test.ts',
  'test/http/memory.test.ts',
  'test/http/signal-log-memory.test.ts',
  'test/ingest/stream-memory.test.ts',
  'test/lifecycle/certificate.test.ts',
  'test/lifecycle/embedded-service.test.ts',
  'test/lifecycle/full-disk.test.ts',
  'test/lifecycle/shutdown.test.ts',
  'test/mcp/conformance.test.ts',
  'test/mcp/questions.test.ts',
  'test/openapi/page.test.ts',
  'test/store/embedded.test.ts',
  'test/store/match-plans.test.ts',
  'test/store/plans.test.ts',
  'test/prepare.test.ts',
  'test/process.test.ts',
];

/** Vitest starts the largest files first. The guides are a small file but take longest: started last, they run alone. */
class GuidesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isGuides = ({ moduleId }: TestSpecification) => moduleId.endsWith('test/docs/guides.test.ts');
    return [...sorted.filter(isGuides), ...sorted.filter((file) => !isGuides(file))];
  }
}

/**
 * Each in a process of its own. What measures the heap collects all garbage again and again, for which that of other files
 * must not be in the way; and the shared shapes are changed before the service is loaded.
 */
const alone = [
  'src/demo/dataset.test.ts',
  'src/http/ingest/weight.test.ts',
  'test/http/limits.test.ts',
  'test/http/shared-shapes.test.ts',
];

/** `npm run test:deep`: what repeats the random tests of the other suites for minutes. */
const deep = 'test/**/*.deep.test.ts';

/**
 * On Citus: what sends statements. What has no database is the same there, and so are the command line, the console and the
 * typed client, which send the requests of the others.
 */
const citus = [
  'test/clock.test.ts',
  'test/cli/doctor.test.ts',
  ...['attribution', 'citus', 'delivery', 'http', 'ingest', 'matches', 'mcp', 'store'].map(
    (room) => `test/${room}/*.test.ts`,
  ),
];
const longOnCitus = ['cli/doctor', 'delivery/kill', 'http/key-rotation'].map(
  (name) => `test/${name}.test.ts`,
);
const notOnCitus = [
  deep,
  ...long.filter((file) => !longOnCitus.includes(file)),
  'test/delivery/lookup-name.test.ts',
  'test/delivery/post.test.ts',
  'test/http/hostile.test.ts',
  'test/http/limits*.test.ts',
  'test/http/listener.test.ts',
  'test/http/local-authority.test.ts',
  'test/http/shared-shapes.test.ts',
  'test/mcp/untrusted.test.ts',
  // Plans of a single node, and migrations, of which test/citus has its own.
  'test/store/first-load.test.ts',
  'test/store/migrate.test.ts',
];

// One worker more than CI has cores: many tests wait for a time to pass. A machine can be four times as slow as another,
// so everything that is waited for has much more time than it needs.
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };
const short = { maxWorkers: 3, ...patience };

export default defineConfig({
  test: {
    globalSetup: 'test/setup.ts',
    pool: 'forks',
    sequence: { sequencer: GuidesFirst },
    // Files share a process: loading and warming up the service again for each would take longer than most of them.
    projects: [
      ...(process.env.CITUS_URL
        ? [{ test: { name: 'citus', include: citus, exclude: notOnCitus, isolate: false, ...short } }]
        : []),
      {
        test: {
          name: 'short',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...long, ...alone, deep, 'test/citus/**'],
          isolate: false,
          ...short,
        },
      },
      { test: { name: 'short-alone', include: alone, isolate: true, ...short } },
      {
        test: {
          name: 'long',
          include: long,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          ...patience,
        },
      },
      {
        test: {
          name: 'deep',
          include: [deep],
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          ...patience,
          testTimeout: 3_600_000,
        },
      },
    ],
  },
});
