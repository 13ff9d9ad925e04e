import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkStoreFiles } from '@cairn/embedded-store';
import { errorText, isCairnError } from '@cairn/errors';
import { requireRestored } from '@cairn/stores';
import { isMissing } from '../backup/has-store.ts';
import type { CommandSettings } from '../settings.ts';
import { type Finding, fault, good, warning } from './finding.ts';

const storeNames = ['accounts', 'blocks', 'files', 'limits', 'names', 'pins', 'providing'];
const files = ['data.mdb', 'lock.mdb'];

/** Checks the files of the embedded stores as an opening does: rights, length and pages. Opens no store. */
export function checkStores({ CAIRN_HOME: home }: CommandSettings): Finding[] {
  const names = [...storeNames, ...namesIn(join(home, 'chains')).map((name) => join('chains', name))];
  const stores = names.filter((name) =>
    namesIn(join(home, name)).some((file) => /^(data\.mdb|store\.txt)$/.test(file)),
  );
  const findings = [...restored(home), ...stores.flatMap((name) => checkStore(home, join(home, name)))];
  if (findings.length > 0 || stores.length === 0) return findings;
  return [good('stores', `The files of ${stores.length} stores are complete.`)];
}

function restored(home: string): Finding[] {
  return faultOf(() => requireRestored(home));
}

function checkStore(home: string, directory: string): Finding[] {
  const findings = faultOf(() => checkStoreFiles(directory));
  return findings.length > 0 ? findings : checkOwner(home, directory);
}

/** A command of the superuser creates files that the user of the services cannot write. */
function checkOwner(home: string, directory: string): Finding[] {
  const owner = statSync(home).uid;
  const paths = [directory, ...files.map((name) => join(directory, name))];
  const other = paths.find((path) => (statSync(path, { throwIfNoEntry: false })?.uid ?? owner) !== owner);
  if (other === undefined) return [];
  const advice = `Run \`chown -R --reference=${home} ${directory}\`, and commands as the owner of the home.`;
  return [warning('stores', `${other} has another owner than the home.`, advice)];
}

function faultOf(check: () => void): Finding[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!isCairnError(error)) return [fault('stores', errorText(error), 'Check the disk and the rights of this user.')];
    return [fault('stores', error.message, error.hint ?? 'Restore a backup.')];
  }
}

/** Names in a directory; none where it is missing or cannot be read, which `home` and the store itself report. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => !name.startsWith('.'));
  } catch (error) {
    return isMissing(error) ? [] : ['data.mdb'];
  }
}
