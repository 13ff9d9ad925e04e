#!/usr/bin/env node
// node bundle-service.mjs [THREAD …]: bundles the compiled service of the current folder, dist/compiled/main.js, with its
// dependencies in dist. A process of a service then starts in a third of the CPU time: it loads some dozens of files instead of
// 1,500 (docs/decisions/bundled-services.md).
// THREAD: module of a worker thread. One below dist is bundled. One of a library, @cairn/name/dist/file.js, stays in its library,
// with which it shares the modules that it loads by name. Either is beside main.js, where its starter expects it.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { unnameFunctions } from './lib/unname-functions.mjs';

/** Packages with machine code, or that must load before all others. The service names them as dependencies. */
const external = ['koffi', 'lmdb', '@node-rs/argon2', 'reflect-metadata'];

/** Optional parts of packages that no service uses. */
const unused = [
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/platform-socket.io',
  'bufferutil',
  'class-transformer',
  'class-transformer/*',
  'class-validator',
  'pg-native',
  'utf-8-validate',
];

/** Variables of dependencies in CommonJS. */
const commonJs = `import { createRequire as bundleRequire } from 'node:module';
import { fileURLToPath as bundlePath } from 'node:url';
const require = bundleRequire(import.meta.url);
const __filename = bundlePath(import.meta.url), __dirname = bundlePath(new URL('.', import.meta.url));`;

const directory = resolve('dist');
const compiled = join(directory, 'compiled');
const threads = process.argv.slice(2);
const ofLibraries = threads.filter((thread) => thread.startsWith('@'));
const entries = ['dist/compiled/main.js', ...threads.filter((thread) => !ofLibraries.includes(thread))];

const { outputFiles, metafile } = await build({
  entryPoints: Object.fromEntries(entries.map((path) => [basename(path, '.js'), resolve(path)])),
  outdir: directory,
  write: false,
  metafile: true,
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Nest and the errors use the names of classes. Those of functions are removed below.
  keepNames: true,
  external: [...external, ...unused],
  banner: { js: commonJs },
  plugins: [
    {
      // Its path is relative to src, which is one folder less deep than dist/compiled.
      name: 'own package.json',
      setup({ onResolve }) {
        onResolve({ filter: /^(\.\.\/)+package\.json$/ }, ({ importer }) =>
          importer.startsWith(compiled) ? { path: resolve('package.json') } : undefined,
        );
      },
    },
  ],
  logLevel: 'warning',
});
const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
for (const name of external)
  if (imported.includes(name) && !(name in { ...dependencies, ...optionalDependencies }))
    throw new Error(`${name} is not bundled, and package.json does not name it. Add it to the dependencies.`);
// Written after a bundle that succeeds: a running service loads further files of the last one.
for (const name of readdirSync(directory)) if (name.endsWith('.js')) rmSync(join(directory, name));
for (const thread of ofLibraries) {
  const path = `../node_modules/${thread}`;
  if (!existsSync(join(directory, path))) throw new Error(`${thread} is not built, or its library is no dependency.`);
  writeFileSync(join(directory, basename(thread)), `export * from '${path}';\n`);
}
for (const { path, text } of outputFiles) writeFileSync(path, escapeNonAscii(unnameFunctions(text)));
// Machine code of @cairn/block-model, which it loads from a folder beside its module.
const native = resolve('../../libs/block-model/dist/native');
if (Object.keys(metafile.inputs).some((path) => path.endsWith('block-model/dist/recover-public-key.js')))
  cpSync(native, join(directory, 'native'), { recursive: true });

// Module of @cairn/service-kit that worker processes load before the bundle.
if (Object.keys(metafile.inputs).some((path) => path.endsWith('service-kit/dist/processes/supervisor.js')))
  cpSync(resolve('../../libs/service-kit/dist/processes/quiet-orphan.cjs'), join(directory, 'quiet-orphan.cjs'));

/**
 * Escapes what esbuild left outside of ASCII, which are comments and regular expressions. V8 keeps the whole file in memory, with
 * two bytes for each character if one of them is beyond Latin-1.
 */
function escapeNonAscii(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
