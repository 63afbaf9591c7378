// The rooms of the house and who may import whom; see docs/decisions/0001-rooms.md.
const rooms = {
  contract: [],
  rules: ['contract'],
  store: ['contract'],
  domain: ['rules', 'store', 'contract'],
  delivery: ['store', 'contract'],
  http: ['domain', 'store', 'contract'],
  client: [],
};

/** The folders of the console: pages of a resource share `ui` and `session`. */
const consoleRooms = {
  ui: [],
  session: ['ui'],
  partners: ['session', 'ui'],
  signals: ['partners', 'session', 'ui'],
  attribution: ['partners', 'session', 'ui'],
  webhooks: ['session', 'ui'],
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
      name: 'client-and-console-run-in-a-browser',
      severity: 'error',
      from: { path: '^(src/client|console)/', pathNot: 'vite[.]config[.]ts$' },
      to: { dependencyTypes: ['core'] },
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
