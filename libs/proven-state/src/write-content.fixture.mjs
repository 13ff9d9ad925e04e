// Writes content to a cache until the process is killed: node write-content.fixture.mjs DIRECTORY. Prints a number after each durable
// flush: all content up to it is readable later. JavaScript, since the process runs the built package.
import { keccak256 } from '@cairn/cid';

const { LmdbContentCache } = await import(new URL('../dist/index.js', import.meta.url).href);
const cache = await LmdbContentCache.open({ directory: process.argv[2], bytesMax: 64 * 1024 * 1024 });
for (let number = 0; ; ) {
  const end = number + 40;
  for (; number < end; number++) {
    const content = Buffer.from(`content ${number} `.repeat(20));
    cache.put(keccak256(content), content);
    cache.put(keccak256(Buffer.from(`name ${number}`)), content);
  }
  await cache.flush();
  process.stdout.write(`${number}\n`);
}
