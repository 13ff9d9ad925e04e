// Checks the licenses of all production dependencies of libs and services.
import { pnpm } from '../lib/toolchain.mjs';

/** Licenses that allow distribution with Apache-2.0 when they are named. */
const accepted = new Set([
  '0BSD',
  'Apache-2.0',
  'Apache-2.0 OR MIT',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
]);

/** Packages that no lib or service may depend on, with the reason. */
const refused = new Map([
  ['elliptic', 'it computes with secret numbers in variable time and has a record of faults in signatures'],
]);

/** Returns a fault for each production dependency that is refused, or whose license is not among the accepted ones. */
export async function checkLicenses() {
  const chunks = [];
  const code = await pnpm(['licenses', 'list', '--prod', '--json'], { onOutput: (chunk) => chunks.push(chunk) });
  const text = Buffer.concat(chunks).toString();
  if (code !== 0) return [`pnpm licenses ended with ${code}: ${text}`];
  const byLicense = JSON.parse(text.slice(text.indexOf('{')));
  const names = new Set(Object.values(byLicense).flatMap((packages) => packages.map(({ name }) => name)));
  const faults = [...refused]
    .filter(([name]) => names.has(name))
    .map(([name, reason]) => `${name} is refused: ${reason}`);
  const unlicensed = Object.entries(byLicense)
    .filter(([license]) => !isAccepted(license))
    .flatMap(([license, packages]) => packages.map(({ name }) => `${name} has the license ${license}`));
  return [...faults, ...unlicensed];
}

function isAccepted(license) {
  if (accepted.has(license)) return true;
  const words = license.replace(/^\(|\)$/g, '');
  // One of several alternatives suffices; of combined licenses, all must be accepted.
  if (words.includes(' OR ')) return words.split(' OR ').some((part) => isAccepted(part.trim()));
  if (words.includes(' AND ')) return words.split(' AND ').every((part) => isAccepted(part.trim()));
  return accepted.has(words);
}
