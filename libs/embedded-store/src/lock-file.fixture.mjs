// Opens a store and prints the outcome. Runs in a separate process, since LMDB ends the process on some lock files.
const { Environment } = await import(new URL('../dist/index.js', import.meta.url).href);
try {
  const environment = await Environment.open({ directory: process.argv[2], format: { name: 'test', version: 1 } });
  await environment.close();
  console.log('opened');
} catch ({ code, message }) {
  console.log(`${code} ${message}`);
}
