#!/usr/bin/env node
// node api-reports.mjs [--update]: compares the public API of every lib with its report in libs/*/api, or writes the
// reports. A change of the API shows in review as a change of the report, and determines the next version.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { entriesOf, libs } from '../lib/libs.mjs';

const compilerOptions = {
  module: 'nodenext',
  moduleResolution: 'nodenext',
  target: 'es2022',
  lib: ['es2023', 'esnext.disposable'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
};
const silent = { default: { logLevel: 'none' } };

function configOf({ directory }, { types }, work) {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: directory,
      mainEntryPointFilePath: types,
      compiler: { overrideTsconfig: { compilerOptions, files: [types] } },
      apiReport: {
        enabled: true,
        reportFileName: 'report.api.md',
        reportFolder: work,
        reportTempFolder: join(work, 'now'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        extractorMessageReporting: silent,
        tsdocMessageReporting: silent,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(directory, 'package.json'),
  });
}

function reportOf(config, compilerState, work) {
  const problems = [];
  Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel === 'error') problems.push(message.text);
      message.handled = true;
    },
  });
  if (problems.length > 0) throw new Error(`${config.mainEntryPointFilePath}: ${problems.join('; ')}`);
  return readFileSync(join(work, 'now', 'report.api.md'), 'utf8').replaceAll('\r\n', '\n');
}

/** Compares or writes all reports. Returns faults with their fixes. */
export function checkApiReports({ update = false } = {}) {
  const work = mkdtempSync(join(tmpdir(), 'cairn-api-'));
  const faults = [];
  // Compiles all entries in one run.
  const [first, ...rest] = libs.flatMap((lib) => entriesOf(lib).map((entry) => configOf(lib, entry, work)));
  const additionalEntryPoints = rest.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
  const compilerState = CompilerState.create(first, { additionalEntryPoints });
  for (const lib of libs) {
    const reports = join(lib.directory, 'api');
    mkdirSync(reports, { recursive: true });
    const entries = entriesOf(lib);
    for (const entry of entries) {
      const file = join(reports, `${entry.name}.api.md`);
      const now = reportOf(configOf(lib, entry, work), compilerState, work);
      if (update) writeFileSync(file, now);
      else if (readIfPresent(file) !== now) faults.push(`the API of ${entry.specifier} is not what ${file} says`);
    }
    const known = new Set(entries.map(({ name }) => `${name}.api.md`));
    for (const file of readdirSync(reports).filter((name) => !known.has(name)))
      faults.push(`${join(reports, file)} is the report of a missing entry; delete it`);
  }
  rmSync(work, { recursive: true });
  return faults;
}

function readIfPresent(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const faults = checkApiReports({ update: process.argv.includes('--update') });
  for (const fault of faults) console.error(fault);
  if (faults.length > 0)
    console.error('If the change is intended, run `npx nx run @cairn/tools:update-api` and commit the reports.');
  process.exit(faults.length > 0 ? 1 : 0);
}
