import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { planLimits } from '../../src/vocabulary.ts';
import type { TestOrganization } from '../harness.ts';
import { sharedBrowser, violations } from './browser.ts';
import { type Flaw, layoutFlaws } from './flaws.ts';

/** A walk sends more requests than people do. */
export function withoutRateLimits(): void {
  const limits: { requestsPerMinute: number } = planLimits.enterprise;
  const { requestsPerMinute } = limits;
  beforeAll(() => {
    limits.requestsPerMinute = 1_000_000;
  });
  afterAll(() => {
    limits.requestsPerMinute = requestsPerMinute;
  });
}

type Theme = 'light' | 'dark';
export type Screen = { width: number; height: number; isTouch: boolean; theme: Theme };
export type Window = {
  page: Page;
  setTheme(theme: Theme): Promise<void>;
  /** Whether buttons can be found by their names, and pressed. */
  hasButtons: boolean;
  close(): Promise<void>;
};
type Walk = {
  /** Chromium, if not told otherwise. */
  open?: (screen: Screen) => Promise<Window>;
  /** The address of the service. */
  url: string;
  org: Pick<TestOrganization, 'key' | 'get'>;
  /** What the organization contains, in words. */
  data: string;
  widths: readonly number[];
  themes: readonly Theme[];
};

/** The lists with the IDs in the addresses of pages. The first record of each list is opened. */
const idSources: Record<string, { prefix: string; lists: string[] }> = {
  signalId: { prefix: 'sig', lists: ['/v1/signals?'] },
  partnerId: { prefix: 'prt', lists: ['/v1/partners?'] },
  recordId: { prefix: 'atr', lists: ['/v1/attribution?'] },
  accountId: { prefix: 'acc', lists: ['/v1/accounts?'] },
  opportunityId: {
    prefix: 'opp',
    lists: ['/v1/opportunities?status=open&', '/v1/opportunities?status=won&'],
  },
  webhookId: { prefix: 'whk', lists: ['/v1/webhooks?'] },
};

/** Buttons that open a dialog or a menu. Each is pressed once per width, on the first page that has it. */
const openers = [
  /^Keyboard shortcuts/,
  /^More$/,
  /^Filters/,
  /^Dismiss/,
  /^Assign/,
  /not the same company\?$/,
  /^Delete/,
];

/** The largest allowed sum of layout shifts while a page loads. */
const mostShift = 0.05;
/** Screens up to this width are touch screens. */
const widestTouch = 820;

type Place = { name: string; path: string; isMissing?: boolean };
const signInForm = { name: 'the sign-in form', path: '/' };

/** To work on a page: `WALK_PAGES=/deals,/review WALK_WIDTHS=360`. */
const chosen = {
  pages: process.env.WALK_PAGES?.split(','),
  widths: process.env.WALK_WIDTHS?.split(',').map(Number),
};

/** Opens every page of the console at every width, and returns everything that is wrong, by page. */
export async function walk({ widths, ...options }: Walk): Promise<string> {
  const findings = new Findings();
  const places = await placesOf(options);
  const left = [...(chosen.widths ?? widths)];
  // Three at the same time, because half of the time passes waiting.
  const walkers = [1, 2, 3].map(async () => {
    for (let width = left.shift(); width; width = left.shift())
      await walkAtWidth({ ...options, width }, places, findings);
  });
  await Promise.all(walkers);
  return findings.inWords();
}

async function walkAtWidth(
  { open = openChromium, url, org, data, themes, width }: Omit<Walk, 'widths'> & { width: number },
  places: Place[],
  findings: Findings,
): Promise<void> {
  const isTouch = width <= widestTouch;
  const target = isTouch ? 44 : 24;
  let [theme = 'light'] = themes;
  const window = await open({ width, height: isTouch ? Math.min(width * 2, 1180) : 800, isTouch, theme });
  const { page } = window;
  const watched = watch(page, url);
  const pressed = new Set<RegExp>();

  async function visit({ name, path, isMissing = false }: Place): Promise<void> {
    let where = name;
    const known = new Set<string>();
    function found(flaws: Flaw[]): void {
      const more = flaws.filter(({ element, what }) => !known.has(`${element} ${what}`));
      for (const { element, what } of more) known.add(`${element} ${what}`);
      findings.add(where, { width, theme, data }, more);
    }
    const layout = () => page.evaluate(layoutFlaws, { width, target });

    watched.start({ isMissing });
    await window.setTheme(theme);
    await page.goto(`${url}/console${path}`);
    if (!(await watched.isSettled())) found([{ element: 'the page', what: 'still loads after a minute' }]);
    found(await shiftsOf(page));
    found(await layout());
    found(await barriers(page));
    // The themes only differ in colors.
    for (const other of themes.filter((one) => one !== theme)) {
      theme = other;
      await window.setTheme(theme);
      await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor({ state: 'attached' });
      found(await barriers(page, ['color-contrast', 'link-in-text-block']));
    }
    where = `${name}, with all details open`;
    if (await page.evaluate(openDetails)) found(await layout());
    for (const opener of window.hasButtons ? openers : []) {
      const button = page.getByRole('button', { name: opener }).filter({ visible: true }).first();
      if (pressed.has(opener) || (await button.count()) === 0 || (await button.isDisabled())) continue;
      pressed.add(opener);
      where = `${name}, after a press of “${opener.source.replace(/[\^$\\]/g, '')}”`;
      try {
        await button.click({ timeout: 5_000 });
      } catch {
        found([
          { element: 'the button', what: 'cannot be pressed, for example because something covers it' },
        ]);
        continue;
      }
      await watched.isSettled();
      found(await layout());
      found(await barriers(page));
      await page.keyboard.press('Escape');
    }
    where = name;
    found(watched.misdeeds());
  }

  try {
    await visit(signInForm);
    expect(await page.evaluate(signIn, org.key)).toBe(204);
    for (const place of places) await visit(place);
  } finally {
    await window.close();
  }
}

async function openChromium({ width, height, isTouch }: Screen): Promise<Window> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width, height },
    hasTouch: isTouch,
    isMobile: isTouch,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(30_000);
  await context.addInitScript(recordShifts);
  const page = await context.newPage();
  return {
    page,
    setTheme: (colorScheme) => page.emulateMedia({ colorScheme }),
    hasButtons: true,
    close: () => context.close(),
  };
}

/** Signs in without the form, which has its own tests. Runs in the page. */
async function signIn(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch('/console/session', { method: 'POST', headers })).status;
}

/** Every page of the router, with the IDs that its address needs. */
async function placesOf({ url, org }: Pick<Walk, 'url' | 'org'>): Promise<Place[]> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(`${url}/console/`);
  await page.getByRole('heading').first().waitFor();
  type Global = { __TSR_ROUTER__: { routesByPath: object } };
  const routes = await page.evaluate(() =>
    Object.keys((window as unknown as Global).__TSR_ROUTER__.routesByPath),
  );
  await context.close();
  expect(routes.length).toBeGreaterThan(10);
  const places: Place[] = [];
  for (const route of routes) {
    let found: Place[] = [{ name: route, path: route }];
    for (const [, parameter = ''] of route.matchAll(/\$(\w+)/g)) {
      const ids = await idsOf(org, route, parameter);
      found = found.flatMap(({ path, ...place }) =>
        ids.map((id) => ({ ...place, ...id, path: path.replace(`$${parameter}`, id.id) })),
      );
    }
    places.push(...found);
  }
  places.push({ name: 'an address without a page', path: '/nowhere' });
  return places.filter(
    ({ name }) =>
      !chosen.pages || chosen.pages.some((one) => (one === '/' ? name === one : name.includes(one))),
  );
}

async function idsOf(org: Walk['org'], route: string, parameter: string) {
  const source = idSources[parameter];
  if (!source)
    throw new Error(
      `No test opens the page ${route}: add the list that has IDs for “${parameter}” to idSources in test/console/walk.ts.`,
    );
  const ids = new Set<string>();
  for (const list of source.lists) {
    const answer = await org.get(`${list}limit=1`);
    for (const { id } of answer.body.data) ids.add(id);
  }
  // Without data, the page of a record that does not exist.
  if (ids.size === 0) return [{ id: `${source.prefix}_${'0'.repeat(26)}`, isMissing: true }];
  return [...ids].map((id) => ({ id, isMissing: false }));
}

/** What a page must never do: log an error or a warning, send a request that fails, or contact another host. */
function watch(page: Page, url: string) {
  let flaws: Flaw[] = [];
  let isMissing = false;
  const inFlight = new Set<Request>();
  const add = (element: string, what: string) => flaws.push({ element, what });
  page.on('console', (message) => {
    const text = message.text();
    // Reported as the response that it is about.
    if (text.startsWith('Failed to load resource')) return;
    // Depends on how busy the machine is.
    if (text.includes('was preloaded using link preload but not used')) return;
    if (['error', 'warn', 'warning'].includes(message.type())) add('the browser console', `says “${text}”`);
  });
  page.on('pageerror', (error) => add('a script', `throws “${error.message}”`));
  page.on('request', (request) => {
    inFlight.add(request);
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${url}/`))
      add('the page', `contacts ${request.url()}`);
  });
  page.on('requestfinished', (request) => inFlight.delete(request));
  page.on('requestfailed', (request) => {
    inFlight.delete(request);
    const why = request.failure()?.errorText ?? '';
    if (!/ABORTED/.test(why)) add(`${request.method()} ${new URL(request.url()).pathname}`, `fails: ${why}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status < 400 || (isMissing && status === 404)) return;
    add(`${response.request().method()} ${new URL(response.url()).pathname}`, `is answered with ${status}`);
  });
  return {
    start(options: { isMissing: boolean }) {
      isMissing = options.isMissing;
      inFlight.clear();
    },
    misdeeds(): Flaw[] {
      const found = flaws;
      flaws = [];
      return found;
    },
    /** Waits until the page has a heading, and neither a request nor a placeholder for some frames. */
    async isSettled(): Promise<boolean> {
      const end = Date.now() + 60_000;
      for (let calm = 0; calm < 3; ) {
        if (Date.now() > end) return false;
        await new Promise((resolve) => setTimeout(resolve, 40));
        const isLoaded = inFlight.size === 0 && (await page.evaluate(isComplete));
        calm = isLoaded ? calm + 1 : 0;
      }
      return true;
    },
  };
}

async function isComplete(): Promise<boolean> {
  await document.fonts.ready;
  return (
    document.querySelector('h1, h2, [role="alert"]') !== null &&
    document.querySelector('[role="status"][aria-label="Loading"], [aria-busy="true"]') === null
  );
}

function openDetails(): boolean {
  const closed = document.querySelectorAll<HTMLDetailsElement>('details:not([open])');
  for (const details of closed) details.open = true;
  return closed.length > 0;
}

type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Node | null }[] };
type Shifts = { shifts: { value: number; of: string }[] };

/** Runs before the scripts of the page. */
function recordShifts(): void {
  const shifts: Shifts['shifts'] = [];
  (window as unknown as Shifts).shifts = shifts;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
      if (hadRecentInput) continue;
      const names = sources.map(({ node }) => {
        const element = node instanceof Element ? node : node?.parentElement;
        return element ? [element.localName, ...element.classList].slice(0, 3).join('.') : 'removed element';
      });
      shifts.push({ value, of: [...new Set(names)].slice(0, 3).join(', ') });
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

async function shiftsOf(page: Page): Promise<Flaw[]> {
  // Firefox does not report them.
  const shifts = await page.evaluate(() => (window as unknown as Partial<Shifts>).shifts ?? []);
  const sum = shifts.reduce((sum, { value }) => sum + value, 0);
  if (sum <= mostShift) return [];
  const [largest] = shifts.toSorted((a, b) => b.value - a.value);
  return [
    {
      element: largest?.of ?? '',
      what: `moves while the page loads: layout shift ${sum.toFixed(2)}, more than ${mostShift}`,
    },
  ];
}

async function barriers(page: Page, rules?: readonly string[]): Promise<Flaw[]> {
  const found = await violations(page, rules);
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => ({
      element: target.join(' '),
      what: `${id}: ${any[0]?.message ?? help}`,
    })),
  );
}

type Setting = { width: number; theme: Theme; data: string };

class Findings {
  readonly #pages = new Map<string, Map<string, Setting[]>>();

  add(page: string, setting: Setting, flaws: Flaw[]): void {
    const known = this.#pages.get(page) ?? new Map<string, Setting[]>();
    this.#pages.set(page, known);
    for (const { element, what } of flaws) {
      const words = `${element} ${what}`;
      known.set(words, [...(known.get(words) ?? []), setting]);
    }
  }

  /** One paragraph per page. What is wrong at several widths is one line. */
  inWords(): string {
    const paragraphs = [...this.#pages].map(([page, flaws]) => {
      const lines = [...flaws].map(([words, settings]) => {
        const list = (values: (string | number)[]) => [...new Set(values)].join(', ');
        const widths = list(settings.map(({ width }) => width));
        const themes = list(settings.map(({ theme }) => theme));
        const data = list(settings.map(({ data }) => data));
        return `  ${widths} px, ${themes}, ${data}: ${words}`;
      });
      return lines.length === 0 ? '' : [`${page}: ${lines.length} flaws`, ...lines].join('\n');
    });
    return paragraphs.filter((paragraph) => paragraph !== '').join('\n');
  }
}
