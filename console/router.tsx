import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
} from '@tanstack/react-router';
import { partnerTiers, partnerTypes, signalStates, signalTypes, tiers } from '../src/vocabulary.ts';
import { AccountPage } from './accounts/account-page.tsx';
import { OpportunityPage } from './accounts/opportunity-page.tsx';
import { AttributionPage } from './attribution/attribution-page.tsx';
import { RecordPage } from './attribution/record-page.tsx';
import type { AttributionSearch, Period } from './credit/period.ts';
import { HomePage } from './home/home-page.tsx';
import type { ReviewSearch } from './matches/queries.ts';
import { PartnerPage } from './partners/partner-page.tsx';
import { PartnersPage } from './partners/partners-page.tsx';
import { type PartnerSearch, partnerSorts } from './partners/scores.ts';
import { PolicyPage } from './policy/policy-page.tsx';
import { ReviewPage } from './review/review-page.tsx';
import { type Menu, Shell } from './shell.tsx';
import { expiryReasons, type SignalSearch } from './signals/search.ts';
import { SignalPanel } from './signals/signal-panel.tsx';
import { SignalsPage } from './signals/signals-page.tsx';
import { Problem } from './ui/feedback.tsx';
import { icons } from './ui/icons.tsx';
import { NewWebhookPage } from './webhooks/new-webhook-page.tsx';
import { WebhookPage } from './webhooks/webhook-page.tsx';
import { WebhooksPage } from './webhooks/webhooks-page.tsx';

type Search = Record<string, unknown>;

/** Search parameters that are no valid filter are ignored. */
const signalSearch = (search: Search): SignalSearch => ({
  q: text(search.q),
  type: oneOf(signalTypes, search.type),
  state: oneOf([...signalStates, 'all'], search.state),
  end_reason: search.state === 'expired' ? oneOf(expiryReasons, search.end_reason) : undefined,
  partner_id: text(search.partner_id),
  account_id: text(search.account_id),
  owner: text(search.owner),
  assignee: text(search.assignee),
  sort: oneOf(['fired_at'], search.sort),
});
const period = (search: Search): Period => ({ from: day(search.from), to: day(search.to) });
const partnerSearch = (search: Search): PartnerSearch => ({
  type: oneOf(partnerTypes, search.type),
  tier: oneOf(partnerTiers, search.tier),
  ...period(search),
  sort: oneOf(partnerSorts, search.sort),
  order: oneOf(['ascending'], search.order),
});
const attributionSearch = (search: Search): AttributionSearch => ({
  partner_id: text(search.partner_id),
  tier: oneOf(tiers, search.tier),
  ...period(search),
});

/** The navigation, in this order. */
const menu: Menu = [
  { to: '/', name: 'Home', icon: icons.home },
  { to: '/signals', name: 'Signals', icon: icons.signals },
  { to: '/partners', name: 'Partners', icon: icons.partners },
  { to: '/attribution', name: 'Attribution', icon: icons.attribution },
  { to: '/review', name: 'Review' },
  { to: '/policy', name: 'Policy' },
  { to: '/webhooks', name: 'Webhooks' },
];

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound });
const top = { getParentRoute: () => rootRoute };
const homeRoute = createRoute({ ...top, path: '/', component: HomePage });
const signalsRoute = createRoute({
  ...top,
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
  ...top,
  path: 'partners',
  validateSearch: partnerSearch,
  component: PartnersPage,
});
const partnerRoute = createRoute({ ...top, path: 'partners/$partnerId', component: PartnerPage });
const attributionRoute = createRoute({
  ...top,
  path: 'attribution',
  validateSearch: attributionSearch,
  component: AttributionPage,
});
const recordRoute = createRoute({
  ...top,
  path: 'attribution/$recordId',
  // Keeps the list's filters for the link back to it.
  validateSearch: attributionSearch,
  component: RecordPage,
});
const policyRoute = createRoute({ ...top, path: 'policy', component: PolicyPage });
const accountRoute = createRoute({ ...top, path: 'accounts/$accountId', component: AccountPage });
const opportunityRoute = createRoute({ ...top, path: 'deals/$opportunityId', component: OpportunityPage });
const reviewRoute = createRoute({
  ...top,
  path: 'review',
  validateSearch: (search: Search): ReviewSearch => ({
    partner_id: text(search.partner_id),
    account_id: text(search.account_id),
  }),
  component: ReviewPage,
});
const webhooksRoute = createRoute({ ...top, path: 'webhooks', component: WebhooksPage });
const newWebhookRoute = createRoute({ ...top, path: 'webhooks/new', component: NewWebhookPage });
const webhookRoute = createRoute({ ...top, path: 'webhooks/$webhookId', component: WebhookPage });

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    signalsRoute.addChildren([signalRoute]),
    partnersRoute,
    partnerRoute,
    attributionRoute,
    recordRoute,
    policyRoute,
    accountRoute,
    opportunityRoute,
    reviewRoute,
    webhooksRoute,
    newWebhookRoute,
    webhookRoute,
  ]),
  basepath: '/console',
  scrollRestoration: true,
  defaultErrorComponent: Failed,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function Root() {
  return <Shell menu={menu} />;
}

function NotFound() {
  return (
    <div className="card message">
      <title>Page not found · Partner Signals</title>
      <h1>Page not found</h1>
      <p>
        <Link to="/">Go to Home</Link>
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

function oneOf<T extends string | number>(values: readonly T[], value: unknown): T | undefined {
  return values.find((candidate) => candidate === value);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function day(value: unknown): string | undefined {
  const given = text(value);
  return given && /^\d{4}-\d\d-\d\d$/.test(given) && !Number.isNaN(Date.parse(given)) ? given : undefined;
}
