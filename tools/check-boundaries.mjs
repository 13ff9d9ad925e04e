#!/usr/bin/env node
// Checks the imports of one package against the package map: node tools/check-boundaries.mjs DIR
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { coreForbidden, frameworkPackages, packageMap, testPackageMap } from './package-map.mjs';

const importPattern = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|\brequire\(\s*)['"]([@.a-zA-Z][^'"\s]*)['"]/g;
const builtins = new Set(builtinModules);
const linesMax = 350;

/** Returns the faults of one package directory as sentences with file, fault and fix. */
export function boundaryFaults(directory) {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const parts = resolve(directory).split(sep);
  const name = parts.at(-1);
  const kind = parts.at(-2);
  const faults = [];
  if (kind === 'libs' && !(name in packageMap)) faults.push(`${name}: not in tools/package-map.mjs. Add a row for it.`);
  const allowed = kind === 'libs' ? (packageMap[name] ?? []) : Object.keys(packageMap);
  const runtime = new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
  ]);
  const any = new Set([...runtime, ...Object.keys(manifest.devDependencies ?? {})]);
  for (const folder of ['src', 'e2e']) {
    for (const file of sources(join(directory, folder))) {
      const path = relative(directory, file);
      const text = stripComments(readFileSync(file, 'utf8'));
      const isTest = /\.(spec|bench|fixture)\.ts$|^e2e\/|^src\/testing\//.test(path);
      const isRim = kind !== 'libs' || name === 'service-kit' || path.startsWith(`src${sep}nest${sep}`);
      const lines = text.split('\n').length;
      if (!isTest && lines > linesMax) {
        faults.push(`${path}: ${lines} lines. One idea a file, about 300 lines: give the second idea its own file.`);
      }
      for (const [, specifier] of text.matchAll(importPattern)) {
        faults.push(...importFaults({ specifier, path, name, kind, allowed, runtime, any, isTest, isRim, manifest }));
      }
      if (kind === 'libs' && name !== 'service-kit' && !isTest && /\bprocess\.env\b/.test(text)) {
        faults.push(`${path}: reads process.env. Libs take options; settings belong to service-kit.`);
      }
    }
  }
  return faults;
}

function importFaults({ specifier, path, name, allowed, runtime, any, isTest, isRim, kind, manifest }) {
  if (specifier.startsWith('.')) {
    const target = join(path, '..', specifier);
    if (!/\.(ts|json|mjs)$/.test(specifier)) return [`${path}: '${specifier}' has no extension. Write '.ts'.`];
    // Tests start the peers that they compare with, and the engines of their stores.
    const isServer =
      isTest && ['peers', 'engines'].some((name) => target.startsWith(join('..', '..', 'tools', name, '')));
    return target.startsWith('..') && !isServer
      ? [`${path}: '${specifier}' leaves the package. Import it by its package name.`]
      : [];
  }
  if (specifier.startsWith('node:') || builtins.has(specifier)) {
    if (!specifier.startsWith('node:')) return [`${path}: write 'node:${specifier}'.`];
    return !isRim && !isTest && coreForbidden.some((p) => p.test(specifier))
      ? [`${path}: a framework-free core does not import '${specifier}'. Move it to src/nest or an app.`]
      : [];
  }
  const packageName = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : specifier.split('/')[0];
  if (packageName === manifest.name) return [`${path}: imports its own package by name. Use a relative path.`];
  const faults = [];
  if (packageName.startsWith('@cairn/')) {
    const target = packageName.slice('@cairn/'.length);
    const isOracle = isTest && testPackageMap[name]?.includes(target);
    if (!allowed.includes(target) && !isOracle) {
      faults.push(
        `${path}: ${name} may not import ${packageName}. Allowed: ${allowed.join(', ') || 'nothing'}; see tools/package-map.mjs.`,
      );
    }
  }
  if (!isRim && !isTest && frameworkPackages.some((p) => p.test(packageName))) {
    faults.push(`${path}: a framework-free core does not import '${packageName}'. Move it to src/nest.`);
  }
  if (!isRim && !isTest && kind === 'libs' && coreForbidden.some((p) => p.test(packageName))) {
    faults.push(`${path}: a core reports through return values and events, not through '${packageName}'.`);
  }
  if (!(isTest ? any : runtime).has(packageName)) {
    faults.push(
      `${path}: '${packageName}' is not declared in ${isTest ? 'package.json' : 'dependencies'}. Declare it ("catalog:" or "workspace:^").`,
    );
  }
  return faults;
}

function stripComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, (m) => m.replace(/[^\n]/g, ' ')).replace(/(^|\s)\/\/[^\n]*/g, '$1');
}

function* sources(directory) {
  if (!existsSync(directory)) return;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.(ts|tsx|mjs)$/.test(entry.name)) yield path;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const faults = boundaryFaults(process.argv[2] ?? '.');
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error(`${faults.length} boundary fault${faults.length === 1 ? '' : 's'}.`);
    process.exit(1);
  }
}
