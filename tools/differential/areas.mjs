import { readdirSync } from 'node:fs';

const directory = new URL('./areas/', import.meta.url);

/**
 * Areas of comparison: the names of the files in `areas/`. README.md describes their form.
 * @type {readonly string[]}
 */
export const areaNames = readdirSync(directory)
  .filter((name) => name.endsWith('.mjs'))
  .map((name) => name.slice(0, -'.mjs'.length))
  .sort();
