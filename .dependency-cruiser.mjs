// The module boundaries; see docs/decisions/0001-module-boundaries.md.
const rooms = {
  contract: [],
  rules: ['contract'],
  store: ['contract'],
  domain: ['rules', 'store', 'contract'],
  delivery: ['store', 'contract'],
  mcp: ['domain', 'store', 'contract'],
  http: ['mcp', 'domain', 'store', 'contract'],
  client: [],
  import: ['contract'],
};

/** The folders of the console: pages of a resource share `ui` and `session`. */
const consoleRooms = {
  ui: [],
  session: ['ui'],
  credit: ['session', 'ui'],
  matches: ['session', 'ui'],
  partners: ['credit', 'matches', 'session', 'ui'],
  accounts: ['matches', 'partners', 'session', 'ui'],
  signals: ['accounts', 'partners', 'session', 'ui'],
  attribution: ['credit', 'partners', 'session', 'ui'],
  review: ['accounts', 'matches', 'partners', 'session', 'ui'],
  home: ['credit', 'partners', 'signals', 'session', 'ui'],
  policy: ['session', 'ui'],
  webhooks: ['session', 'ui'],
};

// Files of the command line and of the demo that need more than the rest of their room, and exactly what they need.
// What a command loads decides how long it takes to start.
const needs = {
  'src/cli/commands/serve.ts': ['main.ts'],
  'src/cli/commands/migrate.ts': [
    'store/db/{database,database-url,failures,migrate}.ts',
    'store/db/embedded/postgres.ts',
  ],
  'src/cli/commands/doctor.ts': ['config.ts'],
  'src/cli/doctor/certificate.ts': ['config.ts', 'http/server/certificate.ts'],
  'src/cli/doctor/database.ts': [
    'config.ts',
    'store/db/{connection,database,migrate}.ts',
    'store/db/embedded/lock.ts',
    'store/keys/organizations.ts',
    'store/signals/signal-counts.ts',
  ],
  'src/cli/commands/import/[^/]+.ts': ['import/[^/]+.ts', 'rules/matching/webmail-domains.ts'],
  'src/cli/terminal/values.ts': ['contract/values/time.ts'],
  'src/cli/commands/webhooks/receiver.ts': ['http/server/local-authority.ts'],
  'src/cli/commands/demo.ts': ['demo/dataset.ts'],
  'src/demo/{activities,dataset,history,rows}.ts': ['contract/ingest.ts'],
  'src/demo/prepare.ts': [
    'contract/{attribution,ids,ingest,key,settings,signal}.ts',
    'domain/{api-keys,disputes,due-signals,organizations,priority,signals}.ts',
    'domain/ingest/ingest.ts',
    'store/db/{db,tx}.ts',
    'store/credit/attribution.ts',
    'store/keys/api-keys.ts',
    'store/signals/{signal-changes,signal-items,signals}.ts',
    'secret-files.ts',
  ],
};
/** `{a,b}.ts` as a regular expression. */
const files = (pattern) =>
  `^${pattern.replaceAll('.', '[.]').replaceAll('{', '(').replaceAll('}', ')').replaceAll(',', '|')}$`;
const always = {
  cli: ['^src/cli/', '^src/client/', '^src/vocabulary[.]ts$'],
  demo: ['^src/demo/', '^src/vocabulary[.]ts$'],
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-to-dev-dependencies',
      severity: 'error',
      from: { path: '^src', pathNot: '[.]test[.]ts$' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    ...Object.entries(rooms).map(([room, may]) => ({
      name: `${room}-imports-only-${may.join('-') || 'nothing-of-ours'}`,
      severity: 'error',
      from: { path: `^src/${room}/` },
      // Types of the configuration may be named anywhere: they are data, not behaviour.
      to: {
        path: '^src/',
        pathNot: [`^src/(${[room, ...may].join('|')})/`, '^src/config[.]ts$', '^src/vocabulary[.]ts$'],
      },
    })),
    ...Object.entries(always).map(([room, may]) => ({
      name: `${room}-imports-only-what-it-needs`,
      severity: 'error',
      from: { path: `^src/${room}/`, pathNot: ['[.]test[.]ts$', ...Object.keys(needs).map(files)] },
      to: { path: '^src/', pathNot: may },
    })),
    ...Object.entries(needs).map(([from, to]) => ({
      name: `${from}-imports-only-what-it-needs`,
      severity: 'error',
      from: { path: files(from) },
      to: {
        path: '^src/',
        pathNot: [
          ...always[from.startsWith('src/cli/') ? 'cli' : 'demo'],
          ...to.map((path) => files(`src/${path}`)),
        ],
      },
    })),
    {
      // Everything else names what it does and leaves connections, queues and locks to the door: see `Db`.
      name: 'pools-stay-behind-the-door',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '[.]test[.]ts$',
          '^src/store/db/',
          '^src/(config|service)[.]ts$',
          '^src/cli/(commands/migrate|doctor/database)[.]ts$',
        ],
      },
      to: { path: '^src/store/db/(connection|database|pipeline|organization-queue)[.]ts$' },
    },
    {
      name: 'console-imports-only-client-and-vocabulary',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^(src|test|bench)/', pathNot: '^src/client/|^src/vocabulary[.]ts$' },
    },
    ...Object.entries(consoleRooms).map(([room, may]) => ({
      name: `console-${room}-imports-only-${may.join('-') || 'itself'}`,
      severity: 'error',
      from: { path: `^console/${room}/` },
      to: { path: '^console/', pathNot: `^console/(${[room, ...may].join('|')})/` },
    })),
    {
      name: 'client-import-and-console-run-in-a-browser',
      severity: 'error',
      from: { path: '^(src/client|src/import|console)/', pathNot: '(vite[.]config|[.]test)[.]ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      // Not through the contract either: it signs webhooks with a Node.js module.
      name: 'import-reaches-no-node-module',
      severity: 'error',
      from: { path: '^src/import/', pathNot: '[.]test[.]ts$' },
      to: { path: '^(node:)?(buffer|crypto|fs|os|path|process|stream|url|util)(/|$)', reachable: true },
    },
    {
      name: 'rules-are-pure',
      severity: 'error',
      from: { path: '^src/rules/', pathNot: '[.]test[.]ts$' },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
};
