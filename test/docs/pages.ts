import { readdir } from 'node:fs/promises';

/** Every Markdown file of the repository, as a path from its root. */
export const pages = await findPages();

async function findPages(): Promise<string[]> {
  const below = await Promise.all(
    ['docs', 'bench', 'packages'].map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((name) => `${folder}/${name}`),
    ),
  );
  return [...(await readdir('.')), ...below.flat()]
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .sort();
}
