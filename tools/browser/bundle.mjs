// Builds pages with Vite as a user of the libs does: no plugin, no alias, no polyfill.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

/**
 * Bundles a module of a project for browsers.
 * @param root directory that packages are resolved from
 * @param entry the module, in `root`
 * @param outDir directory for the output; without it nothing is written
 * @returns every file, and the warnings of Vite
 */
export async function bundle({ root, entry, outDir }) {
  const warnings = [];
  const warn = (message) => warnings.push(message);
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    customLogger: loggerTo(warn),
    build: {
      write: outDir !== undefined,
      ...(outDir !== undefined && { outDir }),
      target: 'es2022',
      // Sizes have their own check.
      chunkSizeWarningLimit: 10_000,
      modulePreload: false,
      rollupOptions: {
        input: entry,
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: 'entry.js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  return { files: filesOf(output), warnings };
}

/** Removes progress lines from the output of Vite. */
export function loggerTo(warn) {
  return {
    hasWarned: false,
    info() {},
    warn,
    warnOnce: warn,
    error: warn,
    clearScreen() {},
    hasErrorLogged: () => false,
  };
}

/** Lists the files of a bundle, each with its code and whether the page loads it at start or on demand. */
function filesOf(output) {
  const chunks = new Map(output.map((file) => [file.fileName, file]));
  const atStart = new Set();
  const visit = (name) => {
    if (atStart.has(name)) return;
    atStart.add(name);
    for (const next of chunks.get(name)?.imports ?? []) visit(next);
  };
  for (const file of output) if (file.isEntry) visit(file.fileName);
  return output.map(({ fileName, code, source }) => ({
    name: fileName,
    code: code ?? source,
    isAtStart: atStart.has(fileName),
  }));
}

/** Bytes of code: plain, gzip and brotli, each file compressed by itself as servers send it. */
export function bytesOf(files) {
  const sum = (measure) => files.reduce((total, { code }) => total + measure(Buffer.from(code)), 0);
  return {
    raw: sum((code) => code.length),
    gzip: sum((code) => gzipSync(code, { level: 9 }).length),
    brotli: sum((code) => brotliCompressSync(code).length),
  };
}
