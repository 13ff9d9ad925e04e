import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Largest compressed size in bytes of the files that the first page loads. */
const firstPageBytesMax = 250_000;
/** Font of English pages. Browsers load the other subsets when a page has such characters. */
const firstFont = /-latin-wght-normal-.*\.woff2$/;

/** Compresses the built files once, at build time. Fails if the first page grows beyond its limit. */
const packed: Plugin = {
  name: 'packed',
  apply: 'build',
  writeBundle({ dir = '' }) {
    const assets = join(dir, 'assets');
    const page = readFileSync(join(dir, 'index.html'), 'utf8');
    let firstPageBytes = 0;
    for (const name of readdirSync(assets)) {
      const bytes = readFileSync(join(assets, name));
      if (name.endsWith('.woff2')) {
        // Fonts are compressed already.
        if (firstFont.test(name)) firstPageBytes += bytes.length;
        continue;
      }
      const compressed = brotliCompressSync(bytes);
      if (page.includes(name)) firstPageBytes += compressed.length;
      writeFileSync(join(assets, `${name}.br`), compressed);
      writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes));
    }
    this.info(`The first page has ${firstPageBytes} bytes (brotli).`);
    if (firstPageBytes > firstPageBytesMax)
      this.error(
        `The first page has ${firstPageBytes} bytes (brotli), more than ${firstPageBytesMax}. Load a page on demand.`,
      );
  },
};

export default defineConfig({
  plugins: [react(), packed],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // The Content-Security-Policy allows no data: scripts or fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
  },
});
