import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  redirect,
} from '@tanstack/react-router';
import type { SignalQuery } from '../src/client/types.ts';
import type { PartnerType } from '../src/contract/partner.ts';
import { PartnerPage } from './partner-page.tsx';
import { PartnersPage } from './partners-page.tsx';
import { Problem } from './parts.tsx';
import { Shell } from './shell.tsx';
import { SignalPanel } from './signal-panel.tsx';
import { SignalsPage } from './signals-page.tsx';
import { keysOf, partnerTypeWords, stateWords, typeWords } from './words.ts';

type Search = Record<string, unknown>;

/** What an address says that is no filter is left out, as if it were not there. */
const signalSearch = (search: Search): SignalQuery => ({
  type: oneOf(keysOf(typeWords), search.type),
  state: oneOf(keysOf(stateWords), search.state),
  partner_id: text(search.partner_id),
  account_id: text(search.account_id),
});
const partnerSearch = (search: Search): { type?: PartnerType | undefined; tier?: number | undefined } => ({
  type: oneOf(keysOf(partnerTypeWords), search.type),
  tier: oneOf([1, 2, 3, 4], search.tier),
});

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/signals', search: {}, replace: true });
  },
});
const signalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'signals',
  validateSearch: signalSearch,
  component: SignalsPage,
});
const signalRoute = createRoute({
  getParentRoute: () => signalsRoute,
  path: '$signalId',
  component: SignalPanel,
});
const partnersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'partners',
  validateSearch: partnerSearch,
  component: PartnersPage,
});
const partnerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'partners/$partnerId',
  component: PartnerPage,
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    signalsRoute.addChildren([signalRoute]),
    partnersRoute,
    partnerRoute,
  ]),
  basepath: '/console',
  defaultErrorComponent: Failed,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  return (
    <div className="card message">
      <h1>There is no such page</h1>
      <p>
        <Link to="/signals">Go to the signals</Link>
      </p>
    </div>
  );
}

function Failed({ error, reset }: ErrorComponentProps) {
  return (
    <div className="card">
      <Problem error={error} retry={reset} />
    </div>
  );
}

function oneOf<T extends string | number>(values: T[], value: unknown): T | undefined {
  return values.find((candidate) => candidate === value);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
