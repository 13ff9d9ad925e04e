// Copies libsecp256k1 as the package secp256k1 builds it (Node-API, MIT) into dist/native, so that this package ships it without the
// JavaScript around it, which brings elliptic. The lockfile pins what is copied.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const manifest = require.resolve('secp256k1/package.json');
const { name, version, license, repository } = require(manifest);
const target = fileURLToPath(new URL('dist/native', import.meta.url));
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
cpSync(join(dirname(manifest), 'prebuilds'), target, { recursive: true });
cpSync(join(dirname(manifest), 'LICENSE'), join(target, 'LICENSE'));
const origin = { name, version, license, repository, contains: 'bitcoin-core/secp256k1' };
writeFileSync(join(target, 'origin.json'), `${JSON.stringify(origin, null, 2)}\n`);
