import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pages } from './pages.ts';

test('every link between pages leads to a file, and to a heading in it', async () => {
  const headings = new Map(
    await Promise.all(pages.map(async (page) => [page, headingsOf(await readFile(page, 'utf8'))] as const)),
  );
  const broken = await Promise.all(
    pages.map(async (page) => {
      const links = linksOf(await readFile(page, 'utf8'));
      return links.filter((link) => !leadsSomewhere(page, link, headings)).map((link) => `${page}: ${link}`);
    }),
  );
  expect(broken.flat()).toEqual([]);
  expect([...headings.values()].flat().length).toBeGreaterThan(100);
});

test('every page that the code mentions is there', async () => {
  const roots = ['src', 'console', 'test', 'scripts', 'bench', 'bin', '.ci'];
  const files = (
    await Promise.all(
      roots.map(async (root) => (await readdir(root, { recursive: true })).map((name) => `${root}/${name}`)),
    )
  )
    .flat()
    .filter((name) => /(\.(ts|tsx|mjs|css)|\/run)$/.test(name) && !name.includes('node_modules'));
  const mentions = (
    await Promise.all(
      files.map(async (file) =>
        [...(await readFile(file, 'utf8')).matchAll(/\bdocs\/[\w./-]+\.md\b/g)].map(([page]) => ({
          file,
          page,
        })),
      ),
    )
  ).flat();
  expect(mentions.length).toBeGreaterThan(5);
  expect(mentions.filter(({ page }) => !existsSync(page))).toEqual([]);
});

function leadsSomewhere(page: string, link: string, headings: Map<string, string[]>): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (anchor === undefined) return existsSync(target);
  return headings.get(target)?.includes(anchor) ?? false;
}

/** The targets of links and pictures, except those on other sites. */
function linksOf(source: string): string[] {
  const text = withoutCode(source).replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, inText, inTag]) => inText ?? inTag ?? '')
    .filter((link) => !/^[a-z]+:/.test(link));
}

/** The anchors that GitHub gives to headings; the second of two equal ones ends in `-1`. */
function headingsOf(source: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(source).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

function withoutCode(source: string): string {
  return source.replace(/^(```+).*\n[\s\S]*?^\1$/gm, '');
}
