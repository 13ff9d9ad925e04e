// The reference suite of the IPFS core API brings the build tools of its own repository with it; none of them is needed
// to run it. See tools/ipfs-core-suite.
const suite = 'interface-ipfs-core';
const buildTools = ['copyfiles', 'stream', '@types/node', '@types/pako', '@types/readable-stream'];

// The first releases on multiformats 11, which the suite compares CIDs of: those of other versions are not "deep equal".
const pinned = {
  '@ipld/car': '5.1.0',
  '@ipld/dag-cbor': '9.0.0',
  '@ipld/dag-json': '10.0.1',
  '@ipld/dag-pb': '4.0.2',
  'dag-jose': '4.0.0',
  'ipfs-unixfs': '9.0.0',
  'ipfs-unixfs-importer': '12.0.0',
};

function readPackage(manifest) {
  if (manifest.name === 'ipfs-http-client' || manifest.name === 'ipfs-core-utils') {
    const dependencies = Object.keys(manifest.dependencies).map((name) => [
      name,
      pinned[name] ?? manifest.dependencies[name],
    ]);
    return { ...manifest, dependencies: Object.fromEntries(dependencies) };
  }
  if (manifest.name !== suite) return manifest;
  // Only the fixtures of the older release are used.
  if (manifest.version === '0.155.2') return { ...manifest, dependencies: {} };
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies)
      .filter(([name]) => !buildTools.includes(name))
      .map(([name, range]) => [name, pinned[name] ?? range]),
  );
  return { ...manifest, dependencies: { ...dependencies, aegir: 'workspace:*' } };
}

module.exports = { hooks: { readPackage } };
