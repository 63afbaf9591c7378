// The rooms of the house and who may import whom; see docs/decisions/0001-rooms.md.
const rooms = {
  contract: [],
  rules: ['contract'],
  store: ['contract'],
  domain: ['rules', 'store', 'contract'],
  delivery: ['store', 'contract'],
  http: ['domain', 'store', 'contract'],
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'not-to-dev-dependencies', severity: 'error', from: { path: '^src', pathNot: '[.]test[.]ts$' }, to: { dependencyTypes: ['npm-dev'] } },
    ...Object.entries(rooms).map(([room, may]) => ({
      name: `${room}-imports-only-${may.join('-') || 'nothing-of-ours'}`,
      severity: 'error',
      from: { path: `^src/${room}/` },
      // Types of the configuration may be named anywhere: they are data, not behaviour.
      to: { path: '^src/', pathNot: [`^src/(${[room, ...may].join('|')})/`, '^src/config[.]ts$'] },
    })),
    { name: 'rules-are-pure', severity: 'error', from: { path: '^src/rules/', pathNot: '[.]test[.]ts$' }, to: { dependencyTypes: ['core'] } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts'], exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
