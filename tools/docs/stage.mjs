// Copies the pages of the site to dist/pages, each with a title and a group, and links them to each other.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { root } from '../lib/toolchain.mjs';

const pages = join(import.meta.dirname, 'dist', 'pages');
const repository = 'https://github.com/cairn-project/cairn/blob/main';

/** Pages by path in the repository: name of the copy, and the group in the navigation. */
function* sources() {
  yield ['tools/docs/home.md', { name: 'home' }];
  for (const name of readdirSync(join(root, 'tools', 'docs', 'guides')))
    yield [`tools/docs/guides/${name}`, { name: `guides/${name.slice(0, -3)}`, group: 'Guides' }];
  for (const name of ['ARCHITECTURE', 'CONTRIBUTING', 'SECURITY'])
    yield [`${name}.md`, { name: name.toLowerCase(), group: 'Project' }];
  for (const name of readdirSync(join(root, 'docs', 'decisions')))
    yield [`docs/decisions/${name}`, { name: `decisions/${name.slice(0, -3)}`, group: 'Decisions' }];
  for (const [kind, group] of [
    ['apps', 'Services'],
    ['libs', 'Libraries'],
  ])
    for (const name of readdirSync(join(root, kind)))
      if (existsSync(join(root, kind, name, 'README.md')))
        yield [`${kind}/${name}/README.md`, { name: `${kind}/${name}`, group }];
}

const staged = new Map(sources());

/** Replaces a relative link by the staged page, or by its address in the repository. @throws Error when the target is missing */
function linkFrom(path, target) {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const [file, hash] = target.split('#');
  const resolved = posix.normalize(posix.join(posix.dirname(path), file));
  if (!existsSync(join(root, resolved))) throw new Error(`${path}: the link ${target} leads to no file. Correct it.`);
  const anchor = hash === undefined ? '' : `#${hash}`;
  const page = staged.get(resolved) ?? staged.get(posix.join(resolved, 'README.md'));
  if (page === undefined) return `${repository}/${resolved}${anchor}`;
  const from = posix.dirname(staged.get(path).name);
  const to = posix.relative(from, `${page.name}.md`);
  return `${to.startsWith('.') ? to : `./${to}`}${anchor}`;
}

/** Applies a function to the text outside of fences. */
function outsideFences(text, change) {
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

rmSync(pages, { recursive: true, force: true });
for (const [path, { name, group }] of staged) {
  const [, matter, text] = /^(?:---\n([\s\S]*?)\n---\n)?([\s\S]*)$/.exec(readFileSync(join(root, path), 'utf8'));
  const [, heading] = /^# (.+)$/m.exec(text) ?? [];
  const title = /^title: (.+)$/m.exec(matter ?? '')?.[1] ?? heading?.replaceAll('`', '');
  if (title === undefined && group !== undefined)
    throw new Error(`${path}: the page has no title. Start it with a heading.`);
  // The site prints the title of a page above it.
  const linked = outsideFences(text.replace(/^\s*# .+\n/, ''), (part) =>
    part.replace(/\]\(([^)\s]+)\)/g, (_, target) => `](${linkFrom(path, target)})`),
  );
  const file = join(pages, `${name}.md`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, group ? `---\ntitle: ${JSON.stringify(title)}\ngroup: ${group}\n---\n${linked}` : linked);
}
console.log(`${staged.size} pages in ${relative(root, pages)}`);
